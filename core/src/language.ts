/**
 * The languages of the product.
 * - A new language is a line of `LIST` and the folder `locales/<language>/` (docs/recipes.md).
 * - All other code that differs by language reads this list.
 */

/** Settings for writing days and hours. */
export type Speech = {
  readonly locale: string
  /** `short` for a language without am and pm: दोपहर 1:30. */
  readonly dayPeriod: 'short' | undefined
}
type Spoken = Speech & {
  /** The language's own name for itself. */
  readonly name: string
  /** Beside a text in this language, for readers of another one. */
  readonly inIt: string
}

const LIST = {
  en: { name: 'English', inIt: 'in English', locale: 'en-IN', dayPeriod: undefined },
  hi: { name: 'हिन्दी', inIt: 'हिन्दी में', locale: 'hi-IN-u-nu-latn', dayPeriod: 'short' },
} satisfies Readonly<Record<string, Spoken>>

export type Language = keyof typeof LIST
export const SPEECH: Readonly<Record<Language, Spoken>> = LIST
export const LANGUAGES = Object.keys(LIST) as readonly Language[]
/** One text in every language. */
export type Texts = Readonly<Record<Language, string>>

/** A text as it is stored: a language that was added later is missing. */
export type StoredTexts = Readonly<Partial<Record<Language, string>>>
/** A stored text in every language; a missing one is replaced by English, or by any that there is. */
export const completed = (stored: StoredTexts): Texts =>
  inEach((language) => stored[language] ?? stored.en ?? Object.values(stored)[0] ?? '')

/** One value for each language. */
export const inEach = <V>(make: (language: Language) => V): Readonly<Record<Language, V>> =>
  Object.fromEntries(LANGUAGES.map((language) => [language, make(language)])) as Record<Language, V>

/** The first of our languages in an `Accept-Language` header; English if there is none. */
export function languageOf(header: string | undefined): Language {
  for (const part of (header ?? '').split(',')) {
    const tag = part.split(';')[0]?.trim().toLowerCase().split('-')[0]
    const found = LANGUAGES.find((language) => language === tag)
    if (found !== undefined) return found
  }
  return 'en'
}

/** The path of a public page in a language: English at the root, every other language below its tag. */
export const addressIn = (language: Language, address: string): string =>
  language === 'en' ? address : `/${language}${address === '/' ? '' : address}`

/** The language tag at the start of a path; undefined if there is none. */
export const languageAt = (address: string): Language | undefined => LANGUAGES.find((language) => address.split('/')[1] === language)
