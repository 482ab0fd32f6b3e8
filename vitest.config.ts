import { configDefaults, defineConfig } from 'vitest/config'

/** Every message of the spec in a browser takes minutes: npm run test:all runs them. */
const LONG = process.env.ROZ_TEST_ALL === '1' ? [] : ['e2e/messages-*.test.ts']

/** Projects run in one process tree; browser journeys run one at a time because two cores drive a server and a browser. */
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
            'ops/tidy/**/*.test.ts',
            '*.test.ts',
          ],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'server',
          include: ['server/**/*.test.ts'],
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
          exclude: [...configDefaults.exclude, ...LONG],
          setupFiles: ['e2e/setup.ts'],
          fileParallelism: false,
          // After everything else: a night that is waited for must not wait for the processor too.
          sequence: { groupOrder: 1 },
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
          sequence: { groupOrder: 2 },
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
