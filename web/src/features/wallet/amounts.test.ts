import { expect, test } from 'vitest'
import { amountDraft, digitsOnly, ifscDraft, phoneDraft, topupPresets, typedPaise } from './amounts.ts'

test('an amount field keeps digits, one decimal point and two decimals', () => {
  expect(amountDraft('₹1,234.567')).toBe('1234.56')
  expect(amountDraft('1.2.3')).toBe('1.23')
  expect(amountDraft('-5e3')).toBe('53')
  expect(amountDraft('12.')).toBe('12.')
})

test('a typed amount is exact paise or undefined', () => {
  expect(typedPaise('19.99')).toBe(1999n)
  expect(typedPaise('.5')).toBe(50n)
  expect(typedPaise('10')).toBe(1000n)
  for (const none of ['', '0', '0.00', '.', '12.', '1.234', 'ten']) expect(typedPaise(none)).toBeUndefined()
})

test('the preset amounts follow the limits of one top-up', () => {
  expect(topupPresets(10, 30)).toEqual([10, 20, 30])
  expect(topupPresets(10, 500)).toEqual([10, 260, 500])
  expect(topupPresets(1, 5)).toEqual([1, 5])
  expect(topupPresets(20, 20)).toEqual([20])
})

test('phone and account fields keep only digits, up to their maximum length', () => {
  expect(digitsOnly('12-34 56x', 5)).toBe('12345')
  expect(phoneDraft('98765 43210 999')).toBe('9876543210')
  expect(phoneDraft('9198765432')).toBe('9198765432')
})

test('a phone number entered with the country code or a leading 0 loses it', () => {
  for (const given of ['+91 98765 43210', '919876543210', '09876543210']) expect(phoneDraft(given)).toBe('9876543210')
})

test('an IFSC field keeps letters and digits and turns them into upper case', () => {
  expect(ifscDraft('sbin-0 001234x')).toBe('SBIN0001234')
})
