import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isWithoutSurname, namesPerson, publicName, purpose } from './help-fields.ts'

const problemOf = (rule: typeof publicName, value: string): string | undefined => rule.safeParse(value).error?.issues[0]?.message

describe('the public name of a beneficiary', () => {
  test.each([
    'Meera',
    'मीरा',
    'Asha and Ravi',
    'A family in Surat',
    'A family in Uttar Pradesh',
    'सूरत का एक परिवार',
    'उत्तर प्रदेश की दो बहनें',
    'Anne-Marie',
    'Meera’s family',
    'Two children from Surat',
    'Meera and mother in New Delhi',
  ])('%s is accepted', (name) => {
    expect(problemOf(publicName, name)).toBeUndefined()
  })
  test.each([
    ['Meera Sharma', 'public_name_surname'],
    ['meera sharma', 'public_name_surname'],
    ['मीरा शर्मा', 'public_name_surname'],
    ['Meera Sharma of Surat', 'public_name_surname'],
    ['Asha and Ravi Sharma', 'public_name_surname'],
    ['Asha Sharma and Ravi', 'public_name_surname'],
    ['Meera old Sharma', 'public_name_surname'],
    ['Meera S', 'public_name_surname'],
    ['रमेश भाई पटेल', 'public_name_surname'],
    ['मीरा शर्मा और रवि', 'public_name_surname'],
    ['Meera 9876543210', 'public_name_letters'],
    ['meera@example.org', 'public_name_letters'],
    ['M', 'public_name_length'],
    ['', 'public_name_length'],
  ])('%s is refused: %s', (name, problem) => {
    expect(problemOf(publicName, name)).toBe(problem)
  })

  const first = fc.constantFrom('Meera', 'asha', 'RAVI', 'मीरा', 'रवि', 'Anne-Marie')
  const surname = fc.constantFrom('Sharma', 'patel', 'शर्मा', 'O’Brien')
  const link = fc.constantFrom('of', 'and', 'with', 'From', 'और', 'की')
  const other = fc.constantFrom('a family', 'two children', 'Surat', 'एक परिवार', 'Lata')
  /** A name among other words, with or without its surname. */
  const among = fc.record({ first, surname, link, other, isLast: fc.boolean() }).map(({ first, surname, link, other, isLast }) => {
    const put = (name: string): string => (isLast ? `${other} ${link} ${name}` : `${name} ${link} ${other}`)
    return { first, bare: put(first), full: put(`${first} ${surname}`) }
  })
  test('with a surname is refused, wherever other words are linked to it', () => {
    fc.assert(fc.property(among, ({ bare, full }) => isWithoutSurname(bare) && !isWithoutSurname(full)))
  })
  test('is found in the words of a payment by each name in it', () => {
    const mentions = fc.constantFrom(
      (name: string) => `Shoes for ${name.toLowerCase()}.`,
      (name: string) => `${name.toUpperCase()}’s shoes`,
      (name: string) => `जूते (${name})`,
    )
    fc.assert(
      fc.property(
        among,
        mentions,
        ({ first, bare }, mention) => namesPerson(mention(first), bare) && !namesPerson('Rice for a family: स्कूल के जूते', bare),
      ),
    )
  })
})

describe('the public words of an outlay', () => {
  test.each(['school shoes', 'Medicine for 30 days', 'स्कूल के जूते'])('%s is accepted', (words) => {
    expect(problemOf(purpose, words)).toBeUndefined()
  })
  test.each([
    ['call 98765 43210', 'words_personal'],
    ['write to a@b.in', 'words_personal'],
    ['see https://example.org', 'words_personal'],
    ['x', 'purpose_length'],
  ])('%s is refused: %s', (words, problem) => {
    expect(problemOf(purpose, words)).toBe(problem)
  })
  test('each name in the words is found; a description is not', () => {
    expect(namesPerson('School shoes for Meera.', 'Meera')).toBe(true)
    expect(namesPerson('meera: shoes', 'Meera')).toBe(true)
    expect(namesPerson('Shoes', 'Meera')).toBe(false)
    expect(namesPerson('shoes for Asha', 'Asha and Ravi')).toBe(true)
    expect(namesPerson('Shoes for Marie', 'Anne-Marie')).toBe(true)
    expect(namesPerson('a child’s shoes', 'Meera’s family')).toBe(false)
    expect(namesPerson('Rice for a family', 'A family in Surat')).toBe(false)
  })
})
