/** The profile's edit mode. Nothing is saved before Save Changes, and neither is the switch. */
import { useLingui } from '@lingui/react/macro'
import type { User } from '@roz/contract/shapes.ts'
import { call, messageOf } from '../../app/api.ts'
import { Button } from '../../ui/Button.tsx'
import { PhoneField, TextField } from '../../ui/Field.tsx'
import { toast } from '../../ui/Toast.tsx'
import { personError, registered, registerTyped, showRefusedFields, useRules, whenValid } from '../forms.ts'
import { PHONE } from '../typing.ts'
import { AutoParticipate } from './AutoParticipate.tsx'
import { profileRules, type ProfileValues } from './rules.ts'

type ProfileEditorProps = { readonly user: User; readonly onSaved: (changed: Partial<User>) => void; readonly onClose: () => void }

export function ProfileEditor({ user, onSaved, onClose }: ProfileEditorProps) {
  const { t } = useLingui()
  const form = useRules<ProfileValues>(profileRules(user), {
    name: user.name,
    phone: user.phone ?? '',
    autoParticipate: user.autoParticipate,
  })
  const { errors, isSubmitting } = form.formState
  const autoParticipate = form.watch('autoParticipate')

  const save = whenValid(form, personError, async ({ name, phone, autoParticipate }) => {
    const body = { autoParticipate, ...(name === user.name ? {} : { name }), ...(phone === '' ? {} : { phone }) }
    try {
      onSaved((await call('updateProfile', { body })).user ?? body)
    } catch (error) {
      console.warn('Failed to save the profile:', error)
      showRefusedFields(form, error)
      return toast.error(messageOf(error, t`The change could not be saved.`))
    }
    onClose()
  })

  return (
    <form noValidate onSubmit={(event) => void save(event)}>
      <TextField label={t`Full Name`} autoComplete="name" {...registered(form, 'name')} />
      <TextField label={t`Email Address`} type="email" value={user.email} readOnly hint={t`Cannot be changed`} autoComplete="email" />
      <PhoneField label={t`Phone Number`} error={personError(errors.phone?.message)} {...registerTyped(form, 'phone', PHONE)} />
      <AutoParticipate on={autoParticipate} onChange={(on) => form.setValue('autoParticipate', on, { shouldDirty: true })} />
      <div className="buttons card-actions">
        <Button type="submit" busy={isSubmitting}>{t`Save Changes`}</Button>
        <Button kind="secondary" disabled={isSubmitting} onClick={onClose}>{t`Cancel`}</Button>
      </div>
    </form>
  )
}
