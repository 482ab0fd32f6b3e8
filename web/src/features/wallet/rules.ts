/**
 * The rules of the two money forms (spec section 5). Amounts are judged as exact paise by the same
 * functions the server uses; messages are field codes.
 */
import {
  accountHolderName,
  accountNumber,
  accountType,
  bankName,
  ifscCode,
  phone,
  type TopupLimits,
  topupProblem,
  withdrawalProblem,
} from '@roz/core/fields.ts'
import type { Paise } from '@roz/core/money.ts'
import * as z from 'zod/mini'
import { typedPaise } from './amounts.ts'

function amount(problemOf: (typed: Paise) => string | undefined) {
  return z.string().check(
    z.superRefine((text, context) => {
      const typed = typedPaise(text)
      const problem = typed === undefined ? emptyIsTooLittle(text, problemOf) : problemOf(typed)
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
    }),
  )
}
/** Nothing, or zero, is below the least amount; anything else unreadable is no amount. */
const emptyIsTooLittle = (text: string, problemOf: (typed: Paise) => string | undefined): string =>
  /^[0.\s]*$/.test(text) ? (problemOf(0n as Paise) ?? 'amount_invalid') : 'amount_invalid'

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
export type WithdrawValues = z.infer<ReturnType<typeof withdrawRules>>
