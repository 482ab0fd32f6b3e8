/** The lock of the clockwork: each step of a round's life is taken alone among all workers and administrators. */
import { lockInTransaction } from '../db/advisory-locks.ts'
import type { Db } from '../db/sql.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'

/** A close of a million entries takes its time, most of it in a thread while the transaction waits; everything else is far below. */
const WAITS = { lockTimeoutMs: 30_000, statementTimeoutMs: 60_000, transactionTimeoutMs: 300_000, idleTimeoutMs: 300_000 }

export const inClockwork = <T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> =>
  inTransaction(
    db,
    async (tx) => {
      await lockInTransaction(tx, 'clockwork')
      return work(tx)
    },
    WAITS,
  )
