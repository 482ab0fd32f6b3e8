import { expect, test } from 'vitest'
import { createSecrets } from './leaks.ts'

const secrets = createSecrets()
secrets.add('asha.qwertzu@month.example', 'a mail address')
secrets.add('9812345678', 'a phone number')
secrets.add('Qwertzuiop', 'a name')

const whatIn = (line: string): string[] => secrets.find(line).map(({ what }) => what)

test.each([
  ['{"msg":"mail to ASHA.Qwertzu@month.example"}', 'a mail address'],
  ['{"phone":"9812345678"}', 'a phone number'],
  ['tel:+919812345678', 'a phone number'],
  ['phone9812345678', 'a phone number'],
  ['Dear Asha Qwertzuiop,', 'a name'],
])('%s', (line, what) => {
  expect(whatIn(line)).toEqual([what])
})

test('digits within a longer number or a hexadecimal id are no phone number', () => {
  expect(whatIn('{"cf_payment_id":"19812345678","at":98123456780,"id":"ab9812345678cd"}')).toEqual([])
})

test('a leak names its line, and a log without one has none', () => {
  expect(secrets.find('one\ntwo 9812345678\nthree')).toEqual([{ what: 'a phone number', line: 'two 9812345678' }])
  expect(secrets.find('{"level":30,"route":"/wallet/add","status":200}')).toEqual([])
  expect(() => secrets.add('short', 'a word')).toThrow('less than 8 letters')
})
