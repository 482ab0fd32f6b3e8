/**
 * Refunds: payments returned to their source.
 * - A refund takes at most the unused part of a top-up, within seven days of its capture, and at least a rupee or all of that part.
 * - A member has at most five open refunds: each one is a decision of an administrator and a call to the gateway.
 * - The amount is judged and held under the wallet's lock in one transaction: no rupee is both refunded and spent.
 * - A refund is sent under one id and ends once.
 * - Above a limit two persons approve; the first approval leaves it `requested`.
 * - A refund is neither approved nor sent while the payer's bank has the payment, or while its member is on hold or in debt.
 * - A failed or rejected refund returns to the member, or reopens its suspense item.
 * - A paid refund that is reversed after the account was closed is booked to SUSPENSE.
 * - The gateway's final status is always booked, even after another one. An amount given back and paid as well is a loss (`refund_conflict`).
 */
import { refundProblem } from '@roz/core/money-fields.ts'
import { CURRENCY, type Paise } from '@roz/core/money.ts'
import { type Outcome, accepted, refused } from '@roz/core/outcome.ts'
import type { ApprovalRefusal } from '@roz/core/two-persons.ts'
import { type Queryable, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { ACCOUNTS } from './accounts.ts'
import { type Approver, judgeApprover, recordAlone, recordFirstApproval } from './approvals.ts'
import { findMandatePayment } from './autopay.ts'
import { moveConflict } from './conflicts.ts'
import { giveBackToMember, readDebt } from './debts.ts'
import { isRefundOnHold, ON_HOLD, REFUND_OWNER } from './holds.ts'
import { isTakenBack, suspendReturn } from './suspense.ts'
import { debitMember, lockWallet, moveSystem, releaseHeld } from './transfer.ts'
import { listUnusedTopups } from './unused-topups.ts'

export type RefundStatus = 'requested' | 'approved' | 'sending' | 'paid' | 'rejected' | 'failed'
type RefundRefusal = 'refund_not_found' | 'refund_final'

type RefundRequest = {
  /** A random UUID; without its dashes it is the refund's id at the gateway. */
  readonly id: string
  readonly memberId: bigint
  readonly orderId: string
  readonly amount: Paise
  readonly reason: string
}

type RequestRefusal =
  | 'order_not_found'
  | 'refund_not_possible'
  | 'refund_exceeds_unused'
  | 'refund_too_small'
  | 'refunds_open'
  | 'may_not_move'
/** The refusal `refunds_open` names this number. */
const OPEN_MOST = 5

/** A member requests a refund: the amount is held at once, and an administrator decides. */
export async function requestRefund(
  tx: Tx,
  { id, memberId, orderId, amount, reason }: RefundRequest,
): Promise<Outcome<{ readonly balance: Paise }, RequestRefusal>> {
  const order = await tx.maybeOne<{ isPaid: boolean }>(sql`select status in ('captured', 'refunded') as "isPaid" from topup
         where order_id = ${orderId}::text and member_id = ${memberId}::bigint for update`)
  if (order === undefined) return refused('order_not_found')
  const wallet = await lockWallet(tx, memberId)
  if (wallet === undefined || !wallet.mayMove) return refused('may_not_move')
  const topup = (await listUnusedTopups(tx, memberId)).find((one) => one.orderId === orderId)
  if (!order.isPaid || topup?.isRefundable === false) return refused('refund_not_possible')
  if (topup === undefined) return refused('refund_exceeds_unused')
  const problem = refundProblem(amount, topup.unused)
  if (problem !== undefined) return refused(problem === 'refund_too_much' ? 'refund_exceeds_unused' : problem)
  // Under the wallet's lock: of requests at the same time each one sees those before it.
  const open = await tx.query(sql`
    select from refund where member_id = ${memberId}::bigint and status in ('requested', 'approved', 'sending') limit ${OPEN_MOST}::int`)
  if (open.length >= OPEN_MOST) return refused('refunds_open')
  await tx.query(sql`
    insert into refund (id, order_id, member_id, amount, reason)
    values (${id}::uuid, ${orderId}::text, ${memberId}::bigint, ${amount}::bigint, ${reason}::text)`)
  return accepted(await debitMember(tx, { kind: 'refund_hold', ref: id, memberId, amount, to: 'REFUNDS_PENDING', holds: amount }))
}

type Row = {
  readonly memberId: bigint | null
  readonly suspenseId: bigint | null
  readonly orderId: string
  readonly amount: Paise
  readonly status: RefundStatus
  readonly problem: string | null
  /** Its member, or the member of the order behind its suspense item. */
  readonly owner: bigint | null
  readonly firstApprovedBy: bigint | null
}

/** Locks a refund, so that decisions about it run one after the other. */
export const lockRefund = (tx: Tx, id: string): Promise<Row | undefined> =>
  tx.maybeOne<Row>(sql`
    select r.member_id as "memberId", r.suspense_id as "suspenseId", r.order_id as "orderId", r.amount, r.status, r.problem,
               ${REFUND_OWNER} as owner, r.first_approved_by as "firstApprovedBy"
          from refund r where r.id = ${id}::uuid for update`)

/** The payment's currency: INR, unless the refund's suspense item names another one. */
export async function currencyOfRefund(tx: Tx, id: string): Promise<string> {
  const item = await tx.maybeOne<{ currency: string }>(
    sql`select s.currency from refund r join suspense_item s on s.id = r.suspense_id where r.id = ${id}::uuid`,
  )
  return item?.currency ?? CURRENCY
}

/** The payment of AutoPay that the refund returns; undefined for the payment of an order. */
export async function findRefundSource(from: Queryable, id: string): ReturnType<typeof findMandatePayment> {
  const paid = await from.maybeOne<{ orderId: string; paymentId: string }>(sql`
    select r.order_id as "orderId", coalesce(split_part(s.payment_id, '#', 1), t.payment_id) as "paymentId"
          from refund r left join suspense_item s on s.id = r.suspense_id left join topup t on t.order_id = r.order_id
         where r.id = ${id}::uuid and coalesce(s.payment_id, t.payment_id) is not null`)
  return paid && findMandatePayment(from, paid)
}

/** Whether a dispute has taken the payment. Disputes need the lock that is taken here, so the answer is stable. */
async function isChargedBack(tx: Tx, { orderId, suspenseId }: Row): Promise<boolean> {
  if (suspenseId !== null) {
    await tx.query(sql`select from suspense_item where id = ${suspenseId}::bigint for update`)
    return isTakenBack(tx, suspenseId)
  }
  const topup = await tx.maybeOne<{ isTaken: boolean }>(
    sql`select charged_back_at is not null as "isTaken" from topup where order_id = ${orderId}::text for update`,
  )
  return topup?.isTaken === true
}

type Unpayable = 'payment_taken_back' | 'member_in_debt'

/** The reason why the refund cannot be sent now. Chargebacks and new debts need the same locks, so the answer is stable. */
async function obstacleOf(tx: Tx, found: Row): Promise<Unpayable | undefined> {
  if (await isChargedBack(tx, found)) return 'payment_taken_back'
  if (found.memberId === null) return undefined
  await lockWallet(tx, found.memberId)
  return (await readDebt(tx, found.memberId)) > 0n ? 'member_in_debt' : undefined
}

/**
 * An administrator approves a refund, or sends an approved one again that stopped with a problem.
 * - `first`: the approval is recorded, and another person must approve too.
 */
export async function approveRefund(
  tx: Tx,
  id: string,
  approver: Approver,
): Promise<Outcome<Row & { readonly approval: 'first' | 'final' }, RefundRefusal | Unpayable | 'member_on_hold' | ApprovalRefusal>> {
  const found = await lockRefund(tx, id)
  if (found === undefined) return refused('refund_not_found')
  const isStuck = found.status === 'approved' && found.problem !== null
  if (found.status !== 'requested' && !isStuck) return refused('refund_final')
  const judged = isStuck ? accepted('again' as const) : await judgeApprover(tx, approver, found)
  if (!judged.ok) return judged
  // First the locks: a suspension or hold that they waited for is seen.
  const obstacle = await obstacleOf(tx, found)
  if (await isRefundOnHold(tx, id)) return refused('member_on_hold')
  if (obstacle !== undefined) return refused(obstacle)
  if (judged.value === 'alone') await recordAlone(tx, { by: approver.by, kind: 'refund', subject: id, amount: found.amount })
  if (judged.value === 'first') await recordFirstApproval(tx, 'refund', id, approver.by)
  else
    await tx.query(sql`
      update refund set status = 'approved', approved_at = coalesce(approved_at, roz_now()), problem = null,
        approved_by = case when approved_at is null then ${approver.by}::bigint else approved_by end where id = ${id}::uuid`)
  return accepted({ ...found, approval: judged.value === 'first' ? 'first' : 'final' })
}

/** An administrator rejects a refund before it is sent: the amount is given back. */
export async function rejectRefund(
  tx: Tx,
  { id, reason }: { readonly id: string; readonly reason: string },
): Promise<Outcome<Row, RefundRefusal>> {
  const found = await lockRefund(tx, id)
  if (found === undefined) return refused('refund_not_found')
  if (found.status !== 'requested' && found.status !== 'approved') return refused('refund_final')
  await giveBack(tx, id, found, 'refund_failed')
  await end(tx, id, { status: 'rejected', decision: reason })
  return accepted(found)
}

/**
 * Marks a refund as `sending`; from then on only the gateway's status ends it. False: the refund cannot be sent now.
 * - `again`: a refund that is `sending` already, and certainly never reached the gateway, is sent again.
 * - A chargeback or a debt puts the refund back to `approved`, with the reason for the administrator.
 * - A hold keeps the refund waiting for the end of the hold.
 */
export async function startRefund(tx: Tx, id: string, options: { readonly again: boolean }): Promise<boolean> {
  const found = await lockRefund(tx, id)
  if (found?.status !== 'approved' && !(found?.status === 'sending' && options.again)) return false
  const obstacle = await obstacleOf(tx, found)
  if (obstacle !== undefined) {
    await tx.query(sql`update refund set status = 'approved', problem = ${obstacle}::text where id = ${id}::uuid`)
    return false
  }
  if (await isRefundOnHold(tx, id)) {
    await tx.query(sql`update refund set problem = ${ON_HOLD}::text where id = ${id}::uuid`)
    return false
  }
  await tx.query(sql`
    update refund set status = 'sending', problem = case when status = 'sending' then nullif(problem, ${ON_HOLD}::text) end
     where id = ${id}::uuid`)
  return true
}

/** The gateway declined the refund, and none is on its way: back to `approved`, with the reason for the administrator. */
export async function stopRefund(tx: Tx, id: string, problem: string): Promise<void> {
  const found = await lockRefund(tx, id)
  if (found?.status !== 'sending' && found?.status !== 'approved') return
  await tx.query(sql`update refund set status = 'approved', problem = ${problem}::text where id = ${id}::uuid`)
}

type RefundBooked = Row & {
  readonly result: 'paid' | 'failed' | 'reversed' | 'conflict' | 'conflict_back' | 'unchanged'
  /** The gateway's status contradicts our state: an administrator must look. */
  readonly contradicts: boolean
}

type Told = {
  readonly id: string
  readonly word: 'paid' | 'failed'
  readonly reference?: string | undefined
  readonly decision?: string | undefined
}

/** Books the gateway's final status in any state. Undefined: no such refund. */
export async function bookRefund(tx: Tx, told: Told): Promise<RefundBooked | undefined> {
  const { id, word } = told
  const found = await lockRefund(tx, id)
  if (found === undefined) return undefined
  switch (found.status) {
    case 'requested':
    case 'approved':
    case 'sending': {
      if (word === 'paid') await pay(tx, told, found)
      else {
        await giveBack(tx, id, found, 'refund_failed')
        await end(tx, id, { status: 'failed', decision: told.decision })
      }
      // The gateway should not know a refund that we never sent. The hold covers the refund all the same.
      return { ...found, result: word, contradicts: found.status !== 'sending' }
    }
    case 'paid': {
      if (word === 'paid') return { ...found, result: 'unchanged', contradicts: false }
      await giveBack(tx, id, found, 'refund_reversed')
      await end(tx, id, { status: 'failed', decision: told.decision })
      if (found.memberId !== null) await unmarkRefunded(tx, found.orderId)
      return { ...found, result: 'reversed', contradicts: true }
    }
    case 'rejected':
    case 'failed':
      return bookAfterBack(tx, told, found)
  }
}

/** The amount was given back already. If the refund was paid as well, LOSSES bears it until that payment returns. */
async function bookAfterBack(tx: Tx, { id, word }: Told, found: Row): Promise<RefundBooked> {
  const moved = await moveConflict(tx, { id, amount: found.amount, out: 'refund_conflict', asset: 'GATEWAY', isOut: word === 'paid' })
  return { ...found, result: moved ?? 'unchanged', contradicts: moved !== undefined }
}

async function pay(tx: Tx, { id, reference }: Told, found: Row): Promise<void> {
  const { memberId, orderId, amount } = found
  if (memberId !== null) {
    // Lock order as in `requestRefund`: the top-up, then the wallet.
    await tx.query(sql`select from topup where order_id = ${orderId}::text for update`)
    await lockWallet(tx, memberId)
    await releaseHeld(tx, memberId, amount)
  }
  const { REFUNDS_PENDING, GATEWAY } = ACCOUNTS
  const booked = await moveSystem(tx, { kind: 'refund_paid', ref: id, debit: REFUNDS_PENDING, credit: GATEWAY, amount })
  if (!booked) throw new Error(`refund ${id} is open, but its end is booked already`)
  await end(tx, id, { status: 'paid', reference })
  if (memberId !== null) await markRefunded(tx, orderId)
}

/** Marks a top-up as refunded once its paid refunds reach its whole amount. */
async function markRefunded(tx: Tx, orderId: string): Promise<void> {
  await tx.query(sql`
    update topup o set status = 'refunded' where order_id = ${orderId}::text and status = 'captured'
      and amount <= (select sum(r.amount) from refund r where r.order_id = o.order_id and r.member_id is not null and r.status = 'paid')`)
}

/** A reversed refund makes its top-up `captured` again. */
async function unmarkRefunded(tx: Tx, orderId: string): Promise<void> {
  await tx.query(sql`update topup set status = 'captured' where order_id = ${orderId}::text and status = 'refunded'`)
}

/** Gives the amount back: from the hold (`refund_failed`), or from the gateway that had paid it (`refund_reversed`). */
async function giveBack(
  tx: Tx,
  id: string,
  { memberId, suspenseId, orderId, amount }: Row,
  kind: 'refund_failed' | 'refund_reversed',
): Promise<void> {
  const from = kind === 'refund_failed' ? 'REFUNDS_PENDING' : 'GATEWAY'
  if (memberId !== null) {
    await tx.query(sql`select from topup where order_id = ${orderId}::text for update`)
    const wallet = await lockWallet(tx, memberId)
    if (wallet?.isClosed === true && kind === 'refund_reversed')
      return suspendReturn(tx, { kind, ref: id, from: 'GATEWAY', orderId, amount, memberId })
    await giveBackToMember(tx, { kind, ref: id, memberId, amount, from, ...(kind === 'refund_failed' ? { releases: amount } : {}) })
    return
  }
  await tx.query(sql`
    update suspense_item set status = 'open', decided_at = null, decided_by = null where id = ${suspenseId}::bigint and status = 'refunded'`)
  const booked = await moveSystem(tx, { kind, ref: id, debit: ACCOUNTS[from], credit: ACCOUNTS.SUSPENSE, amount })
  if (!booked) throw new Error(`refund ${id} is open, but its end is booked already`)
}

type End = {
  readonly status: 'paid' | 'rejected' | 'failed'
  readonly reference?: string | undefined
  readonly decision?: string | undefined
}
async function end(tx: Tx, id: string, { status, reference, decision }: End): Promise<void> {
  await tx.query(sql`update refund set status = ${status}::text, ended_at = roz_now(), problem = null,
          reference = coalesce(${reference ?? null}::text, reference), decision = coalesce(${decision ?? null}::text, decision)
         where id = ${id}::uuid`)
}
