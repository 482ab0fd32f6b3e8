/** Sets a new password by a mailed link. The server then ends every session of the member. */
import { useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call, messageOf } from '../../app/api.ts'
import { paths } from '../../paths.ts'
import { session } from '../../app/session.tsx'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { toast } from '../../ui/Toast.tsx'
import { judgeAgain, showRefusedFields, useRules } from '../forms.ts'
import { AuthSheet } from './AuthSheet.tsx'
import { NewPasswordFields, tellFirstProblem } from './fields.tsx'
import { resetRules, type ResetValues } from './rules.ts'

const tokenOf = (search: string): string => new URLSearchParams(search).get('token') ?? ''

export function ResetPasswordPage() {
  const { t } = useLingui()
  const [token] = useState(() => tokenOf(window.location.search))
  const [answer, setAnswer] = useState<string>()
  if (token === '') {
    return (
      <AuthSheet title={t`Reset password`} lead={t`This reset link is invalid or has expired. Please request a new one.`}>
        <Link className={buttonClass('primary', true)} to={paths.forgotPassword}>{t`Request a new link`}</Link>
      </AuthSheet>
    )
  }
  if (answer !== undefined) {
    return (
      <AuthSheet title={t`Reset password`} lead={answer}>
        <Link className={buttonClass('primary', true)} to={paths.login}>{t`Go to Login`}</Link>
      </AuthSheet>
    )
  }
  return <ResetForm token={token} onDone={setAnswer} />
}

function ResetForm({ token, onDone }: { readonly token: string; readonly onDone: (answer: string) => void }) {
  const { t } = useLingui()
  const form = useRules<ResetValues>(resetRules, { password: '', confirmPassword: '' })
  const { errors, isSubmitting } = form.formState

  const reset = form.handleSubmit(async ({ password }) => {
    try {
      const { message } = await call('resetPassword', { body: { token, password } })
      // The server has ended every session of that member, including one in this browser.
      session.clear()
      onDone(message)
    } catch (error) {
      showRefusedFields(form, error)
      toast.error(messageOf(error, t`Network error. Please check your connection and try again.`))
    }
  }, tellFirstProblem(form))

  return (
    <AuthSheet title={t`Reset password`} lead={t`Choose a new password. You will be logged out everywhere else.`}>
      <form noValidate onSubmit={(event) => void reset(event)}>
        <NewPasswordFields
          password={form.register('password', judgeAgain(form, 'confirmPassword'))}
          again={form.register('confirmPassword')}
          errors={errors}
        />
        <Button type="submit" wide busy={isSubmitting}>{t`Set new password`}</Button>
      </form>
      <p className="auth-foot">
        <Link to={paths.forgotPassword}>{t`Request a new link`}</Link>
      </p>
    </AuthSheet>
  )
}
