/** Rules of fields about a person: name, mail address, phone, password; and the problem texts that every form shares. */
import * as z from 'zod/mini'
import type { Words } from './field-words.ts'
import { ENDINGS_ABROAD } from './address-endings.ts'
import { texts } from './texts.ts'
import { readOr, readPhone } from './typed.ts'
import { oneLine } from './written.ts'

export const PERSON_TEXTS = {
  fill_all: texts('Please fill in all fields'),
  name_length: texts('Name must be 2 to 100 characters'),
  name_letters: texts("Name can contain only letters, spaces and . ' -"),
  name_address: texts('Name must not look like a web address. Please put a space after each dot.'),
  email_invalid: texts('Please enter a valid email address'),
  phone_required: texts('Phone number is required'),
  phone_invalid: texts('Please enter a valid 10-digit mobile number'),
  password_short: texts('Password must be at least 6 characters'),
  password_long: texts('Password must be at most 128 characters'),
  passwords_differ: texts('Passwords do not match'),
} as const satisfies Words

const text = (problem: keyof typeof PERSON_TEXTS) => z.string(problem)
const code = (problem: keyof typeof PERSON_TEXTS) => ({ error: problem })

/** The HTML standard's rule for e-mail addresses, with a dot in the domain: nobody receives mail at `asha@x`. */
const EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)+$/

/**
 * Letters with their marks; a joiner or selector must follow one. Names also have points, hyphens and apostrophes of several scripts,
 * and the signs by which Indian scripts abbreviate: `डॉ॰`.
 */
const NAME =
  /^(?:[\p{L}\p{M}][\p{Join_C}\p{VS}\u180e]?|[ .'‘’\u2010\u2011\u00b7\u30fb\u055a\u05be\u05f3\u05f4\u0970\u09fd\u0a76\u0af0\u1361-])+$/u
/**
 * Mail programs turn these into a link. Initials such as `A.Kumar`, `के.कुमार`, `எம்.ஜி.ஆர்` pass.
 * - In letters with capitals: two letters before a dot and two after it; a small letter pair after a dot (`t.me`); a country's or a
 *   common ending (`X.COM`).
 * - In other letters: an ending that exists; a word of five letters before the dot, which is no initial; any dot between signs of Han.
 */
const ADDRESS = new RegExp(
  [
    '(?:[\\p{Lu}\\p{Ll}\\p{Lt}]\\p{M}*){2}\\.[^ .]{2}',
    '\\.[a-z]{2}',
    '\\.(?:[A-Z][A-Za-z]|C[Oo][Mm]|N[Ee][Tt]|O[Rr][Gg])(?!\\p{L})',
    `\\.(?:${ENDINGS_ABROAD})(?![\\p{L}\\p{M}])`,
    '(?:\\p{Lo}[\\p{M}\\p{Join_C}]*){5}\\.\\p{L}',
    '[\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Hang}]\\.\\p{L}',
  ].join('|'),
  'u',
)

/** The name of somebody who writes to support; only support reads it. */
export const writerName = text('fill_all').check(oneLine, z.minLength(2, code('name_length')), z.maxLength(100, code('name_length')))
/** A member's name. It appears in mails and on pages, so it must be a name in some script and must not look like a web address. */
export const name = writerName.check(
  z.regex(NAME, code('name_letters')),
  z.regex(/\p{L}/u, code('name_letters')),
  z.refine((value) => !ADDRESS.test(value), code('name_address')),
)
export const email = text('fill_all').check(z.trim(), z.maxLength(254, code('email_invalid')), z.regex(EMAIL, code('email_invalid')))
export const phone = text('phone_required').check(
  z.overwrite(readOr(readPhone)),
  z.minLength(1, code('phone_required')),
  z.regex(/^[6-9]\d{9}$/, code('phone_invalid')),
)
/** A new password. */
export const newPassword = text('fill_all').check(z.minLength(6, code('password_short')), z.maxLength(128, code('password_long')))
/** A password given at login: it is compared with the hash, so no rule of new passwords applies. */
export const givenPassword = text('fill_all').check(z.minLength(1, code('fill_all')), z.maxLength(1024, code('fill_all')))
