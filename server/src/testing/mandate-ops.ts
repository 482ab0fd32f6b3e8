/** Random histories of AutoPay. A failure prints its seed: ROZ_SEED=<seed> runs that history again; ROZ_SHRINK=0 keeps its length. */
import fc from 'fast-check'
import { expect } from 'vitest'
import { MandateHistory, type Op } from './mandate-history.ts'
import type { MandateWorld } from './mandate-world.ts'

const SEED = process.env.ROZ_SEED === undefined ? undefined : Number(process.env.ROZ_SEED)
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const plain = (name: 'set up' | 'hand top-up' | 'spend' | 'suspend' | 'reinstate' | 'close' | 'late success'): fc.Arbitrary<Op> =>
  fc.constant({ do: name })
const MOVES = [
  6000,
  130_000,
  HOUR_MS,
  7 * HOUR_MS,
  DAY_MS,
  DAY_MS,
  2 * DAY_MS,
  3 * DAY_MS,
  7 * DAY_MS,
  27 * DAY_MS,
  28 * DAY_MS,
  -HOUR_MS,
  -DAY_MS,
]
const STEPS = [
  'bank_pending',
  'decline',
  'debit_first',
  'mandate_first',
  'second_auth',
  'customer_pause',
  'customer_resume',
  'customer_cancel',
  'complete',
  'link_expire',
]
const FAULTS = [
  {},
  {},
  { api: 'rate_limit' },
  { api: 'bank_failure' },
  { api: 'error_after_commit' },
  { cancel_ignored: true },
  { debit_twice: true },
  { edge: 'proxy_404' },
  { edge: 'page_404' },
  { edge: 'cut' },
  { edge: 'stale' },
  { rate: 3 },
]
const once = (process: 0 | 1): Op => ({ do: 'run', process })

const one = (weight: number, arbitrary: fc.Arbitrary<Op>) => ({ weight, arbitrary: arbitrary.map((op): readonly Op[] => [op]) })
const several = (weight: number, ...ops: readonly Op[]) => ({ weight, arbitrary: fc.constant(ops) })
const outcome = fc.constantFrom<('PENDING' | 'SUCCESS' | 'FAILED')[]>('SUCCESS', 'SUCCESS', 'FAILED', 'FAILED', 'PENDING')
const killed = fc
  .record({ process: fc.constantFrom<(0 | 1)[]>(0, 1), statements: fc.integer({ min: 1, max: 60 }) })
  .map((run): Op => ({ do: 'run', ...run }))
const ops: fc.Arbitrary<readonly Op[]> = fc.oneof(
  one(1, plain('set up')),
  one(
    1,
    fc.constantFrom('approve', 'approve', ...STEPS).map((step): Op => ({ do: 'payer', step })),
  ),
  one(
    4,
    outcome.map((status): Op => ({ do: 'bank', status })),
  ),
  one(1, plain('late success')),
  one(
    2,
    fc.record({ which: fc.nat(50), copies: fc.integer({ min: 1, max: 2 }) }).map((told): Op => ({ do: 'webhook', ...told })),
  ),
  one(
    5,
    fc.constantFrom(...MOVES).map((ms): Op => ({ do: 'move', ms })),
  ),
  one(4, fc.constantFrom<(0 | 1)[]>(0, 1).map(once)),
  several(2, { do: 'run both' }),
  one(3, killed),
  one(2, plain('spend')),
  one(1, plain('hand top-up')),
  one(
    2,
    fc
      .constantFrom<('pause' | 'resume' | 'retry' | 'stop')[]>('pause', 'resume', 'resume', 'retry', 'retry', 'stop')
      .map((wish): Op => ({ do: 'press', wish })),
  ),
  one(1, fc.constantFrom<('suspend' | 'reinstate')[]>('suspend', 'reinstate', 'reinstate').chain(plain)),
  one(
    2,
    fc.constantFrom(...FAULTS).map((faults): Op => ({ do: 'fault', faults })),
  ),
  // The next morning with little money, in one process or in both; and the day of a debit.
  several(3, { do: 'spend' }, { do: 'move', ms: DAY_MS }, { do: 'run both' }),
  { weight: 2, arbitrary: killed.map((run): readonly Op[] => [{ do: 'spend' }, { do: 'move', ms: DAY_MS }, run]) },
  {
    weight: 4,
    arbitrary: outcome.map((status): readonly Op[] => [
      { do: 'move', ms: 2 * DAY_MS },
      { do: 'bank', status },
      { do: 'move', ms: DAY_MS },
      once(0),
    ]),
  },
)
/** AutoPay is on, and its first debit is 28 days old. */
const ON: readonly Op[] = [
  { do: 'set up' },
  { do: 'payer', step: 'approve' },
  { do: 'move', ms: 20_000 },
  once(0),
  { do: 'spend' },
  { do: 'move', ms: 27 * DAY_MS },
  once(1),
]
const history: fc.Arbitrary<readonly Op[]> = fc
  .tuple(fc.integer({ min: 0, max: 3 }), fc.array(ops, { minLength: 8, maxLength: 30, size: 'max' }), fc.integer({ min: 0, max: 3 }))
  .map(([on, parts, close]) => [...(on === 0 ? [] : ON), ...parts.flat(), ...(close === 0 ? [{ do: 'close' } as const] : [])])

type Runs = { readonly most: number; readonly least: number; readonly softMs: number }

/** Runs histories for so long; returns what happened in them. */
export async function runMandateHistories(world: MandateWorld, { most, least, softMs }: Runs): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {}
  const untilMs = Date.now() + softMs
  let done = 0
  await fc.assert(
    fc.asyncProperty(history, async (ops) => {
      if (done >= least && Date.now() > untilMs) return
      const member = await MandateHistory.begin(world, counts)
      for (const one of ops) await member.run(one)
      await member.end()
      done++
    }),
    { numRuns: most, ...(SEED === undefined ? {} : { seed: SEED }), endOnFailure: process.env.ROZ_SHRINK === '0' },
  )
  expect(done).toBeGreaterThanOrEqual(Math.min(least, most))
  return { ...counts, histories: done }
}
