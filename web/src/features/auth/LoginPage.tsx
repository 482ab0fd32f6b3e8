/** The members' login page. A refused login shows a toast and keeps the form's values. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Link, useNavigate } from '@tanstack/react-router'
import { ApiError, call, messageOf } from '../../app/api.ts'
import { paths } from '../../paths.ts'
import { session } from '../../app/session.tsx'
import { Button } from '../../ui/Button.tsx'
import { toast } from '../../ui/Toast.tsx'
import { useRules } from '../forms.ts'
import { AuthSheet } from './AuthSheet.tsx'
import { SignInFields, tellFirstProblem } from './fields.tsx'
import { GoogleButton } from './GoogleButton.tsx'
import { loginRules, type LoginValues } from './rules.ts'

export function LoginPage() {
  const { t } = useLingui()
  const navigate = useNavigate()
  const form = useRules<LoginValues>(loginRules, { email: '', password: '' })
  const { isSubmitting } = form.formState

  const logIn = form.handleSubmit(async (values) => {
    try {
      session.signIn(await call('login', { body: values }))
    } catch (error) {
      toast.error(messageOf(error, t`Login failed`))
      if (error instanceof ApiError && error.code === 'staff_portal') await navigate({ to: paths.adminLogin })
      return
    }
    toast.success(t`Welcome back!`)
    await navigate({ to: paths.dashboard, replace: true })
  }, tellFirstProblem(form))

  return (
    <AuthSheet title={t`Log in`} lead={t`Log in to join today's round.`}>
      <GoogleButton />
      <form noValidate onSubmit={(event) => void logIn(event)}>
        <SignInFields form={form} />
        <p className="auth-aside">
          <Link to={paths.forgotPassword}>{t`Forgot password?`}</Link>
        </p>
        <Button type="submit" wide busy={isSubmitting}>{t`Log in`}</Button>
      </form>
      <p className="auth-foot">
        <Trans>New here?</Trans> <Link to={paths.register}>{t`Sign up`}</Link>
      </p>
    </AuthSheet>
  )
}
