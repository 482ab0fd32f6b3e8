/**
 * Chooses the app's first language, and finds each language's catalogues.
 * - The choice saved in the browser overrides every other hint. Without one, the browser's languages decide.
 */
import type { Messages } from '@lingui/core'
import { inEach, type Language, LANGUAGES, languageOf } from '@roz/core/language.ts'

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

export type Catalogue = { readonly messages: Messages }
type Load = () => Promise<Catalogue>
/** The build has checked that every catalogue exists (web/build/messages.ts). */
export const ofEach = (found: Readonly<Record<string, Load>>, name: string) =>
  inEach((language) => found[`../../../locales/${language}/${name}.po`] as Load)
export const WORDS = ofEach(import.meta.glob<Catalogue>('../../../locales/*/app.po'), 'app')
export const ADMIN_WORDS = ofEach(import.meta.glob<Catalogue>('../../../locales/*/admin.po'), 'admin')
