/**
 * The validation rules of the forms about money.
 * - Amounts are checked as exact paise by the same functions as on the server. Messages are field codes.
 */
import {
  accountHolderName,
  accountNumber,
  accountType,
  bankName,
  decisionReason,
  ifscCode,
  refundProblem,
  type TopupLimits,
  topupProblem,
  withdrawalProblem,
} from '@roz/core/money-fields.ts'
import { phone } from '@roz/core/person-fields.ts'
import { type Paise, ZERO } from '@roz/core/money.ts'
import { readAmount } from '@roz/core/typed-money.ts'
import * as z from 'zod/mini'
import { typedPaise } from './amounts.ts'

function amount(problemOf: (typed: Paise) => string | undefined) {
  return z.string().check(
    z.superRefine((text, context) => {
      // An empty field is below the minimum, as zero is.
      const typed = text.trim() === '' ? ZERO : readAmount(text)
      const problem = typed === undefined ? 'amount_invalid' : problemOf(typed)
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
    }),
  )
}

export const addMoneyRules = (limits: TopupLimits) =>
  z.object({ amount: amount((typed) => topupProblem(typed, limits)), phoneNumber: phone })
export type AddMoneyValues = z.infer<ReturnType<typeof addMoneyRules>>

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

/** A refund is at most the unused part of the chosen payment, and at least a rupee of it or the whole. */
export const refundRules = (unusedOf: (orderId: string) => Paise) =>
  z.object({ orderId: z.string().check(z.minLength(1, 'fill_all')), amount: z.string(), reason: decisionReason }).check(
    z.superRefine(({ orderId, amount: text }, context) => {
      const typed = typedPaise(text)
      const problem = typed === undefined ? 'amount_invalid' : refundProblem(typed, unusedOf(orderId))
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem, path: ['amount'] })
    }),
  )
export type RefundValues = z.infer<ReturnType<typeof refundRules>>
