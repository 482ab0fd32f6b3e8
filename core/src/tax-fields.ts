/** Rules of the fields of tax papers. */
import * as z from 'zod/mini'
import type { Words } from './field-words.ts'
import { texts } from './texts.ts'
import { plainTyped } from './typed.ts'

export const TAX_TEXTS = {
  pan_required: texts('PAN is required'),
  pan_invalid: texts('A PAN has 5 letters, 4 digits and 1 letter, such as ABCPE1234F'),
  certificate_invalid: texts('Please enter the number of the certificate: at most 40 letters and digits'),
} as const satisfies Words

const code = (problem: keyof typeof TAX_TEXTS) => ({ error: problem })

/** The Permanent Account Number; its fourth letter says who holds it (Income-tax Rules, rule 114). */
const PAN = /^[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]$/
export const pan = z.string('pan_required').check(
  z.overwrite((typed) => plainTyped(typed).replace(/[ -]/g, '').toUpperCase()),
  z.minLength(1, code('pan_required')),
  z.regex(PAN, code('pan_invalid')),
)
export const certificateNumber = z.string('certificate_invalid').check(
  z.trim(),
  z.overwrite((typed) => typed.toUpperCase()),
  z.regex(/^[A-Z0-9/-]{1,40}$/, code('certificate_invalid')),
)
