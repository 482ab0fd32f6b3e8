/**
 * Reads what people type: digits of every script, and phones. Amounts and bank fields are in typed-money.ts.
 * - A reading means the same as the text, or there is none. A text in doubt is never turned into another value.
 * - Digits of every script count: `२०` is 20.
 * - The rules of fields use these readers, so screens and calls read alike.
 */
const DIGIT = /\p{Nd}/u
const code = (char: string): number => char.codePointAt(0) ?? 0

/** Unicode lists each script's digits in a row from 0 to 9, so a digit's value is its place in the row. */
function valueOf(digit: string): string {
  let start = code(digit)
  while (DIGIT.test(String.fromCodePoint(start - 1))) start--
  return String((code(digit) - start) % 10)
}
/** Every decimal digit of every script as its ASCII digit. */
export const asciiDigits = (text: string): string => text.replace(/(?![0-9])\p{Nd}/gu, valueOf)

/** Longer texts are no value of any field here, and what turns the digits around it (U+202D, U+202E) is in doubt. */
const NO_VALUE = /[\u202d\u202e]|^.{400}/su
/** The text in ASCII digits, without the blanks and direction marks that copied numbers have around them. */
export const plainTyped = (text: string): string =>
  NO_VALUE.test(text)
    ? ''
    : asciiDigits(text)
        .replace(/^[\s\p{Cf}]+|[\s\p{Cf}]+$/gu, '')
        .replace(/[\p{Zs}\t]/gu, ' ')

/** Separators that people type between the digits of a phone: blanks, dashes, dots, a slash, brackets. */
const PHONE_PARTS = /^(\(?\+)?[\d .()/\-\u2010-\u2015]+$/
const ABROAD = /^910?([6-9]\d{9})$/
const AT_HOME = /^(?:0{0,2}91)?0?([6-9]\d{9})$/

/** The ten digits of an Indian mobile number, with or without +91, 0091 or 0 before it; undefined for any other text. */
export function readPhone(text: string): string | undefined {
  const bare = plainTyped(text)
  const parts = PHONE_PARTS.exec(bare)
  return parts === null ? undefined : (parts[1] === undefined ? AT_HOME : ABROAD).exec(bare.replace(/\D/g, ''))?.[1]
}

/** A reading in place of the text, for rules of fields; a text without a reading stays, and the rule refuses it. */
export const readOr =
  (read: (text: string) => string | undefined) =>
  (text: string): string =>
    read(text) ?? text
