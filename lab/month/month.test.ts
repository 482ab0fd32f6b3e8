/** A few days of npm run lab -- month with its faults: the world around the product and the judge agree with the product. */
import { expect, test } from 'vitest'
import { differenceOf } from './judge.ts'
import { runMonth } from './month.ts'

const SEED = 21
const MOST_MS = 300_000

test('some days end with each clearing account at what gateway and bank have, and nothing to do', { timeout: 480_000 }, async () => {
  const lines: string[] = []
  const until = performance.now() + MOST_MS
  const { accounts, findings, outside, mandates, verifiedDays, logLines } = await runMonth({
    payments: 24,
    mandates: 4,
    days: 3,
    seed: SEED,
    faults: true,
    say: (line) => void lines.push(line),
    goesOn: () => performance.now() < until,
  })
  expect(findings, lines.join('\n')).toEqual([])
  expect(accounts.map(differenceOf)).toEqual([0, 0, 0, 0, 0])
  // Days in which nothing happened would prove nothing.
  expect(outside.payments).toBeGreaterThanOrEqual(24)
  expect(mandates).toBe(4)
  expect(outside.debits).toBeGreaterThanOrEqual(4)
  expect(verifiedDays).toBeGreaterThan(2)
  expect(logLines).toBeGreaterThan(500)
})
