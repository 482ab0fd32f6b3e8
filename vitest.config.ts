import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** A kill counts what was acknowledged in milliseconds: nothing runs beside them. */
const ALONE = ['e2e/faults/faults.test.ts', 'e2e/tests/journeys/kill-journey.test.ts']

/**
 * Files at a time, on two cores: what waits for a database or a screen waits most of its time. Unsaid,
 * Vitest would give one of two cores to itself and run one file at a time, after all other projects.
 */
const THREE = 3

/** Files share a process: each loads only what no file before it has loaded. Nothing of ours is mocked or set for a process, so none finds what another left. */
const ONE_AFTER_ANOTHER = { isolate: false } as const

/** Begun first, so that none of them is what everything waits for in the end; the longest before the long. */
const LONG = [
  'ops/launch/fresh.test.ts',
  'e2e/tests/app/hindi.test.ts',
  'e2e/tests/account/messages-auth.test.ts',
  'e2e/tests/public/public-pages.test.ts',
  'e2e/tests/public/verify-page.test.ts',
  'e2e/tests/journeys/journey.test.ts',
  'e2e/tests/app/screens.test.ts',
  'e2e/tests/money/messages-wallet.test.ts',
  'e2e/tests/journeys/midnight.test.ts',
]
/** Projects of one groupOrder are mixed; what is not long keeps the order that Vitest gives it. */
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

/** Projects run in one process tree, and those of one groupOrder beside each other. */
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
            'ops/seeded-bugs/**/*.test.ts',
            'ops/tidy/**/*.test.ts',
            '*.test.ts',
          ],
          maxWorkers: THREE,
          ...ONE_AFTER_ANOTHER,
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'server',
          include: ['server/**/*.test.ts'],
          maxWorkers: THREE,
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
          include: ['e2e/**/*.test.ts', 'web/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...ALONE],
          globalSetup: ['e2e/harness/first-data-setup.ts'],
          setupFiles: ['e2e/harness/setup.ts'],
          maxWorkers: THREE,
          ...ONE_AFTER_ANOTHER,
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          name: 'alone',
          include: ALONE,
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
          globalSetup: ['e2e/harness/first-data-setup.ts'],
          maxWorkers: THREE,
          // Beside the browser's: an install waits for the disk and the network, a screen for its server.
          sequence: { groupOrder: 1 },
          testTimeout: 400_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
