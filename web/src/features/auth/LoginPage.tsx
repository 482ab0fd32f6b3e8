/** Sign-in (spec section 2, Login). A refused sign-in is a toast; the form stays as it was. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Link, useNavigate } from '@tanstack/react-router'
import { call, messageOf } from '../../api.ts'
import { paths } from '../../paths.ts'
import { session } from '../../session.tsx'
import { Button } from '../../ui/Button.tsx'
import { PasswordField, TextField } from '../../ui/Field.tsx'
import { toast } from '../../ui/Toast.tsx'
import { problemsOf, useRules, wordsOf } from '../forms.ts'
import { AuthSheet } from './AuthSheet.tsx'
import { GoogleButton } from './GoogleButton.tsx'
import { firstProblem, loginRules, type LoginValues } from './rules.ts'

export function LoginPage() {
  const { t } = useLingui()
  const navigate = useNavigate()
  const form = useRules<LoginValues>(loginRules, { email: '', password: '' })
  const { errors, isSubmitting } = form.formState

  const logIn = form.handleSubmit(
    async (values) => {
      try {
        session.signIn(await call('login', { body: values }))
      } catch (error) {
        toast.error(messageOf(error, t`Login failed`))
        return
      }
      toast.success(t`Welcome back!`)
      await navigate({ to: paths.dashboard, replace: true })
    },
    (problems) => toast.error(wordsOf(firstProblem(form.getValues(), problemsOf(form.getValues(), problems)))),
  )

  return (
    <AuthSheet title={t`Log in`} lead={t`Your book is open where you left it.`}>
      <GoogleButton />
      <form noValidate onSubmit={(event) => void logIn(event)}>
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
        <p className="auth-aside">
          <Link to={paths.forgotPassword}>
            <Trans>Forgot password?</Trans>
          </Link>
        </p>
        <Button type="submit" wide busy={isSubmitting}>
          <Trans>Log in</Trans>
        </Button>
      </form>
      <p className="auth-foot">
        <Trans>New here?</Trans>{' '}
        <Link to={paths.register}>
          <Trans>Sign up</Trans>
        </Link>
      </p>
    </AuthSheet>
  )
}
