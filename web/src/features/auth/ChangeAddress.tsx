/** Corrects the mail address of an account that is not confirmed yet, with the account's password. */
import { Trans, useLingui } from '@lingui/react/macro'
import { ApiError, call, messageOf } from '../../app/api.ts'
import { session } from '../../app/session.tsx'
import { PasswordField } from '../../ui/Field.tsx'
import { toast } from '../../ui/Toast.tsx'
import { FormDialog } from '../FormDialog.tsx'
import { registered, showRefusedFields, useRules } from '../forms.ts'
import { refreshMember } from '../queries.ts'
import { NewAddressField, tellFirstProblem } from './fields.tsx'
import { addressRules, type AddressValues } from './rules.ts'

type Props = { readonly onChanged: ((address: string) => void) | undefined; readonly onClose: () => void }

export function ChangeAddress({ onChanged, onClose }: Props) {
  const { t } = useLingui()
  const form = useRules<AddressValues>(addressRules, { email: '', currentPassword: '' })
  const { isSubmitting } = form.formState

  const change = form.handleSubmit(async (body) => {
    try {
      const { user } = await call('changeAddress', { body })
      session.setUser(user)
      onChanged?.(user.email)
      onClose()
    } catch (error) {
      showRefusedFields(form, error)
      if (error instanceof ApiError && error.code === 'wrong_password')
        return form.setError('currentPassword', { message: error.message }, { shouldFocus: true })
      toast.error(messageOf(error, t`Network error. Please check your connection and try again.`))
      // The member confirmed the address on another device: there is nothing to correct any more.
      if (error instanceof ApiError && error.code === 'already_verified') {
        await refreshMember()
        onClose()
      }
    }
  }, tellFirstProblem(form))

  return (
    <FormDialog title={<Trans>Change address</Trans>} confirm={t`Change address`} busy={isSubmitting} onSubmit={change} onClose={onClose}>
      <p className="spaced">
        <Trans>The link that we sent to the old address stops working. Once the new address is verified, it can't be changed.</Trans>
      </p>
      <NewAddressField
        given={form.watch('email')}
        onMeant={(email) => form.setValue('email', email, { shouldValidate: true })}
        {...registered(form, 'email')}
      />
      <PasswordField label={t`Password`} autoComplete="current-password" {...registered(form, 'currentPassword')} />
    </FormDialog>
  )
}
