/**
 * The rules of every field and their messages, shared by server and web (spec section 5; where it
 * is silent, api.md "Validation messages"). Schemas are zod/mini so that the web pays little; a
 * schema's message is a key of FIELD_TEXTS, turned into words at the edge by `fieldText`.
 * A key may carry one number after a colon: `topup_min:10`.
 */
import * as z from 'zod/mini'
import type { Language, Texts } from './language.ts'
import { type Paise, formatPaise, paiseFromRupees } from './money.ts'

const texts = (en: string, hi: string): Texts => ({ en, hi })

export const FIELD_TEXTS = {
  fill_all: texts('Please fill in all fields', 'कृपया सभी फ़ील्ड भरें'),
  unknown_field: texts('This field is not known.', 'यह फ़ील्ड मान्य नहीं है।'),
  wrong_type: texts('This value has the wrong type.', 'यह मान सही प्रकार का नहीं है।'),
  name_length: texts('Name must be 2 to 100 characters', 'नाम 2 से 100 अक्षरों का होना चाहिए'),
  email_invalid: texts('Please enter a valid email address', 'कृपया सही ईमेल पता लिखें'),
  phone_required: texts('Phone number is required', 'फ़ोन नंबर ज़रूरी है'),
  phone_invalid: texts('Please enter a valid 10-digit mobile number', 'कृपया सही 10 अंकों का मोबाइल नंबर लिखें'),
  password_short: texts('Password must be at least 6 characters', 'पासवर्ड कम से कम 6 अक्षरों का होना चाहिए'),
  password_long: texts('Password must be at most 128 characters', 'पासवर्ड अधिक से अधिक 128 अक्षरों का हो सकता है'),
  passwords_differ: texts('Passwords do not match', 'पासवर्ड मेल नहीं खाते'),
  amount_invalid: texts('Please enter an amount in rupees, with at most two decimals', 'कृपया रुपयों में राशि लिखें, दशमलव के बाद अधिकतम दो अंक'),
  topup_min: texts('Minimum amount is ₹{n}', 'न्यूनतम राशि ₹{n} है'),
  topup_max: texts('Maximum amount is ₹{n}', 'अधिकतम राशि ₹{n} है'),
  withdrawal_min: texts('Minimum withdrawal is ₹{n}', 'न्यूनतम निकासी ₹{n} है'),
  insufficient_funds: texts('Insufficient balance', 'बैलेंस कम है'),
  holder_required: texts('Account holder name is required', 'खाताधारक का नाम ज़रूरी है'),
  holder_short: texts('Account holder name must be at least 2 characters', 'खाताधारक का नाम कम से कम 2 अक्षरों का होना चाहिए'),
  holder_letters: texts('Account holder name can contain only letters and spaces', 'खाताधारक के नाम में केवल अक्षर और स्पेस हो सकते हैं'),
  account_required: texts('Account number is required', 'खाता संख्या ज़रूरी है'),
  account_digits: texts('Account number must contain only digits', 'खाता संख्या में केवल अंक होने चाहिए'),
  account_length: texts('Account number must be between 9-18 digits', 'खाता संख्या 9-18 अंकों की होनी चाहिए'),
  ifsc_required: texts('IFSC code is required', 'IFSC कोड ज़रूरी है'),
  ifsc_length: texts('IFSC code must be 11 characters', 'IFSC कोड 11 अक्षरों का होना चाहिए'),
  ifsc_invalid: texts('Invalid IFSC code format', 'IFSC कोड का प्रारूप गलत है'),
  bank_required: texts('Bank name is required', 'बैंक का नाम ज़रूरी है'),
  bank_short: texts('Bank name must be at least 3 characters', 'बैंक का नाम कम से कम 3 अक्षरों का होना चाहिए'),
  bank_letters: texts('Bank name can contain only letters, spaces and & . -', 'बैंक के नाम में केवल अक्षर, स्पेस और & . - हो सकते हैं'),
  account_type: texts('Please choose savings or current', 'कृपया बचत या चालू खाता चुनें'),
  title_required: texts('Title is required', 'शीर्षक ज़रूरी है'),
  title_long: texts('Title must be at most 200 characters', 'शीर्षक अधिकतम 200 अक्षरों का हो सकता है'),
  description_required: texts('Description is required', 'विवरण ज़रूरी है'),
  description_long: texts('Description must be at most 5,000 characters', 'विवरण अधिकतम 5,000 अक्षरों का हो सकता है'),
  charity_required: texts('Charity name is required', 'संस्था का नाम ज़रूरी है'),
  charity_long: texts('Charity name must be at most 200 characters', 'संस्था का नाम अधिकतम 200 अक्षरों का हो सकता है'),
  charity_description_required: texts('Charity description is required', 'संस्था का विवरण ज़रूरी है'),
  video_invalid: texts('Invalid YouTube URL', 'YouTube लिंक सही नहीं है'),
  video_not_url: texts('Please enter a valid URL', 'कृपया सही लिंक लिखें'),
  message_length: texts('Message must be 10 to 4,000 characters', 'संदेश 10 से 4,000 अक्षरों का होना चाहिए'),
  choice_invalid: texts('Please choose one of the listed values', 'कृपया सूची में से चुनें'),
  ticket_key_invalid: texts('A ticket key is 64 lower-case hex digits', 'टिकट कुंजी 64 छोटे हेक्स अंकों की होती है'),
  cursor_invalid: texts('This page cursor is not valid', 'यह पृष्ठ-चिह्न सही नहीं है'),
  limit_invalid: texts('The limit is 1 to 100', 'सीमा 1 से 100 तक है'),
  reason_length: texts('Please give a reason of 3 to 500 characters', 'कृपया 3 से 500 अक्षरों में कारण लिखें'),
  refund_too_much: texts('This is more than is left of this payment', 'यह राशि इस भुगतान की बची हुई राशि से ज़्यादा है'),
  reference_invalid: texts('Please enter the bank reference: 4 to 50 letters and digits', 'कृपया बैंक संदर्भ लिखें: 4 से 50 अक्षर और अंक'),
  day_invalid: texts('A day is written YYYY-MM-DD', 'दिन इस रूप में लिखें: 2026-11-21'),
  time_invalid: texts('A time is written in ISO 8601 with its offset', 'समय ISO 8601 में, अंतर सहित लिखें'),
} as const satisfies Record<string, Texts>

