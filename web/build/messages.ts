/**
 * Checks that every text has a translation in every language.
 * - Texts are collected from the code that the macros emit, during the build itself.
 * - So no second extraction runs, and a forgotten `npm run messages` fails the build.
 */
import path from 'node:path'
import type { Plugin } from 'vite'
import { readScreenCatalogue, SCREEN_CATALOGUES, TRANSLATED } from './catalogues.ts'

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

/** One line for each missing catalogue, and for each text without words: `hi: "Log in" (src/…)`. `said`: the English of new texts. */
export async function missingMessages(
  root: string,
  used: ReadonlyMap<string, string>,
  languages: readonly string[] = TRANSLATED,
  said: ReadonlyMap<string, string> = new Map(),
): Promise<string[]> {
  const english = new Map(said)
  const lines: string[] = []
  for (const language of languages) {
    const words = new Map<string, string>()
    const absent: string[] = []
    for (const name of SCREEN_CATALOGUES) {
      const catalogue = await readScreenCatalogue(language, name)
      if (catalogue === undefined) absent.push(`${language}: no locales/${language}/${name}.po`)
      for (const [id, text] of catalogue ?? []) {
        english.set(id, text.english)
        words.set(id, text.words)
      }
    }
    lines.push(...absent)
    if (absent.length === SCREEN_CATALOGUES.length) continue
    for (const [id, file] of used)
      if ((words.get(id) ?? '') === '') lines.push(`${language}: ${JSON.stringify(english.get(id) ?? id)} (${path.relative(root, file)})`)
  }
  return lines
}
