/** The short form of npm run lab -- month: every fault, few payments. */
import { expect, test } from 'vitest'
import { differenceOf } from './judge.ts'
import { runMonth } from './month.ts'

const SEED = Number(process.env.ROZ_SEED ?? Date.now() % 1_000_000)
const MOST_MS = 900_000

test('a month with every fault of the gateway ends with each clearing account at what gateway and bank have, and nothing to do', {
  timeout: 1_200_000,
}, async () => {
  console.log(`a month with ROZ_SEED=${SEED}`)
  const lines: string[] = []
  const until = performance.now() + MOST_MS
  const { accounts, findings, outside, mandates, verifiedDays, logLines, closedPaise } = await runMonth({
    payments: 200,
    mandates: 40,
    days: 30,
    seed: SEED,
    faults: true,
    say: (line) => void lines.push(line),
    goesOn: () => performance.now() < until,
  })
  expect(findings, lines.join('\n')).toEqual([])
  expect(accounts.map(differenceOf)).toEqual([0, 0, 0, 0, 0])
  // A month in which nothing happened would prove nothing.
  expect(outside.payments).toBeGreaterThanOrEqual(200)
  expect(mandates).toBe(40)
  expect(outside.debits).toBeGreaterThan(40)
  expect(closedPaise).not.toBe(0)
  expect(verifiedDays).toBeGreaterThanOrEqual(30)
  expect(logLines).toBeGreaterThan(1000)
})
