/**
 * Chooses the app's first language.
 * - The choice saved in the browser overrides every other hint. Without one, the browser's languages decide.
 */
import { type Language, LANGUAGES, languageOf } from '@roz/core/language.ts'
import { readStored } from './stored.ts'

export const LANGUAGE_KEY = 'language'

/** The choice saved in this browser, if there is one. */
export const chosenLanguage = (): Language | undefined => LANGUAGES.find((language) => language === readStored(LANGUAGE_KEY))
export const firstLanguage = (): Language => chosenLanguage() ?? languageOf(navigator.languages.join(','))
