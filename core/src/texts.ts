/**
 * A text of core or server in every language, found by its English.
 * - A text that is in no catalogue does not compile, and neither does a catalogue that lacks a text.
 */
import { type Catalogue, inEach, SPEECH, type Texts } from './language.ts'

export function texts<T extends keyof Catalogue>(english: T): Texts & { readonly en: T } {
  const words = inEach((language) => {
    const { catalogue } = SPEECH[language]
    return catalogue === 'sources' ? english : catalogue[english]
  })
  return { ...words, en: english }
}
