/** A follow-up, weeks after the help arrived: the helped person's public words, in their own language, and a picture. */
import * as z from 'zod/mini'
import type { Words } from './field-words.ts'
import { withoutContact } from './public-words.ts'
import { texts } from './texts.ts'
import { severalLines } from './written.ts'

export const FOLLOW_UP_TEXTS = {
  follow_up_words: texts('Please write what the person says in 3 to 2,000 characters'),
  follow_up_day: texts('Please give the day of the consent to be asked again'),
  picture_agreed: texts('Please publish a picture only after the person has seen it and agreed'),
} as const satisfies Words

/** Weeks after the arrival. */
export const FOLLOW_UP_WEEKS = [2, 4, 12] as const

const tooShortOrLong = { error: 'follow_up_words' satisfies keyof typeof FOLLOW_UP_TEXTS }
export const followUpWords = z
  .string('follow_up_words')
  .check(severalLines, z.minLength(3, tooShortOrLong), z.maxLength(2000, tooShortOrLong), withoutContact)
