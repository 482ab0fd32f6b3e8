/** The validation rules of a withdrawal and of closing the account: to a bank account, or to a UPI ID. */
import { accountHolderName, accountNumber, accountType, bankName, ifscCode, upiId } from '@roz/core/bank-fields.ts'
import { withdrawalProblem } from '@roz/core/money-fields.ts'
import type { Paise } from '@roz/core/money.ts'
import * as z from 'zod/mini'
import { amount } from './rules.ts'

export type Place = 'bank' | 'upi'
/** The form has the fields of both places; only the chosen place's fields are judged. */
const placeRules = (place: Place) =>
  place === 'bank'
    ? { accountHolderName, accountNumber, ifscCode, bankName, accountType, upiId: z.string() }
    : {
        accountHolderName,
        accountNumber: z.string(),
        ifscCode: z.string(),
        bankName: z.string(),
        accountType,
        upiId,
      }

export const withdrawRules = (balance: Paise, place: Place) =>
  z.object({ amount: amount((typed) => withdrawalProblem(typed, balance)), ...placeRules(place) })
/** Without an amount: closing the account withdraws the whole balance. */
export const closingRules = (place: Place) => z.object({ amount: z.string(), ...placeRules(place) })
export type WithdrawValues = z.infer<ReturnType<typeof withdrawRules>>

export const EMPTY_PLACE: Omit<WithdrawValues, 'amount'> = {
  accountHolderName: '',
  accountNumber: '',
  ifscCode: '',
  bankName: '',
  accountType: 'savings',
  upiId: '',
}

/** The chosen place, as the calls take it. `checksNames`: the form said that the bank of a UPI ID is asked for its name. */
export function placeOf(values: WithdrawValues, place: Place, checksNames: boolean) {
  const { accountHolderName, accountNumber, ifscCode, bankName, accountType, upiId } = values
  return place === 'upi'
    ? { upiDetail: { accountHolderName, upiId }, ...(checksNames ? { nameCheck: true } : {}) }
    : { bankDetail: { accountHolderName, accountNumber, ifscCode, bankName, accountType } }
}
