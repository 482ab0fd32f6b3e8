/** Tests the bounds of work in the database: its queue and its timeouts, and what they answer. */
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { lockInTransaction } from '../db/advisory-locks.ts'
import { connect, type Db, OverloadedError, sql, sqlState } from '../db/sql.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { useTestDatabase } from '../testing/database.ts'
import { registerFaults } from '../http/faults.ts'

const database = useTestDatabase()

test('the queue for a database connection is bounded, and further statements are refused', async () => {
  const small = connect({ url: database.appUrl, max: 1, waitingMax: 2 })
  const slow = small.query(sql`select pg_sleep(0.3)`)
  await small.query(sql`select 1`).catch(() => undefined)
  const many = await Promise.allSettled([slow, ...Array.from({ length: 6 }, () => small.query(sql`select pg_sleep(0.05)`))])
  const refused = many.filter((one) => one.status === 'rejected')
  expect(refused.length).toBeGreaterThanOrEqual(3)
  for (const one of refused) expect(one.reason).toBeInstanceOf(OverloadedError)
  await small.close()
})

const failureOf = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) => sqlState(error) ?? (error as Error).name,
  )

test('every statement, lock, transaction and idle transaction has a timeout', async () => {
  const { db } = database
  const settings = await db.query<{ name: string; setting: string }>(sql`
    select name, setting from pg_settings where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout') order by name`)
  for (const { setting } of settings) expect(Number(setting)).toBeGreaterThan(0)
  const inside = await inTransaction(db, (tx) =>
    tx.query<{ name: string; setting: string }>(sql`
      select name, setting from pg_settings
       where name in ('statement_timeout', 'lock_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout') order by name`),
  )
  for (const { setting } of inside) expect(Number(setting)).toBeGreaterThan(0)
  const short = { statementTimeoutMs: 50, lockTimeoutMs: 50, transactionTimeoutMs: 5000 }
  expect(await failureOf(inTransaction(db, (tx) => tx.query(sql`select pg_sleep(5)`), short))).toBe('57014')
  const lock = (work: () => Promise<unknown>, bounds = {}) =>
    inTransaction(
      db,
      async (tx) => {
        await tx.query(sql`select from clock_offset`)
        await lockInTransaction(tx, 'helpFund')
        await work()
      },
      bounds,
    )
  expect(await failureOf(lock(() => lock(async () => undefined, { ...short, statementTimeoutMs: 5000 })))).toBe('55P03')
  const tooLong = { ...short, statementTimeoutMs: 5000, transactionTimeoutMs: 100 }
  expect(await failureOf(inTransaction(db, (tx) => tx.query(sql`select pg_sleep(5)`), tooLong))).toBe('TransactionTimeoutError')
  // PostgreSQL ends the session between two statements.
  const thinking = async (tx: Tx): Promise<unknown> => {
    await new Promise((resolve) => setTimeout(resolve, 300))
    return tx.query(sql`select 1`)
  }
  expect(await failureOf(inTransaction(db, thinking, tooLong))).toBe('TransactionTimeoutError')
})

test('a timeout of a statement or lock answers 503 with Retry-After', async () => {
  const app = Fastify()
  registerFaults(app)
  const short = { statementTimeoutMs: 30, lockTimeoutMs: 30, transactionTimeoutMs: 5000 }
  const slow = (db: Db) => inTransaction(db, (tx) => tx.query(sql`select pg_sleep(5)`), short)
  app.get('/slow', () => slow(database.db))
  const answer = await app.inject('/slow')
  expect([answer.statusCode, answer.headers['retry-after'], answer.json().code]).toEqual([503, '2', 'overloaded'])
  await app.close()
})
