/** The portal's login page. It is separate from the members' login and links back to the site. */
import { useLingui } from '@lingui/react/macro'
import { secondFactor } from '@roz/core/staff-fields.ts'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import * as z from 'zod/mini'
import { ApiError, call, messageOf } from '../../app/api.ts'
import { brand, currentLanguage } from '../../app/language.ts'
import { paths, publicPath } from '../../paths.ts'
import { session } from '../../app/session.tsx'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Field.tsx'
import { toast } from '../../ui/Toast.tsx'
import { AuthSheet } from '../auth/AuthSheet.tsx'
import { SignInFields, tellFirstProblem } from '../auth/fields.tsx'
import { loginRules, type LoginValues } from '../auth/rules.ts'
import { useRules } from '../forms.ts'
import { PasskeyButton } from './PasskeyButton.tsx'
import { type PasskeyAnswer, signWithPasskey } from './passkeys.ts'
import { portalError } from './portal-form-errors.ts'

/** Gives the second factor, if one is asked for. */
type Second = () => Promise<{ totp?: string; passkey?: PasskeyAnswer }>

export function AdminLoginPage() {
  const { t } = useLingui()
  const brandName = brand()
  const navigate = useNavigate()
  const [asks, setAsks] = useState<'code' | 'passkey'>()
  const asksCode = asks !== undefined
  const form = useRules<LoginValues>(loginRules, { email: '', password: '' })
  const codeForm = useRules(z.object({ totp: asksCode ? secondFactor : z.string() }), { totp: '' })
  const { isSubmitting } = form.formState

  async function open(second: Second, values: LoginValues): Promise<void> {
    try {
      session.signIn(await call('adminLogin', { body: { ...values, ...(await second()) } }))
    } catch (error) {
      if (error instanceof DOMException) return toast.error(t`The passkey was not used. Please try again.`)
      const code = error instanceof ApiError ? error.code : ''
      if (code === 'code_required') return setAsks('code')
      if (code === 'passkey_required') return setAsks('passkey')
      if (error instanceof ApiError && (code === 'wrong_code' || code === 'passkeys_only')) {
        return codeForm.setError('totp', { message: error.message })
      }
      return toast.error(messageOf(error, t`Login failed`))
    }
    toast.success(t`Welcome to admin dashboard!`)
    await navigate({ to: paths.adminDashboard, replace: true })
  }

  const logIn = form.handleSubmit(async (values) => {
    if (asksCode && !(await codeForm.trigger('totp', { shouldFocus: true }))) return
    await open(async () => (asksCode ? { totp: codeForm.getValues('totp') } : {}), values)
  }, tellFirstProblem(form))
  const logInByPasskey = form.handleSubmit(
    (values) => open(async () => ({ passkey: await signWithPasskey((await call('askLoginPasskey', { body: values })).publicKey) }), values),
    tellFirstProblem(form),
  )

  return (
    <AuthSheet title={t`Admin login`} lead={t`For the people who run ${brandName}. Members log in on the site.`}>
      <form noValidate onSubmit={(event) => void logIn(event)}>
        <SignInFields form={form} />
        {/* The page is on the members' side, which loads anew. */}
        <p className="auth-aside">
          <a href={paths.forgotPassword}>{t`Forgot password?`}</a>
        </p>
        {asks === 'passkey' ? <PasskeyButton use={logInByPasskey} /> : null}
        {asksCode ? (
          <TextField
            label={t`Code of your authenticator app`}
            hint={t`6 digits, or a recovery code.`}
            autoComplete="one-time-code"
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- the press before it asked for this field
            autoFocus
            error={portalError(codeForm.formState.errors.totp?.message)}
            {...codeForm.register('totp')}
          />
        ) : null}
        <Button type="submit" wide busy={isSubmitting}>{t`Log in`}</Button>
      </form>
      <p className="auth-foot">
        <a href={publicPath('home', currentLanguage())}>{t`Back to site`}</a>
      </p>
    </AuthSheet>
  )
}
