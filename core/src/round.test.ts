import { expect, test } from 'vitest'
import { LANGUAGES, languageOf } from './language.ts'
import { initialName } from './names.ts'
import { NOTICES } from './notices.ts'
import { REFUSALS } from './refusals.ts'
import { JOINS_PER_YEAR_MAX, winChance } from './round.ts'

test('the chance is 1 in N: entries divided by winners, rounded up', () => {
  expect(winChance(1, 1)).toBe(1)
  expect(winChance(8215, 1)).toBe(8215)
  expect(winChance(10, 3)).toBe(4)
  expect(winChance(0, 1)).toBe(1)
  expect(winChance(10, 0)).toBeNull()
})

test('a public name is the first name and an initial', () => {
  expect(initialName('Asha Verma')).toBe('Asha V.')
  expect(initialName('  Asha   Devi  verma ')).toBe('Asha V.')
  expect(initialName('Asha')).toBe('Asha')
  expect(initialName('')).toBe('')
})

test('the language is the first supported one in the header', () => {
  expect(languageOf('hi-IN,en;q=0.8')).toBe('hi')
  expect(languageOf('fr, hi;q=0.5')).toBe('hi')
  expect(languageOf(undefined)).toBe('en')
})

test.each([
  ['the refusal', REFUSALS.yearly_maximum],
  ['the notice', NOTICES.yearly_maximum.body],
])('%s of the yearly maximum names it in each language, so that a change of the limit changes the words', (_what, words) => {
  for (const language of LANGUAGES) expect(words[language]).toContain(`₹${JOINS_PER_YEAR_MAX}`)
})
