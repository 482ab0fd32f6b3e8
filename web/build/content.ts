/** Turns the long texts (Markdown, one file per language) into HTML at build time. A text that one language lacks fails the build. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { LANGUAGES } from '@roz/core/language.ts'
import { Marked } from 'marked'
import type { Plugin } from 'vite'

const ID = 'virtual:content'
const folder = path.join(import.meta.dirname, '../../locales')
export const TEXTS = [
  'privacy-policy',
  'terms',
  'refund-policy',
  'help-center',
  'daily-contributions',
  'direct-help-process',
  'giveaway-selection',
  'video-documentation',
  'money-trail',
  'verify-trust',
] as const

/** A numbered heading gets the id `section-<number>`, so that links can point to it. */
function renderer(): Marked {
  return new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth, text }) {
        const number = /^(\d+)\./.exec(text)?.[1]
        const id = number === undefined ? '' : ` id="section-${number}"`
        return `<h${depth}${id}>${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
    },
  })
}

/** The long texts as HTML, by language and name. */
export async function longTexts(
  languages: readonly string[] = LANGUAGES,
): Promise<Readonly<Record<string, Readonly<Record<string, string>>>>> {
  const fileOf = (language: string, name: string): string => path.join(folder, language, 'pages', `${name}.md`)
  const missing = languages.flatMap((language) =>
    TEXTS.filter((name) => !existsSync(fileOf(language, name))).map((name) => `locales/${language}/pages/${name}.md`),
  )
  if (missing.length > 0) throw new Error(`${missing.length} long texts are missing:\n  ${missing.join('\n  ')}`)
  const texts: Record<string, Record<string, string>> = {}
  for (const language of languages) {
    const own: Record<string, string> = {}
    for (const name of TEXTS) own[name] = await renderer().parse(await readFile(fileOf(language, name), 'utf8'))
    texts[language] = own
  }
  return texts
}

export const contentPlugin = (): Plugin => ({
  name: 'roz-content',
  resolveId: (id) => (id === ID ? `\0${ID}` : undefined),
  load: async (id) => (id === `\0${ID}` ? `export const content = ${JSON.stringify(await longTexts())}` : undefined),
})
