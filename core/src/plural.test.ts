/** Plurals of texts, and that every catalogue has them in the form that the code reads. */
import { describe, expect, test } from 'vitest'
import { catalogueOf } from './catalogues.ts'
import { LANGUAGES, SPEECH } from './language.ts'
import { inPlural } from './plural.ts'

const ROUNDS = 'You joined {rounds, plural, one {# round of {day}} other {# rounds from {day} on}}, {name}.'

test('a plural has the form of its number, which is written as given; other placeholders stay', () => {
  const said = (rounds: string) => inPlural(ROUNDS, { rounds }, 'en')
  expect(said('1')).toBe('You joined {rounds} round of {day}, {name}.')
  expect(['0', '7', '1,00,001'].map(said)).toEqual(Array(3).fill('You joined {rounds} rounds from {day} on, {name}.'))
})

test('a language that lacks a form says the other one', () => {
  expect(inPlural('{n, plural, other {# days}}', { n: '1' }, 'en')).toBe('{n} days')
})

describe.each(LANGUAGES.filter((language) => language !== 'en'))('the catalogues in %s', (language) => {
  const plurals = [...catalogueOf(language)].filter(([english]) => english.includes(', plural,'))

  test('have every form that the language needs, and no plural that cannot be read', () => {
    expect(plurals.length).toBeGreaterThan(2)
    const categories = new Intl.PluralRules(SPEECH[language].locale).resolvedOptions().pluralCategories
    for (const [english, words] of plurals) {
      for (const form of categories) expect(words, english).toContain(`${form} {`)
      const name = /\{(\w+), plural,/.exec(english)?.[1] ?? ''
      const said = inPlural(words, { [name]: '1' }, language)
      expect(said).not.toMatch(/plural|#/)
      expect(said).toContain(`{${name}}`)
    }
  })
})
