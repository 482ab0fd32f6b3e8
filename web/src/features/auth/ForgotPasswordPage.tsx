/** Requests a reset link. The answer is the same for known and unknown addresses. */
import { useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call, messageOf } from '../../app/api.ts'
import { paths } from '../../paths.ts'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Field.tsx'
import { toast } from '../../ui/Toast.tsx'
import { personError, registered, useRules } from '../forms.ts'
import { AuthSheet } from './AuthSheet.tsx'
import { forgotRules, type ForgotValues } from './rules.ts'

export function ForgotPasswordPage() {
  const { t } = useLingui()
  const form = useRules<ForgotValues>(forgotRules, { email: '' })
  const { isSubmitting } = form.formState
  const [answer, setAnswer] = useState<string>()

  const ask = form.handleSubmit(
    async (values) => {
      try {
        setAnswer((await call('forgotPassword', { body: values })).message)
      } catch (error) {
        toast.error(messageOf(error, t`Network error. Please check your connection and try again.`))
      }
    },
    () => toast.error(personError(form.getValues('email').trim() === '' ? 'fill_all' : 'email_invalid')),
  )

  if (answer !== undefined) {
    return (
      <AuthSheet title={t`Forgot password`} lead={answer}>
        <p className="muted">{t`The link in the email works once, for one hour. If nothing comes, look in the spam folder.`}</p>
        <Link className={buttonClass('primary', true)} to={paths.login}>{t`Go to Login`}</Link>
      </AuthSheet>
    )
  }
  return (
    <AuthSheet title={t`Forgot password`} lead={t`Tell us your email and we send you a link to set a new password.`}>
      <form noValidate onSubmit={(event) => void ask(event)}>
        <TextField label={t`Email`} type="email" inputMode="email" autoComplete="username" {...registered(form, 'email')} />
        <Button type="submit" wide busy={isSubmitting}>{t`Send reset link`}</Button>
      </form>
      <p className="auth-foot">
        <Link to={paths.login}>{t`Back to login`}</Link>
      </p>
    </AuthSheet>
  )
}
