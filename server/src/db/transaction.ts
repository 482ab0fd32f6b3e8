/**
 * Transactions: READ COMMITTED with explicit row locks. Every wait has a timeout.
 * - Deadlocks and serialization failures are retried with the same keys, up to five attempts. They never become a refusal.
 * - A hook runs only after its transaction has committed.
 * - A transaction that takes longer than its limit throws TransactionTimeoutError.
 * - An error that is thrown rolls back. A refusal that is returned commits.
 */
import { inSpan } from '../tracing/spans.ts'
import {
  type Connection,
  type Db,
  DatabaseUnavailableError,
  type Queryable,
  queryableBy,
  ReadOnlyError,
  sqlState,
  TransactionTimeoutError,
} from './sql.ts'

declare const transaction: unique symbol
/** An open transaction. A `Db` is not assignable to it: functions that move money take `tx` as their first parameter. */
export type Tx = Queryable & { readonly [transaction]: true }

export type Waits = {
  readonly lockTimeoutMs: number
  readonly statementTimeoutMs: number
  readonly transactionTimeoutMs: number
  /** Maximum time between two statements of the transaction. */
  readonly idleTimeoutMs: number
}
// The idle timeout can be short: no transaction makes a network call between two statements.
const WAITS: Waits = { lockTimeoutMs: 5_000, statementTimeoutMs: 20_000, transactionTimeoutMs: 30_000, idleTimeoutMs: 10_000 }
/** Added to the statement timeout on the client's side, so that PostgreSQL's own error arrives before the statement counts as lost. */
const ANSWER_MS = 10_000
const ATTEMPTS_MAX = 5
/** Each attempt has a span, the wait for its connection included. */
const TRANSACTION = { name: 'transaction', kind: 'internal' } as const
const DEADLOCK = '40P01'
const SERIALIZATION = '40001'

const hooks = new WeakMap<Tx, (() => void)[]>()

/** Runs `then` once, after the commit; never after a rollback. `then` must not throw. */
export function afterCommit(tx: Tx, then: () => void): void {
  const waiting = hooks.get(tx)
  if (waiting === undefined) throw new Error('afterCommit outside of inTransaction')
  if (!waiting.includes(then)) waiting.push(then)
}

/**
 * Runs `work` on a read-only snapshot: it sees one instant, changes nothing and blocks nobody. It is for long statements.
 * - A month of entries that is archived meanwhile stays until the end (archive/archive-month.ts): the lock is older than the snapshot.
 */
export function inSnapshot<T>(db: Db, work: (from: Queryable) => Promise<T>, statementTimeoutMs: number): Promise<T> {
  return db.withConnection(
    async (connection) => {
      await connection.command(
        `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL lock_timeout = ${WAITS.lockTimeoutMs}; ` +
          `SET LOCAL statement_timeout = ${statementTimeoutMs}; LOCK TABLE round_join IN ACCESS SHARE MODE`,
      )
      try {
        return await work(connection)
      } finally {
        await connection.command('ROLLBACK').catch(() => undefined)
      }
    },
    { queryTimeoutMs: statementTimeoutMs + ANSWER_MS },
  )
}

export async function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>, waits: Partial<Waits> = {}): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const begun = { done: false }
    try {
      const bounds = { ...WAITS, ...waits }
      const options = { queryTimeoutMs: bounds.statementTimeoutMs + ANSWER_MS }
      return await inSpan(TRANSACTION, () => db.withConnection((connection) => attemptOnce(connection, work, bounds, begun), options))
    } catch (error) {
      if (attempt >= ATTEMPTS_MAX || !isRepeatable(error, begun.done)) throw error
      await pause(attempt)
    }
  }
}

async function attemptOnce<T>(connection: Connection, work: (tx: Tx) => Promise<T>, waits: Waits, begun: { done: boolean }): Promise<T> {
  const startedMs = performance.now()
  await connection.command(
    `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = ${waits.lockTimeoutMs}; ` +
      `SET LOCAL statement_timeout = ${waits.statementTimeoutMs}; SET LOCAL transaction_timeout = ${waits.transactionTimeoutMs}; ` +
      `SET LOCAL idle_in_transaction_session_timeout = ${waits.idleTimeoutMs}`,
  )
  begun.done = true
  let open = true
  // A statement sent after the end must not run: the connection may already serve another transaction.
  const tx = queryableBy((statement) =>
    open ? connection.query(statement) : Promise.reject(new Error('this transaction has ended')),
  ) as Tx
  const waiting: (() => void)[] = []
  hooks.set(tx, waiting)
  let value: T
  try {
    value = await work(tx)
    open = false
    // If any statement failed, even one whose error was caught, PostgreSQL answers COMMIT with ROLLBACK.
    if ((await connection.command('COMMIT')) !== 'COMMIT')
      throw new Error('nothing was committed: a statement of this transaction had failed')
  } catch (error) {
    if (!(error instanceof DatabaseUnavailableError) || error instanceof ReadOnlyError)
      await connection.command('ROLLBACK').catch(() => undefined)
    throw ofTimeout(error, performance.now() - startedMs, waits)
  } finally {
    open = false
    hooks.delete(tx)
  }
  for (const then of waiting) then()
  return value
}

/**
 * PostgreSQL ends a session whose transaction takes too long. If it does so between two statements, the next one finds only a broken
 * connection: the duration distinguishes this from a database that is away.
 */
function ofTimeout(error: unknown, tookMs: number, { transactionTimeoutMs }: Waits): unknown {
  const isLost = error instanceof DatabaseUnavailableError && !(error instanceof ReadOnlyError)
  if (!isLost || tookMs < transactionTimeoutMs) return error
  return new TransactionTimeoutError(`a transaction took longer than its limit of ${transactionTimeoutMs} ms`, { cause: error })
}

/** A connection that broke before BEGIN has done nothing, so another attempt is safe. */
function isRepeatable(error: unknown, begun: boolean): boolean {
  if (error instanceof DatabaseUnavailableError) return !begun
  return isConflict(error)
}

/** True for a deadlock or a serialization failure: the whole transaction is then retried. */
export function isConflict(error: unknown): boolean {
  const state = sqlState(error)
  return state === DEADLOCK || state === SERIALIZATION
}

/** A short pause with jitter, so that two transactions that deadlocked do not meet again. */
const pause = (attempt: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, attempt * 5 + Math.random() * 15))
