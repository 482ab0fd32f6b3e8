/**
 * The texts of all languages: none is missing or unused, a translation has the same placeholders, and Hindi has only known Latin words.
 * - A third language gets its catalogues from `npm run messages`, and the build asks for each of its files.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { CATALOGUES, catalogueFile, catalogueOf } from '@roz/core/catalogues.ts'
import { LANGUAGES } from '@roz/core/language.ts'
import { texts } from '@roz/core/texts.ts'
import { parsePo } from 'pofile-ts'
import { describe, expect, test } from 'vitest'
import { mailWords, MAIL_TEXTS } from '../../server/src/mail/mail-texts.ts'
import type { MailPayload } from '../../server/src/mail/mail-payload.ts'
import { TEST_MODES } from '../../server/src/testing/modes.ts'
import { latinIn } from '../../e2e/harness/latin.ts'
import { longTexts, TEXTS } from '../../web/build/content.ts'
import {
  saidOnScreens,
  SCREEN_CATALOGUES as SCREENS,
  screenCatalogueFile,
  TRANSLATED,
  writtenScreenCatalogue,
} from '../../web/build/catalogues.ts'
import { expectTexts, idsIn, missingMessages } from '../../web/build/messages.ts'
import { saidTexts, written } from '../messages.ts'
import { code, ROOT, sources } from './source.ts'

const WEB = path.join(ROOT, 'web')
const said = saidTexts()
/** Each text of core and server with its words, in each language but English. */
const words = TRANSLATED.flatMap((language) => [...catalogueOf(language)].map(([english, one]) => ({ language, english, words: one })))

test('core and server use only literal texts', () => {
  const unclear = code.filter(({ name, isTest, texts }) => /^(core|server)\//.test(name) && !isTest && texts.includes(undefined))
  expect(unclear.map(({ name }) => name)).toEqual([])
  expect(said.core.size).toBeGreaterThan(200)
  expect(said.server.size).toBeGreaterThan(100)
})

test.each(CATALOGUES)('%s.po is as npm run messages writes it, and every text has words', (name) => {
  for (const language of TRANSLATED) {
    const known = catalogueOf(language)
    expect([...said[name].keys()].filter((english) => (known.get(english) ?? '').trim() === '')).toEqual([])
    expect(readFileSync(catalogueFile(language, name), 'utf8')).toBe(written(language, said[name], known))
  }
})

test('the catalogues of the screens are as npm run messages writes them', async () => {
  const onScreens = await saidOnScreens()
  for (const language of TRANSLATED)
    for (const name of SCREENS) {
      expect(onScreens[name].size).toBeGreaterThan(20)
      const file = screenCatalogueFile(language, name)
      expect(readFileSync(file, 'utf8'), file).toBe(await writtenScreenCatalogue(language, name, onScreens[name]))
    }
}, 120_000)

test('a text without words stops who says it, and names the language and the command', () => {
  expect(() => texts('A text that nobody translated')).toThrow(
    'hi: no words for "A text that nobody translated". Run npm run messages, then fill the files of locales/hi/',
  )
})

test('a translation has the same placeholders as the English text', () => {
  const marksOf = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map(([mark]) => mark).toSorted()
  expect(words.length).toBeGreaterThan(300)
  for (const { english, words: one } of words) expect(marksOf(one), english).toEqual(marksOf(english))
})

describe('a text without words', () => {
  test('is reported by the build in each language', async () => {
    const found = await missingMessages(WEB, new Map([['an invented id', path.join(WEB, 'src/invented.tsx')]]))
    expect(found).toEqual(TRANSLATED.map((language) => `${language}: "an invented id" (src/invented.tsx)`))
  })

  test('is found if it is said by t, msg or Trans', () => {
    expect(idsIn('/* @__PURE__ */ _jsx(_Trans, { id: "suUT3L" })')).toEqual(['suUT3L'])
    expect(idsIn('t(\n\t/** i18n */\n\t{ id: "9sNXa2", values: { day } }\n)')).toEqual(['9sNXa2'])
    expect(idsIn('t(/*i18n*/{ id: "fXdS0z" })')).toEqual(['fXdS0z'])
  })

  test('is not overlooked if the build no longer finds texts', () => {
    expect(() => expectTexts(new Map([['one', 'a file']]))).toThrow('the build found 1 texts')
    expect(() => expectTexts(new Map(Array.from({ length: 900 }, (_, id) => [`${id}`, 'a file'] as const)))).not.toThrow()
  })
})

describe('Hindi has only the known Latin words', () => {
  /** Removes everything around the words of a message: marks, tags, and the forms of a plural. */
  const bare = (text: string): string =>
    text
      .replaceAll(/<\/?\d+\/?>/g, ' ')
      .replaceAll(/\{\w+, (?:plural|select|selectordinal),/g, ' ')
      .replaceAll(/(?:=\d+|\w+) \{/g, ' ')
      .replaceAll(/\{\w+\}/g, '10')

  test.each([...SCREENS, ...CATALOGUES])('in %s.po', (name) => {
    const po = sources.find((source) => source.name === `locales/hi/${name}.po`)?.text ?? ''
    const words = [...po.matchAll(/^msgstr ((?:".*"\n)+)/gm)].map(([, lines = '']) =>
      lines
        .split('\n')
        .map((line) => line.slice(1, -1))
        .join('')
        .replaceAll('\\n', ' '),
    )
    expect(words.length).toBeGreaterThan(20)
    expect(latinIn(words.slice(1).map(bare))).toEqual([])
  })

  test.each(Object.keys(MAIL_TEXTS))('in the mail %s, from its subject to its footer', (template) => {
    const supportEmail = 'support@roz.example'
    const frame = {
      brandName: 'रोज़',
      topupMin: '₹10',
      topupMax: '₹30',
      supportEmail,
      link: (address: string) => `https://roz.example${address}`,
      token: 'token1',
      modes: TEST_MODES,
    }
    for (const data of [
      { reference: '4200', rounds: '7', what: 'invited' },
      { reference: '', rounds: '1', what: 'invited' },
    ]) {
      const mail = mailWords({ to: 'a@x.test', template, language: 'hi', data } as unknown as MailPayload, frame)
      const words = [mail.subject, ...mail.paragraphs, mail.action?.label ?? '', ...(mail.after ?? [])]
      expect(words.join('')).toMatch(/[\u0900-\u097f]/)
      expect(latinIn(words.map(bare))).toEqual([])
    }
  })
})

describe('a third language', () => {
  test.each(CATALOGUES)('gets its %s.po with every text and no words, and keeps the words that it has', (name) => {
    const [first = '', ...others] = said[name].keys()
    const items = parsePo(written('ta', said[name], new Map([[first, 'சொல்']]))).items
    expect(items.map(({ msgid, msgstr }) => [msgid, msgstr.join('')])).toEqual([[first, 'சொல்'], ...others.map((text) => [text, ''])])
    expect(items[0]?.references).toEqual(said[name].get(first))
  })

  test('needs the catalogues of the screens and the long texts, and the build says so', async () => {
    expect(await missingMessages(WEB, new Map(), [...TRANSLATED, 'ta'])).toEqual(SCREENS.map((name) => `ta: no locales/ta/${name}.po`))
    await expect(longTexts([...LANGUAGES, 'ta'])).rejects.toThrow(
      `${TEXTS.length} long texts are missing:\n  ${TEXTS.map((name) => `locales/ta/pages/${name}.md`).join('\n  ')}`,
    )
  })
})
