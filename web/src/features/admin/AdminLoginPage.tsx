/** The portal's login page. It is separate from the members' login and links back to the site. */
import { Trans, useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { call, messageOf } from '../../app/api.ts'
import { brand, currentLanguage } from '../../app/language.ts'
import { paths, publicPath } from '../../paths.ts'
import { session } from '../../app/session.tsx'
import { Button } from '../../ui/Button.tsx'
import { toast } from '../../ui/Toast.tsx'
import { AuthSheet } from '../auth/AuthSheet.tsx'
import { SignInFields, tellFirstProblem } from '../auth/fields.tsx'
import { loginRules, type LoginValues } from '../auth/rules.ts'
import { useRules } from '../forms.ts'

export function AdminLoginPage() {
  const { t } = useLingui()
  const brandName = brand()
  const navigate = useNavigate()
  const form = useRules<LoginValues>(loginRules, { email: '', password: '' })
  const { isSubmitting } = form.formState

  const logIn = form.handleSubmit(async (values) => {
    try {
      session.signIn(await call('adminLogin', { body: values }))
    } catch (error) {
      return toast.error(messageOf(error, t`Login failed`))
    }
    toast.success(t`Welcome to admin dashboard!`)
    await navigate({ to: paths.adminDashboard, replace: true })
  }, tellFirstProblem(form))

  return (
    <AuthSheet title={t`Admin login`} lead={t`For the people who run ${brandName}. Members log in on the site.`}>
      <form noValidate onSubmit={(event) => void logIn(event)}>
        <SignInFields form={form} />
        <Button type="submit" wide busy={isSubmitting}>
          <Trans>Log in</Trans>
        </Button>
      </form>
      <p className="auth-foot">
        <a href={publicPath('home', currentLanguage())}>
          <Trans>Back to site</Trans>
        </a>
      </p>
    </AuthSheet>
  )
}
