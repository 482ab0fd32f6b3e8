/** Where the money goes: the fields of a bank account, or a UPI ID. */
import { Trans, useLingui } from '@lingui/react/macro'
import { useId } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { settings } from '../../app/settings.ts'
import { SelectField, TextField } from '../../ui/Field.tsx'
import { registered, registerTyped } from '../forms.ts'
import { bankError } from './bank-form-errors.ts'
import { ACCOUNT, IFSC } from './bank-inputs.ts'
import { BankOfIfsc, useBankDoubt } from './BankOfIfsc.tsx'
import type { Place, WithdrawValues } from './withdraw-rules.ts'

type PlaceProps = { readonly form: UseFormReturn<WithdrawValues>; readonly place: Place; readonly onPlace: (place: Place) => void }

export function PlaceFields({ form, place, onPlace }: PlaceProps) {
  const { t } = useLingui()
  return (
    <>
      <PlaceChoice place={place} onPlace={onPlace} />
      <TextField label={t`Account holder name`} autoComplete="name" {...registered(form, 'accountHolderName', bankError)} />
      {place === 'bank' ? (
        <BankFields form={form} />
      ) : (
        <TextField
          label={t`UPI ID`}
          inputMode="email"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          hint={<UpiHint />}
          {...registered(form, 'upiId', bankError)}
        />
      )}
    </>
  )
}

/** With the keys for it, the member's consent to a check of the name. */
function UpiHint() {
  return (
    <>
      <Trans>For example name@bank. Your UPI app shows it in your profile.</Trans>
      {settings.modes.checksNames === true ? (
        <span className="block">
          <Trans>
            With your request you agree that our payment partner sends ₹1 to this UPI ID and asks the bank if it has your name. We keep only
            the answer, never the bank's record of the name.
          </Trans>
        </span>
      ) : null}
    </>
  )
}

function PlaceChoice({ place, onPlace }: Pick<PlaceProps, 'place' | 'onPlace'>) {
  const { t } = useLingui()
  const id = useId()
  const places = [
    ['bank', t`Bank account`],
    ['upi', t`UPI ID`],
  ] as const
  return (
    <div className="spaced">
      <fieldset className="choices">
        <legend>{t`Where the money goes`}</legend>
        {places.map(([value, label]) => (
          <div className="choice" key={value}>
            <input type="radio" id={`${id}-${value}`} name={id} checked={place === value} onChange={() => onPlace(value)} />
            <label htmlFor={`${id}-${value}`}>{label}</label>
          </div>
        ))}
      </fieldset>
    </div>
  )
}

function BankFields({ form }: Pick<PlaceProps, 'form'>) {
  const { t } = useLingui()
  const { errors } = form.formState
  const code = form.watch('ifscCode')
  const doubt = useBankDoubt(code, form.watch('bankName'))
  return (
    <>
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
        hint={<BankOfIfsc code={code} />}
        error={bankError(errors.ifscCode?.message)}
        {...registerTyped(form, 'ifscCode', IFSC)}
      />
      <TextField label={t`Bank name`} autoComplete="off" hint={doubt} {...registered(form, 'bankName', bankError)} />
      <SelectField label={t`Account type`} {...registered(form, 'accountType', bankError)}>
        <option value="savings">{t`Savings`}</option>
        <option value="current">{t`Current`}</option>
      </SelectField>
    </>
  )
}
