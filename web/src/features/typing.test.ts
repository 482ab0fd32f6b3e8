import { readPhone } from '@roz/core/typed.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { kept, PHONE, type TypedField } from './typing.ts'
import { ACCOUNT, IFSC } from './wallet/bank-inputs.ts'

/** Types a text into the field at the mark `|`, a character at a time, and shows the caret as `|`. */
function type(field: TypedField, start: string, keys: string): string {
  let [text, caret] = [start.replace('|', ''), start.includes('|') ? start.indexOf('|') : start.length]
  for (const key of keys) ({ text, caret } = kept(field, text, text.slice(0, caret) + key + text.slice(caret), caret + key.length))
  return `${text.slice(0, caret)}|${text.slice(caret)}`
}
const paste = (field: TypedField, pasted: string, before = '') => {
  const { text, problem } = kept(field, before, before + pasted, before.length + pasted.length)
  return problem === undefined ? text : `${text}: ${problem}`
}

describe('what is typed', () => {
  test.each([
    [PHONE, '', '+919876543210', '9876543210|'],
    [PHONE, '', '+91 98765 43210', '9876543210|'],
    [PHONE, '', '+91 09876543210', '9876543210|'],
    [PHONE, '', '09876543210', '9876543210|'],
    [PHONE, '', '919876543210', '9876543210|'],
    [PHONE, '', '00919876543210', '9876543210|'],
    [PHONE, '', '९८७६५४३२१०', '9876543210|'],
    [PHONE, '', '98a765432109', '9876543210|'],
    [PHONE, '98765|43210', '1', '98765|43210'],
    [PHONE, '98765|4321', '0', '987650|4321'],
    [PHONE, '', '+9876543210', '+9876543210|'],
    [PHONE, '', '+9198765432', '98765432|'],
    [IFSC, 'HDFC0|C123', 'ab', 'HDFC0AB|C123'],
    [IFSC, 'SBIN0|001234', 'x', 'SBIN0|001234'],
    [IFSC, '', 'sbin-0 001234x', 'SBIN0001234|'],
    [ACCOUNT, '1234|56789', ' 00', '123400|56789'],
    [ACCOUNT, '1234|56789', 'x', '1234|56789'],
    [ACCOUNT, '', '१२३४५६७८९', '123456789|'],
    [ACCOUNT, '123|456789012345678', '9', '123|456789012345678'],
  ])('%#: “%s” and %s is %s', (field, start, keys, shown) => {
    expect(type(field, start, keys)).toBe(shown)
  })
})

describe('what is pasted', () => {
  test.each([
    [PHONE, '+91 09876543210', '9876543210'],
    [PHONE, '+91 98765 43210', '9876543210'],
    [PHONE, '98765 43210 999', '9876543210: phone_invalid'],
    [PHONE, '+98 98765 43210', '9898765432: phone_invalid'],
    [PHONE, 'Asha 9876543210', '9876543210: phone_invalid'],
    [PHONE, '98765', '98765'],
    [ACCOUNT, 'A/c 123456789012 IFSC SBIN0001234', '123456789012'],
    [ACCOUNT, '123456789012 IFSC SBIN0001234', '123456789012000123: account_length'],
    [ACCOUNT, 'UTR 123456789012', '123456789012: account_digits'],
    [ACCOUNT, '1234 5678 9012', '123456789012'],
    [IFSC, 'A/c 123456789012 IFSC SBIN0001234', 'SBIN0001234'],
    [IFSC, 'hdfc-0abc 12399', 'HDFC0ABC123: ifsc_length'],
    [IFSC, 'SBIN.0001234', 'SBIN0001234: ifsc_invalid'],
    [ACCOUNT, 'none', ''],
  ])('%#: “%s” is kept as %s', (field, pasted, shown) => {
    expect(paste(field, pasted)).toBe(shown)
  })
  test('over a selection is judged as a paste', () => {
    expect(kept(ACCOUNT, '123456789012345678', 'x1y2z3w4v5u6t7s8r9', 18)).toMatchObject({ text: '123456789', problem: 'account_digits' })
  })
})

test('a phone that is accepted is what was typed or pasted', () => {
  const text = fc.array(fc.constantFrom(...Array.from('01234567899876191919++ -()ax')), { maxLength: 20 }).map((chars) => chars.join(''))
  fc.assert(
    fc.property(text, (given) => {
      const { text: shown, problem } = kept(PHONE, '', given, given.length)
      if (problem === undefined && readPhone(shown) !== undefined && given.length > 1) expect(shown).toBe(readPhone(given))
    }),
    { numRuns: 20_000 },
  )
})
