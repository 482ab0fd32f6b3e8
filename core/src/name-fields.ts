/** Rules of names of people. They have their own file: a name is judged by few screens. */
import * as z from 'zod/mini'
import { ENDINGS_ABROAD } from './address-endings.ts'
import type { PERSON_TEXTS } from './person-fields.ts'
import { oneLine } from './written.ts'

const text = (problem: keyof typeof PERSON_TEXTS) => z.string(problem)
const code = (problem: keyof typeof PERSON_TEXTS) => ({ error: problem })

/**
 * Letters with their marks, selectors among them; a joiner must follow one. No sign is of two classes, so that a text is read in one way
 * only: with two, the time would double with each sign. Names also have points, hyphens and apostrophes of several scripts,
 * and the signs by which Indian scripts abbreviate: `डॉ॰`.
 */
const NAME =
  /^(?:[\p{L}\p{M}][\p{Join_C}\u180e]?|[ .'‘’\u2010\u2011\u00b7\u30fb\u055a\u05be\u05f3\u05f4\u0970\u09fd\u0a76\u0af0\u1361-])+$/u
/**
 * Mail programs turn these into a link. Initials such as `A.Kumar`, `के.कुमार`, `எம்.ஜி.ஆர்` pass.
 * - In letters with capitals: two letters before a dot and two after it; a small letter pair after a dot (`t.me`); a country's or a
 *   common ending (`X.COM`).
 * - In other letters: an ending that exists; a word of five letters before the dot, which is no initial; any dot between signs of Han.
 */
const ADDRESS = new RegExp(
  [
    '(?:[\\p{Lu}\\p{Ll}\\p{Lt}]\\p{M}*){2}\\.[^ .]{2}',
    '\\.[a-z]{2}',
    '\\.(?:[A-Z][A-Za-z]|C[Oo][Mm]|N[Ee][Tt]|O[Rr][Gg])(?!\\p{L})',
    `\\.(?:${ENDINGS_ABROAD})(?![\\p{L}\\p{M}])`,
    '(?:\\p{Lo}[\\p{M}\\p{Join_C}]*){5}\\.\\p{L}',
    '[\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Hang}]\\.\\p{L}',
  ].join('|'),
  'u',
)

/** The name of somebody who writes to support; only support reads it. */
export const writerName = text('fill_all').check(
  oneLine,
  z.minLength(2, code('name_length')),
  z.maxLength(100, { ...code('name_length'), abort: true }),
)
/** A member's name. It appears in mails and on pages, so it must be a name in some script and must not look like a web address. */
export const name = writerName.check(
  z.regex(NAME, code('name_letters')),
  z.regex(/\p{L}/u, code('name_letters')),
  z.refine((value) => !ADDRESS.test(value), code('name_address')),
)
