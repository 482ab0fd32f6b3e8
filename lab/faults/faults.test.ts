/** The short form of `npm run lab -- faults`: a few faults of each cheap kind, and a control that the judge must find. */
import { expect, test } from 'vitest'
import { CONTROLS, runControl } from './controls.ts'
import { runOnServers } from './cycles.ts'
import type { Kind } from './faults.ts'

const ALL = process.env.ROZ_TEST_ALL === '1'
const SEED = Number(process.env.ROZ_SEED ?? Date.now() % 1_000_000)
/** On a busy machine fewer faults are enough. */
const MOST_MS = 90_000
/** First: a busy machine must not leave them out. */
const KILLS = ['machine-kill', 'server-kill', 'midnight-server-kill'] as const satisfies readonly Kind[]
const CHEAP: readonly Kind[] = [
  ...KILLS,
  'cut-before-send',
  'cut-after-send',
  'cut-after-commit',
  'cut-after-commit',
  'cut-all',
  'backend-end',
  'server-pause',
  'backend-pause',
  'webhooks-duplicated',
  'webhooks-early',
  'midnight-jumps',
]

test('under faults with operations in flight no acknowledged effect is lost or doubled, and every invariant holds', {
  timeout: 480_000,
}, async () => {
  console.log(`faults with ROZ_SEED=${SEED}`)
  const lines: string[] = []
  const until = performance.now() + MOST_MS
  const result = await runOnServers({
    kinds: CHEAP,
    seed: SEED,
    clients: 8,
    members: 40,
    goesOn: () => performance.now() < until,
    say: (line) => void lines.push(line),
  })
  expect(result.finding, lines.join('\n')).toBeUndefined()
  expect([...result.cycles.map(({ kind }) => kind), ...result.idle]).toEqual(expect.arrayContaining([...KILLS]))
  // A fault with nothing in flight does not count; mostly such faults would mean an idle harness.
  expect(result.cycles.length, lines.join('\n')).toBeGreaterThan(result.idle.length)
  for (const cycle of result.cycles) expect(cycle.inFlight).toBeGreaterThan(0)
  expect(result.acknowledged).toBeGreaterThan(result.cycles.length)
  const { refund = 0, strange = 0, dispute = 0, debit = 0 } = result.deeds
  expect(refund + strange + dispute, lines.join('\n')).toBeGreaterThan(0)
  // The first debits, which authorise the mandates.
  expect(debit).toBeGreaterThan(0)
})

const AMONG_TWO: readonly Kind[] = [
  'server-kill',
  'cut-after-commit',
  'server-pause',
  'midnight-jumps',
  'server-kill',
  'webhooks-duplicated',
]

test('two servers on one database, with faults of one or both, lose and double nothing', { timeout: 480_000 }, async () => {
  const lines: string[] = []
  const until = performance.now() + MOST_MS
  const { finding, cycles } = await runOnServers({
    kinds: AMONG_TWO,
    seed: SEED,
    clients: 8,
    members: 40,
    instances: 2,
    goesOn: () => performance.now() < until,
    say: (line) => void lines.push(line),
  })
  expect(finding, lines.join('\n')).toBeUndefined()
  expect(cycles.length, lines.join('\n')).toBeGreaterThan(0)
})

/** The control with the death of the machine takes several starts: it runs with npm run test:all and before every npm run lab -- faults. */
test.each(ALL ? CONTROLS : (['forgotten-keys'] as const))(
  'with %s the same judge reports a finding, so the judge can fail',
  { timeout: 480_000 },
  async (control) => {
    const { found } = await runControl(control, SEED)
    expect(found).toEqual(expect.any(String))
  },
)
