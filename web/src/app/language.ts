/** The language of the app, as it is and as it changes. Catalogues load on demand, the portal's only in the portal. */
import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { brandIn } from '@roz/core/brand.ts'
import type { Language } from '@roz/core/language.ts'
import { settings } from './settings.ts'
import { ADMIN_WORDS, chosenLanguage, firstLanguage, LANGUAGE_KEY, WORDS } from './catalogues.ts'

let language = firstLanguage()
export const currentLanguage = (): Language => language
export const brand = (): string => brandIn(settings.brandName, language)

/** As the page came, in the language of its screens. */
function about() {
  const brandName = brand()
  return msg`${brandName}: one rupee a day, together. A daily round, a fair draw, and books that are open to everybody.`
}

let wanted = language
let adminWanted = false
let adminTexts: Promise<void> | undefined

let onChange: () => void = () => undefined
/** Told after a change: what the server has worded for us stands in the old language. */
export function whenLanguageChanges(listener: () => void): void {
  onChange = listener
}

/** The last wish counts, whichever catalogue comes first. */
async function activate(next: Language): Promise<void> {
  wanted = next
  const words = Promise.all([WORDS[next](), adminWanted ? ADMIN_WORDS[next]() : undefined])
  const [app, admin] = await words.catch((error: unknown) => {
    // What cannot be had is wished no more; a later wish is left alone.
    if (wanted === next) wanted = language
    throw error
  })
  if (next !== wanted) return
  i18n.load(next, { ...app.messages, ...admin?.messages })
  const isChange = language !== next
  language = next
  i18n.activate(next)
  document.documentElement.lang = next
  document.querySelector('meta[name="description"]')?.setAttribute('content', i18n._(about()))
  if (isChange) onChange()
}

/** Loads the first catalogue; nothing is drawn before. */
export const startLanguage = (): Promise<void> => activate(language)

/** Switches and keeps the choice. */
export async function chooseLanguage(next: Language): Promise<void> {
  await activate(next)
  // A later choice is kept by its own call.
  if (next !== language) return
  try {
    localStorage.setItem(LANGUAGE_KEY, next)
  } catch {
    // The choice then holds for this page.
  }
}

/** Follows the member's own setting where this browser has no choice of its own. */
export async function adoptLanguage(next: Language): Promise<void> {
  if (chosenLanguage() === undefined && next !== language) await activate(next)
}

/** The portal's words, loaded by its routes: whoever asks while they are on their way waits for them, too. */
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
