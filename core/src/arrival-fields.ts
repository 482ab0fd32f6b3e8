/** Whether help arrived: how somebody learnt it, the code that the receiver tells, and the words about it. */
import * as z from 'zod/mini'
import type { Words } from './field-words.ts'
import type { Texts } from './language.ts'
import { texts } from './texts.ts'
import { asciiDigits } from './typed.ts'

export const ARRIVAL_TEXTS = {
  arrival_day: texts('Please give the day on which you learnt it'),
  arrival_day_outside: texts('The day lies between the payment and today'),
  arrival_code: texts('Please enter the four digits that the receiver tells you'),
  arrival_code_wrong: texts('This is not the code of this payment. Please ask the receiver again'),
  arrival_paper: texts('Please add the picture of the signed paper'),
} as const satisfies Words

/** `code`: four digits that the payer hands over with the help, and the receiver tells somebody else. */
export const ARRIVAL_WAYS = ['call', 'visit', 'papers', 'code'] as const
/** Without an uploaded picture: of somebody who sees only the request. */
export const CASE_ARRIVAL_WAYS = ['call', 'visit', 'code'] as const satisfies readonly ArrivalWay[]
export type ArrivalWay = (typeof ARRIVAL_WAYS)[number]
/** From then on a payment that nobody confirmed is on the to-do list, and counts as late. */
export const CONFIRMED_WITHIN_DAYS = 7

/** The sentence that givers read about help that arrived; `{on}` is its day. */
export const RECEIVED_WORDS = {
  call: texts('Received, confirmed by a call on {on}.'),
  visit: texts('Received, confirmed by a visit on {on}.'),
  papers: texts('Received, signed for on {on}.'),
  code: texts('Received, confirmed by a code on {on}.'),
} as const satisfies Record<ArrivalWay, Texts>

export const arrivalCode = z
  .string('arrival_code')
  .check(z.trim(), z.overwrite(asciiDigits), z.regex(/^\d{4}$/, { error: 'arrival_code' satisfies keyof typeof ARRIVAL_TEXTS }))
