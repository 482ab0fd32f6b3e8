/** The lock of the clockwork: one worker or administrator at a time runs a step of a round. */
import { lockInTransaction } from '../db/advisory-locks.ts'
import type { Db } from '../db/sql.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'

/** A close of a million entries is the longest step: most of it runs in a thread while the transaction is idle. */
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
