/**
 * The validation rules of adding money. Those of the forms that open at a press are in withdraw-rules.ts and RefundForm.tsx.
 * - Amounts are checked as exact paise by the same functions as on the server. Messages are field codes.
 */
import { type TopupLimits, topupProblem } from '@roz/core/money-fields.ts'
import { phone } from '@roz/core/person-fields.ts'
import { type Paise, ZERO } from '@roz/core/money.ts'
import { readAmount } from '@roz/core/typed-money.ts'
import * as z from 'zod/mini'

export function amount(problemOf: (typed: Paise) => string | undefined) {
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
