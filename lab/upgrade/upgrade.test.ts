/**
 * The short form of npm run lab -- upgrade, and the control that the judge must find.
 * - Both take minutes and build a former version, so only npm run test:all runs them.
 */
import { expect, test } from 'vitest'
import { ROOT } from '../../e2e/harness/program.ts'
import { formerVersion } from './history.ts'
import { upgradeFrom, upgradeThatDropsColumn } from './run.ts'
import { STEPS } from './steps.ts'

const ALL = process.env.ROZ_TEST_ALL === '1'
const SEED = Number(process.env.ROZ_SEED ?? Date.now() % 1_000_000)
const SHORT = { seed: SEED, servers: 2, clients: 6, members: 40, keepMs: 300 }

test.skipIf(!ALL)(
  'servers replaced by this version, back and again, over midnights and under load, fail no request and lose, double and park nothing',
  { timeout: 900_000 },
  async ({ skip }) => {
    const former = formerVersion(ROOT)
    if (typeof former === 'string') {
      process.stdout.write(`${former}\n`)
      return skip(former)
    }
    const lines: string[] = []
    const outcome = await upgradeFrom(former, { ...SHORT, say: (line) => void lines.push(line) })
    expect(outcome.finding, lines.join('\n')).toBeUndefined()
    expect(outcome.cycles.map(({ kind }) => kind)).toEqual(STEPS)
    expect(outcome.cycles.map(({ failed }) => failed)).toEqual(STEPS.map(() => 0))
    expect(outcome.days.length).toBeGreaterThanOrEqual(STEPS.filter((step) => step.startsWith('night')).length)
    expect(outcome.acknowledged).toBeGreaterThan(STEPS.length)
  },
)

test.skipIf(!ALL)(
  'a new version whose migration drops a column that the old servers use is found by its failed requests',
  { timeout: 480_000 },
  async () => {
    const { finding } = await upgradeThatDropsColumn(SHORT)
    expect(finding?.kind).toBe('first-new')
    expect(finding?.told.join('\n')).toContain(': 500 ')
  },
)
