/**
 * Sees that every text has its words in every language. Texts are collected as the macros leave
 * them, so nothing is extracted twice and a forgotten `npm run messages` cannot slip through.
 */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { LANGUAGES, type Language } from '@roz/core/language.ts'
import { formatter } from '@lingui/format-po'
import type { Plugin } from 'vite'

export const CATALOGUES = ['app', 'admin', 'public'] as const
const MESSAGE = /\/\*i18n\*\/\s*\{([^}]*)\}|_jsx[s]?\(_?Trans\w*,\s*(?:\/\*i18n\*\/\s*)?\{([\s\S]*?)\}\)/g
const ID = /\bid:\s*"([^"]+)"/

/** The ids of texts used by the modules that were built, with the file that uses each. */
export function messageCollector(): { readonly plugin: Plugin; readonly used: ReadonlyMap<string, string> } {
  const used = new Map<string, string>()
  const plugin: Plugin = {
    name: 'roz-messages',
    enforce: 'post',
    transform: (code, id) => {
      if (!/\/web\/src\/.*\.tsx?$/.test(id.split('?')[0] ?? '')) return null
      for (const match of code.matchAll(MESSAGE)) {
        const found = ID.exec(match[1] ?? match[2] ?? '')?.[1]
        if (found !== undefined) used.set(found, id)
      }
      return null
    },
  }
  return { plugin, used }
}

async function known(root: string, language: Language): Promise<Map<string, string>> {
  const po = formatter()
  const texts = new Map<string, string>()
  for (const name of CATALOGUES) {
    const filename = path.join(root, 'src/locales', language, `${name}.po`)
    const catalogue = await po.parse(await readFile(filename, 'utf8'), { locale: language, sourceLocale: 'en', filename })
    for (const [id, message] of Object.entries(catalogue)) {
      const words =
        message.translation !== undefined && message.translation !== ''
          ? message.translation
          : language === 'en'
            ? message.message
            : undefined
      if (words !== undefined) texts.set(id, words)
    }
  }
  return texts
}

/** One line for each text without words: `hi: "Log in" (src/…)`. */
export async function missingMessages(root: string, used: ReadonlyMap<string, string>): Promise<string[]> {
  const english = await known(root, 'en')
  const lines: string[] = []
  for (const language of LANGUAGES) {
    const texts = await known(root, language)
    for (const [id, file] of used) {
      if (!texts.has(id)) lines.push(`${language}: ${JSON.stringify(english.get(id) ?? id)} (${path.relative(root, file)})`)
    }
  }
  return lines
}
