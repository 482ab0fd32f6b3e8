/** The fields of a step-up: a passkey, the code of the authenticator app, or without both the password. */
import { useLingui } from '@lingui/react/macro'
import type { FieldError, UseFormRegisterReturn } from 'react-hook-form'
import { PasswordField, TextField } from '../../ui/Field.tsx'
import { PasskeyButton } from './PasskeyButton.tsx'
import { portalError } from './portal-form-errors.ts'
import type { StepUpAsks, StepUpGiven } from './step-up-form.ts'

type StepUpFieldsProps = {
  readonly asks: StepUpAsks
  readonly register: (field: keyof StepUpGiven) => UseFormRegisterReturn
  readonly errors: { readonly [F in keyof StepUpGiven]?: FieldError | undefined }
  readonly byPasskey: () => Promise<void>
}

export function StepUpFields({ asks, register, errors, byPasskey }: StepUpFieldsProps) {
  const { t } = useLingui()
  if (asks === undefined) return null
  if (asks === 'password') {
    return (
      <PasswordField
        label={t`Your password`}
        hint={t`Please confirm that it is you.`}
        autoComplete="current-password"
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the press before it asked for this field
        autoFocus
        error={portalError(errors.password?.message)}
        {...register('password')}
      />
    )
  }
  return (
    <>
      {asks === 'passkey' ? <PasskeyButton use={byPasskey} /> : null}
      <TextField
        label={t`Code of your authenticator app`}
        hint={t`6 digits, or a recovery code.`}
        autoComplete="one-time-code"
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the press before it asked for this field
        autoFocus
        error={portalError(errors.code?.message)}
        {...register('code')}
      />
    </>
  )
}
