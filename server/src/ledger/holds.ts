/**
 * Members on hold. Invariants: nothing of theirs is sent while the hold lasts, also not the refund of
 * a payment of theirs that waits in SUSPENSE; what waited is released once, by one caller of all
 * processes.
 */
import { maybeOne, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'

/** Why money that leaves stands still: kept in the column `problem` of withdrawals and refunds. */
export const ON_HOLD = 'member_on_hold'

/** A member `m` on hold: suspended, or held since they said "This was not me". Whoever has left is not. */
export const IS_ON_HOLD = sql`((m.suspended_at is not null or m.held_at is not null) and m.deleted_at is null)`

export const isOnHold = async (tx: Tx, memberId: bigint): Promise<boolean> =>
  (await maybeOne(tx, sql`select 1 from member m where m.id = ${memberId}::bigint and ${IS_ON_HOLD}`)) !== undefined

/** Whose money a refund `r` is: its member's, or of a payment in SUSPENSE, that of the order's member. */
export const REFUND_OWNER = sql`coalesce(r.member_id, (select o.member_id from topup o where o.order_id = r.order_id))`

export const isRefundOnHold = async (tx: Tx, refundId: string): Promise<boolean> =>
  (await maybeOne(
    tx,
    sql`select 1 from refund r join member m on m.id = ${REFUND_OWNER} where r.id = ${refundId}::uuid and ${IS_ON_HOLD}`,
  )) !== undefined

/** Whether the member whose order a payment in SUSPENSE came by is on hold. */
export const isItemOnHold = async (tx: Tx, itemId: bigint): Promise<boolean> =>
  (await maybeOne(
    tx,
    sql`select 1 from suspense_item s join topup o on o.order_id = s.order_id join member m on m.id = o.member_id
         where s.id = ${itemId}::bigint and ${IS_ON_HOLD}`,
  )) !== undefined

/** Takes what a hold stopped and no hold stops any more, locked: it is to be sent after the commit. */
export async function releaseAfterHold(tx: Tx): Promise<{ readonly withdrawals: readonly string[]; readonly refunds: readonly string[] }> {
  const withdrawals = await tx.query<{ id: string }>(sql`
    update withdrawal w set problem = null from member m
     where m.id = w.member_id and w.status = 'approved' and w.problem = ${ON_HOLD}::text and not ${IS_ON_HOLD} returning w.id`)
  const refunds = await tx.query<{ id: string }>(sql`
    update refund r set problem = null
     where r.status = 'approved' and r.problem = ${ON_HOLD}::text
       and not exists (select from member m where m.id = ${REFUND_OWNER} and ${IS_ON_HOLD}) returning r.id`)
  return { withdrawals: withdrawals.map(({ id }) => id), refunds: refunds.map(({ id }) => id) }
}
