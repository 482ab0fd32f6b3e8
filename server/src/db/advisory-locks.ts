/**
 * The register of advisory locks.
 * - Each use has a name and a number of its own: two uses that share a number wait for each other.
 * - Numbers stand here alone (advisory-locks.test.ts looks for others). Migrations cannot import: they
 *   write the register's number.
 * - Locks of single things take the two-number form, which PostgreSQL keeps apart from these.
 */
import { type Connection, one, type Queryable, sql } from './sql.ts'
import type { Tx } from './transaction.ts'

export const ADVISORY_LOCKS = {
  /** Migrations of two starts. */
  migrations: 7_242_001,
  /** The maker of a month's partition of joins (migration 0002). */
  joinMonth: 7_242_002,
  /** Copying the tests' template database. */
  testTemplate: 7_242_003,
  /** Each step of a round's life. */
  clockwork: 7_242_010,
  /** The log of days: numbers without a gap. */
  logOfDays: 7_242_011,
  /** Money that leaves the help fund. */
  helpFund: 7_242_012,
  /** Making the books of a day. */
  books: 7_242_013,
  /** Taking on an audit run. */
  auditRun: 7_242_014,
  /** Setting the clock outside production. */
  devClock: 7_242_015,
} as const
export type AdvisoryLock = keyof typeof ADVISORY_LOCKS

/** First number of the two-number form; the second one tells one thing from another. */
const CLASSES = {
  /** A browser's push address. */
  pushDevice: 7_242_101,
} as const

/** Waits for the lock and keeps it until the transaction ends. */
export async function lockInTransaction(tx: Tx, lock: AdvisoryLock): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS[lock]}::bigint)`)
}

/** The lock of one thing of a class. Two things with the same key wait for each other and nothing else happens. */
export async function lockOneInTransaction(tx: Tx, of: keyof typeof CLASSES, key: number): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(${CLASSES[of]}::int, ${key}::int)`)
}

/** False where another transaction has the lock. */
export async function tryLockInTransaction(tx: Tx, lock: AdvisoryLock): Promise<boolean> {
  return (await one<{ taken: boolean }>(tx, sql`select pg_try_advisory_xact_lock(${ADVISORY_LOCKS[lock]}::bigint) as taken`)).taken
}

/** Waits for the lock; the session keeps it until `unlockSession`, or until it ends. */
export async function lockSession(connection: Queryable, lock: AdvisoryLock): Promise<void> {
  await connection.query(sql`select pg_advisory_lock(${ADVISORY_LOCKS[lock]}::bigint)`)
}

export async function tryLockSession(connection: Connection, lock: AdvisoryLock): Promise<boolean> {
  return (await one<{ taken: boolean }>(connection, sql`select pg_try_advisory_lock(${ADVISORY_LOCKS[lock]}::bigint) as taken`)).taken
}

export async function unlockSession(connection: Queryable, lock: AdvisoryLock): Promise<void> {
  await connection.query(sql`select pg_advisory_unlock(${ADVISORY_LOCKS[lock]}::bigint)`)
}
