/** The lock of the clockwork: one worker or administrator at a time runs a step of a round. */
import { lockInTransaction } from '../db/advisory-locks.ts'
import type { Db } from '../db/sql.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'

/** The longest step is the close: it counts the entries, about 0.1 s for a million. */
const WAITS = { lockTimeoutMs: 30_000, statementTimeoutMs: 60_000, transactionTimeoutMs: 60_000, idleTimeoutMs: 10_000 }

export const inClockwork = <T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> =>
  inTransaction(
    db,
    async (tx) => {
      await lockInTransaction(tx, 'clockwork')
      return work(tx)
    },
    WAITS,
  )
