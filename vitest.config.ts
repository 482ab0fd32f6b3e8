import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** `npm test` without a filter sets it. Without it, as with `npm run test:all`, the files of the breadth run too. */
const LEFT_OUT = process.env.ROZ_TEST_SHORT === '1' ? ['**/*.all.test.ts'] : []

/**
 * Files at a time, on two cores: a test that waits for a database or a screen is mostly idle. By default Vitest keeps one of two
 * cores for itself and runs one file at a time, after all other projects.
 */
const FOUR = 4

/**
 * Test files share a process, so each file loads only modules that no earlier file has loaded.
 * Our tests neither mock modules nor change the state of the process, so files do not affect each other.
 */
const ONE_AFTER_ANOTHER = { isolate: false } as const

/** The longest files start first, so that the run does not end with one of them alone. */
const LONG = [
  'ops/launch/fresh.all.test.ts',
  'e2e/tests/app/hindi.all.test.ts',
  'e2e/tests/app/reflow.all.test.ts',
  'e2e/tests/api/slow-lines.all.test.ts',
  'e2e/tests/account/messages-auth.all.test.ts',
  'server/src/ledger/interleavings.all.test.ts',
  'server/src/features/rounds/beacon.all.test.ts',
  'server/src/start.all.test.ts',
  'e2e/tests/portal/portal-help.all.test.ts',
  'e2e/tests/api/bad-input.all.test.ts',
  'e2e/tests/journeys/journey.test.ts',
  'e2e/tests/app/screens.test.ts',
  'e2e/tests/public/public-pages.test.ts',
  'e2e/tests/public/verify-page.all.test.ts',
  'e2e/tests/money/messages-wallet.all.test.ts',
  'e2e/tests/portal/portal-day.test.ts',
]
/** Mixes the projects of one groupOrder, and keeps Vitest's order for files that are not in LONG. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const groupOf = ({ project }: TestSpecification): number => project.config.sequence.groupOrder
    const placeOf = ({ moduleId }: TestSpecification): number => {
      const place = LONG.findIndex((name) => moduleId.endsWith(name))
      return place < 0 ? LONG.length : place
    }
    return (await super.sort(files)).toSorted((a, b) => groupOf(a) - groupOf(b) || placeOf(a) - placeOf(b))
  }
}

/** All projects run in one process tree. Projects with the same groupOrder run in parallel. */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'rules',
          include: [
            'core/**/*.test.ts',
            'contract/**/*.test.ts',
            'gateway-sandbox/**/*.test.ts',
            'verifier/**/*.test.ts',
            'spec/**/*.test.ts',
            'web/**/*.test.ts',
            'ops/**/*.test.ts',
            '*.test.ts',
          ],
          exclude: [...configDefaults.exclude, ...LEFT_OUT, 'ops/launch/**'],
          maxWorkers: FOUR,
          ...ONE_AFTER_ANOTHER,
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'server',
          include: ['server/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...LEFT_OUT],
          maxWorkers: FOUR,
          ...ONE_AFTER_ANOTHER,
          testTimeout: 60_000,
          hookTimeout: 120_000,
          globalSetup: ['server/src/testing/postgres.ts'],
          setupFiles: ['server/src/testing/console.ts'],
        },
      },
      {
        test: {
          name: 'browser',
          include: ['e2e/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...LEFT_OUT],
          globalSetup: ['e2e/harness/first-data-setup.ts'],
          setupFiles: ['e2e/harness/setup.ts'],
          maxWorkers: FOUR,
          ...ONE_AFTER_ANOTHER,
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          name: 'alone',
          // The tests of lab/ run with `npm run test:all`.
          include: process.env.ROZ_TEST_ALL === '1' ? ['lab/**/*.test.ts'] : [],
          exclude: [...configDefaults.exclude, ...LEFT_OUT],
          globalSetup: ['e2e/harness/first-data-setup.ts'],
          setupFiles: ['e2e/harness/setup.ts'],
          fileParallelism: false,
          sequence: { groupOrder: 2 },
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          name: 'launch',
          include: ['ops/launch/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...LEFT_OUT],
          globalSetup: ['e2e/harness/first-data-setup.ts'],
          maxWorkers: FOUR,
          // In parallel with the browser project: an install waits for disk and network, a screen waits for its server.
          sequence: { groupOrder: 1 },
          testTimeout: 400_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
