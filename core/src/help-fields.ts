/** Rules of the help desk's fields: the public name of a beneficiary, the consent, and the public words of an outlay. */
import * as z from 'zod/mini'
import type { Words } from './field-words.ts'
import { LANGUAGES, type Texts } from './language.ts'
import { withoutContact } from './public-words.ts'
import { soundKey } from './sound-key.ts'
import { texts } from './texts.ts'
import { oneLine, severalLines } from './written.ts'

export const HELP_TEXTS = {
  public_name_length: texts('Please enter a name of 2 to 60 characters'),
  public_name_letters: texts('The public name is letters only: no numbers, phone or email address'),
  public_name_in_words: texts('The public words of a payment to this person contain this name. Please choose another name'),
  public_name_surname: texts('Please give the first name only, or words such as “A family in Surat”'),
  purpose_length: texts('Please say in 3 to 120 characters what the money is for'),
  purpose_names: texts('Please leave the name out: it is shown beside these words'),
  consent_day_future: texts('The day of the consent cannot be in the future'),
  consent_day: texts('Please give the day of the consent'),
  consent_recorded: texts('A consent that was recorded cannot be removed. To end it, press “Revoke the consent”'),
  guardian_needed: texts('Please say who gave the consent for the child'),
  settlement_day_future: texts('The day of a settlement cannot be in the future'),
  private_note_length: texts('A note has at most 2,000 characters'),
  receipts_needed: texts('Please add at least one bill'),
  receipts_many: texts('Please add at most 10 pages'),
  beneficiary_needed: texts('Please choose who is helped'),
} as const satisfies Words

export const CONSENT_WAYS = ['written', 'recorded', 'witnessed'] as const
export type ConsentWay = (typeof CONSENT_WAYS)[number]
export const GUARDIANS = ['mother', 'father', 'grandparent', 'legal_guardian'] as const
export type Guardian = (typeof GUARDIANS)[number]
export const BILL_PAGES_MAX = 10

const text = (problem: keyof typeof HELP_TEXTS) => z.string(problem)
const code = (problem: keyof typeof HELP_TEXTS) => ({ error: problem })

/** Words that join two parts of a name, as in “Asha and Ravi”. */
const LINKS = texts('of and in at from with near for')
/** Words that name nobody. A place of two words needs one of them, as in “A family in Uttar Pradesh”. */
const COMMON = [
  texts('a an the one two three four five six some many old young new little small poor north south east west navi pradesh nadu'),
  texts('family families household person people man men woman women couple widow child children boy boys girl girls baby babies'),
  texts('mother mothers father fathers parents grandmother grandfather son sons daughter daughters brother brothers sister sisters'),
  texts('student students teacher teachers patient patients farmer farmers worker workers neighbour neighbours friend friends group'),
  texts('class school hostel home house shelter hospital village town city street camp'),
]
/** Words of payments that sound like a name, as `रसीद` (receipt) does like Rashid. A public name may have them: Black is a surname. */
const SOUND_LIKE_NAMES = texts('receipt admission because without empty black such july')
/** One spelling of a word: many write Devanagari without the dot below a letter, and joiners are invisible. */
const plain = (word: string): string =>
  word
    .normalize('NFKC')
    .replace(/[\u093c\u200c\u200d]/g, '')
    .replace(/[’']s$/iu, '')
    .toLowerCase()
const setOf = (...lists: Texts[]): ReadonlySet<string> =>
  new Set(lists.flatMap((words) => LANGUAGES.flatMap((language) => words[language].split(' ').map(plain))))
const [links, common, soundLikeNames] = [setOf(LINKS), setOf(...COMMON), setOf(SOUND_LIKE_NAMES)]
const isNaming = (word: string): boolean => !links.has(word) && !common.has(word)
const piecesOf = (text: string): string[] =>
  plain(text)
    .split(/[^\p{L}\p{M}]+/u)
    .filter((piece) => piece !== '')

/**
 * Whether a name is without a surname: between two links at most one word may name somebody. So “Asha and Ravi” is accepted,
 * “Asha and Ravi Sharma” is not.
 */
export function isWithoutSurname(name: string): boolean {
  let names = 0
  for (const word of name.split(/\s+/u).map(plain)) {
    if (links.has(word)) names = 0
    else if (!common.has(word)) names++
    if (names > 1) return false
  }
  return true
}

export const publicName = text('public_name_length').check(
  oneLine,
  z.minLength(2, code('public_name_length')),
  z.maxLength(60, code('public_name_length')),
  z.regex(/^(?:[\p{L}\p{M}]\p{Join_C}?|[ ’'-])+$/u, code('public_name_letters')),
  z.refine(isWithoutSurname, code('public_name_surname')),
)

export const purpose = text('purpose_length').check(
  oneLine,
  z.minLength(3, code('purpose_length')),
  z.maxLength(120, code('purpose_length')),
  withoutContact,
)

/** The words by which a public name could be recognized: a single word always, otherwise every word that is not listed. */
function namingWords(name: string): string[] {
  const words = name.trim().split(/\s+/u)
  const naming = words.length === 1 ? words : words.filter((word) => isNaming(plain(word)))
  return naming.flatMap(piecesOf).filter((piece) => piece.length > 1)
}

/**
 * Whether public words repeat a public name or a part of it, so that the person could not be unnamed later.
 * - A name in Latin letters is also found in Devanagari, and the other way round, by its sound. Between other scripts it is not: the
 *   editor who writes such words is the only guard there.
 * - A listed word is never compared by its sound: `किसान` (farmer) is not Kishan.
 */
export function namesPerson(words: string, name: string): boolean {
  const said = new Set(words.split(/\s+/u).flatMap(piecesOf))
  const sounds = [...said].filter((word) => isNaming(word) && !soundLikeNames.has(word)).map(soundKey)
  const soundsLike = (word: string): boolean => {
    const name = soundKey(word)
    return name !== undefined && sounds.some((sound) => sound?.key === name.key && sound.isLatin !== name.isLatin)
  }
  return namingWords(name).some((word) => said.has(word) || soundsLike(word))
}

export const privateNote = text('private_note_length').check(severalLines, z.maxLength(2000, code('private_note_length')))
