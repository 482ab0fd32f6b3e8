/** The five fields of the bank account that receives the money. */
import { useLingui } from '@lingui/react/macro'
import type { UseFormReturn } from 'react-hook-form'
import { SelectField, TextField } from '../../ui/Field.tsx'
import { registerTyped } from '../forms.ts'
import { bankError } from './bank-form-errors.ts'
import { ACCOUNT, IFSC } from './bank-inputs.ts'
import type { WithdrawValues } from './withdraw-rules.ts'

export function BankFields({ form }: { readonly form: UseFormReturn<WithdrawValues> }) {
  const { t } = useLingui()
  const { errors } = form.formState
  return (
    <>
      <TextField
        label={t`Account holder name`}
        autoComplete="name"
        error={bankError(errors.accountHolderName?.message)}
        {...form.register('accountHolderName')}
      />
      <TextField
        label={t`Account number`}
        inputMode="numeric"
        autoComplete="off"
        error={bankError(errors.accountNumber?.message)}
        {...registerTyped(form, 'accountNumber', ACCOUNT)}
      />
      <TextField
        label={t`IFSC`}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        hint={t`11 characters, for example SBIN0001234.`}
        error={bankError(errors.ifscCode?.message)}
        {...registerTyped(form, 'ifscCode', IFSC)}
      />
      <TextField label={t`Bank name`} autoComplete="off" error={bankError(errors.bankName?.message)} {...form.register('bankName')} />
      <SelectField label={t`Account type`} error={bankError(errors.accountType?.message)} {...form.register('accountType')}>
        <option value="savings">{t`Savings`}</option>
        <option value="current">{t`Current`}</option>
      </SelectField>
    </>
  )
}
