/** The PAN under which withheld tax is reported: asked for only after tax was withheld, and shown by its last four characters. */
import { Trans, useLingui } from '@lingui/react/macro'
import type { MemberYear } from '@roz/contract/papers.ts'
import { wordsIn } from '@roz/core/field-words.ts'
import { pan as panRule, TAX_TEXTS } from '@roz/core/tax-fields.ts'
import { type FormEvent, useState } from 'react'
import { ApiError, call, messageOf } from '../../app/api.ts'
import { currentLanguage } from '../../app/language.ts'
import { refreshMine } from '../queries.ts'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Field.tsx'
import { toast } from '../../ui/Toast.tsx'

export function PanForm({ tax }: { readonly tax: MemberYear['tax'] }) {
  const { t } = useLingui()
  const [isOpen, setIsOpen] = useState(tax.pan === null)
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    const { data, error } = panRule.safeParse(typed)
    setProblem(error?.issues[0]?.message)
    if (data === undefined) return
    setBusy(true)
    try {
      await call('setPan', { body: { pan: data } })
      await refreshMine()
      setIsOpen(false)
      setTyped('')
      toast.success(t`Your PAN is saved.`)
    } catch (failure) {
      if (failure instanceof ApiError) setProblem(failure.fields.pan)
      toast.error(messageOf(failure, t`Your PAN could not be saved.`))
    }
    setBusy(false)
  }
  return (
    <section className="no-print" aria-labelledby="pan">
      <h2 id="pan">{t`Your PAN`}</h2>
      {isOpen ? (
        <form noValidate onSubmit={(event) => void send(event)}>
          <TextField
            label={t`PAN`}
            hint={t`Tax was withheld from your rewards. With your PAN it is reported under your name. We keep it encrypted and show only its last four characters.`}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            maxLength={20}
            value={typed}
            error={problem === undefined ? undefined : (wordsIn(TAX_TEXTS, problem, currentLanguage()) ?? problem)}
            onChange={(event) => setTyped(event.target.value)}
          />
          <Button type="submit" busy={busy}>{t`Save PAN`}</Button>
        </form>
      ) : (
        <p>
          <Trans>Your PAN ends in {tax.pan}.</Trans> <Button kind="quiet" onClick={() => setIsOpen(true)}>{t`Change`}</Button>
        </p>
      )}
    </section>
  )
}
