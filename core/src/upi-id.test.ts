import { expect, test } from 'vitest'
import { upiId } from './bank-fields.ts'
import { maskUpiId, readUpiId } from './upi-id.ts'

test.each([
  ['ravi.kumar@okbank', 'ravi.kumar@okbank'],
  ['  Ravi_Kumar-1@OKHDFCBANK ', 'ravi_kumar-1@okhdfcbank'],
  ['9876543210 @ ybl', '9876543210@ybl'],
  ['९८७६५४३२१०@ybl', '9876543210@ybl'],
  ['ravi＠okbank', 'ravi@okbank'],
  ['My UPI ID is ravi@okbank.', 'ravi@okbank'],
  ['upi://pay?pa=ravi@okbank&pn=Ravi%20Kumar&cu=INR', 'ravi@okbank'],
  ['upi://pay?pa=ravi%40okbank&pn=Ravi', 'ravi@okbank'],
  ['UPI: ravi@okbank (ravi@okbank)', 'ravi@okbank'],
])('%j is read as %s', (typed, read) => {
  expect(readUpiId(typed)).toBe(read)
  expect(upiId.parse(typed)).toBe(read)
})

test.each([
  ['ravi@gmail.com'],
  ['ravi'],
  ['@okbank'],
  ['ravi@'],
  ['a@b@c'],
  ['ravi@okbank or asha@ybl'],
  ['123456789012@aadhaar.npci'],
  ['1234567890@HDFC0001234.ifsc.npci'],
  ['ravi kumar@okbank@ybl'],
  [`${'a'.repeat(45)}@okbank`],
  ['रवि@okbank'],
])('%j is no UPI ID', (typed) => {
  expect(readUpiId(typed)).toBeUndefined()
  expect(upiId.safeParse(typed).error?.issues[0]?.message).toBe('upi_invalid')
})

test('an empty UPI ID is asked for', () => {
  expect(upiId.safeParse('').error?.issues[0]?.message).toBe('upi_required')
})

test('a masked UPI ID shows two letters at most, and never a whole name', () => {
  expect(['ravi.kumar@okbank', 'ravi@ybl', 'rav@ybl', 'ra@ybl', 'r@ybl', 'no id', 'a@b@c'].map(maskUpiId)).toEqual([
    'ra…@okbank',
    'ra…@ybl',
    'r…@ybl',
    'r…@ybl',
    '…@ybl',
    undefined,
    undefined,
  ])
})
