import { defineConfig } from 'vitest/config'

/** Projects run in one process tree; browser journeys run one at a time because two cores drive a server and a browser. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'rules',
          include: ['core/**/*.test.ts', 'contract/**/*.test.ts', 'gateway-sandbox/**/*.test.ts', 'ops/**/*.test.ts', '*.test.ts'],
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
          setupFiles: ['e2e/setup.ts'],
          fileParallelism: false,
          // After everything else: a night that is waited for must not wait for the processor too.
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
})
