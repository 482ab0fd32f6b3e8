import { expect, test } from 'vitest'
import { languageOf } from './language.ts'
import { paise } from './money.ts'
import { initialName } from './names.ts'
import { enter, winChance } from './round.ts'

const able = { roundOpen: true, joinedToday: false, joinsThisYear: 0, balance: paise(100n) }
const code = (state: typeof able) => {
  const outcome = enter(state)
  return outcome.ok ? 'joined' : outcome.code
}

test.each([
  ['a member with one rupee joins', able, 'joined'],
  ['99 paise are not enough', { ...able, balance: paise(99n) }, 'insufficient_balance'],
  ['a closed round takes nobody', { ...able, roundOpen: false }, 'round_closed'],
  ['the second join of a day is refused', { ...able, joinedToday: true }, 'already_joined'],
  ['the 365th join of a year is the last', { ...able, joinsThisYear: 364 }, 'joined'],
  ['the 366th join of a year is refused', { ...able, joinsThisYear: 365 }, 'yearly_maximum'],
  [
    'who has joined with the last rupee is told so, not that money is missing',
    { ...able, joinedToday: true, balance: paise(0n) },
    'already_joined',
  ],
] as const)('%s', (_name, state, expected) => {
  expect(code(state as typeof able)).toBe(expected)
})

test('the chance is 1 in N, over the winners of the round', () => {
  expect(winChance(1, 1)).toBe(1)
  expect(winChance(8215, 1)).toBe(8215)
  expect(winChance(10, 3)).toBe(4)
  expect(winChance(0, 1)).toBe(1)
})

test('in public a person is a first name and an initial', () => {
  expect(initialName('Asha Verma')).toBe('Asha V.')
  expect(initialName('  Asha   Devi  verma ')).toBe('Asha V.')
  expect(initialName('Asha')).toBe('Asha')
  expect(initialName('')).toBe('')
})

test('the language is the first of ours that the header names', () => {
  expect(languageOf('hi-IN,en;q=0.8')).toBe('hi')
  expect(languageOf('fr, hi;q=0.5')).toBe('hi')
  expect(languageOf(undefined)).toBe('en')
})
