/**
 * Text search for members, in any script.
 * - `q` matches name, mail and phone as plain text, both sides folded alike: composed or not, with nukta or without, with any blanks.
 * - One or two letters match the start of a word. A mail address is searched as stored, with its domain in ASCII.
 * - The index `member_folded` finds the members whose words contain every three-letter piece of the text.
 */
import { asciiAddress } from '@roz/core/person-fields.ts'
import { asciiDigits, readPhone } from '@roz/core/typed.ts'
import { line } from '@roz/core/written.ts'
import { type Sql, sql } from '../db/sql.ts'

/** The searched words of the member joined as `m`. */
export const MEMBER_WORDS = sql`folded_words(m.name, m.email, m.phone)`

/** The search text; undefined without a search. Phone numbers are searched as stored: ten digits without a country code or 0. */
export function needleOf(q: string | undefined): string | undefined {
  const text = asciiDigits(line(q ?? ''))
  if (text === '') return undefined
  const phone = readPhone(text)
  if (phone !== undefined) return phone
  const digits = /^[+\d ()./-]+$/.test(text) ? text.replace(/[^+\d]/g, '').replace(/^\+(?:91)?/, '') : ''
  if (digits.length > 3) return digits
  return plainNeedle(text)
}

/** The text as written: one or two letters match the start of a word. */
export const plainNeedle = (text: string): string => (Array.from(text).length < 3 ? ` ${text}` : asciiAddress(text))

export const matches = (needle: string, words: Sql): Sql => sql`position(search_folded(${needle}::text) in ${words}) > 0`

/** Whether `words` have every piece of the text, perhaps apart from each other: the index on the pieces answers it alone. */
export const hasPieces = (needle: string, words: Sql): Sql => sql`grams_of(${words}) @> grams_of(search_folded(${needle}::text))`

/** Condition served by the index on the pieces of `words`. */
export const isFound = (needle: string, words: Sql): Sql => sql`(${hasPieces(needle, words)} and ${matches(needle, words)})`

/** Whether one of the columns contains the text, both folded; everything matches an empty text. For lists of some thousand rows. */
export function contains(q: string | undefined, ...columns: readonly Sql[]): Sql {
  const text = asciiAddress(line(q ?? ''))
  if (text === '') return sql`true`
  return columns.reduce((found, column) => sql`${found} or ${matches(text, sql`search_folded(${column})`)}`, sql`false`)
}
