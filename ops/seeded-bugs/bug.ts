/** A bug, and the parts of the suite that look for it. */
export type Bug = {
  /** What it does, as the member or the auditor would say it. */
  readonly name: string
  readonly file: string
  readonly find: string
  readonly replace: string
  readonly test: string
  /** The tests of that file that are run: part of their names. */
  readonly only?: string
}

export const LEDGER = 'server/src/ledger'
export const SCHEMA = 'server/migrations/0002_ledger.sql'
/** Random histories. */
export const MODEL = `${LEDGER}/model.test.ts`
export const INTERLEAVINGS = `${LEDGER}/interleavings.test.ts`
export const JOINS = `${LEDGER}/joins.test.ts`
export const ROUNDS = `${LEDGER}/rounds.test.ts`
export const REFUNDS = `${LEDGER}/refunds.test.ts`
export const PAYOUTS = `${LEDGER}/payouts.test.ts`
export const RIGHTS = 'server/src/features/rights/rights.test.ts'
export const AUTO_JOIN = `${LEDGER}/auto-join.test.ts`
export const CHARGEBACKS = `${LEDGER}/chargebacks.test.ts`
export const DEBTS = `${LEDGER}/debts.test.ts`
export const SUSPENSE = 'server/src/features/payouts/suspense.test.ts'

/** Where a bug is looked for that its own tests did not notice. */
export const WIDER = [LEDGER, 'server/src/features/payouts', 'server/src/features/wallet', 'server/src/features/rights']

/** The name of a file without its folders. */
export const fileOf = (file: string): string => file.split('/').at(-1) ?? file
