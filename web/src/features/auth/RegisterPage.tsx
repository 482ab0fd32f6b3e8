/**
 * Registration.
 * - The answer signs the member in. The success screen with the mailed address stays until the member leaves it.
 */
import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call, messageOf } from '../../app/api.ts'
import { currentLanguage } from '../../app/language.ts'
import { paths, publicPath } from '../../paths.ts'
import { session } from '../../app/session.tsx'
import { settings, withDraws } from '../../app/settings.ts'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { PhoneField, TextField } from '../../ui/Field.tsx'
import { toast } from '../../ui/Toast.tsx'
import { judgeAgain, personError, registered, registerTyped, showRefusedFields, useRules } from '../forms.ts'
import { PHONE } from '../typing.ts'
import { AuthSheet } from './AuthSheet.tsx'
import { NewAddressField, NewPasswordFields, tellFirstProblem } from './fields.tsx'
import { GoogleButton } from './GoogleButton.tsx'
import { registerRules, type RegisterValues } from './rules.ts'
import { WrongAddress } from './WrongAddress.tsx'

const EMPTY: RegisterValues = { name: '', email: '', phone: '', password: '', confirmPassword: '' }

export function RegisterPage() {
  const [mailedTo, setMailedTo] = useState<string>()
  return mailedTo === undefined ? <RegisterForm onDone={setMailedTo} /> : <MailSent address={mailedTo} onChanged={setMailedTo} />
}

function RegisterForm({ onDone }: { readonly onDone: (address: string) => void }) {
  const { t } = useLingui()
  const form = useRules<RegisterValues>(registerRules, EMPTY)
  const { errors, isSubmitting } = form.formState

  const register = form.handleSubmit(async ({ name, email, phone, password }) => {
    try {
      const answer = await call('register', { body: { name, email, phone, password } })
      onDone(answer.user.email)
      session.signIn(answer)
    } catch (error) {
      showRefusedFields(form, error)
      toast.error(messageOf(error, t`Registration failed`))
    }
  }, tellFirstProblem(form))

  return (
    <AuthSheet title={t`Register`} lead={t`One rupee a day, together.`}>
      <GoogleButton />
      <form noValidate onSubmit={(event) => void register(event)}>
        <TextField label={t`Full name`} autoComplete="name" {...registered(form, 'name')} />
        <NewAddressField
          given={form.watch('email')}
          onMeant={(email) => form.setValue('email', email, { shouldValidate: true })}
          {...registered(form, 'email')}
        />
        <PhoneField label={t`Phone number`} error={personError(errors.phone?.message)} {...registerTyped(form, 'phone', PHONE)} />
        <NewPasswordFields
          password={form.register('password', judgeAgain(form, 'confirmPassword'))}
          again={form.register('confirmPassword')}
          errors={errors}
        />
        <Button type="submit" wide busy={isSubmitting}>{t`Create account`}</Button>
        <Consent />
      </form>
      <p className="auth-foot">
        <Trans>Already a member?</Trans> <Link to={paths.login}>{t`Log in`}</Link>
      </p>
    </AuthSheet>
  )
}

/** The terms that the member accepts with the button. The server records their version and the time. */
function Consent() {
  const language = currentLanguage()
  const { minAgeYears } = settings
  return (
    <p className="small muted consent">
      <Trans>
        By creating an account you confirm that you are at least {minAgeYears} years old and accept the{' '}
        <a href={publicPath('terms', language)}>terms</a> and the <a href={publicPath('privacyPolicy', language)}>privacy policy</a>.
      </Trans>{' '}
      {withDraws() ? <Trans>Winners are named by first name and initial unless they choose otherwise.</Trans> : null}
    </p>
  )
}

function MailSent({ address, onChanged }: { readonly address: string; readonly onChanged: (address: string) => void }) {
  const { t } = useLingui()
  return (
    <AuthSheet
      title={t`Check your email`}
      lead={
        <Trans>
          A verification email was sent to <b>{address}</b>.
        </Trans>
      }
    >
      <WrongAddress onChanged={onChanged} />
      <h2>{t`Next steps`}</h2>
      <ol className="steps">
        <li>{t`Open the email. If it is not there, look in the spam folder.`}</li>
        <li>{t`Open the link in it within 24 hours.`}</li>
        <li>{t`Add money and join today's round.`}</li>
      </ol>
      <Link className={buttonClass('primary', true)} to={paths.login}>{t`Go to Login`}</Link>
    </AuthSheet>
  )
}
