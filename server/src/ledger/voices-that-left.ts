/**
 * The open voices of somebody who left the team or changed role, or whose account somebody else had: they end in its transaction.
 * - First approvals of withdrawals and refunds, and first voices about payouts that were not paid or came back, items of SUSPENSE and
 *   findings, are taken back: each waits for a first one again.
 * - The refund of an item of SUSPENSE was made by its first approval: it is rejected, and the item is open again.
 * - Requested outlays and bank transfers are rejected.
 * - Call it after the change of the role. Lock order: outlays, bank transfers, then rows by id.
 */
import { lockInTransaction } from '../db/advisory-locks.ts'
import { sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { rejectRefund } from './refunds.ts'

const REASON = 'The person who decided first has left or changed role, or somebody else had the account'

export async function voidVoices(tx: Tx, person: bigint, by: bigint): Promise<void> {
  await lockInTransaction(tx, 'helpFund')
  await tx.query(sql`
    update outlay set status = 'rejected', decided_by = ${by}::bigint, decided_at = roz_now(), decision = ${REASON}::text
     where status = 'requested' and asked_by = ${person}::bigint`)
  await tx.query(sql`
    update bank_transfer set status = 'rejected', decided_by = ${by}::bigint, decided_at = roz_now(), reason = ${REASON}::text
     where status = 'asked' and asked_by = ${person}::bigint`)
  const isOpen = sql`status = 'requested' and first_approved_by = ${person}::bigint`
  const isReturned = sql`status in ('approved', 'paid') and return_first_by = ${person}::bigint`
  await tx.query(sql`select from withdrawal where ${isOpen} or ${isReturned} order by id for update`)
  await tx.query(sql`update withdrawal set first_approved_by = null, first_approved_at = null where ${isOpen}`)
  await tx.query(sql`update withdrawal set return_first_by = null, return_first_at = null where ${isReturned}`)
  const refunds = await tx.query<{ id: string; suspenseId: bigint | null }>(
    sql`select id, suspense_id as "suspenseId" from refund where ${isOpen} order by id for update`,
  )
  for (const { id, suspenseId } of refunds)
    if (suspenseId === null)
      await tx.query(sql`update refund set first_approved_by = null, first_approved_at = null where id = ${id}::uuid`)
    else await rejectRefund(tx, { id, reason: REASON })
  await tx.query(sql`
    update suspense_item set first_by = null, first_at = null, first_act = null, first_member = null, first_reference = null
     where status = 'open' and first_by = ${person}::bigint`)
  await tx.query(sql`
    update money_finding set first_by = null, first_at = null, reason = null
     where closed_at is null and ended_at is null and first_by = ${person}::bigint`)
}
