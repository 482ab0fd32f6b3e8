import { expect, test } from 'vitest'
import { bankFits, bankOfIfsc, listDay } from './bank-of-ifsc.ts'

test.each([
  ['SBIN', 'State Bank of India'],
  ['SBIN0001234', 'State Bank of India'],
  ['HDFC0', 'HDFC Bank'],
  ['SBI', undefined],
  ['QQQQ0001234', undefined],
])('the bank of %s is %s', (code, bank) => {
  expect(bankOfIfsc(code)).toBe(bank)
})

test('a code that a bank lends to another one is the other one’s, from the letter on that tells them apart', () => {
  expect(bankOfIfsc('APBL0001')).toBe('Andhra Pradesh State Co-operative Bank')
  expect(bankOfIfsc('APBL0001001')).not.toBe(bankOfIfsc('APBL'))
})

test('the list has its day', () => {
  expect(listDay).toMatch(/^20\d\d-\d\d-\d\d$/)
})

test.each([
  ['SBIN0001234', 'State Bank of India'],
  ['SBIN0001234', 'STATE BANK'],
  ['SBIN0001234', 'SBI'],
  ['SBIN0001234', 'SBI Bank'],
  ['BARB0MUMBAI', 'BOB'],
  ['HDFC0000001', 'hdfc bank ltd.'],
  ['KKBK0000001', 'Kotak'],
  ['JAKA0000001', 'J & K Bank'],
  ['JAKA0000001', 'Jammu & Kashmir Bank'],
  ['UTIB0000001', 'UTIB'],
  ['SRCB0000001', 'Saraswat Bank'],
  ['SBIN0001234', 'भारतीय स्टेट बैंक'],
  ['SBIN0001234', 'Bank'],
])('for %s the name “%s” fits', (code, typed) => {
  expect(bankFits(code, bankOfIfsc(code) ?? '', typed)).toBe(true)
})

test.each([
  ['SBIN0001234', 'HDFC Bank'],
  ['SBIN0001234', 'Bank of India'],
  ['BKID0001234', 'State Bank of India'],
  ['IDIB0001234', 'Bank of India'],
  ['HDFC0000001', 'ICICI'],
  ['PUNB0000001', 'SBI'],
  ['UTIB0000001', 'Demo Bank of Delhi'],
])('for %s the name “%s” does not fit', (code, typed) => {
  expect(bankFits(code, bankOfIfsc(code) ?? '', typed)).toBe(false)
})
