/**
 * Operations of money, two by two, on two connections (testing/meetings.ts), at the places most likely to
 * matter. Each is met as the first and as the second in every run; beyond that a part of the pairs that
 * decide about the same thing or the same rounds, and of the rest a few: another part in every run, whose
 * seed is printed (ROZ_SEED=<seed> takes the same again). ROZ_TEST_ALL=1 takes all these parts; every pair,
 * with a stop after each statement: `npm run interleavings`.
 */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../testing/database.ts'
import { createMeetings } from './testing/meetings.ts'
import { OPERATIONS } from './testing/operations.ts'
import type { Need, Operation } from './testing/stage.ts'
import type { Stop } from './testing/stepped-db.ts'

const ALL = process.env.ROZ_TEST_ALL === '1'
const SEED = Number(process.env.ROZ_SEED ?? Date.now() % 1_000_000)
/** One pair of so many. */
const ONE_OF = ALL ? { lastThings: 1, oneThing: 1, rounds: 2, others: 29 } : { lastThings: 6, oneThing: 2, rounds: 4, others: 87 }

const meetings = createMeetings(createTestDatabase)
beforeAll(() => {
  console.log(`interleavings with ROZ_SEED=${SEED}`)
})
afterAll(() => meetings.close())

/** Who leaves meets everything. */
const LAST_THINGS: ReadonlySet<string> = new Set(['give the rest', 'close an account'])
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

/** A number of the seed's for two that meet. */
const luckOf = (row: number, column: number): number => createHash('sha256').update(`${SEED} ${row} ${column}`).digest().readUInt32BE()

describe.each(OPERATIONS.map((first, row) => ({ first, row })))('$first.name', ({ first, row }) => {
  test('meets others: one order or the other, nothing between', async () => {
    await meetings.rest()
    let met = 0
    for (const [column, second] of OPERATIONS.entries()) {
      // Each is the second of one pair that always meets: one further down than its first, by the seed.
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

test('there are as many meetings as it takes to mean something', () => {
  expect(meetings.met()).toBeGreaterThan(2 * OPERATIONS.length)
})
