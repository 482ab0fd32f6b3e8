/** Many random histories of AutoPay: each kind of step changes something in some of them. */
import { expect, test } from 'vitest'
import { runMandateHistories } from '../../testing/mandate-ops.ts'
import { openMandateWorld } from '../../testing/mandate-world.ts'
import { perFile } from '../../testing/fixture.ts'

const world = perFile(openMandateWorld)

const STEPS = [
  'set up',
  'payer',
  'bank',
  'late success',
  'press',
  'move',
  'run',
  'run both',
  'spend',
  'hand top-up',
  'suspend',
  'reinstate',
  'close',
]
const ENDS = ['debit raised', 'debit paid', 'debit cancelled', 'mandate ended']

test('in many histories at most one debit in 27 days is raised, and each is booked once', { timeout: 600_000 }, async () => {
  const counts = await runMandateHistories(world, { most: 2000, least: 60, softMs: 240_000 })
  expect([...STEPS, ...ENDS].filter((name) => (counts[name] ?? 0) === 0)).toEqual([])
})
