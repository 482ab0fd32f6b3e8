/**
 * Every whole sentence that a test of messages (e2e, messages-*) waits for on a screen is a text of the product.
 * - A changed text is found here at once; that each message appears at its occasion is seen by those tests, in `npm run test:all`.
 */
import { SOURCE } from '@roz/core/catalogues.ts'
import { expect, test } from 'vitest'
import { readScreenCatalogue, SCREEN_CATALOGUES, TRANSLATED } from '../../web/build/catalogues.ts'
import { code } from './source.ts'

const SENTENCE = /^[A-Z₹].{8,}[.!?]$/
/** Written by the tests themselves, as a member's reason or a story. */
const WRITTEN = new Set([
  'I added it twice.',
  'Rice for forty families.',
  'Rice for fifty families.',
  'Cooks each noon.',
  'Not chosen yet.',
])
/** A text that consists of placeholders would match every sentence. */
const LETTERS_MIN = 6

/** The text on a screen: without tags, with any value in its placeholders. */
function shape(text: string): RegExp | undefined {
  const parts = text.replaceAll(/<\/?\d+\/?>/g, '').split(/\{[^{}]*\}/)
  if (parts.join('').replaceAll(/\P{L}/gu, '').length < LETTERS_MIN) return undefined
  return new RegExp(`^${parts.map((part) => part.replaceAll(/[.*+?^$()|[\]\\{}]/g, String.raw`\$&`)).join('.+')}$`)
}

const [translated = SOURCE] = TRANSLATED
const catalogues = await Promise.all(SCREEN_CATALOGUES.map((name) => readScreenCatalogue(translated, name)))
const screens = catalogues.flatMap((catalogue) => [...(catalogue ?? new Map()).values()].map(({ english }) => english))
const spoken = code.filter(({ name, isTest }) => /^(core|server)\//.test(name) && !isTest).flatMap(({ texts }) => texts)
const texts = [...screens, ...spoken].filter((text) => text !== undefined)
const shapes = texts.flatMap((text) => shape(text) ?? [])
/** A whole text or a part: a form of a plural, the first of two sentences. */
const isOurs = (sentence: string): boolean => texts.some((text) => text.includes(sentence)) || shapes.some((one) => one.test(sentence))

const tests = code.filter(({ name }) => /\/messages-[\w-]+(?:\.all)?\.test\.ts$/.test(name))

test('every sentence that the tests of messages wait for is a text of the product', () => {
  const sentences = tests.flatMap(({ name, literals }) =>
    literals.filter(({ text }) => SENTENCE.test(text) && text.includes(' ') && !WRITTEN.has(text)).map(({ text }) => `${name}: ${text}`),
  )
  expect(sentences.length).toBeGreaterThan(60)
  expect(sentences.filter((line) => !isOurs(line.slice(line.indexOf(': ') + 2)))).toEqual([])
})

test('a sentence that nobody says is found', () => {
  expect(isOurs('Your wallet has flown to the moon.')).toBe(false)
  expect(isOurs('Network error. Please check your connection and try again.')).toBe(true)
})
