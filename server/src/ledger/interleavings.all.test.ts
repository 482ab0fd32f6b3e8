/**
 * Pairs of money operations on two connections (testing/meetings.ts), stopped where a conflict is most likely.
 * - Every operation is the first and the second of a pair in every run.
 * - Beyond that a run takes a sample. The rate is high for pairs that decide about the same thing or the same rounds.
 * - The run prints its seed; ROZ_SEED=<seed> takes the same sample again.
 * - ROZ_TEST_ALL=1 takes a larger sample. `npm run lab -- interleavings` takes every pair, with a stop after each statement.
 */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../testing/database.ts'
import { createMeetings } from './testing/meetings.ts'
import { OPERATIONS } from './testing/operations.ts'
import type { Need, Operation } from './testing/scenario.ts'
import type { Stop } from './testing/stepped-db.ts'

const ALL = process.env.ROZ_TEST_ALL === '1'
const SEED = Number(process.env.ROZ_SEED ?? Date.now() % 1_000_000)
/** Sampling rates: one pair of this many. */
const ONE_OF = ALL ? { lastThings: 1, oneThing: 1, rounds: 2, others: 29 } : { lastThings: 20, oneThing: 8, rounds: 16, others: 300 }

const meetings = createMeetings(createTestDatabase)
beforeAll(() => {
  console.log(`interleavings with ROZ_SEED=${SEED}`)
})
afterAll(() => meetings.close())

/** Leaving conflicts with everything. */
const LAST_THINGS: ReadonlySet<string> = new Set(['donate the remaining balance', 'close an account'])
const ROUNDS: ReadonlySet<Need> = new Set(['open round', 'own day', 'closed round', 'drawn round'])

function shareOf(first: Operation, second: Operation): keyof typeof ONE_OF {
  if (LAST_THINGS.has(first.name)) return 'lastThings'
  if (first.needs.some((need) => !ROUNDS.has(need) && second.needs.includes(need))) return 'oneThing'
  return [first, second].every(({ needs }) => needs.some((need) => ROUNDS.has(need))) ? 'rounds' : 'others'
}

async function stopsOf(
  first: Operation,
  second: Operation,
  pair: { readonly luck: number; readonly always: boolean },
): Promise<readonly Stop[]> {
  const share = shareOf(first, second)
  if (!pair.always && pair.luck % ONE_OF[share] !== 0) return []
  const last = await meetings.statementsOf(first)
  const turn = Math.floor(pair.luck / ONE_OF[share])
  const after = (statement: number): Stop => ({ after: Math.min(statement, last), ends: 'commit' })
  const rollback: Stop = { after: 'all', ends: 'rollback' }
  const likely = {
    lastThings: [after(1), after(2)],
    oneThing: [after(2), turn % 3 === 0 ? rollback : after(last)],
    rounds: [after(last)],
    others: [turn % 4 === 0 ? rollback : after(1 + (turn % last))],
  }[share]
  return ALL ? likely : [likely[Math.floor(turn / 12) % likely.length] as Stop]
}

/** A pseudo-random number for a pair, derived from the seed. */
const luckOf = (row: number, column: number): number => createHash('sha256').update(`${SEED} ${row} ${column}`).digest().readUInt32BE()

describe.each(OPERATIONS.map((first, row) => ({ first, row })))('$first.name', ({ first, row }) => {
  test('meets others and gives the result of one of the two orders', async () => {
    await meetings.rest()
    let met = 0
    for (const [column, second] of OPERATIONS.entries()) {
      // One pair per row always runs. The seed shifts it, and each operation comes second in such a pair.
      const always = column === (row + SEED) % OPERATIONS.length
      for (const stop of await stopsOf(first, second, { luck: luckOf(row, column), always })) {
        const { where, got, due } = (await meetings.judge(first, second, stop)) ?? {}
        expect(got, where).toEqual(due)
        met++
      }
    }
    expect(met).toBeGreaterThan(0)
  }, 600_000)
})

test('a run has more meetings than operations', () => {
  expect(meetings.met()).toBeGreaterThan(OPERATIONS.length)
})
