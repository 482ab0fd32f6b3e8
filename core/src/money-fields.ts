/** Rules of fields about money: amounts, and the reason of a decision or refund. */
import * as z from 'zod/mini'
import type { Words } from './field-words.ts'
import { type Paise, formatLimit } from './money.ts'
import { texts } from './texts.ts'
import { severalLines } from './written.ts'

export const MONEY_TEXTS = {
  amount_invalid: texts('Please enter an amount in rupees, with at most two decimals'),
  topup_min: texts('Minimum amount is ₹{n}'),
  topup_max: texts('Maximum amount is ₹{n}'),
  withdrawal_min: texts('Minimum withdrawal is ₹{n}'),
  insufficient_funds: texts('Insufficient balance'),
  reason_length: texts('Please give a reason of 3 to 500 characters'),
  refund_too_much: texts('This is more than the unused part of this payment'),
  refund_too_small: texts('A refund is at least ₹1, or all that is left of this payment'),
} as const satisfies Words

const text = (problem: keyof typeof MONEY_TEXTS) => z.string(problem)
const code = (problem: keyof typeof MONEY_TEXTS) => ({ error: problem })

/** The reason of an administrator's decision, or of a member's request for a refund. */
export const decisionReason = text('reason_length').check(
  severalLines,
  z.minLength(3, code('reason_length')),
  z.maxLength(500, code('reason_length')),
)

/** Limits of adding money, in paise. They are settings of the operator, by default ₹10 to ₹30. */
export type TopupLimits = { readonly min: Paise; readonly max: Paise }
const bare = (amount: Paise): string => formatLimit(amount).replace('₹', '')

type AmountProblem = `${'topup_min' | 'topup_max' | 'withdrawal_min'}:${string}` | 'insufficient_funds'

export function topupProblem(amount: Paise, limits: TopupLimits): AmountProblem | undefined {
  if (amount < limits.min) return `topup_min:${bare(limits.min)}`
  if (amount > limits.max) return `topup_max:${bare(limits.max)}`
  return undefined
}

export const REFUND_MIN = 100n as Paise
/** A refund is at least a rupee, or the whole of a smaller rest: each one costs a decision and a call to the gateway. */
export function refundProblem(amount: Paise, unused: Paise): 'refund_too_much' | 'refund_too_small' | undefined {
  if (amount > unused) return 'refund_too_much'
  return amount < REFUND_MIN && amount !== unused ? 'refund_too_small' : undefined
}

export const WITHDRAWAL_MIN = 1000n as Paise
export function withdrawalProblem(amount: Paise, balance: Paise): AmountProblem | undefined {
  if (amount < WITHDRAWAL_MIN) return `withdrawal_min:${bare(WITHDRAWAL_MIN)}`
  return amount > balance ? 'insufficient_funds' : undefined
}
