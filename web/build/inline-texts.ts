/**
 * Inlines core's texts into the browser's code: each `texts('…')` becomes its words in every language.
 * - A screen loads only the words of the rules that it uses, and no catalogue of core.
 * - Importing a catalogue of core into the browser's code fails the build.
 */
import { texts } from '@roz/core/texts.ts'
import type { Plugin } from 'vite'

const TEXT = /\btexts\(\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"),?\s*\)/g

/** The imports of the catalogues in `core/src/language.ts`. */
const CATALOGUE = /^import \{ (\w+) \} from '\.\/locales\/[\w-]+\.ts'$/gm

/** The English of a literal: the formatter uses one kind of quotes and escapes nothing else. */
const englishOf = (literal: string): string => literal.slice(1, -1).replace(/\\(.)/g, '$1')

export const wordsPlugin = (): Plugin => ({
  name: 'roz-words',
  enforce: 'pre',
  transform(code, id) {
    const name = /\/core\/src\/((?:locales\/)?[\w-]+\.ts)$/.exec(id)?.[1]
    if (name === undefined || name === 'texts.ts') return undefined
    if (name === 'language.ts') return code.replace(CATALOGUE, 'const $1 = {}')
    if (name.startsWith('locales/')) throw new Error(`the browser would load the whole of ${name}`)
    const inlined = code.replace(TEXT, (_whole, literal: string) =>
      JSON.stringify(texts(englishOf(literal) as Parameters<typeof texts>[0])),
    )
    if (/\btexts\(/.test(inlined))
      throw new Error(`${name} has a text that is no plain literal: the browser would load every catalogue for it`)
    return inlined === code ? undefined : inlined
  },
})
