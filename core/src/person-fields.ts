/** Rules of fields about a person: mail address, phone, password; and the problem texts that every form shares. */
import * as z from 'zod/mini'
import type { Words } from './field-words.ts'
import { texts } from './texts.ts'
import { readOr, readPhone } from './typed.ts'

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

/**
 * The HTML standard's rule for e-mail addresses, with a dot in the domain: nobody receives mail at `asha@x`. No top-level domain is a
 * number (RFC 3696, section 2).
 */
const EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@(?!.*\.\d+$)[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)+$/

/** A domain with letters beyond ASCII, and without the signs that only a web address has: a port, a path, `%`. */
const BEYOND_ASCII = /^(?=.*[\u0080-\u{10ffff}])[a-z\d.\-\u0080-\u{10ffff}]{1,254}$/iu

/**
 * The address with its domain in ASCII, as mail is sent to it: `ajay@डाटा.भारत` is `ajay@xn--c2bd1gb.xn--h2brj9c`. An address without
 * such a form stays and meets the rule as it is; so does one whose digits (`１２７.１`) the URL would read as an IPv4 address.
 */
export function asciiAddress(address: string): string {
  const at = address.lastIndexOf('@') + 1
  const domain = address.slice(at)
  if (at === 0 || !BEYOND_ASCII.test(domain)) return address
  try {
    const { hostname } = new URL(`http://${domain}`)
    return /\.\d+$/.test(hostname) ? address : address.slice(0, at) + hostname
  } catch {
    return address
  }
}

export const email = text('fill_all').check(
  z.trim(),
  z.overwrite(asciiAddress),
  z.maxLength(254, code('email_invalid')),
  z.regex(EMAIL, code('email_invalid')),
)
export const phone = text('phone_required').check(
  z.overwrite(readOr(readPhone)),
  z.minLength(1, code('phone_required')),
  z.regex(/^[6-9]\d{9}$/, code('phone_invalid')),
)
export const PASSWORD_MIN = 6
export const PASSWORD_MAX = 128
export const newPassword = text('fill_all').check(
  z.minLength(PASSWORD_MIN, code('password_short')),
  z.maxLength(PASSWORD_MAX, code('password_long')),
)
/** A password given at login: it is compared with the hash, so no rule of new passwords applies. */
export const givenPassword = text('fill_all').check(z.minLength(1, code('fill_all')), z.maxLength(1024, code('fill_all')))
