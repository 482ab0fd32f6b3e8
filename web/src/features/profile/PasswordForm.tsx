/** Changes the password, which ends every other session of the member. */
import { useLingui } from '@lingui/react/macro'
import { useEffect } from 'react'
import { call, messageOf } from '../../app/api.ts'
import { session } from '../../app/session.tsx'
import { Button } from '../../ui/Button.tsx'
import { PasswordField } from '../../ui/Field.tsx'
import { toast } from '../../ui/Toast.tsx'
import { personError, registered, showRefusedFields, useRules, whenValid } from '../forms.ts'
import { passwordRules, type PasswordValues } from './rules.ts'

const EMPTY: PasswordValues = { currentPassword: '', newPassword: '' }

export function PasswordForm({ onClose }: { readonly onClose: () => void }) {
  const { t } = useLingui()
  const form = useRules<PasswordValues>(passwordRules, EMPTY)
  const { errors, isSubmitting } = form.formState
  // The button that opened the form has disappeared, so the form takes the focus.
  useEffect(() => form.setFocus('currentPassword'), [form])
  const change = whenValid(form, personError, async (values) => {
    try {
      session.signIn(await call('changePassword', { body: values }))
    } catch (error) {
      showRefusedFields(form, error)
      return toast.error(messageOf(error, t`The change could not be saved.`))
    }
    onClose()
    toast.success(t`Your password was changed. You are logged out everywhere else.`)
  })
  return (
    <form className="form-sheet" noValidate onSubmit={(event) => void change(event)}>
      <PasswordField
        label={t`Current password`}
        autoComplete="current-password"
        error={errors.currentPassword && t`Enter your password`}
        {...form.register('currentPassword')}
      />
      <PasswordField
        label={t`New password`}
        autoComplete="new-password"
        hint={t`At least 6 characters.`}
        {...registered(form, 'newPassword')}
      />
      <div className="buttons">
        <Button type="submit" kind="secondary" busy={isSubmitting}>{t`Change password`}</Button>
        <Button kind="quiet" disabled={isSubmitting} onClick={onClose}>{t`Cancel`}</Button>
      </div>
    </form>
  )
}
