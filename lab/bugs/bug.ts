/** A seeded bug, and the test files that the bugs name. */
import { existsSync } from 'node:fs'

export type Bug = {
  /** The bug's effect, in the words of a member or an auditor. */
  readonly name: string
  readonly file: string
  readonly find: string
  /** Without it, the text is removed. */
  readonly replace?: string
  /** The tests that must notice; without it, those of the file itself. */
  readonly test?: string
  /** A part of the names of the tests to run. Without it, every test of the file runs. */
  readonly only?: string
}

export const LEDGER = 'server/src/ledger'
export const SCHEMA = 'server/migrations/0002_ledger.sql'
export const INTERLEAVINGS = `${LEDGER}/interleavings.all.test.ts`
export const JOINS = `${LEDGER}/joins.test.ts`
export const DISBURSEMENTS = `${LEDGER}/disbursements.test.ts`
export const ROUNDS = `${LEDGER}/rounds.test.ts`
export const REFUNDS = `${LEDGER}/refunds.test.ts`
export const PAYOUTS = `${LEDGER}/payouts.test.ts`
export const RIGHTS = 'server/src/features/rights/rights.all.test.ts'
export const STANDING = `${LEDGER}/suspension.test.ts`
export const AUTO_JOIN = `${LEDGER}/auto-join.all.test.ts`
export const CHARGEBACKS = `${LEDGER}/chargebacks.test.ts`
export const DEBTS = `${LEDGER}/debts.test.ts`
export const SUSPENSE = 'server/src/features/payouts/suspense.test.ts'

/** The test file of a bug. */
export const testOf = ({ file, test = file.replace(/\.ts$/, '.test.ts') }: Bug): string =>
  existsSync(new URL(`../../${test}`, import.meta.url)) ? test : test.replace(/\.test\.ts$/, '.all.test.ts')

/** The tests that run if the bug's own test does not catch it. */
export const WIDER = [LEDGER, 'server/src/features/payouts', 'server/src/features/wallet', 'server/src/features/rights']

/** The name of a file without its folders. */
export const fileOf = (file: string): string => file.split('/').at(-1) ?? file
