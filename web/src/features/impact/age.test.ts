import { dayAt } from '@roz/core/ist-day.ts'
import { expect, test } from 'vitest'
import { ageOf } from './age.ts'

const today = dayAt(Date.parse('2026-11-21T12:00:00+05:30'))

test('an age counts days below 30, then months of 30 days, then years of 365 days', () => {
  expect(ageOf('2026-11-21', today)).toEqual({ unit: 'day', count: 0 })
  expect(ageOf('2026-10-23', today)).toEqual({ unit: 'day', count: 29 })
  expect(ageOf('2026-10-22', today)).toEqual({ unit: 'month', count: 1 })
  expect(ageOf('2025-11-22', today)).toEqual({ unit: 'month', count: 12 })
  expect(ageOf('2025-11-21', today)).toEqual({ unit: 'year', count: 1 })
  expect(ageOf('2023-11-22', today)).toEqual({ unit: 'year', count: 3 })
})

test('a day ahead of the clock has the age 0, and an invalid day has no age', () => {
  expect(ageOf('2026-11-22', today)).toEqual({ unit: 'day', count: 0 })
  expect(ageOf('yesterday', today)).toBeUndefined()
})
