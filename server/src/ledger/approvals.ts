/**
 * Approvals of money that leaves, by one person or two (core/src/two-persons.ts).
 * - The caller has locked the withdrawal or refund, so simultaneous approvals are judged one after the other.
 * - Two accounts of one mailbox are one person, even if one of them was removed.
 * - The schema also refuses an approval of one's own money, and a second approval by the first approver.
 */
import type { Paise } from '@roz/core/money.ts'
import type { Outcome } from '@roz/core/outcome.ts'
import { type ApprovalRefusal, judgeApproval } from '@roz/core/two-persons.ts'
import { one, type Sql, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'

/** The approver, and the amount above which a second person must approve. */
export type Approver = { readonly by: bigint; readonly limit: Paise }
type Subject = { readonly amount: Paise; readonly owner: bigint | null; readonly firstApprovedBy: bigint | null }

/** Whether a member's money is this person's own, as far as the rows can tell: the same account, mailbox, phone or bank account. */
export const isOwnMoney = async (tx: Tx, by: bigint, owner: bigint): Promise<boolean> =>
  (await one<{ isOwn: boolean }>(tx, sql`select coalesce(is_own_money(${by}::bigint, ${owner}::bigint), false) as "isOwn"`)).isOwn

export async function judgeApprover(
  tx: Tx,
  { by, limit }: Approver,
  subject: Subject,
): Promise<Outcome<'first' | 'final', ApprovalRefusal>> {
  const { amount, owner, firstApprovedBy } = subject
  const isOwn = owner !== null && (await isOwnMoney(tx, by, owner))
  const { isSame } = await one<{ isSame: boolean }>(
    tx,
    sql`select coalesce(is_same_person(${by}::bigint, ${firstApprovedBy}::bigint), false) as "isSame"`,
  )
  const first = firstApprovedBy === null ? 'nobody' : isSame ? 'same' : 'another'
  return judgeApproval({ amount, limit, first, isOwn })
}

export const recordFirstApproval = (tx: Tx, table: 'withdrawal' | 'refund', id: string, by: bigint): Promise<unknown> =>
  tx.query(sql`
    update ${table === 'withdrawal' ? sql`withdrawal` : sql`refund`} set first_approved_by = ${by}::bigint, first_approved_at = roz_now()
     where id = ${id}::uuid`)

/** The state of a row for administrators: requested with a first approval is a state of its own. */
export const seenStatus = (row: Sql): Sql =>
  sql`case when ${row}.status = 'requested' and ${row}.first_approved_by is not null then 'awaiting_second' else ${row}.status end`

/** Condition for the rows in a state that administrators see; without one all rows. Written so that an index on `status` serves it. */
export const isInState = (row: Sql, state: string | undefined): Sql => {
  if (state === undefined) return sql`true`
  if (state === 'awaiting_second') return sql`(${row}.status = 'requested' and ${row}.first_approved_by is not null)`
  return sql`(${row}.status = ${state}::text and (${row}.status <> 'requested' or ${row}.first_approved_by is null))`
}
