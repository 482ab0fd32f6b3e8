/**
 * Transactions: READ COMMITTED with explicit row locks, every wait bounded. Invariants: deadlocks and
 * serialization failures are run again with the same keys and never shown as a refusal; a hook runs
 * only after the commit that it waits for. Throwing rolls back; a refusal that is returned commits
 * what was written with it.
 */
import { type Connection, type Db, DatabaseUnavailableError, type Queryable, sqlState } from './sql.ts'

declare const transaction: unique symbol
/** Statements in one open transaction. A `Db` is not one: what moves money takes `tx` first. */
export type Tx = Queryable & { readonly [transaction]: true }

export type Waits = {
  readonly lockTimeoutMs: number
  readonly statementTimeoutMs: number
  readonly transactionTimeoutMs: number
  /** Between two of its statements. */
  readonly idleTimeoutMs: number
}
// Between two statements of ours lies no call to anybody else.
const WAITS: Waits = { lockTimeoutMs: 5_000, statementTimeoutMs: 20_000, transactionTimeoutMs: 30_000, idleTimeoutMs: 10_000 }
/** What the database's own no takes to arrive: before it the statement does not count as lost. */
const ANSWER_MS = 10_000
const ATTEMPTS_MAX = 5
const DEADLOCK = '40P01'
const SERIALIZATION = '40001'

const hooks = new WeakMap<Tx, (() => void)[]>()

/** Runs `then` once the transaction has committed; never when it rolls back. It must not throw. */
export function afterCommit(tx: Tx, then: () => void): void {
  const waiting = hooks.get(tx)
  if (waiting === undefined) throw new Error('afterCommit outside of inTransaction')
  if (!waiting.includes(then)) waiting.push(then)
}

/** A look at everything as of one instant, which changes nothing and holds up nobody. Long statements are its purpose. */
export function inSnapshot<T>(db: Db, work: (from: Queryable) => Promise<T>, statementTimeoutMs: number): Promise<T> {
  return db.withConnection(
    async (connection) => {
      await connection.command(
        `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL lock_timeout = ${WAITS.lockTimeoutMs}; ` +
          `SET LOCAL statement_timeout = ${statementTimeoutMs}`,
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
      return await db.withConnection((connection) => attemptOnce(connection, work, bounds, begun), {
        queryTimeoutMs: bounds.statementTimeoutMs + ANSWER_MS,
      })
    } catch (error) {
      if (attempt >= ATTEMPTS_MAX || !isRepeatable(error, begun.done)) throw error
      await pause(attempt)
    }
  }
}

async function attemptOnce<T>(connection: Connection, work: (tx: Tx) => Promise<T>, waits: Waits, begun: { done: boolean }): Promise<T> {
  await connection.command(
    `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = ${waits.lockTimeoutMs}; ` +
      `SET LOCAL statement_timeout = ${waits.statementTimeoutMs}; SET LOCAL transaction_timeout = ${waits.transactionTimeoutMs}; ` +
      `SET LOCAL idle_in_transaction_session_timeout = ${waits.idleTimeoutMs}`,
  )
  begun.done = true
  let open = true
  // A statement that nobody waited for must not run on a connection that serves another by then.
  const query: Queryable['query'] = (statement) =>
    open ? connection.query(statement) : Promise.reject(new Error('this transaction has ended'))
  const tx = { query } as Tx
  const waiting: (() => void)[] = []
  hooks.set(tx, waiting)
  let value: T
  try {
    value = await work(tx)
    open = false
    // After a statement that failed, also one whose error was caught, COMMIT answers ROLLBACK.
    if ((await connection.command('COMMIT')) !== 'COMMIT')
      throw new Error('nothing was committed: a statement of this transaction had failed')
  } catch (error) {
    if (!(error instanceof DatabaseUnavailableError)) await connection.command('ROLLBACK').catch(() => undefined)
    throw error
  } finally {
    open = false
    hooks.delete(tx)
  }
  for (const then of waiting) then()
  return value
}

/** A connection that was already dead when the transaction began has done nothing: another may try. */
function isRepeatable(error: unknown, begun: boolean): boolean {
  if (error instanceof DatabaseUnavailableError) return !begun
  const state = sqlState(error)
  return state === DEADLOCK || state === SERIALIZATION
}

/** Short and uneven, so that two that met once do not meet again. */
const pause = (attempt: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, attempt * 5 + Math.random() * 15))
