/** The member's other settings: the public name and the password. */
import { Trans, useLingui } from '@lingui/react/macro'
import type { User } from '@roz/contract/shapes.ts'
import { initialName } from '@roz/core/names.ts'
import { useState } from 'react'
import { call, messageOf } from '../../app/api.ts'
import { withDraws } from '../../app/settings.ts'
import { session } from '../../app/session.tsx'
import { Button } from '../../ui/Button.tsx'
import { PasswordField, SelectField } from '../../ui/Field.tsx'
import { toast } from '../../ui/Toast.tsx'
import { showRefusedFields, tellFirst, useRules, wordsOf } from '../forms.ts'
import { passwordRules, type PasswordValues } from './rules.ts'

export function PublicNameForm({ user, onSaved }: { readonly user: User; readonly onSaved: (changed: Partial<User>) => void }) {
  const { t } = useLingui()
  const [saving, setSaving] = useState(false)
  const save = async (publicName: User['publicName']): Promise<void> => {
    setSaving(true)
    try {
      onSaved((await call('updateProfile', { body: { publicName } })).user ?? { publicName })
      toast.success(t`Saved.`)
    } catch (error) {
      console.warn('Failed to change the public name:', error)
      toast.error(messageOf(error, t`The change could not be saved.`))
    } finally {
      setSaving(false)
    }
  }
  return (
    <div className="form-sheet">
      <h2>{withDraws() ? <Trans>Your name in winners' lists</Trans> : <Trans>Your name in public lists</Trans>}</h2>
      <SelectField
        label={t`Name in public`}
        hint={t`This also applies to past rounds.`}
        value={user.publicName}
        aria-busy={saving || undefined}
        onChange={(event) => (saving ? undefined : void save(event.target.value === 'anonymous' ? 'anonymous' : 'initial'))}
      >
        <option value="initial">{initialName(user.name)}</option>
        <option value="anonymous">{t`A member`}</option>
      </SelectField>
    </div>
  )
}

const EMPTY: PasswordValues = { currentPassword: '', newPassword: '' }

export function PasswordForm() {
  const { t } = useLingui()
  const form = useRules<PasswordValues>(passwordRules, EMPTY)
  const { errors, isSubmitting } = form.formState
  const change = form.handleSubmit(async (values) => {
    try {
      session.signIn(await call('changePassword', { body: values }))
    } catch (error) {
      showRefusedFields(form, error)
      return toast.error(messageOf(error, t`The change could not be saved.`))
    }
    form.reset(EMPTY)
    toast.success(t`Your password was changed. You are logged out everywhere else.`)
  }, tellFirst(form))
  return (
    <form className="form-sheet" noValidate onSubmit={(event) => void change(event)}>
      <h2>
        <Trans>Change password</Trans>
      </h2>
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
        error={wordsOf(errors.newPassword?.message)}
        {...form.register('newPassword')}
      />
      <Button type="submit" kind="secondary" busy={isSubmitting}>
        <Trans>Change password</Trans>
      </Button>
    </form>
  )
}
