/**
 * `npm run messages`: brings the catalogues of core, server and screens (`locales/<language>/*.po`) up to date with the sources.
 * - A new text is added without words, below the name of its file; a text that nothing says any more is removed.
 * - It lists every text that has no words yet.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { CATALOGUES, catalogueFile, catalogueOf } from '@roz/core/catalogues.ts'
import { createItem, createPoFile, stringifyPo } from 'pofile-ts'
import {
  readScreenCatalogue,
  saidOnScreens,
  SCREEN_CATALOGUES,
  screenCatalogueFile,
  TRANSLATED,
  writtenScreenCatalogue,
} from '../web/build/catalogues.ts'
import { code } from './tidy/source.ts'

type Catalogue = (typeof CATALOGUES)[number]

/** The texts of each catalogue with the files that say them, in the order of the sources. */
export function saidTexts(): Readonly<Record<Catalogue, ReadonlyMap<string, readonly string[]>>> {
  const said = new Map<string, string[]>()
  const files = code.filter(({ name, isTest }) => /^(core|server)\//.test(name) && !isTest)
  for (const { name, texts } of files.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
    for (const english of texts) if (english !== undefined) said.set(english, [...new Set([...(said.get(english) ?? []), name])])
  const of = (unit: Catalogue) => new Map([...said].filter(([, [first = '']]) => first.startsWith(`${unit}/`)))
  return { core: of('core'), server: of('server') }
}

/** A catalogue as it should be: these texts, with the words that are known. */
export function written(language: string, said: ReadonlyMap<string, readonly string[]>, words: ReadonlyMap<string, string>): string {
  const po = createPoFile()
  po.headers = {
    'MIME-Version': '1.0',
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Transfer-Encoding': '8bit',
    Language: language,
  }
  po.items = [...said].map(([english, references]) => {
    const item = createItem()
    return Object.assign(item, { msgid: english, msgstr: [words.get(english) ?? ''], references: [...references] })
  })
  return `${stringifyPo(po, { foldLength: 0 }).trimEnd()}\n`
}

async function main(): Promise<void> {
  const said = saidTexts()
  const onScreens = await saidOnScreens()
  for (const language of TRANSLATED) {
    mkdirSync(path.dirname(catalogueFile(language, 'core')), { recursive: true })
    const tell = (name: string, english: string): void =>
      void process.stdout.write(`${language}: no words for ${JSON.stringify(english)} (${name}.po)\n`)
    const words = catalogueOf(language)
    for (const name of CATALOGUES) {
      writeFileSync(catalogueFile(language, name), written(language, said[name], words))
      for (const english of said[name].keys()) if ((words.get(english) ?? '') === '') tell(name, english)
    }
    for (const name of SCREEN_CATALOGUES) {
      writeFileSync(screenCatalogueFile(language, name), await writtenScreenCatalogue(language, name, onScreens[name]))
      for (const text of ((await readScreenCatalogue(language, name)) ?? new Map()).values())
        if (text.words === '') tell(name, text.english)
    }
  }
}

if (import.meta.main) await main()
