/**
 * The languages of the product. A new one is a line of this list with its catalogue, the catalogues of
 * the screens and a folder of long texts (CONTRIBUTING.md); whatever else differs by language reads it here.
 */
import { HI } from './locales/hi.ts'

/** The words of core and server, by their English. */
export type Catalogue = Readonly<Record<keyof typeof HI, string>>

/** How days and hours are written. */
export type Speech = {
  readonly locale: string
  /** Of a language without am and pm: दोपहर 1:30. */
  readonly dayPeriod: 'short' | undefined
}
type Spoken = Speech & {
  /** As its speakers write it. */
  readonly name: string
  /** English is what stands in the sources. */
  readonly catalogue: Catalogue | 'sources'
}

const LIST = {
  en: { name: 'English', locale: 'en-IN', dayPeriod: undefined, catalogue: 'sources' },
  hi: { name: 'हिन्दी', locale: 'hi-IN-u-nu-latn', dayPeriod: 'short', catalogue: HI },
} satisfies Readonly<Record<string, Spoken>>

export type Language = keyof typeof LIST
export const SPEECH: Readonly<Record<Language, Spoken>> = LIST
export const LANGUAGES = Object.keys(LIST) as readonly Language[]
/** One text in every language. */
export type Texts = Readonly<Record<Language, string>>

/** Something for each language. */
export const inEach = <V>(make: (language: Language) => V): Readonly<Record<Language, V>> =>
  Object.fromEntries(LANGUAGES.map((language) => [language, make(language)])) as Record<Language, V>

/** The language of an `Accept-Language` header; English where it names none of ours. */
export function languageOf(header: string | undefined): Language {
  for (const part of (header ?? '').split(',')) {
    const tag = part.split(';')[0]?.trim().toLowerCase().split('-')[0]
    const found = LANGUAGES.find((language) => language === tag)
    if (found !== undefined) return found
  }
  return 'en'
}

/** Where a public address lies in a language: English at the root, every other below its own name. */
export const addressIn = (language: Language, address: string): string =>
  language === 'en' ? address : `/${language}${address === '/' ? '' : address}`

/** The language below whose name an address lies. */
export const languageAt = (address: string): Language | undefined => LANGUAGES.find((language) => address.split('/')[1] === language)
