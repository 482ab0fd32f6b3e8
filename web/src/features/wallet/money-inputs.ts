/** The inputs of forms about money: amounts, account numbers, IFSC codes. */
import { asciiDigits } from '@roz/core/typed.ts'
import { readAccount, readIfsc, shownAmount } from '@roz/core/typed-money.ts'
import type { FocusEvent } from 'react'
import type { FieldValues, Path, UseFormRegisterReturn, UseFormReturn } from 'react-hook-form'
import { digitsOf, type TypedField } from '../typing.ts'

export const ACCOUNT: TypedField = {
  read: readAccount,
  keeps: digitsOf,
  max: 18,
  room: () => 18,
  tooLong: 'account_length',
  inDoubt: 'account_digits',
}
export const IFSC: TypedField = {
  read: readIfsc,
  keeps: (text) =>
    asciiDigits(text)
      .replace(/[^A-Za-z0-9]/g, '')
      .toUpperCase(),
  max: 11,
  room: () => 11,
  tooLong: 'ifsc_length',
  inDoubt: 'ifsc_invalid',
}

/** Registers an amount: it stays as typed, and is shown as it was read when the field is left. */
export function registerAmount<V extends FieldValues>(form: UseFormReturn<V>, name: Path<V>) {
  const field: UseFormRegisterReturn<Path<V>> = form.register(name)
  return {
    ...field,
    onBlur: (event: FocusEvent<HTMLInputElement>): Promise<void | boolean> => {
      const shown = shownAmount(event.target.value)
      if (shown !== event.target.value) event.target.value = shown
      return field.onBlur(event)
    },
  }
}
