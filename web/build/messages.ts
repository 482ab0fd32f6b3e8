/**
 * Checks that every text has a translation in every language.
 * - Texts are collected from the code that the macros emit, during the build itself.
 * - So no second extraction runs, and a forgotten `npm run messages` fails the build.
 */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { LANGUAGES } from '@roz/core/language.ts'
import { formatter } from '@lingui/format-po'
import type { Plugin } from 'vite'

export const SCREEN_CATALOGUES = ['app', 'admin', 'autopay', 'papers', 'ticket', 'public'] as const
/** Matches a text by `t` or `msg` (marked by a comment) and one by `<Trans>`, as the compiled code contains them. */
const MESSAGE = /(?:\/\*+\s*i18n\s*\*+\/|_jsx(?:s|DEV)?\(_?Trans\w*,)\s*\{\s*id:\s*"([^"]+)"(?:,\s*message:\s*("(?:[^"\\]|\\.)*"))?/g

export const idsIn = (code: string): readonly string[] => [...code.matchAll(MESSAGE)].map(([, id = '']) => id)
/** By id, the English of the texts. Only the code of `npm run dev` still has it beside the id. */
export const englishIn = (code: string): ReadonlyMap<string, string> =>
  new Map([...code.matchAll(MESSAGE)].map(([, id = '', english]) => [id, english === undefined ? id : (JSON.parse(english) as string)]))

/** The ids of the texts in the modules of this build, each with the file that uses it. */
export function messageCollector(): { readonly plugin: Plugin; readonly used: ReadonlyMap<string, string> } {
  const used = new Map<string, string>()
  const plugin: Plugin = {
    name: 'roz-messages',
    enforce: 'post',
    transform: (code, id) => {
      if (!/\/web\/src\/.*\.tsx?$/.test(id.split('?')[0] ?? '')) return null
      for (const found of idsIn(code)) used.set(found, id)
      return null
    },
  }
  return { plugin, used }
}

/** The app certainly has more texts than this. Fewer mean that MESSAGE no longer matches what the macros emit. */
const LEAST = 800
export function expectTexts(used: ReadonlyMap<string, string>): void {
  if (used.size < LEAST)
    throw new Error(`the build found ${used.size} texts, and expects ${LEAST} or more: check MESSAGE in web/build/messages.ts`)
}

type Words = { readonly texts: ReadonlyMap<string, string>; readonly empty: ReadonlySet<string>; readonly absent: readonly string[] }

/** Reads a language's catalogues: the texts with words, the texts without words, and the catalogue files that are missing. */
async function known(root: string, language: string): Promise<Words> {
  const po = formatter()
  const texts = new Map<string, string>()
  const empty = new Set<string>()
  const absent: string[] = []
  for (const name of SCREEN_CATALOGUES) {
    const filename = path.join(root, '../locales', language, `${name}.po`)
    if (!existsSync(filename)) {
      absent.push(path.relative(path.dirname(root), filename))
      continue
    }
    const catalogue = await po.parse(await readFile(filename, 'utf8'), { locale: language, sourceLocale: 'en', filename })
    for (const [id, { translation = '', message }] of Object.entries(catalogue)) {
      const words = translation !== '' ? translation : language === 'en' ? message : undefined
      if (words === undefined) empty.add(id)
      else texts.set(id, words)
    }
  }
  return { texts, empty, absent }
}

/** One line for each missing catalogue, and for each text without words: `hi: "Log in" (src/…)`. `said`: the English of new texts. */
export async function missingMessages(
  root: string,
  used: ReadonlyMap<string, string>,
  languages: readonly string[] = LANGUAGES,
  said: ReadonlyMap<string, string> = new Map(),
): Promise<string[]> {
  const english = await known(root, 'en')
  const lines: string[] = []
  for (const language of languages) {
    const { texts, empty, absent } = await known(root, language)
    lines.push(...absent.map((file) => `${language}: no ${file}`))
    if (absent.length === SCREEN_CATALOGUES.length) continue
    for (const [id, file] of used) {
      if (!texts.has(id) || empty.has(id))
        lines.push(`${language}: ${JSON.stringify(english.texts.get(id) ?? said.get(id) ?? id)} (${path.relative(root, file)})`)
    }
  }
  return lines
}
