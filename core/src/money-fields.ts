/** The rules of money that comes and goes: amounts, the bank account it goes to, the reason it is asked back for. */
import * as z from 'zod/mini'
import { texts, type Words } from './field-words.ts'
import { type Paise, formatPaise } from './money.ts'

export const MONEY_TEXTS = {
  amount_invalid: texts('Please enter an amount in rupees, with at most two decimals', 'कृपया रुपयों में राशि लिखें, दशमलव के बाद अधिकतम दो अंक'),
  topup_min: texts('Minimum amount is ₹{n}', 'कम से कम राशि ₹{n} है'),
  topup_max: texts('Maximum amount is ₹{n}', 'ज़्यादा से ज़्यादा राशि ₹{n} है'),
  withdrawal_min: texts('Minimum withdrawal is ₹{n}', 'कम से कम निकासी ₹{n} है'),
  insufficient_funds: texts('Insufficient balance', 'बैलेंस कम है'),
  holder_required: texts('Account holder name is required', 'खाताधारक का नाम ज़रूरी है'),
  holder_short: texts('Account holder name must be at least 2 characters', 'खाताधारक का नाम कम से कम 2 अक्षरों का होना चाहिए'),
  holder_letters: texts('Account holder name can contain only letters and spaces', 'खाताधारक के नाम में केवल अक्षर और स्पेस हो सकते हैं'),
  account_required: texts('Account number is required', 'खाता संख्या ज़रूरी है'),
  account_digits: texts('Account number must contain only digits', 'खाता संख्या में केवल अंक होने चाहिए'),
  account_length: texts('Account number must be between 9-18 digits', 'खाता संख्या 9 से 18 अंकों की होनी चाहिए'),
  ifsc_required: texts('IFSC code is required', 'IFSC कोड ज़रूरी है'),
  ifsc_length: texts('IFSC code must be 11 characters', 'IFSC कोड 11 अक्षरों का होना चाहिए'),
  ifsc_invalid: texts('Invalid IFSC code format', 'IFSC कोड का रूप सही नहीं है'),
  bank_required: texts('Bank name is required', 'बैंक का नाम ज़रूरी है'),
  bank_short: texts('Bank name must be at least 3 characters', 'बैंक का नाम कम से कम 3 अक्षरों का होना चाहिए'),
  bank_letters: texts('Bank name can contain only letters, spaces and & . -', 'बैंक के नाम में केवल अक्षर, स्पेस और & . - हो सकते हैं'),
  account_type: texts('Please choose savings or current', 'कृपया बचत या चालू खाता चुनें'),
  reason_length: texts('Please give a reason of 3 to 500 characters', 'कृपया 3 से 500 अक्षरों में कारण लिखें'),
  refund_too_much: texts('This is more than is left of this payment', 'यह राशि इस भुगतान की बची हुई राशि से ज़्यादा है'),
  reference_invalid: texts('Please enter the bank reference: 4 to 50 letters and digits', 'कृपया बैंक संदर्भ लिखें: 4 से 50 अक्षर और अंक'),
} as const satisfies Words

const text = (problem: keyof typeof MONEY_TEXTS) => z.string(problem)
const code = (problem: keyof typeof MONEY_TEXTS) => ({ error: problem })

export const accountHolderName = text('holder_required').check(
  z.trim(),
  z.minLength(1, code('holder_required')),
  z.minLength(2, code('holder_short')),
  z.maxLength(100, code('holder_letters')),
  z.regex(/^[\p{L}\p{M} ]+$/u, code('holder_letters')),
)
export const accountNumber = text('account_required').check(
  z.minLength(1, code('account_required')),
  z.regex(/^\d*$/, code('account_digits')),
  z.regex(/^\d{9,18}$/, code('account_length')),
)
export const ifscCode = text('ifsc_required').check(
  z.minLength(1, code('ifsc_required')),
  z.length(11, code('ifsc_length')),
  z.regex(/^[A-Z]{4}0[A-Z0-9]{6}$/, code('ifsc_invalid')),
)
export const bankName = text('bank_required').check(
  z.trim(),
  z.minLength(1, code('bank_required')),
  z.minLength(3, code('bank_short')),
  z.maxLength(100, code('bank_letters')),
  z.regex(/^[\p{L}\p{M} &.-]+$/u, code('bank_letters')),
)
export const accountType = z.enum(['savings', 'current'], 'account_type')

/** Why an administrator, or a member who asks for a refund, decided so. */
export const decisionReason = text('reason_length').check(
  z.trim(),
  z.minLength(3, code('reason_length')),
  z.maxLength(500, code('reason_length')),
)
/** The bank's own number of a payment by hand. */
export const bankReference = text('reference_invalid').check(
  z.trim(),
  z.regex(/^[A-Za-z0-9][A-Za-z0-9/-]{3,49}$/, code('reference_invalid')),
)

/** Limits of adding money, in paise; the operator's settings, the spec's ₹10–30 by default. */
export type TopupLimits = { readonly min: Paise; readonly max: Paise }
const bare = (amount: Paise): string => formatPaise(amount).replace('₹', '').replace(/\.00$/, '')

type AmountProblem = `${'topup_min' | 'topup_max' | 'withdrawal_min'}:${string}` | 'insufficient_funds'

export function topupProblem(amount: Paise, limits: TopupLimits): AmountProblem | undefined {
  if (amount < limits.min) return `topup_min:${bare(limits.min)}`
  if (amount > limits.max) return `topup_max:${bare(limits.max)}`
  return undefined
}

export const WITHDRAWAL_MIN = 1000n as Paise
export function withdrawalProblem(amount: Paise, balance: Paise): AmountProblem | undefined {
  if (amount < WITHDRAWAL_MIN) return `withdrawal_min:${bare(WITHDRAWAL_MIN)}`
  return amount > balance ? 'insufficient_funds' : undefined
}
