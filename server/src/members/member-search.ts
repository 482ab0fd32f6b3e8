/**
 * Text search for members, in any script.
 * - `q` matches name, mail and phone as plain text. One or two letters match the start of a word.
 * - The index `member_search` finds the members whose words contain every three-letter piece of the text.
 */
import { type Sql, sql } from '../db/sql.ts'

/** The searched words of the member joined as `m`. */
export const MEMBER_WORDS = sql`member_words(m.name, m.email, m.phone)`

/** The search text; undefined without a search. Phone numbers are searched as stored: ten digits without a country code. */
export function needleOf(q: string | undefined): string | undefined {
  const text = (q ?? '').trim()
  if (text === '') return undefined
  const digits = /^[+\d\s-]+$/.test(text) ? text.replace(/[\s-]/g, '').replace(/^\+91/, '') : ''
  if (digits.length > 3) return digits
  return plainNeedle(text)
}

/** The text as written: one or two letters match the start of a word. */
export const plainNeedle = (text: string): string => (Array.from(text).length < 3 ? ` ${text}` : text)

export const matches = (needle: string, words: Sql): Sql => sql`position(lower(${needle}::text) in ${words}) > 0`

/** Condition served by the index on the pieces of `words`. */
export const isFound = (needle: string, words: Sql): Sql =>
  sql`(grams_of(${words}) @> grams_of(lower(${needle}::text)) and ${matches(needle, words)})`
