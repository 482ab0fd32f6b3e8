/**
 * Inlines core's texts into the browser's code: each `texts('…')` becomes its words in every language.
 * - A screen loads only the words of the rules that it uses, and no catalogue of core.
 * - Importing core's catalogues into the browser's code fails the build, and so does a text without words in some language.
 */
import { texts } from '@roz/core/texts.ts'
import type { Plugin } from 'vite'

const TEXT = /\btexts\(\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"),?\s*\)/g

/** The English of a literal: the formatter uses one kind of quotes and escapes nothing else. */
const englishOf = (literal: string): string => literal.slice(1, -1).replace(/\\(.)/g, '$1')

export const wordsPlugin = (): Plugin => ({
  name: 'roz-words',
  enforce: 'pre',
  transform(code, id) {
    const name = /\/core\/src\/([\w-]+\.ts)$/.exec(id)?.[1]
    if (name === undefined) return undefined
    // Nothing calls it once the words are inlined.
    if (name === 'texts.ts') return 'export const texts = undefined'
    if (name === 'catalogues.ts') throw new Error('the browser would load the catalogues of core and server')
    const inlined = code.replace(TEXT, (_whole, literal: string) => JSON.stringify(texts(englishOf(literal))))
    if (/\btexts\(/.test(inlined))
      throw new Error(`${name} has a text that is no plain literal: the browser would load every catalogue for it`)
    return inlined === code ? undefined : inlined
  },
})
