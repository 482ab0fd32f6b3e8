/**
 * Every two operations of money on two connections (testing/meetings.ts): the places most likely to
 * matter of pairs that decide about the same thing or the same rounds, and of the rest a sample. All
 * of them, with a stop after each statement: `npm run interleavings`.
 */
import { afterAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../testing/database.ts'
import { createMeetings } from './testing/meetings.ts'
import { type Need, OPERATIONS, type Operation } from './testing/stage.ts'
import type { Stop } from './testing/stepped-db.ts'

const meetings = createMeetings(createTestDatabase)
afterAll(() => meetings.close())

/** Who leaves meets everything. */
const LAST_THINGS: ReadonlySet<string> = new Set(['give the rest', 'close an account'])
const ROUNDS: ReadonlySet<Need> = new Set(['open round', 'own day', 'closed round', 'drawn round'])

async function stopsOf(first: Operation, second: Operation, pair: number): Promise<readonly Stop[]> {
  const last = await meetings.statementsOf(first)
  const after = (statement: number): Stop => ({ after: Math.min(statement, last), ends: 'commit' })
  const rollback: Stop = { after: 'all', ends: 'rollback' }
  if (LAST_THINGS.has(first.name)) return [after(1), after(2)]
  const ofOneThing = first.needs.some((need) => !ROUNDS.has(need) && second.needs.includes(need))
  if (ofOneThing) return [after(2), pair % 3 === 0 ? rollback : after(last)]
  const ofRounds = [first, second].every(({ needs }) => needs.some((need) => ROUNDS.has(need)))
  if (ofRounds) return pair % 2 === 0 ? [after(last)] : []
  return pair % 29 === 0 ? [pair % 4 === 0 ? rollback : after(1 + (pair % last))] : []
}

describe.each(OPERATIONS.map((first, row) => ({ first, row })))('$first.name', ({ first, row }) => {
  test('meets every other: one order or the other, nothing between', async () => {
    await meetings.rest()
    for (const [column, second] of OPERATIONS.entries()) {
      for (const stop of await stopsOf(first, second, row + 2 * column)) {
        const { where, got, due } = (await meetings.judge(first, second, stop)) ?? {}
        expect(got, where).toEqual(due)
      }
    }
  }, 600_000)
})

test('there are as many meetings as it takes to mean something', () => {
  expect(meetings.met()).toBeGreaterThan(OPERATIONS.length)
})
