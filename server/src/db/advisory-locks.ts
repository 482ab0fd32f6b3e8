/**
 * The register of advisory locks.
 * - Each use has its own name and number: two uses with one number would wait for each other.
 * - No other source file contains a lock number (ops/tidy/advisory-locks.test.ts). Migrations cannot import and repeat the number.
 * - A lock on one item of a class uses the two-number form, which PostgreSQL keeps apart from the one-number form.
 */
import type pg from 'pg'
import { type Queryable, sql } from './sql.ts'
import type { Tx } from './transaction.ts'

export const ADVISORY_LOCKS = {
  /** Two starts that migrate at once. */
  migrations: 7_242_001,
  /** Making a month's partition of the joins (migration 0002). */
  joinMonth: 7_242_002,
  /** Archiving or restoring a month of entries. */
  archive: 7_242_004,
  /** Copying the tests' template database. */
  testTemplate: 7_242_003,
  /** Each step of a round: close, make, draw, settle. */
  clockwork: 7_242_010,
  /** Writing the list of a closed day. */
  dayList: 7_242_017,
  /** Appending to the log of days and signing it: numbers without a gap. */
  logOfDays: 7_242_011,
  /** Outlays: disbursements, their corrections, and platform entries. */
  helpFund: 7_242_012,
  /** Making the books of a day. */
  books: 7_242_013,
  /** Claiming an audit run. */
  auditRun: 7_242_014,
  /** Setting the clock outside production. */
  devClock: 7_242_015,
  /** Decisions of staff about money: what one person decided alone is summed under it. */
  decisions: 7_242_033,
  /** Questions for the name of a UPI ID: each sends a rupee, so they are counted one after the other. */
  payeeNames: 7_242_034,
  /** The set of owners: one always remains. */
  owners: 7_242_016,
} as const
type AdvisoryLock = keyof typeof ADVISORY_LOCKS

/** First number of the two-number form. The second number identifies the item. */
const CLASSES = {
  /** A browser's push address. */
  pushDevice: 7_242_101,
  /** The list of requests that a day's draw orders, by its day. */
  helpOrder: 7_242_104,
  /** A phone number that asks for help, by its keyed hash. */
  helpCasePhone: 7_242_102,
  /** An order of the gateway's own number, which may turn out to be a debit of AutoPay. */
  gatewayOrder: 7_242_103,
} as const

/** Waits for the lock. The transaction keeps it until it ends. */
export async function lockInTransaction(tx: Tx, lock: AdvisoryLock): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS[lock]}::bigint)`)
}

/** Locks one item of a class. Two items whose keys collide only wait for each other. */
export async function lockOneInTransaction(tx: Tx, of: keyof typeof CLASSES, key: number): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(${CLASSES[of]}::int, ${key}::int)`)
}

/** Tries the lock without waiting. False: another transaction has it. */
export async function tryLockInTransaction(tx: Tx, lock: AdvisoryLock): Promise<boolean> {
  return (await tx.one<{ taken: boolean }>(sql`select pg_try_advisory_xact_lock(${ADVISORY_LOCKS[lock]}::bigint) as taken`)).taken
}

/** Waits for the lock. The session keeps it until `unlockSession`, or until the session ends. */
export async function lockSession(connection: Queryable, lock: AdvisoryLock): Promise<void> {
  await connection.query(sql`select pg_advisory_lock(${ADVISORY_LOCKS[lock]}::bigint)`)
}

export async function unlockSession(connection: Queryable, lock: AdvisoryLock): Promise<void> {
  await connection.query(sql`select pg_advisory_unlock(${ADVISORY_LOCKS[lock]}::bigint)`)
}

/** Tries the lock on a connection of the owner, without waiting. The session keeps it until it ends. */
export async function tryLockOwner(owner: pg.Client, lock: AdvisoryLock): Promise<boolean> {
  const { rows } = await owner.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [ADVISORY_LOCKS[lock]])
  return rows[0]?.taken === true
}
