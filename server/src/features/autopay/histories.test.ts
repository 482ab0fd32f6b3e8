/** Random histories of AutoPay, in the time that every run of the tests has; histories.all.test.ts runs many more. */
import { expect, test } from 'vitest'
import { runMandateHistories } from '../../testing/mandate-ops.ts'
import { openMandateWorld } from '../../testing/mandate-world.ts'
import { perFile } from '../../testing/fixture.ts'

const world = perFile(openMandateWorld)

test('whatever order answers, webhooks, kills, clocks and presses come in, at most one debit in 27 days is raised, and each is booked once', async () => {
  const counts = await runMandateHistories(world, { most: 50, least: 3, softMs: 6000 })
  expect(counts['debit raised']).toBeGreaterThan(0)
})
