/** The staff's notes about a member, and the form that adds one. A note is never changed. */
import { Trans, useLingui } from '@lingui/react/macro'
import { CARE } from '@roz/contract/roles.ts'
import { staffNote } from '@roz/core/care-fields.ts'
import { z } from 'zod/mini'
import { call, messageOf } from '../../../app/api.ts'
import { currentLanguage } from '../../../app/language.ts'
import { Button } from '../../../ui/Button.tsx'
import { TextAreaField } from '../../../ui/Field.tsx'
import { formatInstant } from '../../../ui/format.ts'
import { toast } from '../../../ui/Toast.tsx'
import { registered, useRules, whenValid } from '../../forms.ts'
import { type MemberView, Nothing, MemberPart } from './MemberParts.tsx'
import { refreshPortal } from '../queries.ts'
import { useMay } from '../use-may.ts'
import { portalError } from '../portal-form-errors.ts'

export function MemberNotes({ id, notes }: { readonly id: string; readonly notes: MemberView['notes'] }) {
  return (
    <MemberPart title={<Trans>Notes of the team</Trans>}>
      {notes.length === 0 ? <Nothing /> : null}
      <ul className="rows">
        {notes.map(({ id: key, text, author, createdAt }) => (
          <li key={key}>
            <span className="whole-row pre-line">{text}</span>
            <span className="small muted whole-row">
              {author}, {formatInstant(createdAt, currentLanguage())}
            </span>
          </li>
        ))}
      </ul>
      {useMay(CARE) ? <NewNote id={id} /> : null}
    </MemberPart>
  )
}

function NewNote({ id }: { readonly id: string }) {
  const { t } = useLingui()
  const form = useRules<{ text: string }>(z.object({ text: staffNote }), { text: '' })
  const { isSubmitting } = form.formState
  const write = whenValid(form, portalError, async ({ text }) => {
    try {
      await call('noteUser', { params: { id }, body: { text } })
      form.reset()
      await refreshPortal()
    } catch (error) {
      toast.error(messageOf(error, t`Network error. Please check your connection and try again.`))
    }
  })
  return (
    <form noValidate onSubmit={(event) => void write(event)}>
      <TextAreaField
        label={t`New note`}
        hint={t`Only the team reads it. It cannot be changed later.`}
        {...registered(form, 'text', portalError)}
      />
      <Button type="submit" kind="secondary" busy={isSubmitting}>{t`Add note`}</Button>
    </form>
  )
}
