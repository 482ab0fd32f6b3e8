/** Fields that several login forms share: email and password, and a new password with its repetition. */
import { Trans, useLingui } from '@lingui/react/macro'
import { meantAddress } from '@roz/core/mail-hint.ts'
import type { FieldError, FieldErrors, FieldValues, UseFormRegisterReturn, UseFormReturn } from 'react-hook-form'
import { Button } from '../../ui/Button.tsx'
import { toast } from '../../ui/Toast.tsx'
import { PasswordField, TextField } from '../../ui/Field.tsx'
import { problemsOf, personError } from '../forms.ts'
import { firstProblem, type LoginValues } from './rules.ts'

export function SignInFields({ form }: { readonly form: UseFormReturn<LoginValues> }) {
  const { t } = useLingui()
  const { errors } = form.formState
  return (
    <>
      <TextField
        label={t`Email`}
        type="email"
        inputMode="email"
        autoComplete="username"
        error={errors.email && t`Enter your email`}
        {...form.register('email')}
      />
      <PasswordField
        label={t`Password`}
        autoComplete="current-password"
        error={errors.password && t`Enter your password`}
        {...form.register('password')}
      />
    </>
  )
}

type NewAddressProps = UseFormRegisterReturn & {
  /** The kind of content. */
  readonly given: string
  /** The member accepts the address that was probably meant. */
  readonly onMeant: (address: string) => void
  readonly error: string | undefined
}

/** The address of a new account. It asks about a domain that looks mistyped and refuses none. */
export function NewAddressField({ given, onMeant, error, ...field }: NewAddressProps) {
  const { t } = useLingui()
  const meant = meantAddress(given)
  return (
    <TextField
      label={t`Email`}
      type="email"
      inputMode="email"
      autoComplete="email"
      error={error}
      hint={
        meant === undefined ? undefined : (
          <Button kind="secondary" onClick={() => onMeant(meant)}>
            <Trans>Did you mean {meant}?</Trans>
          </Button>
        )
      }
      {...field}
    />
  )
}

type NewPasswordProps = {
  readonly password: UseFormRegisterReturn
  readonly again: UseFormRegisterReturn
  readonly errors: { readonly password?: FieldError | undefined; readonly confirmPassword?: FieldError | undefined }
}

export function NewPasswordFields({ password, again, errors }: NewPasswordProps) {
  const { t } = useLingui()
  const repeated = errors.confirmPassword?.message
  return (
    <>
      <PasswordField
        label={t`Password`}
        autoComplete="new-password"
        hint={t`At least 6 characters.`}
        error={personError(errors.password?.message)}
        {...password}
      />
      <PasswordField
        label={t`Confirm password`}
        autoComplete="new-password"
        error={repeated === 'fill_all' ? t`Write the password again` : personError(repeated)}
        {...again}
      />
    </>
  )
}

/** Shows the first problem of a refused form as a toast. */
export const tellFirstProblem =
  <V extends FieldValues>(form: UseFormReturn<V>) =>
  (problems: FieldErrors<V>): void =>
    toast.error(personError(firstProblem(form.getValues(), problemsOf(form.getValues(), problems))))
