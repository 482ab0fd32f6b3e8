import { describe, expect, test } from 'vitest'
import { namesPerson, publicName, purpose } from './help-fields.ts'

const problemOf = (rule: typeof publicName, value: string): string | undefined => rule.safeParse(value).error?.issues[0]?.message

describe('the public name of a beneficiary', () => {
  test.each(['Meera', 'मीरा', 'Asha and Ravi', 'A family in Surat', 'सूरत का एक परिवार', 'Anne-Marie'])('%s is accepted', (name) => {
    expect(problemOf(publicName, name)).toBeUndefined()
  })
  test.each([
    ['Meera Sharma', 'public_name_surname'],
    ['meera sharma', 'public_name_surname'],
    ['मीरा शर्मा', 'public_name_surname'],
    ['Meera 9876543210', 'public_name_letters'],
    ['meera@example.org', 'public_name_letters'],
    ['M', 'public_name_length'],
    ['', 'public_name_length'],
  ])('%s is refused: %s', (name, problem) => {
    expect(problemOf(publicName, name)).toBe(problem)
  })
})

describe('the public words of an outlay', () => {
  test.each(['school shoes', 'Medicine for 30 days', 'स्कूल के जूते'])('%s is accepted', (words) => {
    expect(problemOf(purpose, words)).toBeUndefined()
  })
  test.each([
    ['call 98765 43210', 'purpose_personal'],
    ['write to a@b.in', 'purpose_personal'],
    ['see https://example.org', 'purpose_personal'],
    ['x', 'purpose_length'],
  ])('%s is refused: %s', (words, problem) => {
    expect(problemOf(purpose, words)).toBe(problem)
  })
  test('a first name in the words is found; a description is not', () => {
    expect(namesPerson('School shoes for Meera.', 'Meera')).toBe(true)
    expect(namesPerson('meera: shoes', 'Meera')).toBe(true)
    expect(namesPerson('Shoes', 'Meera')).toBe(false)
    expect(namesPerson('Rice for a family', 'A family in Surat')).toBe(false)
  })
})
