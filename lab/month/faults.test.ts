import { EDGES, NO_FAULTS } from '@roz/gateway-sandbox/faults.ts'
import { expect, test } from 'vitest'
import { ALL_FAULTS, faultOfNight, faultsOfDay, FOREIGN, isForeignDay } from './faults.ts'

const DAYS = Array.from({ length: 30 }, (_, day) => day)

test('every switch and every strange answer of the sandbox is a fault of the month', () => {
  const used = new Set(ALL_FAULTS.flatMap(({ switches }) => Object.keys(switches)))
  expect([...used].sort()).toEqual(Object.keys(NO_FAULTS).sort())
  const edges = ALL_FAULTS.flatMap(({ switches }) => switches['edge'] ?? [])
  expect(['none', ...edges].sort()).toEqual([...EDGES].sort())
})

test('every fault has its part of a day within 30 days', () => {
  const seen = new Set(DAYS.flatMap((day) => [...faultsOfDay(day), faultOfNight(day), ...(isForeignDay(day) ? [FOREIGN] : [])]))
  expect(ALL_FAULTS.filter((fault) => !seen.has(fault)).map(({ name }) => name)).toEqual([])
})
