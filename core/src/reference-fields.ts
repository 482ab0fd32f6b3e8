/** Rule of a bank reference in the portal. It has its own file, so members' forms do not load it. */
import * as z from 'zod/mini'
import type { Words } from './field-words.ts'
import { texts } from './texts.ts'
import { asciiDigits } from './typed.ts'

export const REFERENCE_TEXTS = {
  reference_invalid: texts('Please enter the bank reference: 4 to 50 letters and digits'),
  bank_number_invalid: texts(
    "Please enter the bank's number of the transfer, not an IFSC code: 9 to 50 letters and digits, at least 6 of them digits",
  ),
  transfer_reference: texts('Please enter the reference that the payer wrote, for example RZAB2CD3EF'),
} as const satisfies Words

const INVALID = 'reference_invalid' satisfies keyof typeof REFERENCE_TEXTS

/** The bank's reference of a payment by hand. */
export const bankReference = z
  .string(INVALID)
  .check(z.trim(), z.overwrite(asciiDigits), z.regex(/^[A-Za-z0-9][A-Za-z0-9/-]{3,49}$/, { error: INVALID }))

/** Words of a bank as they are compared: letters and digits, without what banks put between them. */
export const squeezed = (words: string): string => words.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')

/**
 * The bank's number of a transfer that came in, as it is compared with statements: without separators, leading zeros and the words before it.
 * - A line that contains it is this transfer. So no word that many lines have passes: NEFTCR, the IFSC of a bank, the end of a number.
 * - An RRN of UPI and IMPS has 12 digits; without its zeros, early in a year that ends in 0, at least nine.
 */
export const bankNumber = z.string('bank_number_invalid').check(
  z.overwrite((typed) => squeezed(asciiDigits(typed)).replace(/^(?:UTR|RRN|REF|TXN|NO)*0*/, '')),
  z.regex(/^(?![A-Z]{4}0[A-Z0-9]{6}$)(?=([A-Z]*\d){6})[A-Z0-9]{9,50}$/, { error: 'bank_number_invalid' }),
)

/** The reference that a payer writes into a bank transfer. */
export const transferReference = z
  .string('transfer_reference')
  .check(z.trim(), z.overwrite(asciiDigits), z.toUpperCase(), z.regex(/^RZ[A-HJ-NP-Z2-9]{8}$/, { error: 'transfer_reference' }))
/** What may be such references in words of a bank, which have separators, and words of the bank without any. */
export const transferReferencesIn = (words: string): string[] =>
  [...squeezed(words).matchAll(/(?=(RZ[A-HJ-NP-Z2-9]{8}))/g)].map(([, reference]) => reference as string)
