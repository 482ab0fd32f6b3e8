/**
 * Rules of fields that only calls have, and the texts of all field problems, for the server.
 * - Rules that forms share are in person-fields, money-fields, bank-fields, reference-fields and story-fields.
 * - All rules use zod/mini, to keep the web's bundle small.
 */
import * as z from 'zod/mini'
import { ANNOUNCEMENT_TEXTS } from './announcement-fields.ts'
import { BANK_TEXTS } from './bank-fields.ts'
import { CARE_TEXTS } from './care-fields.ts'
import { ARRIVAL_TEXTS } from './arrival-fields.ts'
import { CASE_TEXTS } from './case-fields.ts'
import { type Words, wordsIn } from './field-words.ts'
import type { Language } from './language.ts'
import { paiseFromRupees } from './money.ts'
import { FOLLOW_UP_TEXTS } from './follow-up-fields.ts'
import { HELP_TEXTS } from './help-fields.ts'
import { MONEY_TEXTS } from './money-fields.ts'
import { name } from './name-fields.ts'
import { email, newPassword, PERSON_TEXTS, phone } from './person-fields.ts'
import { REFERENCE_TEXTS } from './reference-fields.ts'
import { STAFF_TEXTS } from './staff-fields.ts'
import { SITE_TEXTS } from './site-fields.ts'
import { STATEMENT_TEXTS } from './statement-fields.ts'
import { STORY_TEXTS } from './story-fields.ts'
import { PUBLIC_TEXTS } from './public-words.ts'
import { TAX_TEXTS } from './tax-fields.ts'
import { texts } from './texts.ts'
import { oneLine, severalLines } from './written.ts'

const CALL_TEXTS = {
  password_common: texts('This password is among the 10,000 most used ones, which are tried first. Please choose another.'),
  unknown_field: texts('This field is not known.'),
  wrong_type: texts('This value has the wrong type.'),
  message_length: texts('Message must be 10 to 4,000 characters'),
  choice_invalid: texts('Please choose one of the listed values'),
  rows_many: texts('At most 50 at once'),
  ticket_key_invalid: texts('A ticket key is 64 lower-case hex digits'),
  push_subscription_invalid: texts('This is not a push subscription of a browser'),
  push_service_unknown: texts('The push service of this browser is not supported'),
  cursor_invalid: texts('This page cursor is not valid'),
  limit_invalid: texts('The limit is 1 to 100'),
  day_invalid: texts('A day is written YYYY-MM-DD'),
  time_invalid: texts('A time is written in ISO 8601 with its offset'),
  quarter_invalid: texts('A quarter is written like 2026-27-Q3'),
} as const satisfies Words

export const FIELD_TEXTS = {
  ...PERSON_TEXTS,
  ...MONEY_TEXTS,
  ...BANK_TEXTS,
  ...REFERENCE_TEXTS,
  ...STORY_TEXTS,
  ...SITE_TEXTS,
  ...HELP_TEXTS,
  ...STAFF_TEXTS,
  ...CARE_TEXTS,
  ...CASE_TEXTS,
  ...ARRIVAL_TEXTS,
  ...FOLLOW_UP_TEXTS,
  ...ANNOUNCEMENT_TEXTS,
  ...PUBLIC_TEXTS,
  ...TAX_TEXTS,
  ...STATEMENT_TEXTS,
  ...CALL_TEXTS,
} as const satisfies Words

export type FieldCode = keyof typeof FIELD_TEXTS
/** A field code, with its value if the text has one. */
export type FieldProblem = FieldCode | `${'topup_min' | 'topup_max' | 'withdrawal_min'}:${string}`

/** The text of a field problem; undefined if it is no code of ours. */
export const fieldText = (problem: string, language: Language): string | undefined => wordsIn(FIELD_TEXTS, problem, language)

const text = (problem: FieldCode) => z.string(problem)
const code = (problem: FieldCode) => ({ error: problem })

/** False for what no database stores as text: a NUL, or half of a character (a lone surrogate). */
export const isText = (value: string): boolean => !value.includes('\0') && value.isWellFormed()

export const message = text('fill_all').check(
  severalLines,
  z.minLength(10, code('message_length')),
  z.maxLength(4000, code('message_length')),
)

export const ticketKey = text('ticket_key_invalid').check(z.regex(/^[0-9a-f]{64}$/, code('ticket_key_invalid')))

/** A rupee amount in a request: a JSON number with at most two decimals. Each call checks its own limits, zero and negative included. */
export const rupeeAmount = z
  .number('amount_invalid')
  .check(z.refine((value) => Math.abs(value) <= 1_000_000_000 && paiseFromRupees(value) !== undefined, code('amount_invalid')))

const given = text('fill_all').check(z.minLength(1, code('fill_all')))
const written = text('fill_all').check(oneLine, z.minLength(1, code('fill_all')))
/** The four fields of a registration: every missing field has the same problem, `fill_all`. */
export const registration = {
  name: z.pipe(written, name),
  email: z.pipe(written, email),
  phone: z.pipe(written, phone),
  password: z.pipe(given, newPassword),
}
