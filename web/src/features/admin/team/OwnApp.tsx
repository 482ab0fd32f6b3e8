/** The own authenticator app: setting it up, new recovery codes, and turning it off. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { Api, Output } from '@roz/contract/api.ts'
import { givenPassword } from '@roz/core/person-fields.ts'
import { secondFactor } from '@roz/core/staff-fields.ts'
import { type ReactNode, useState } from 'react'
import * as z from 'zod/mini'
import { ApiError, call, messageOf } from '../../../app/api.ts'
import { currentLanguage } from '../../../app/language.ts'
import { Button } from '../../../ui/Button.tsx'
import { PasswordField, TextField } from '../../../ui/Field.tsx'
import { formatDay } from '../../../ui/format.ts'
import { toast } from '../../../ui/Toast.tsx'
import { registered, useRules, whenValid } from '../../forms.ts'
import { FormDialog } from '../../FormDialog.tsx'
import { refreshPortal } from '../queries.ts'
import { portalError } from '../portal-form-errors.ts'
import { RecoveryCodes, SetUpApp } from './SecondFactor.tsx'

type Totp = Output<Api['staffAccount']>['totp']

export function OwnApp({ totp }: { readonly totp: Totp }) {
  const { t } = useLingui()
  // Kept over the refresh after the setup, which ends with the recovery codes.
  const [setsUp, setSetsUp] = useState(totp.enrolledAt === null)
  const [asks, setAsks] = useState<'codes' | 'off'>()
  const [codes, setCodes] = useState<readonly string[]>()
  const done = (): void => {
    setCodes(undefined)
    setSetsUp(false)
    void refreshPortal()
  }
  return (
    <section className="form-sheet">
      <h3>{t`Authenticator app`}</h3>
      {codes !== undefined ? (
        <RecoveryCodes codes={codes} onDone={done} />
      ) : setsUp || totp.enrolledAt === null ? (
        <SetUpApp onDone={done} />
      ) : (
        <>
          <p>
            <Trans>Set up since {formatDay(totp.enrolledAt, currentLanguage())}.</Trans>{' '}
            <Plural value={totp.recoveryCodesLeft} one="# recovery code is left." other="# recovery codes are left." />
          </p>
          <p className="team-buttons">
            <Button kind="secondary" onClick={() => setAsks('codes')}>{t`New recovery codes`}</Button>
            <Button kind="secondary" onClick={() => setAsks('off')}>{t`Turn the app off`}</Button>
          </p>
        </>
      )}
      {asks === 'codes' ? (
        <CodeDialog
          title={<Trans>Make new recovery codes?</Trans>}
          confirm={t`Make new codes`}
          send={async ({ totp: code }) => setCodes((await call('newRecoveryCodes', { body: { totp: code } })).recoveryCodes)}
          onClose={() => setAsks(undefined)}
        >
          <Trans>The old recovery codes stop working.</Trans>
        </CodeDialog>
      ) : null}
      {asks === 'off' ? (
        <CodeDialog
          title={<Trans>Turn the app off?</Trans>}
          confirm={t`Turn the app off`}
          withPassword
          send={async ({ password, totp: code }) => {
            await call('disableTotp', { body: { password, totp: code } })
            setSetsUp(true)
            toast.success(t`The app is off. Your password alone logs you in.`)
            await refreshPortal()
          }}
          onClose={() => setAsks(undefined)}
        >
          {totp.required
            ? t`Your role needs an app: the portal stays closed until you set up a new one.`
            : t`After that, your password alone logs you in.`}
        </CodeDialog>
      ) : null}
    </section>
  )
}

type Given = { password: string; totp: string }
type CodeDialogProps = {
  readonly title: ReactNode
  readonly confirm: string
  readonly withPassword?: boolean
  readonly send: (given: Given) => Promise<void>
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A change of the app itself asks for a code, and not for a step-up that may have been given minutes ago. */
function CodeDialog({ title, confirm, withPassword = false, send, onClose, children }: CodeDialogProps) {
  const { t } = useLingui()
  const rules = z.object({ password: withPassword ? givenPassword : z.string(), totp: secondFactor })
  const form = useRules<Given>(rules, { password: '', totp: '' })
  const { isSubmitting } = form.formState
  const submit = whenValid(form, portalError, async (given) => {
    try {
      await send(given)
      onClose()
    } catch (error) {
      const code = error instanceof ApiError ? error.code : ''
      const message = messageOf(error, t`Network error. Please check your connection and try again.`)
      if (code === 'wrong_code') form.setError('totp', { message })
      else if (code === 'wrong_password') form.setError('password', { message })
      else toast.error(message)
    }
  })
  return (
    <FormDialog title={title} confirm={confirm} busy={isSubmitting} onSubmit={submit} onClose={onClose}>
      <p>{children}</p>
      {withPassword ? (
        <PasswordField label={t`Your password`} autoComplete="current-password" {...registered(form, 'password', portalError)} />
      ) : null}
      <TextField
        label={t`Code of your authenticator app`}
        hint={t`6 digits, or a recovery code.`}
        autoComplete="one-time-code"
        {...registered(form, 'totp', portalError)}
      />
    </FormDialog>
  )
}
