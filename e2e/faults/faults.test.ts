/**
 * The short form of npm run faults: a few strikes of each cheap kind, and the proof that the same
 * judge finds what was weakened on purpose.
 */
import { expect, test } from 'vitest'
import { CONTROLS, runControl } from './controls.ts'
import { runStand } from './cycles.ts'
import type { Kind } from './strikes.ts'

const ALL = process.env.ROZ_TEST_ALL === '1'
const SEED = Number(process.env.ROZ_SEED ?? Date.now() % 1_000_000)
/** On a machine that is busy with other things fewer strikes are enough. */
const MOST_MS = 90_000
const CHEAP: readonly Kind[] = [
  'cut-before-send',
  'cut-after-send',
  'cut-after-commit',
  'cut-after-commit',
  'cut-all',
  'backend-end',
  'server-pause',
  'backend-pause',
  'letters-duplicated',
  'letters-early',
  'midnight-jumps',
  'server-kill',
]

test('struck while deeds are in flight, nothing acknowledged is lost, nothing is doubled, every invariant holds', {
  timeout: 480_000,
}, async () => {
  console.log(`faults with ROZ_SEED=${SEED}`)
  const lines: string[] = []
  const until = performance.now() + MOST_MS
  const stand = await runStand({
    kinds: CHEAP,
    seed: SEED,
    clients: 8,
    members: 40,
    goesOn: () => performance.now() < until,
    say: (line) => void lines.push(line),
  })
  expect(stand.finding, lines.join('\n')).toBeUndefined()
  // A strike that met nothing is none; more than a few of them would be a harness that idles.
  expect(stand.cycles.length, lines.join('\n')).toBeGreaterThan(stand.idle.length)
  for (const cycle of stand.cycles) expect(cycle.inFlight).toBeGreaterThan(0)
  expect(stand.acknowledged).toBeGreaterThan(stand.cycles.length)
  const { refund = 0, strange = 0, dispute = 0 } = stand.deeds
  expect(refund + strange + dispute, lines.join('\n')).toBeGreaterThan(0)
})

/** The machine's death takes several starts: with npm run test:all, and before every run of npm run faults. */
test.each(ALL ? CONTROLS : (['forgotten-keys'] as const))(
  'with %s the same judge finds it: it can fail',
  { timeout: 480_000 },
  async (control) => {
    const { found } = await runControl(control, SEED)
    expect(found).toEqual(expect.any(String))
  },
)
