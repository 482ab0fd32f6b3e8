/**
 * Keeps only the allowed characters of typed and pasted text.
 * - One keystroke changes one character: the caret stays, and a full field takes no more.
 * - A paste with one meaning is read as that. Of any other the field keeps the characters that it takes, at most `max`, and is
 *   refused in words until it is edited: no paste becomes another value.
 */
import { asciiDigits, readPhone } from '@roz/core/typed.ts'

export type TypedField = {
  readonly read: (text: string) => string | undefined
  readonly keeps: (text: string) => string
  readonly max: number
  /** How much may be typed of a text that is longer than its reading. */
  readonly room: (text: string) => number
  /** The problems of a paste that is too long, or that has other characters. */
  readonly tooLong: string
  readonly inDoubt: string
}

export const digitsOf = (text: string): string => asciiDigits(text).replace(/\D/g, '')

/** The field shows +91 before it, so a typed +91 is taken away, and a typed + stays until it is clear that +91 follows. */
function phoneKeeps(text: string): string {
  const digits = digitsOf(text)
  if (!/^\s*\+/.test(text)) return digits
  return digits.startsWith('91') ? digits.slice(2) : `+${digits}`
}

export const PHONE: TypedField = {
  read: readPhone,
  keeps: phoneKeeps,
  max: 10,
  // 0091 and ten digits.
  room: (text) => (/^(?:0|91|\+)/.test(text) ? 14 : 10),
  tooLong: 'phone_invalid',
  inDoubt: 'phone_invalid',
}
type Kept = { readonly text: string; readonly caret: number; readonly problem?: string }

/** How many characters a change put in: all between the parts that it left as they were. */
function insertedIn(before: string, after: string): number {
  const most = Math.min(before.length, after.length)
  let [start, end] = [0, 0]
  while (start < most && before[start] === after[start]) start++
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end++
  return Array.from(after.slice(start, after.length - end)).length
}

/** The new content of a field, from its content before, the browser's new one, and the caret in it. */
export function kept(field: TypedField, before: string, after: string, caret: number): Kept {
  const reading = field.read(after)
  const all = field.keeps(after)
  const at = (text: string): number => (text === all ? field.keeps(after.slice(0, caret)).length : text.length)
  if (reading !== undefined && reading.length <= field.max) return { text: reading, caret: at(reading) }
  if (insertedIn(before, after) <= 1) {
    const isFull = all.length > field.room(all) && after.length > before.length
    return isFull ? { text: before, caret: caret - 1 } : { text: all, caret: at(all) }
  }
  const pasted = all.replace(/^\+/, '')
  const text = pasted.slice(0, field.max)
  const problem =
    text === ''
      ? undefined
      : text !== pasted
        ? field.tooLong
        : pasted === asciiDigits(after).replace(/[\s-]/g, '')
          ? undefined
          : field.inDoubt
  return { text, caret: at(text), ...(problem === undefined ? {} : { problem }) }
}
