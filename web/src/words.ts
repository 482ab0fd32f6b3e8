/**
 * The language that the app begins in, and where the words of each lie. The choice kept in the browser
 * beats every other hint; without one the browser's own languages decide.
 */
import type { Messages } from '@lingui/core'
import { type Language, LANGUAGES, languageOf } from '@roz/core/language.ts'

export const LANGUAGE_KEY = 'language'

/** The choice kept in this browser, if one was made. */
export function chosenLanguage(): Language | undefined {
  try {
    return LANGUAGES.find((language) => language === localStorage.getItem(LANGUAGE_KEY))
  } catch {
    return undefined
  }
}
export const firstLanguage = (): Language => chosenLanguage() ?? languageOf(navigator.languages.join(','))

type Catalogue = { readonly messages: Messages }
export const WORDS = {
  en: () => import('./locales/en/app.po'),
  hi: () => import('./locales/hi/app.po'),
} satisfies Record<Language, () => Promise<Catalogue>>
export const ADMIN_WORDS = {
  en: () => import('./locales/en/admin.po'),
  hi: () => import('./locales/hi/admin.po'),
} satisfies Record<Language, () => Promise<Catalogue>>
