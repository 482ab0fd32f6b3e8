/** Rules of fields that the staff write about members: notes, and replies to their messages. */
import * as z from 'zod/mini'
import type { Words } from './field-words.ts'
import { texts } from './texts.ts'
import { severalLines } from './written.ts'

export const CARE_TEXTS = {
  note_length: texts('Please write a note of 3 to 2,000 characters'),
  reply_length: texts('Please write a reply of 10 to 4,000 characters'),
} as const satisfies Words

const between = (min: number, max: number, problem: keyof typeof CARE_TEXTS) =>
  z.string(problem).check(severalLines, z.minLength(min, { error: problem }), z.maxLength(max, { error: problem }))

export const staffNote = between(3, 2000, 'note_length')
export const staffReply = between(10, 4000, 'reply_length')
