/** Rules of fields about money: amounts, bank account, and the reason of a decision or refund. */
import * as z from 'zod/mini'
import type { Words } from './field-words.ts'
import { type Paise, formatLimit } from './money.ts'
import { texts } from './texts.ts'
import { readOr } from './typed.ts'
import { readAccount, readIfsc } from './typed-money.ts'
import { oneLine, severalLines } from './written.ts'

export const MONEY_TEXTS = {
  amount_invalid: texts('Please enter an amount in rupees, with at most two decimals'),
  topup_min: texts('Minimum amount is ₹{n}'),
  topup_max: texts('Maximum amount is ₹{n}'),
  withdrawal_min: texts('Minimum withdrawal is ₹{n}'),
  insufficient_funds: texts('Insufficient balance'),
  holder_required: texts('Account holder name is required'),
  holder_short: texts('Account holder name must be at least 2 characters'),
  holder_letters: texts('Account holder name can contain only letters and spaces'),
  account_required: texts('Account number is required'),
  account_digits: texts('Account number must contain only digits'),
  account_length: texts('Account number must be between 9-18 digits'),
  ifsc_required: texts('IFSC code is required'),
  ifsc_length: texts('IFSC code must be 11 characters'),
  ifsc_invalid: texts('Invalid IFSC code format'),
  bank_required: texts('Bank name is required'),
  bank_short: texts('Bank name must be at least 3 characters'),
  bank_letters: texts('Bank name can contain only letters, spaces and & . -'),
  account_type: texts('Please choose savings or current'),
  reason_length: texts('Please give a reason of 3 to 500 characters'),
  refund_too_much: texts('This is more than the unused part of this payment'),
  refund_too_small: texts('A refund is at least ₹1, or all that is left of this payment'),
} as const satisfies Words

const text = (problem: keyof typeof MONEY_TEXTS) => z.string(problem)
const code = (problem: keyof typeof MONEY_TEXTS) => ({ error: problem })

export const accountHolderName = text('holder_required').check(
  oneLine,
  z.minLength(1, code('holder_required')),
  z.minLength(2, code('holder_short')),
  z.maxLength(100, code('holder_letters')),
  // Joiners are parts of letters.
  z.regex(/^(?:\p{L}[\p{M}\p{Join_C}]*| )+$/u, code('holder_letters')),
)
export const accountNumber = text('account_required').check(
  z.overwrite(readOr(readAccount)),
  z.minLength(1, code('account_required')),
  z.regex(/^\d*$/, code('account_digits')),
  z.regex(/^\d{9,18}$/, code('account_length')),
)
export const ifscCode = text('ifsc_required').check(
  z.overwrite(readOr(readIfsc)),
  z.minLength(1, code('ifsc_required')),
  z.length(11, code('ifsc_length')),
  z.regex(/^[A-Z]{4}0[A-Z0-9]{6}$/, code('ifsc_invalid')),
)
export const bankName = text('bank_required').check(
  oneLine,
  z.minLength(1, code('bank_required')),
  z.minLength(3, code('bank_short')),
  z.maxLength(100, code('bank_letters')),
  z.regex(/^(?=.*\p{L})(?:\p{L}[\p{M}\p{Join_C}]*|[ &.-])+$/u, code('bank_letters')),
)
export const accountType = z.enum(['savings', 'current'], 'account_type')

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
