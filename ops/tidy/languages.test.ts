/** The texts of all languages: none is missing or unused, a translation has the same placeholders, and Hindi has only known Latin words. */
import path from 'node:path'
import { LANGUAGES, SPEECH } from '@roz/core/language.ts'
import { describe, expect, test } from 'vitest'
import { mailWords, MAIL_TEXTS } from '../../server/src/mail/mail-texts.ts'
import type { MailPayload } from '../../server/src/mail/mail-payload.ts'
import { TEST_MODES } from '../../server/src/testing/modes.ts'
import { latinIn } from '../../e2e/harness/latin.ts'
import { longTexts, TEXTS } from '../../web/build/content.ts'
import { CATALOGUES, expectTexts, idsIn, missingMessages } from '../../web/build/messages.ts'
import { code, ROOT, sources } from './source.ts'

const WEB = path.join(ROOT, 'web')
const said = code.filter(({ name, isTest }) => /^(core|server)\//.test(name) && !isTest)

test('core and server use only literal texts, and no catalogue has an unused text', () => {
  const unclear = said.filter(({ texts }) => texts.includes(undefined)).map(({ name }) => name)
  expect(unclear).toEqual([])
  const english = new Set(said.flatMap(({ texts }) => texts))
  expect(english.size).toBeGreaterThan(200)
  for (const language of LANGUAGES) {
    const { catalogue } = SPEECH[language]
    if (catalogue === 'sources') continue
    expect(Object.keys(catalogue).filter((text) => !english.has(text))).toEqual([])
    expect(Object.entries(catalogue).filter(([, words]) => words.trim() === '')).toEqual([])
  }
})

test('a translation has the same placeholders as the English text', () => {
  const marksOf = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map(([mark]) => mark).toSorted()
  for (const { catalogue } of Object.values(SPEECH))
    for (const [english, words] of Object.entries(catalogue === 'sources' ? {} : catalogue))
      expect(marksOf(words), english).toEqual(marksOf(english))
})

describe('a text without words', () => {
  test('is reported by the build in each language', async () => {
    const found = await missingMessages(WEB, new Map([['an invented id', path.join(WEB, 'src/invented.tsx')]]))
    expect(found).toEqual(LANGUAGES.map((language) => `${language}: "an invented id" (src/invented.tsx)`))
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

  test.each(CATALOGUES)('in %s.po', (name) => {
    const po = sources.find((source) => source.name === `web/src/locales/hi/${name}.po`)?.text ?? ''
    const words = [...po.matchAll(/^msgstr ((?:".*"\n)+)/gm)].map(([, lines = '']) =>
      lines
        .split('\n')
        .map((line) => line.slice(1, -1))
        .join('')
        .replaceAll('\\n', ' '),
    )
    expect(words.length).toBeGreaterThan(100)
    expect(latinIn(words.slice(1).map(bare))).toEqual([])
  })

  test('in the catalogue of core and server', () => {
    const { catalogue } = SPEECH.hi
    expect(latinIn(Object.values(catalogue).map(bare))).toEqual([])
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
      { reference: '4200', rounds: '7' },
      { reference: '', rounds: '1' },
    ]) {
      const mail = mailWords({ to: 'a@x.test', template, language: 'hi', data } as unknown as MailPayload, frame)
      const words = [mail.subject, ...mail.paragraphs, mail.action?.label ?? '', ...(mail.after ?? [])]
      expect(words.join('')).toMatch(/[\u0900-\u097f]/)
      expect(latinIn(words.map(bare))).toEqual([])
    }
  })
})

test('a third language needs the catalogues of the screens and the folder of long texts, and the build says so', async () => {
  expect(await missingMessages(WEB, new Map(), [...LANGUAGES, 'ta'])).toEqual(CATALOGUES.map((name) => `ta: no src/locales/ta/${name}.po`))
  await expect(longTexts([...LANGUAGES, 'ta'])).rejects.toThrow(
    `${TEXTS.length} long texts are missing:\n  ${TEXTS.map((name) => `src/content/ta/${name}.md`).join('\n  ')}`,
  )
})
