/** Rule of a bank reference in the portal. It has its own file, so members' forms do not load it. */
import * as z from 'zod/mini'
import type { Words } from './field-words.ts'
import { texts } from './texts.ts'
import { asciiDigits } from './typed.ts'

export const REFERENCE_TEXTS = {
  reference_invalid: texts('Please enter the bank reference: 4 to 50 letters and digits'),
} as const satisfies Words

const INVALID = 'reference_invalid' satisfies keyof typeof REFERENCE_TEXTS

/** The bank's reference of a payment by hand. */
export const bankReference = z
  .string(INVALID)
  .check(z.trim(), z.overwrite(asciiDigits), z.regex(/^[A-Za-z0-9][A-Za-z0-9/-]{3,49}$/, { error: INVALID }))
