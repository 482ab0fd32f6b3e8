/** Rules of the help desk's fields: the public name of a beneficiary, the consent, and the public words of an outlay. */
import * as z from 'zod/mini'
import type { Words } from './field-words.ts'
import { LANGUAGES } from './language.ts'
import { texts } from './texts.ts'

export const HELP_TEXTS = {
  public_name_length: texts('Please enter a name of 2 to 60 characters'),
  public_name_letters: texts('The public name is letters only: no numbers, phone or email address'),
  public_name_surname: texts('Please give the first name only, or words such as “A family in Surat”'),
  purpose_length: texts('Please say in 3 to 120 characters what the money is for'),
  purpose_personal: texts('Everybody can read this: please leave out phone numbers, email and web addresses'),
  purpose_names: texts('Please leave the name out: it is shown beside these words'),
  consent_day_future: texts('The day of the consent cannot be in the future'),
  consent_day: texts('Please give the day of the consent'),
  consent_recorded: texts('A consent that was recorded cannot be removed. To end it, press “Revoke the consent”'),
  guardian_needed: texts('Please say who gave the consent for the child'),
  private_note_length: texts('A note has at most 2,000 characters'),
  receipts_needed: texts('Please add at least one receipt'),
  receipts_many: texts('Please add at most 10 pages'),
  beneficiary_needed: texts('Please choose who is helped'),
} as const satisfies Words

export const CONSENT_WAYS = ['written', 'recorded', 'witnessed'] as const
export type ConsentWay = (typeof CONSENT_WAYS)[number]
export const GUARDIANS = ['mother', 'father', 'grandparent', 'legal_guardian'] as const
export type Guardian = (typeof GUARDIANS)[number]
export const RECEIPTS_MAX = 10

const text = (problem: keyof typeof HELP_TEXTS) => z.string(problem)
const code = (problem: keyof typeof HELP_TEXTS) => ({ error: problem })

/** Words of which one makes several words a description, not a name with a surname. */
const LINKS = texts('a an the in of from and with')
const links = new Set(LANGUAGES.flatMap((language) => LINKS[language].split(' ')))

/** Whether a name is one word, or words that describe without a surname. */
export function isWithoutSurname(name: string): boolean {
  const words = name.split(/\s+/u)
  return words.length === 1 || words.some((word) => links.has(word.toLowerCase()))
}

export const publicName = text('public_name_length').check(
  z.trim(),
  z.minLength(2, code('public_name_length')),
  z.maxLength(60, code('public_name_length')),
  z.regex(/^(?:[\p{L}\p{M}][\u200c\u200d]?|[ ’'-])+$/u, code('public_name_letters')),
  z.refine(isWithoutSurname, code('public_name_surname')),
)

/** A phone number with spaces or dashes in it, a mail address, or a web address. */
const PERSONAL = /(?:\d[ -]?){7,}|@|https?:|www\./iu

export const purpose = text('purpose_length').check(
  z.trim(),
  z.minLength(3, code('purpose_length')),
  z.maxLength(120, code('purpose_length')),
  z.refine((value) => !PERSONAL.test(value), code('purpose_personal')),
)

/** Whether the words contain a name that is one word, so that the person could not be unnamed later. */
export const namesPerson = (words: string, name: string): boolean =>
  !/\s/u.test(name) &&
  words
    .toLowerCase()
    .split(/[^\p{L}\p{M}]+/u)
    .includes(name.toLowerCase())

export const privateNote = text('private_note_length').check(z.trim(), z.maxLength(2000, code('private_note_length')))
