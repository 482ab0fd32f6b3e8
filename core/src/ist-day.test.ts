import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addDays, dayAt, daysBetween, endOfDayMs, isoIst, nextDay, parseDay, startOfDayMs, yearOf } from './ist-day.ts'

test('a day in Kolkata starts at 18:30 UTC of the previous day', () => {
  const midnight = Date.parse('2026-11-20T18:30:00Z')
  expect(dayAt(midnight)).toBe('2026-11-21')
  expect(dayAt(midnight - 1)).toBe('2026-11-20')
  expect(startOfDayMs(dayAt(midnight))).toBe(midnight)
  expect(isoIst(midnight + 5000)).toBe('2026-11-21T00:00:05.000+05:30')
})

test('a day ends when the next one starts, over months, years and leap days', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }), (date) => {
      const day = dayAt(date.getTime())
      expect(endOfDayMs(day)).toBe(startOfDayMs(nextDay(day)))
      expect(addDays(nextDay(day), -1)).toBe(day)
      expect(daysBetween(day, addDays(day, 400))).toBe(400)
    }),
  )
  const newYear = parseDay('2028-12-31')
  expect(newYear && nextDay(newYear)).toBe('2029-01-01')
  expect(newYear && yearOf(newYear)).toBe(2028)
})

test('only real calendar dates are days', () => {
  expect(parseDay('2028-02-29')).toBe('2028-02-29')
  for (const text of ['2027-02-29', '2026-13-01', '2026-1-1', '', '2026-11-21T00:00', 'today', '0000-01-01'])
    expect(parseDay(text)).toBeUndefined()
})
