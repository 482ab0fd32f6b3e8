/**
 * The app's current language, and how it changes.
 * - Catalogues load on demand; those of portal and AutoPay only where their screens are.
 * - The language changes only after its catalogues have loaded. Of two overlapping changes, the later one wins.
 */
import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { type Language, SPEECH } from '@roz/core/language.ts'
import { words as appWords } from 'virtual:words/app'
import { settings } from './settings.ts'
import { chosenLanguage, firstLanguage, LANGUAGE_KEY } from './first-language.ts'
import { store } from './stored.ts'

let language = firstLanguage()
export const currentLanguage = (): Language => language
export const brand = (): string => settings.brandName

/** The page's meta description, in the language of the screens. */
function about() {
  const brandName = brand()
  return msg`${brandName}: one rupee a day, together. A daily round, and accounts open to everybody.`
}

let wanted = language
type Words = typeof appWords
/** Catalogues beside the app's, each with its first load. */
const loads = new Map<Words, Promise<void> | undefined>()

let onChange: () => void = () => undefined
/** The listener runs after a change, because cached answers contain the server's words in the old language. */
export function whenLanguageChanges(listener: () => void): void {
  onChange = listener
}

/** The last request wins, whichever catalogue loads first. */
async function activate(next: Language): Promise<void> {
  wanted = next
  const words = await Promise.all([appWords[next](), ...[...loads.keys()].map((more) => more[next]())]).catch((error: unknown) => {
    // A catalogue that fails to load cancels its own request, but not a later one.
    if (wanted === next) wanted = language
    throw error
  })
  if (next !== wanted) return
  for (const { messages } of words) i18n.load(next, messages)
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
  // A later call saves its own choice. Without storage the choice lasts until the page unloads.
  if (next === language) store(LANGUAGE_KEY, next)
}

/** Applies the member's saved language if this browser has no choice of its own. */
export async function adoptLanguage(next: Language): Promise<void> {
  if (chosenLanguage() === undefined && next !== language) await activate(next)
}

/** Loads the words of a part. Calls during the load wait for the same promise; after a failure the next call retries. */
export function loadTexts(words: Words): Promise<void> {
  const begun = loads.get(words)
  if (begun !== undefined) return begun
  // Before the load, which reads the keys.
  loads.set(words, undefined)
  const load = activate(wanted)
  loads.set(words, load)
  load.catch(() => loads.set(words, undefined))
  return load
}
