/**
 * The words of core and server in each language but English, by their English: `locales/<language>/{core,server}.po`.
 * - A language's files are read once, when it is first asked for, as a JSON file would be imported. Nothing else in core reads a file.
 * - The browser never loads this module: the build inlines the words (web/build/inline-texts.ts).
 */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parsePo } from 'pofile-ts'
import type { Language } from './language.ts'

const LOCALES = path.resolve(import.meta.dirname, '../../locales')
/** A text that core and server both say is in `core`. */
export const CATALOGUES = ['core', 'server'] as const
/** The language of the sources, which has no catalogue here. */
export const SOURCE = 'en' satisfies Language

export const catalogueFile = (language: Language, name: (typeof CATALOGUES)[number]): string => path.join(LOCALES, language, `${name}.po`)

/** The catalogues that were read. */
export const READ = new Map<Language, ReadonlyMap<string, string>>()

/** The words of a language by their English; '' for a text that is not yet translated, none before the first `npm run messages`. */
export function catalogueOf(language: Language): ReadonlyMap<string, string> {
  const known = READ.get(language)
  if (known !== undefined) return known
  const files = CATALOGUES.map((name) => catalogueFile(language, name)).filter((file) => existsSync(file))
  const items = files.flatMap((file) => parsePo(readFileSync(file, 'utf8')).items)
  const words = new Map(items.map(({ msgid, msgstr }) => [msgid, msgstr[0] ?? '']))
  READ.set(language, words)
  return words
}
