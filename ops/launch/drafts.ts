/**
 * Loaded before a program of `npm run dev` (`node --import`): a text of core or server without words in a language is said in English.
 * - Each such text is listed once on standard error. Every other program refuses it (core/src/texts.ts).
 */
import { READ, SOURCE, catalogueOf } from '../../core/src/catalogues.ts'
import { type Language, LANGUAGES } from '../../core/src/language.ts'

class Drafts extends Map<string, string> {
  readonly #language: Language
  readonly #told = new Set<string>()

  constructor(language: Language, words: ReadonlyMap<string, string>) {
    super(words)
    this.#language = language
  }

  override get(english: string): string {
    const said = super.get(english)
    if (said !== undefined && said !== '') return said
    if (!this.#told.has(english)) process.stderr.write(`No words yet: ${this.#language}: ${JSON.stringify(english)}\n`)
    this.#told.add(english)
    return english
  }
}

for (const language of LANGUAGES) if (language !== SOURCE) READ.set(language, new Drafts(language, catalogueOf(language)))
