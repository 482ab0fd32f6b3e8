/**
 * Members whose money does not leave: those on hold, and suspended ones.
 * - No withdrawal or refund of theirs is sent while the hold lasts, nor the refund of their payment in SUSPENSE.
 * - Withdrawals and refunds that waited are released once, by one process.
 */
import { type Sql, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { ROOT } from './suspense-transfers.ts'

/** The value of the column `problem` of withdrawals and refunds that a hold stops. */
export const ON_HOLD = 'member_on_hold'

/** True if no money of a member `m` leaves: suspended, or on hold since they said "This was not me". Never for a deleted account. */
export const IS_ON_HOLD = sql`((m.suspended_at is not null or m.held_at is not null) and m.deleted_at is null)`

export const isOnHold = async (tx: Tx, memberId: bigint): Promise<boolean> =>
  (await tx.maybeOne(sql`select 1 from member m where m.id = ${memberId}::bigint and ${IS_ON_HOLD}`)) !== undefined

/**
 * The owner of an item `s` of SUSPENSE: of a debit that nobody here raised the member of its mandate, whatever order its id names; else the
 * member of its order.
 */
export const ITEM_OWNER: Sql = sql`coalesce(
  (select a.member_id from suspense_item root join autopay_mandate a on a.id = root.mandate_id where root.payment_id = ${ROOT}),
  (select o.member_id from topup o where o.order_id = s.order_id))`
/** The owner of a refund `r`: its member, or the owner of its suspense item. */
export const REFUND_OWNER = sql`coalesce(r.member_id, (select ${ITEM_OWNER} from suspense_item s where s.id = r.suspense_id))`

export const isRefundOnHold = async (tx: Tx, refundId: string): Promise<boolean> =>
  (await tx.maybeOne(
    sql`select 1 from refund r join member m on m.id = ${REFUND_OWNER} where r.id = ${refundId}::uuid and ${IS_ON_HOLD}`,
  )) !== undefined

/** Whether the owner of a suspense item is on hold. */
export const isItemOnHold = async (tx: Tx, itemId: bigint): Promise<boolean> =>
  (await tx.maybeOne(
    sql`select 1 from suspense_item s join member m on m.id = ${ITEM_OWNER} where s.id = ${itemId}::bigint and ${IS_ON_HOLD}`,
  )) !== undefined

/** Releases the withdrawals and refunds that no hold stops any more. The caller sends them after the commit. */
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
