/**
 * The app's current language, and how it changes.
 * - Catalogues load on demand; the portal's catalogue loads only in the portal.
 * - The language changes only after its catalogues have loaded. Of two overlapping changes, the later one wins.
 */
import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { type Language, SPEECH } from '@roz/core/language.ts'
import { settings } from './settings.ts'
import { ADMIN_WORDS, chosenLanguage, firstLanguage, LANGUAGE_KEY, WORDS } from './catalogues.ts'

let language = firstLanguage()
export const currentLanguage = (): Language => language
export const brand = (): string => settings.brandName

/** The page's meta description, in the language of the screens. */
function about() {
  const brandName = brand()
  return msg`${brandName}: one rupee a day, together. A daily round, and accounts open to everybody.`
}

let wanted = language
let adminWanted = false
let adminTexts: Promise<void> | undefined

let onChange: () => void = () => undefined
/** The listener runs after a change, because cached answers contain the server's words in the old language. */
export function whenLanguageChanges(listener: () => void): void {
  onChange = listener
}

/** The last request wins, whichever catalogue loads first. */
async function activate(next: Language): Promise<void> {
  wanted = next
  const words = Promise.all([WORDS[next](), adminWanted ? ADMIN_WORDS[next]() : undefined])
  const [app, admin] = await words.catch((error: unknown) => {
    // A catalogue that fails to load cancels its own request, but not a later one.
    if (wanted === next) wanted = language
    throw error
  })
  if (next !== wanted) return
  i18n.load(next, { ...app.messages, ...admin?.messages })
  const isChange = language !== next
  language = next
  // Counts inside messages have Indian groups too.
  i18n.activate(next, SPEECH[next].locale)
  document.documentElement.lang = next
  document.querySelector('meta[name="description"]')?.setAttribute('content', i18n._(about()))
  if (isChange) onChange()
}

/** Loads the first catalogue. Nothing is rendered before. */
export const startLanguage = (): Promise<void> => activate(language)

/** Switches the language and saves the choice in the browser. */
export async function chooseLanguage(next: Language): Promise<void> {
  await activate(next)
  // A later call saves its own choice.
  if (next !== language) return
  try {
    localStorage.setItem(LANGUAGE_KEY, next)
  } catch {
    // Without storage the choice lasts until the page unloads.
  }
}

/** Applies the member's saved language if this browser has no choice of its own. */
export async function adoptLanguage(next: Language): Promise<void> {
  if (chosenLanguage() === undefined && next !== language) await activate(next)
}

/** Loads the portal's words, for its routes. Calls during the load wait for the same promise; after a failure the next call retries. */
export async function loadAdminTexts(): Promise<void> {
  adminWanted = true
  adminTexts ??= activate(wanted)
  try {
    await adminTexts
  } catch (error) {
    adminTexts = undefined
    throw error
  }
}
