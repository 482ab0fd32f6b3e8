/** The validation rules of a withdrawal and of closing the account. */
import { accountHolderName, accountNumber, accountType, bankName, ifscCode } from '@roz/core/bank-fields.ts'
import { withdrawalProblem } from '@roz/core/money-fields.ts'
import type { Paise } from '@roz/core/money.ts'
import * as z from 'zod/mini'
import { amount } from './rules.ts'

export const withdrawRules = (balance: Paise) =>
  z.object({
    amount: amount((typed) => withdrawalProblem(typed, balance)),
    accountHolderName,
    accountNumber,
    ifscCode,
    bankName,
    accountType,
  })
/** The bank fields without an amount: closing the account withdraws the whole balance. */
export const closingRules = z.object({ amount: z.string(), accountHolderName, accountNumber, ifscCode, bankName, accountType })
export type WithdrawValues = z.infer<ReturnType<typeof withdrawRules>>
