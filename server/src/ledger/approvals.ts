/**
 * Approvals of money that leaves, by one person or two (core/src/two-persons.ts).
 * - The caller has locked what is decided; then all decisions are judged one after the other. Lock order: the subject, the decisions, wallets.
 * - Two accounts of one mailbox are one person, even if one of them was removed.
 * - One person decides alone at most the limit in 24 hours. In its first 48 hours an account counts as its inviter's.
 * - The schema also refuses an approval of one's own money, and a second approval by the first approver.
 */
import { type Paise, paise, ZERO } from '@roz/core/money.ts'
import { type Outcome, accepted } from '@roz/core/outcome.ts'
import { type ApprovalRefusal, judgeApproval } from '@roz/core/two-persons.ts'
import { lockInTransaction } from '../db/advisory-locks.ts'
import { type Queryable, type Sql, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import type { OutlayKind } from './evidence.ts'

/** The approver, and the amount above which a second person must approve. */
export type Approver = { readonly by: bigint; readonly limit: Paise }
type Subject = {
  readonly amount: Paise
  readonly owner: bigint | null
  readonly firstApprovedBy: bigint | null
  /** One person is not enough, whatever the amount. */
  readonly needsTwo?: boolean
}

/** Whether a member's money is this person's own, as far as the rows can tell: the same account or mailbox (or phone, of an older account). */
export const isOwnMoney = async (tx: Tx, by: bigint, owner: bigint): Promise<boolean> =>
  (await tx.one<{ isOwn: boolean }>(sql`select coalesce(is_own_money(${by}::bigint, ${owner}::bigint), false) as "isOwn"`)).isOwn

/** The sum that this person decided alone in the last 24 hours. */
const readAlone = async (from: Queryable, by: bigint): Promise<Paise> =>
  (
    await from.one<{ alone: Paise }>(sql`select coalesce(sum(amount), 0)::bigint as alone from decided_alone
           where (hand = hand_of(${by}::bigint) or by = ${by}::bigint) and at > roz_now() - interval '24 hours'`)
  ).alone

/** The amount that this person may still decide alone; above it another person must approve. */
export async function readAllowance(from: Queryable, { by, limit }: Approver): Promise<Paise> {
  const alone = await readAlone(from, by)
  return alone < limit ? paise(limit - alone) : ZERO
}

/** Judges under the lock of all decisions: two at once see each other's amounts. `alone` must be recorded in this transaction. */
export async function judgeApprover(
  tx: Tx,
  { by, limit }: Approver,
  { amount, owner, firstApprovedBy, needsTwo = false }: Subject,
): Promise<Outcome<'first' | 'alone' | 'second', ApprovalRefusal>> {
  await lockInTransaction(tx, 'decisions')
  const isOwn = owner !== null && (await isOwnMoney(tx, by, owner))
  const alone = await readAlone(tx, by)
  const facts = await tx.one<{ isSame: boolean; isSettled: boolean; isFirstSettled: boolean }>(sql`
    select coalesce(is_same_person(${by}::bigint, ${firstApprovedBy}::bigint), false) as "isSame",
          is_settled_staff(${by}::bigint) as "isSettled", is_settled_staff(${firstApprovedBy}::bigint) as "isFirstSettled"`)
  const first = firstApprovedBy === null ? 'nobody' : facts.isSame ? 'same' : facts.isFirstSettled ? 'another' : 'unsettled'
  const { isSettled } = facts
  const judged = judgeApproval({ amount, limit, alone, first, isOwn, isSettled })
  if (!needsTwo || !judged.ok || judged.value !== 'alone') return judged
  return isSettled ? accepted('first') : { ok: false, code: 'role_too_new' }
}

type Alone = {
  readonly by: bigint
  readonly kind: 'withdrawal' | 'withdrawal_back' | 'refund' | 'suspense_credit' | 'suspense_pay' | 'finding' | 'bank_transfer' | OutlayKind
  readonly subject: string
  readonly amount: Paise
}
/** Records a decision of one person: it counts for 24 hours. */
export const recordAlone = (tx: Tx, { by, kind, subject, amount }: Alone): Promise<unknown> =>
  tx.query(sql`
    insert into decided_alone (hand, by, kind, subject, amount)
    values (hand_of(${by}::bigint), ${by}::bigint, ${kind}::text, ${subject}::text, ${amount}::bigint)`)

type Returned = {
  readonly id: string
  readonly memberId: bigint
  readonly amount: Paise
  /** The first person who said so. */
  readonly returnFirstBy: bigint | null
}
/** Judges and records the word that the money of a locked payout by hand did not leave, or is back. `first`: nothing moves yet. */
export async function judgeReturn(
  tx: Tx,
  approver: Approver,
  { id, memberId, amount, returnFirstBy }: Returned,
): Promise<Outcome<'first' | 'final', ApprovalRefusal>> {
  const { by } = approver
  const judged = await judgeApprover(tx, approver, { amount, owner: memberId, firstApprovedBy: returnFirstBy })
  if (!judged.ok) return judged
  if (judged.value === 'alone') await recordAlone(tx, { by, kind: 'withdrawal_back', subject: id, amount })
  if (judged.value !== 'first') return accepted('final')
  await tx.query(sql`update withdrawal set return_first_by = ${by}::bigint, return_first_at = roz_now() where id = ${id}::uuid`)
  return accepted('first')
}

export const recordFirstApproval = (tx: Tx, table: 'withdrawal' | 'refund', id: string, by: bigint): Promise<unknown> =>
  tx.query(sql`
    update ${table === 'withdrawal' ? sql`withdrawal` : sql`refund`} set first_approved_by = ${by}::bigint, first_approved_at = roz_now()
     where id = ${id}::uuid`)

/** The state of a row for administrators: requested with a first approval is a state of its own. */
export const seenStatus = (row: Sql): Sql =>
  sql`case when ${row}.status = 'requested' and ${row}.first_approved_by is not null then 'awaiting_second' else ${row}.status end`

/** Condition for the rows in a state that administrators see; without a state, all rows. Written so that an index on `status` serves it. */
export const isInState = (row: Sql, state: string | undefined): Sql => {
  if (state === undefined) return sql`true`
  if (state === 'awaiting_second') return sql`(${row}.status = 'requested' and ${row}.first_approved_by is not null)`
  return sql`(${row}.status = ${state}::text and (${row}.status <> 'requested' or ${row}.first_approved_by is null))`
}
