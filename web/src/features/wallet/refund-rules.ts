/** The validation rules of a refund. */
import { decisionReason, refundProblem } from '@roz/core/money-fields.ts'
import type { Paise } from '@roz/core/money.ts'
import * as z from 'zod/mini'
import { typedPaise } from './amounts.ts'

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
