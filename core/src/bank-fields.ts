/** Rules of the fields of a bank account or UPI ID that receives money. */
import * as z from 'zod/mini'
import type { Words } from './field-words.ts'
import { texts } from './texts.ts'
import { readOr } from './typed.ts'
import { readAccount, readIfsc } from './typed-money.ts'
import { readUpiId } from './upi-id.ts'
import { oneLine } from './written.ts'

export const BANK_TEXTS = {
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
  upi_required: texts('UPI ID is required'),
  upi_invalid: texts('Please enter one UPI ID such as name@bank, not an email address'),
  account_type: texts('Please choose savings or current'),
} as const satisfies Words

const text = (problem: keyof typeof BANK_TEXTS) => z.string(problem)
const code = (problem: keyof typeof BANK_TEXTS) => ({ error: problem })

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
export const upiId = text('upi_required').check(
  z.overwrite(readOr(readUpiId)),
  z.minLength(1, code('upi_required')),
  z.refine((typed) => readUpiId(typed) === typed, code('upi_invalid')),
)
export const accountType = z.enum(['savings', 'current'], 'account_type')
