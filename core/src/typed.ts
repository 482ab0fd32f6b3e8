/**
 * Reads what people type into fields for amounts, phones, bank accounts and codes.
 * - A reading means the same as the text, or there is none. A text in doubt is never turned into another value.
 * - Digits of every script count: `२०` is 20.
 * - The rules of fields use these readers, so screens and calls read alike.
 */
import { decimalText, type Paise, paise } from './money.ts'

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

/** Copied numbers have invisible direction marks around them. Between digits such a mark could change what is seen. */
const OUTER_MARKS =
  /^[\p{Zs}\s\u061c\u200b\u200e\u200f\u202a-\u202c\u2066-\u2069]+|[\p{Zs}\s\u061c\u200b\u200e\u200f\u202a-\u202c\u2066-\u2069]+$/gu
/** Longer texts are no value of any field here. */
const LONGEST = 400
const plain = (text: string): string =>
  text.length > LONGEST
    ? ''
    : asciiDigits(text)
        .replace(OUTER_MARKS, '')
        .replace(/[\p{Zs}\t]/gu, ' ')

const CURRENCY_BEFORE = /^(?:₹|₨|rs\.?|inr|re\.?|रु\.?|रू\.?|रुपये|रुपए)(?=[ \d])( ?)/iu
const CURRENCY_AFTER = / ?(?:\/[-–=]|₹|rs\.?|inr|rupees?\.?|रु\.?|रू\.?|रुपये|रुपए|रुपया)$/iu
const ONLY = / (?:only|मात्र)\.?$/iu
/** Blanks or commas group digits, by lakhs or by millions. Any other place of a comma may be a decimal comma. */
const WHOLE = /^(?:\d+|[1-9]\d?(?:,\d{2})*,\d{3}|[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d?(?: \d{2})* \d{3}|[1-9]\d{0,2}(?: \d{3})+)$/
const DIGITS_MAX = 10

/** The paise of a typed amount, zero included; undefined if the text is not surely one amount in rupees. */
export function readAmount(text: string): Paise | undefined {
  const bare = plain(text).replaceAll('٫', '.').replaceAll('٬', ',').replace(ONLY, '').replace(CURRENCY_AFTER, '')
  const number = bare.replace(CURRENCY_BEFORE, '')
  // After a currency a leading point may belong to its abbreviation: `Rs .50`.
  const [, whole = '', cents = ''] = /^([\d, ]*)(?:\.(\d{0,2}))?$/.exec(number) ?? []
  if (whole === '' ? cents === '' || number !== bare : !WHOLE.test(whole)) return undefined
  const digits = whole.replace(/[, ]/g, '').replace(/^0+(?=\d)/, '')
  return digits.length > DIGITS_MAX ? undefined : paise(BigInt(`0${digits}${cents.padEnd(2, '0')}`))
}

/** What people put between the digits of a phone: blanks, dashes, dots, a slash, brackets. */
const PHONE_PARTS = /^(\(?\+)?[\d .()/\-\u2010-\u2015]+$/
const ABROAD = /^910?([6-9]\d{9})$/
const AT_HOME = /^(?:0{0,2}91)?0?([6-9]\d{9})$/

/** The ten digits of an Indian mobile number, with or without +91, 0091 or 0 before it; undefined for any other text. */
export function readPhone(text: string): string | undefined {
  const bare = plain(text)
  const parts = PHONE_PARTS.exec(bare)
  return parts === null ? undefined : (parts[1] === undefined ? AT_HOME : ABROAD).exec(bare.replace(/\D/g, ''))?.[1]
}

const IFSC = /\b[A-Z]{4}0[A-Z0-9]{6}\b/g
const ACCOUNT_LABEL = /(?:\ba\/?c\b\.?|\bacc(?:oun)?t\b\.?|खाता)[ .:#-]*(?:(?:no|number|num|नंबर|नम्बर|संख्या)[ .:#-]*)?(?=\d)/giu

/** The digits of one account number. A number of nine digits or more is one by itself, so two of them are in doubt. */
function oneAccount(run: string): string | undefined {
  const groups = run.split(/[ \-\u2010-\u2015]+/).filter((group) => group !== '')
  return groups.length > 1 && groups.some((group) => group.length >= 9) ? undefined : groups.join('')
}

/** The digits of an account number: alone, or after its label in a pasted line such as `A/c 1234 5678 9012 IFSC SBIN0001234`. */
export function readAccount(text: string): string | undefined {
  const bare = plain(text)
  if (/^\d(?:[\d \-\u2010-\u2015]*\d)?$/.test(bare)) return oneAccount(bare)
  const line = bare.replace(/\n/g, ' ; ')
  const [label, another] = [...line.matchAll(ACCOUNT_LABEL)]
  if (label === undefined || another !== undefined) return undefined
  const run = /^\d[\d \-\u2010-\u2015]*(?![\p{L}\d])/u.exec(line.slice(label.index + label[0].length))?.[0]
  return run === undefined ? undefined : oneAccount(run)
}

/** An IFSC in upper case: alone, also in groups, or the only one in a pasted line. */
export function readIfsc(text: string): string | undefined {
  const bare = plain(text).toUpperCase()
  const joined = bare.replace(/[ -]/g, '')
  if (/^[A-Z0-9]{1,11}$/.test(joined)) return joined
  const found = new Set(bare.match(IFSC))
  return found.size === 1 ? [...found][0] : undefined
}

/** A reading in place of the text, for rules of fields; a text without a reading stays, and the rule refuses it. */
export const readOr =
  (read: (text: string) => string | undefined) =>
  (text: string): string =>
    read(text) ?? text
/** How a field shows an amount that it has read: `20`, `1234.50`. */
export function shownAmount(text: string): string {
  const amount = readAmount(text)
  return amount === undefined ? text : decimalText(amount).replace(/\.00$/, '')
}
