/** A change of words passes, and the smallest change of code is found. */
import { describe, expect, test } from 'vitest'
import { compareWords } from './only-words.ts'

const CODE = `/** Doubles. */
export const twice = (amount: bigint): bigint => amount * 2n // why
test('a name', () => { throw new Error(\`no \${amount} left\`) })
`

describe('a change of words passes', () => {
  test('in comments and the layout around them', () => {
    const after = CODE.replace('/** Doubles. */', '/**\n * Returns twice the amount.\n */').replace(' // why', '')
    expect(compareWords('a.ts', CODE, after)).toEqual({ sameCode: true, texts: [] })
  })

  test('in literals, each of which is listed', () => {
    const after = CODE.replace("'a name'", "'a better name'").replace('no $', 'nothing of $')
    expect(compareWords('a.ts', CODE, after)).toEqual({
      sameCode: true,
      texts: [
        ['a name', 'a better name'],
        ['no ', 'nothing of '],
      ],
    })
  })

  test('in comments of SQL and CSS', () => {
    expect(compareWords('a.sql', 'select 1; -- one', '-- The first.\nselect 1;').sameCode).toBe(true)
    expect(compareWords('a.css', 'a { b: c } /* d */', '/* e */ a { b: c }').sameCode).toBe(true)
  })
})

describe('a change of code is found', () => {
  test.each([
    ['a number', '2n', '3n'],
    ['a name', 'twice', 'double'],
    ['an operator', 'amount * 2n', 'amount + 2n'],
    ['a type', ': bigint =>', ': unknown =>'],
    ['a literal that becomes code', "'a name'", 'name'],
  ])('in %s', (_, from, to) => {
    expect(compareWords('a.ts', CODE, CODE.replace(from, to)).sameCode).toBe(false)
  })

  test('in a statement of SQL, a rule of CSS or a catalogue', () => {
    expect(compareWords('a.sql', 'select 1;', 'select 2;').sameCode).toBe(false)
    expect(compareWords('a.css', 'a { b: c }', 'a { b: d }').sameCode).toBe(false)
    expect(compareWords('a.po', 'msgid "a"', 'msgid "b"').sameCode).toBe(false)
  })
})
