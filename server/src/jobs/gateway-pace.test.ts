/** Counts the calls that the gateway gets in a minute, the early ones included. */
import { startOfDayMs } from '@roz/core/ist-day.ts'
import { expect, test } from 'vitest'
import { SETTLEMENTS_PACE } from '../features/accounts/reading.ts'
import { DAY } from '../ledger/testing/fixtures.ts'
import { useTestDatabase } from '../testing/database.ts'
import { mayPageRead, takePlace } from './autopay-pace.ts'
import { takePlaceOf } from './gateway-pace.ts'

const database = useTestDatabase()

test.each([
  ['settlements', 20, () => takePlaceOf(database.db, SETTLEMENTS_PACE)],
  ['AutoPay', 60, () => takePlace(database.db, 'read')],
] as const)('in any minute %s make at most %i calls', async (_name, most, take) => {
  const startMs = startOfDayMs(DAY) + 12 * 3_600_000
  let taken = 0
  for (let second = 0; second < 60; second++) {
    await database.setClock(new Date(startMs + second * 1000))
    while (await take()) taken++
  }
  expect(taken).toBeLessThanOrEqual(most)
  expect(taken).toBeGreaterThan(most * 0.8)
})

test('pages that ask without end leave the sweep its place at any time', async () => {
  const { db } = database
  const startMs = startOfDayMs(DAY) + 13 * 3_600_000
  const swept: boolean[] = []
  let asked = 0
  for (let second = 0; second < 60; second++) {
    await database.setClock(new Date(startMs + second * 1000))
    while (await mayPageRead(db)) {
      asked++
      await takePlace(db, 'read')
    }
    if (second % 2 === 0) swept.push(await takePlace(db, 'read'))
  }
  expect([swept.includes(false), asked > 20]).toEqual([false, true])
})
