/**
 * The rules of fields that calls alone have, and the words of all of them, for the server (spec section
 * 5; where it is silent, api.md "Validation messages"). The rules that forms share with it lie in
 * person-fields, money-fields and story-fields: zod/mini, so that the web pays little.
 */
import * as z from 'zod/mini'
import { texts, wordsIn, type Words } from './field-words.ts'
import type { Language } from './language.ts'
import { paiseFromRupees } from './money.ts'
import { MONEY_TEXTS } from './money-fields.ts'
import { PERSON_TEXTS } from './person-fields.ts'
import { STORY_TEXTS } from './story-fields.ts'

const CALL_TEXTS = {
  unknown_field: texts('This field is not known.', 'यह फ़ील्ड मान्य नहीं है।'),
  wrong_type: texts('This value has the wrong type.', 'यहाँ लिखी चीज़ सही प्रकार की नहीं है।'),
  message_length: texts('Message must be 10 to 4,000 characters', 'संदेश 10 से 4,000 अक्षरों का होना चाहिए'),
  choice_invalid: texts('Please choose one of the listed values', 'कृपया सूची में से चुनें'),
  ticket_key_invalid: texts('A ticket key is 64 lower-case hex digits', 'टिकट कुंजी 64 छोटे हेक्स अंकों की होती है'),
  push_subscription_invalid: texts('This is not a push subscription of a browser', 'यह किसी ब्राउज़र की पुश सदस्यता नहीं है'),
  push_service_unknown: texts('The push service of this browser is not supported', 'इस ब्राउज़र की पुश सेवा यहाँ नहीं चलती'),
  cursor_invalid: texts('This page cursor is not valid', 'यह पृष्ठ-चिह्न सही नहीं है'),
  limit_invalid: texts('The limit is 1 to 100', 'सीमा 1 से 100 तक है'),
  day_invalid: texts('A day is written YYYY-MM-DD', 'दिन इस रूप में लिखें: 2026-11-21'),
  time_invalid: texts('A time is written in ISO 8601 with its offset', 'समय ISO 8601 में, अंतर सहित लिखें'),
} as const satisfies Words

export const FIELD_TEXTS = { ...PERSON_TEXTS, ...MONEY_TEXTS, ...STORY_TEXTS, ...CALL_TEXTS } as const satisfies Words

export type FieldCode = keyof typeof FIELD_TEXTS
/** A field code, with its number where the text has one. */
export type FieldProblem = FieldCode | `${'topup_min' | 'topup_max' | 'withdrawal_min'}:${string}`

/** The words for a field problem; undefined when the text is no code of ours. */
export const fieldText = (problem: string, language: Language): string | undefined => wordsIn(FIELD_TEXTS, problem, language)

const text = (problem: FieldCode) => z.string(problem)
const code = (problem: FieldCode) => ({ error: problem })

export const message = text('fill_all').check(z.trim(), z.minLength(10, code('message_length')), z.maxLength(4000, code('message_length')))

export const ticketKey = text('ticket_key_invalid').check(z.regex(/^[0-9a-f]{64}$/, code('ticket_key_invalid')))

/** A rupee amount in a request: a JSON number with at most two decimals. Its limits, also against nothing and less, are each call's own. */
export const rupeeAmount = z
  .number('amount_invalid')
  .check(z.refine((value) => Math.abs(value) <= 1_000_000_000 && paiseFromRupees(value) !== undefined, code('amount_invalid')))
