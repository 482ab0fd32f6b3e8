import { describe, expect, test } from 'vitest'
import { formatCount } from '@roz/core/numbers.ts'
import { cutAtDates, formatDay, formatInstant, formatLongDay, initialsOf } from './format.ts'
import { formatMoney } from './Money.tsx'

describe("dates have the day first and the year, in India's time zone", () => {
  test('a day, a long day and an instant are formatted in both languages', () => {
    expect(formatDay('2026-03-05', 'en')).toBe('5 Mar 2026')
    expect(formatLongDay('2026-11-21', 'en')).toBe('Saturday, 21 November 2026')
    expect(formatInstant('2026-03-05T08:00:00.000Z', 'en')).toBe('5 Mar 2026, 1:30 pm')
    expect(formatDay('2026-11-20T20:00:00.000Z', 'en')).toBe('21 Nov 2026')
    expect(formatInstant('2026-03-05T08:00:00.000Z', 'hi')).toBe('5 मार्च 2026, दोपहर 1:30')
  })
})

test('a sentence is split at its dates and times', () => {
  expect(cutAtDates('Joined the round of 22 Nov 2026')).toEqual(['Joined the round of ', '22 Nov 2026', ''])
  expect(cutAtDates('19 Nov 2026, 12:00 am (IST)')).toEqual(['', '19 Nov 2026', ', ', '12:00 am (IST)', ''])
  expect(cutAtDates('22 नव॰ 2026, दोपहर 2:54')).toEqual(['', '22 नव॰ 2026', ', ', 'दोपहर 2:54', ''])
  expect(cutAtDates('Money added')).toEqual(['Money added'])
})

test('an amount has ₹, two decimals and Indian grouping in every language', () => {
  expect([0, 12.5, 1234567.89, -15].map(formatMoney)).toEqual(['₹0.00', '₹12.50', '₹12,34,567.89', '-₹15.00'])
  expect(formatCount(1234567)).toBe('12,34,567')
})

test('initials are at most two whole letters in any script, and none without a name', () => {
  expect(initialsOf('Asha Devi Verma', 2)).toBe('AD')
  expect(initialsOf('asha', 2)).toBe('A')
  expect(initialsOf('कीर्ति शर्मा', 1)).toBe('की')
  expect(initialsOf('  ', 2)).toBe('')
})
