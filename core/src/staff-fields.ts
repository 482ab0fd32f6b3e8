/** Rules of fields about staff: passwords, and the codes of a second factor. */
import * as z from 'zod/mini'
import type { Words } from './field-words.ts'
import { texts } from './texts.ts'
import { asciiDigits } from './typed.ts'
import { oneLine } from './written.ts'

export const STAFF_TEXTS = {
  password_staff_short: texts('A staff password needs at least 12 characters'),
  code_shape: texts('Enter the 6 digits of the app'),
  code_or_recovery: texts('Enter the 6 digits of the app, or a recovery code'),
  passkey_name: texts('Give the passkey a name of at most 100 characters'),
} as const satisfies Words

const code = (problem: keyof typeof STAFF_TEXTS) => ({ error: problem })

export const STAFF_PASSWORD_MIN = 12
/** A new password of a staff account. */
export const staffPassword = z
  .string('fill_all')
  .check(z.minLength(STAFF_PASSWORD_MIN, code('password_staff_short')), z.maxLength(128, { error: 'password_long' }))

/** Spaces and dashes come from reading the code in groups. */
const bare = z.overwrite<string>((text) => asciiDigits(text).replace(/[\s-]/g, '').toLowerCase())

/** A code of the app. */
export const totpCode = z.string('code_shape').check(z.maxLength(100, code('code_shape')), bare, z.regex(/^\d{6}$/, code('code_shape')))
/** A code of the app, or a recovery code: six groups of four. */
export const secondFactor = z
  .string('code_or_recovery')
  .check(z.maxLength(100, code('code_or_recovery')), bare, z.regex(/^(\d{6}|[a-z2-9]{24})$/, code('code_or_recovery')))

/** The name by which its owner knows a passkey: "Laptop", "Key on my ring". */
export const passkeyName = z
  .string('passkey_name')
  .check(oneLine, z.minLength(1, code('passkey_name')), z.maxLength(100, code('passkey_name')))
