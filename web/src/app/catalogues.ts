/**
 * The language that the app begins in, and where the words of each lie. The choice kept in the browser
 * beats every other hint; without one the browser's own languages decide.
 */
import type { Messages } from '@lingui/core'
import { inEach, type Language, LANGUAGES, languageOf } from '@roz/core/language.ts'

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
type Load = () => Promise<Catalogue>
/** The build has seen that each is there (build/messages.ts). */
const ofEach = (found: Readonly<Record<string, Load>>, name: string) =>
  inEach((language) => found[`../locales/${language}/${name}.po`] as Load)
export const WORDS = ofEach(import.meta.glob<Catalogue>('../locales/*/app.po'), 'app')
export const ADMIN_WORDS = ofEach(import.meta.glob<Catalogue>('../locales/*/admin.po'), 'admin')