export type FieldCode = keyof typeof FIELD_TEXTS
/** A field code, with its number where the text has one. */
export type FieldProblem = FieldCode | `${'topup_min' | 'topup_max' | 'withdrawal_min'}:${string}`

const isFieldCode = (code: string): code is FieldCode => Object.hasOwn(FIELD_TEXTS, code)

/** The words for a field problem; undefined when the text is no code of ours. */
export function fieldText(problem: string, language: Language): string | undefined {
  const [code = '', number = ''] = problem.split(':')
  return isFieldCode(code) ? FIELD_TEXTS[code][language].replace('{n}', number) : undefined
}

/** The HTML standard's rule for e-mail addresses. */
const EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/

const text = (code: FieldCode) => z.string(code)
const code = (problem: FieldCode) => ({ error: problem })

export const name = text('fill_all').check(z.trim(), z.minLength(2, code('name_length')), z.maxLength(100, code('name_length')))
export const email = text('fill_all').check(z.trim(), z.maxLength(254, code('email_invalid')), z.regex(EMAIL, code('email_invalid')))
export const phone = text('phone_required').check(z.minLength(1, code('phone_required')), z.regex(/^[6-9]\d{9}$/, code('phone_invalid')))
/** A new password. */
export const newPassword = text('fill_all').check(z.minLength(6, code('password_short')), z.maxLength(128, code('password_long')))
/** A password someone signs in with: its rules are judged by comparison, not by length. */
export const givenPassword = text('fill_all').check(z.minLength(1, code('fill_all')), z.maxLength(1024, code('fill_all')))
export const message = text('fill_all').check(z.trim(), z.minLength(10, code('message_length')), z.maxLength(4000, code('message_length')))

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

export const storyTitle = text('title_required').check(
  z.trim(),
  z.minLength(1, code('title_required')),
  z.maxLength(200, code('title_long')),
)
export const storyDescription = text('description_required').check(
  z.trim(),
  z.minLength(1, code('description_required')),
  z.maxLength(5000, code('description_long')),
)
export const charityName = text('charity_required').check(
  z.trim(),
  z.minLength(1, code('charity_required')),
  z.maxLength(200, code('charity_long')),
)
export const charityDescription = text('charity_description_required').check(
  z.trim(),
  z.minLength(1, code('charity_description_required')),
  z.maxLength(5000, code('description_long')),
)
/** Empty means no video; anything else must be a URL, and one that YouTube serves. */
export const videoUrl = text('video_not_url').check(
  z.trim(),
  z.maxLength(500, code('video_not_url')),
  z.refine((value) => value === '' || URL.canParse(value), code('video_not_url')),
  z.refine((value) => value === '' || !URL.canParse(value) || youtubeId(value) !== undefined, code('video_invalid')),
)

const YOUTUBE_ID = /^[\w-]{11}$/
/** The video id of a YouTube short, full or /shorts/ link, or undefined (spec section 5, edit story). */
export function youtubeId(link: string): string | undefined {
  if (!URL.canParse(link)) return undefined
  const url = new URL(link)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined
  const host = url.hostname.replace(/^(www|m)\./, '')
  const path = url.pathname.split('/')
  const id =
    host === 'youtu.be'
      ? path[1]
      : host !== 'youtube.com'
        ? undefined
        : url.pathname === '/watch'
          ? url.searchParams.get('v')
          : path[1] === 'shorts' || path[1] === 'embed'
            ? path[2]
            : undefined
  return id && YOUTUBE_ID.test(id) ? id : undefined
}

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

export const ticketKey = text('ticket_key_invalid').check(z.regex(/^[0-9a-f]{64}$/, code('ticket_key_invalid')))

/** Limits of adding money, in paise; the operator's settings, the spec's ₹10–30 by default. */
export type TopupLimits = { readonly min: Paise; readonly max: Paise }
const bare = (amount: Paise): string => formatPaise(amount).replace('₹', '').replace(/\.00$/, '')

export function topupProblem(amount: Paise, limits: TopupLimits): FieldProblem | undefined {
  if (amount < limits.min) return `topup_min:${bare(limits.min)}`
  if (amount > limits.max) return `topup_max:${bare(limits.max)}`
  return undefined
}

export const WITHDRAWAL_MIN = 1000n as Paise
export function withdrawalProblem(amount: Paise, balance: Paise): FieldProblem | undefined {
  if (amount < WITHDRAWAL_MIN) return `withdrawal_min:${bare(WITHDRAWAL_MIN)}`
  return amount > balance ? 'insufficient_funds' : undefined
}

/** A rupee amount in a request: a JSON number with at most two decimals. Its limits, also against nothing and less, are each call's own. */
export const rupeeAmount = z
  .number('amount_invalid')
  .check(z.refine((value) => Math.abs(value) <= 1_000_000_000 && paiseFromRupees(value) !== undefined, code('amount_invalid')))
