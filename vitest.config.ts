import { configDefaults, defineConfig } from 'vitest/config'

/** A kill counts what was acknowledged in milliseconds, a night passes by itself: nothing runs beside them. */
const ALONE = ['e2e/faults/faults.test.ts', 'e2e/kill-journey.test.ts', 'e2e/midnight.test.ts']

/**
 * Two files at a time: while one waits for its database or server, the other works. Unsaid, Vitest
 * would give one of two cores to itself and run one file at a time, after all other projects.
 */
const TWO = 2

/** Projects run in one process tree, and those of one groupOrder beside each other. */
export default defineConfig({
  test: {
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
          maxWorkers: TWO,
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'server',
          include: ['server/**/*.test.ts'],
          maxWorkers: TWO,
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
          setupFiles: ['e2e/setup.ts'],
          maxWorkers: TWO,
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          name: 'alone',
          include: ALONE,
          setupFiles: ['e2e/setup.ts'],
          fileParallelism: false,
          // After everything else: a night that is waited for must not wait for the processor too.
          sequence: { groupOrder: 2 },
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          name: 'launch',
          include: ['ops/launch/**/*.test.ts'],
          fileParallelism: false,
          // Installs and builds take every processor: nothing that waits for an answer runs beside them.
          sequence: { groupOrder: 3 },
          testTimeout: 180_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
