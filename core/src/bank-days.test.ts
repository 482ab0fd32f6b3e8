/** Bank days: Sundays, second and fourth Saturdays, and counting back over them. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bankDaysBefore, isBankDay } from './bank-days.ts'
import { addDays, daysBetween, type IstDay } from './ist-day.ts'

const day = (text: string): IstDay => text as IstDay

test('Sundays and the second and fourth Saturday are no bank days', () => {
  const november = Array.from({ length: 30 }, (_, index) => addDays(day('2026-11-01'), index))
  expect(november.filter((one) => !isBankDay(one)).map((one) => Number(one.slice(8)))).toEqual([1, 8, 14, 15, 22, 28, 29])
})

test('four bank days before a Thursday after a long weekend', () => {
  // 14 and 15 November 2026 are the second Saturday and a Sunday.
  expect(bankDaysBefore(day('2026-11-19'), 4)).toBe('2026-11-15')
  expect(bankDaysBefore(day('2026-11-18'), 4)).toBe('2026-11-12')
})

test('between the two days there are exactly as many bank days as asked', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 0, max: 30 }), (offset, count) => {
      const until = addDays(day('2000-01-01'), offset)
      const from = bankDaysBefore(until, count)
      const passed = Array.from({ length: daysBetween(from, until) }, (_, index) => addDays(from, index + 1)).filter(isBankDay)
      expect(passed).toHaveLength(count)
    }),
  )
})
