/** Long texts: Markdown per language becomes HTML at build. A text missing in one language fails the build. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { LANGUAGES } from '@roz/core/language.ts'
import { Marked } from 'marked'
import type { Plugin } from 'vite'

const ID = 'virtual:content'
const folder = path.join(import.meta.dirname, '../src/content')
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

/** Headings get an id made of their number or words, so that a section can be linked to. */
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

export const contentPlugin = (): Plugin => ({
  name: 'roz-content',
  resolveId: (id) => (id === ID ? `\0${ID}` : undefined),
  async load(id) {
    if (id !== `\0${ID}`) return undefined
    const texts: Record<string, Record<string, string>> = {}
    for (const language of LANGUAGES) {
      const own: Record<string, string> = {}
      for (const name of TEXTS) {
        const file = path.join(folder, language, `${name}.md`)
        this.addWatchFile(file)
        own[name] = await renderer().parse(await readFile(file, 'utf8'))
      }
      texts[language] = own
    }
    return `export const content = ${JSON.stringify(texts)}`
  },
})
