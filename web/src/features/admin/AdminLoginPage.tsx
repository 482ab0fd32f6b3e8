/** The portal's login page. It is separate from the members' login and links back to the site. */
import { Trans, useLingui } from '@lingui/react/macro'
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
import { wordsOf } from './portal-form-errors.ts'

export function AdminLoginPage() {
  const { t } = useLingui()
  const brandName = brand()
  const navigate = useNavigate()
  const [asksCode, setAsksCode] = useState(false)
  const form = useRules<LoginValues>(loginRules, { email: '', password: '' })
  const second = useRules(z.object({ totp: asksCode ? secondFactor : z.string() }), { totp: '' })
  const { isSubmitting } = form.formState

  const logIn = form.handleSubmit(async (values) => {
    if (asksCode && !(await second.trigger('totp', { shouldFocus: true }))) return
    try {
      session.signIn(await call('adminLogin', { body: asksCode ? { ...values, totp: second.getValues('totp') } : values }))
    } catch (error) {
      if (error instanceof ApiError && error.code === 'code_required') return setAsksCode(true)
      if (error instanceof ApiError && error.code === 'wrong_code') return second.setError('totp', { message: error.message })
      return toast.error(messageOf(error, t`Login failed`))
    }
    toast.success(t`Welcome to admin dashboard!`)
    await navigate({ to: paths.adminDashboard, replace: true })
  }, tellFirstProblem(form))

  return (
    <AuthSheet title={t`Admin login`} lead={t`For the people who run ${brandName}. Members log in on the site.`}>
      <form noValidate onSubmit={(event) => void logIn(event)}>
        <SignInFields form={form} />
        {/* The page is on the members' side, which loads anew. */}
        <p className="auth-aside">
          <a href={paths.forgotPassword}>
            <Trans>Forgot password?</Trans>
          </a>
        </p>
        {asksCode ? (
          <TextField
            label={t`Code of your authenticator app`}
            hint={t`6 digits, or a recovery code.`}
            autoComplete="one-time-code"
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- the press before it asked for this field
            autoFocus
            error={wordsOf(second.formState.errors.totp?.message)}
            {...second.register('totp')}
          />
        ) : null}
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
