/**
 * Words that everybody can read: they contain no phone, Aadhaar number, mail or web address, in any script.
 * - Dates, times, years and amounts pass.
 */
import * as z from 'zod/mini'
import { ENDINGS_ABROAD } from './address-endings.ts'
import type { Words } from './field-words.ts'
import { texts } from './texts.ts'
import { asciiDigits } from './typed.ts'
import { readAmount } from './typed-money.ts'

export const PUBLIC_TEXTS = {
  words_personal: texts('Everybody can read this: please leave out phone numbers, email and web addresses'),
} as const satisfies Words

const ADDRESSES = [
  /@|https?:|www\s?\./iu,
  // A point without a blank behind it, then small letters or a common ending.
  /[\p{L}\p{M}\p{N}]\.[a-z]{2}/u,
  /[\p{L}\p{M}\p{N}]\.(?:com|org|net|in|co|me|io|ly)(?![\p{L}\p{M}])/iu,
  /[\p{L}\p{M}\p{N}]\.\p{L}[\p{L}\p{M}]*\//u,
  new RegExp(`[\\p{L}\\p{M}\\p{N}][.。](?:${ENDINGS_ABROAD})(?![\\p{L}\\p{M}])`, 'u'),
]

/** Digits with at most three signs or blanks between two of them. A comma with a blank behind it begins the next item of a list. */
const RUN = /\d(?:(?:[^\p{L}\p{N}\n,]|,(?! )){0,3}\d)*/gu
const DAY = '(?:0?[1-9]|[12]\\d|3[01])'
const YEAR = '(?:19|20)\\d\\d'
const MOMENT = new RegExp(`^(?:${DAY}([-./])${DAY}\\1(?:${YEAR}|\\d\\d)|${YEAR}([-./])${DAY}\\2${DAY}|[012]?\\d[:.][0-5]\\d)$`)
/** A moment, or two with a hyphen between them. */
const isMoment = (part: string): boolean => {
  const halves = part.split('-')
  return MOMENT.test(part) || (halves.length === 2 && halves.every((half) => MOMENT.test(half)))
}
/** Also at the end of a sentence. */
const YEARS = new RegExp(`^${YEAR}(?:[-/](?:${YEAR}|\\d\\d))?\\.?$`)
/** A shorter number is no phone. An amount of ten digits could be one. */
const [PHONE_MIN, AMOUNT_MAX] = [7, 9]

const isAmount = (part: string): boolean => {
  const paise = readAmount(part)
  return paise !== undefined && paise < 10n ** BigInt(AMOUNT_MAX + 2)
}
/** Beside other digits it may be a piece of a phone. */
const isHarmless = (part: string): boolean => YEARS.test(part) || (part.startsWith('₹') && isAmount(part))
function hasNumber(text: string, phoneMin: number): boolean {
  for (const { 0: run, index } of text.matchAll(RUN)) {
    const isMoney = /(?:₹|\brs\.?|\binr) ?$/iu.test(text.slice(0, index))
    const parts = run.split(/[\s–—]+/).filter((part) => !isMoment(part) && !((part.includes(',') || isMoney) && isAmount(part)))
    const digits = parts.every(isHarmless) ? '' : parts.join('').replace(/\D/g, '')
    if (digits.length >= phoneMin) return true
  }
  return false
}

/** Whether words tell a phone of at least `phoneMin` digits, an identity number, or an address by which somebody can be reached. */
export function tellsContact(words: string, phoneMin = PHONE_MIN): boolean {
  const plain = asciiDigits(words.normalize('NFKC'))
    .replace(/\p{DI}/gu, '')
    .replace(/[\p{Zs}\t]/gu, ' ')
  return ADDRESSES.some((address) => address.test(plain)) || hasNumber(plain, phoneMin)
}
const refined = (phoneMin: number) =>
  z.refine<string>((words) => !tellsContact(words, phoneMin), { error: 'words_personal' satisfies keyof typeof PUBLIC_TEXTS })
export const withoutContact = refined(PHONE_MIN)
/** For a figure alone, such as `1000000`: seven digits are no phone there. */
export const figureWithoutContact = refined(AMOUNT_MAX + 1)
