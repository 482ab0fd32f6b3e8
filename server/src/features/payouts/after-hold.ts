/**
 * Sends the payouts and refunds that a hold stopped, once the hold has ended.
 *
 * - They are released and queued again in one transaction.
 */
import { randomUUID } from 'node:crypto'
import type { Db } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { enqueue } from '../../jobs/queue.ts'
import { releaseAfterHold } from '../../ledger/holds.ts'

/** Returns whether there were any. */
export const sendAfterHold = (db: Db): Promise<boolean> =>
  inTransaction(db, async (tx) => {
    const { withdrawals, refunds } = await releaseAfterHold(tx)
    const key = `released:${randomUUID()}`
    for (const id of withdrawals) await enqueue(tx, { kind: 'send_payout', key: `${key}:${id}`, payload: { withdrawalId: id } })
    for (const id of refunds) await enqueue(tx, { kind: 'send_refund', key: `${key}:${id}`, payload: { refundId: id } })
    return withdrawals.length + refunds.length > 0
  })
