/**
 * Chooses the app's first language.
 * - The choice saved in the browser overrides every other hint. Without one, the browser's languages decide.
 */
import { type Language, LANGUAGES, languageOf } from '@roz/core/language.ts'

export const LANGUAGE_KEY = 'language'

/** The choice saved in this browser, if there is one. */
export function chosenLanguage(): Language | undefined {
  try {
    return LANGUAGES.find((language) => language === localStorage.getItem(LANGUAGE_KEY))
  } catch {
    return undefined
  }
}
export const firstLanguage = (): Language => chosenLanguage() ?? languageOf(navigator.languages.join(','))
