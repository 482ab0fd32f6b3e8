/** The tests that Stryker runs: those of the packages without I/O. */
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: { include: ['core/**/*.test.ts', 'contract/**/*.test.ts', 'verifier/**/*.test.ts', 'spec/**/*.test.ts'], testTimeout: 30_000 },
})
