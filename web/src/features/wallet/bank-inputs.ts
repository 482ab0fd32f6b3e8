/** The inputs of account numbers and IFSC codes. */
import { asciiDigits } from '@roz/core/typed.ts'
import { readAccount, readIfsc } from '@roz/core/typed-money.ts'
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
