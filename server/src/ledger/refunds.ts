/**
 * Refunds to the source of a payment. Invariants: at most the unused part of a top-up within seven
 * days, judged under the wallet's lock and held in the same transaction, so that the same rupee is
 * never refunded and spent; approved, sent under one id and ended once, and neither approved nor sent
 * while the payer's bank has the payment or the member is on hold or in debt; what fails is given back
 * to the member, or to the suspense item, which is open again, or to SUSPENSE where the account was
 * closed since. The gateway's final word is always booked,
 * also after another one: what was paid and came back is given back, what was given back and paid all
 * the same is a loss (`refund_conflict`).
 */
import { CURRENCY, type Paise } from '@roz/core/money.ts'
import { type Outcome, accepted, refused } from '@roz/core/outcome.ts'
import { maybeOne, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { ACCOUNTS } from './accounts.ts'
import { moveConflict } from './conflicts.ts'
import { giveBackToMember, readDebt } from './debts.ts'
import { isRefundOnHold, ON_HOLD } from './holds.ts'
import { isTakenBack, suspendReturn } from './suspense.ts'
import { debitMember, lockWallet, moveSystem, releaseHeld } from './transfer.ts'
import { listUnusedTopups } from './unused-topups.ts'

export type RefundStatus = 'requested' | 'approved' | 'sending' | 'paid' | 'rejected' | 'failed'
export type RefundRefusal = 'refund_not_found' | 'refund_final'

export type RefundRequest = {
  /** A random UUID; without its dashes it is the refund's id at the gateway. */
  readonly id: string
  readonly memberId: bigint
  readonly orderId: string
  readonly amount: Paise
  readonly reason: string
}

/** A member's wish: held at once, decided by an administrator. */
export async function requestRefund(
  tx: Tx,
  { id, memberId, orderId, amount, reason }: RefundRequest,
): Promise<Outcome<{ readonly balance: Paise }, 'order_not_found' | 'refund_not_possible' | 'refund_exceeds_unused' | 'may_not_move'>> {
  const order = await maybeOne<{ isPaid: boolean }>(
    tx,
    sql`select status in ('captured', 'refunded') as "isPaid" from topup
         where order_id = ${orderId}::text and member_id = ${memberId}::bigint for update`,
  )
  if (order === undefined) return refused('order_not_found')
  const wallet = await lockWallet(tx, memberId)
  if (wallet === undefined || !wallet.mayMove) return refused('may_not_move')
  const topup = (await listUnusedTopups(tx, memberId)).find((one) => one.orderId === orderId)
  if (!order.isPaid || topup?.isRefundable === false) return refused('refund_not_possible')
  if (topup === undefined || amount > topup.unused) return refused('refund_exceeds_unused')
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
}

/** Every decision about one refund waits here for the others. */
export const lockRefund = (tx: Tx, id: string): Promise<Row | undefined> =>
  maybeOne<Row>(
    tx,
    sql`select member_id as "memberId", suspense_id as "suspenseId", order_id as "orderId", amount, status, problem
          from refund where id = ${id}::uuid for update`,
  )

/** The payment's currency: INR, but of a suspense item that the gateway named another one for. */
export async function currencyOfRefund(tx: Tx, id: string): Promise<string> {
  const item = await maybeOne<{ currency: string }>(
    tx,
    sql`select s.currency from refund r join suspense_item s on s.id = r.suspense_id where r.id = ${id}::uuid`,
  )
  return item?.currency ?? CURRENCY
}

/** Whether the payer's bank has the money already; it, too, waits for the lock that is taken here. */
async function isChargedBack(tx: Tx, { orderId, suspenseId }: Row): Promise<boolean> {
  if (suspenseId !== null) {
    await tx.query(sql`select from suspense_item where id = ${suspenseId}::bigint for update`)
    return isTakenBack(tx, suspenseId)
  }
  const topup = await maybeOne<{ isTaken: boolean }>(
    tx,
    sql`select charged_back_at is not null as "isTaken" from topup where order_id = ${orderId}::text for update`,
  )
  return topup?.isTaken === true
}

type Unpayable = 'payment_taken_back' | 'member_in_debt'

/** Why it may not go out now, judged under the locks that whoever takes the payment or makes a debt waits for. */
async function obstacleOf(tx: Tx, found: Row): Promise<Unpayable | undefined> {
  if (await isChargedBack(tx, found)) return 'payment_taken_back'
  if (found.memberId === null) return undefined
  await lockWallet(tx, found.memberId)
  return (await readDebt(tx, found.memberId)) > 0n ? 'member_in_debt' : undefined
}

/** An administrator's yes; a second one sends again what the gateway would not take. */
export async function approveRefund(tx: Tx, id: string): Promise<Outcome<Row, RefundRefusal | Unpayable | 'member_on_hold'>> {
  const found = await lockRefund(tx, id)
  if (found === undefined) return refused('refund_not_found')
  const isStuck = found.status === 'approved' && found.problem !== null
  if (found.status !== 'requested' && !isStuck) return refused('refund_final')
  if (await isRefundOnHold(tx, id)) return refused('member_on_hold')
  const obstacle = await obstacleOf(tx, found)
  if (obstacle !== undefined) return refused(obstacle)
  await tx.query(
    sql`update refund set status = 'approved', approved_at = coalesce(approved_at, roz_now()), problem = null where id = ${id}::uuid`,
  )
  return accepted(found)
}

/** An administrator's no before it was sent: the hold goes back. */
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
 * From here on only the gateway ends it. `again`: one that is being sent already, and surely never arrived. What
 * the bank has taken back is not sent on top of it, nor anything of a member in debt: it stands as approved, with
 * its reason for the administrator. What a hold stops waits for the end of the hold.
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

/** The gateway took none, and none is on its way: it stands as approved, with the reason for the administrator. */
export async function stopRefund(tx: Tx, id: string, problem: string): Promise<void> {
  const found = await lockRefund(tx, id)
  if (found?.status !== 'sending' && found?.status !== 'approved') return
  await tx.query(sql`update refund set status = 'approved', problem = ${problem}::text where id = ${id}::uuid`)
}

export type RefundBooked = Row & {
  readonly result: 'paid' | 'failed' | 'reversed' | 'conflict' | 'conflict_back' | 'unchanged'
  /** The gateway says what our own state did not allow for: somebody should look. */
  readonly contradicts: boolean
}

type Told = {
  readonly id: string
  readonly word: 'paid' | 'failed'
  readonly reference?: string | undefined
  readonly decision?: string | undefined
}

/** Books the gateway's final word, whatever state it meets. Undefined: no such refund. */
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
      // Before we sent it nobody should know of it; what is held covers it all the same.
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

/** The money was given back here. If it went out as well, LOSSES pays; if that comes back too, LOSSES gets it. */
async function bookAfterBack(tx: Tx, { id, word }: Told, found: Row): Promise<RefundBooked> {
  const moved = await moveConflict(tx, { id, amount: found.amount, out: 'refund_conflict', asset: 'GATEWAY', isOut: word === 'paid' })
  return { ...found, result: moved ?? 'unchanged', contradicts: moved !== undefined }
}

async function pay(tx: Tx, { id, reference }: Told, found: Row): Promise<void> {
  const { memberId, orderId, amount } = found
  if (memberId !== null) {
    // The top-up before the wallet, as whoever asks for a refund takes them.
    await tx.query(sql`select from topup where order_id = ${orderId}::text for update`)
    await lockWallet(tx, memberId)
    await releaseHeld(tx, memberId, amount)
  }
  const { REFUNDS_PENDING, GATEWAY } = ACCOUNTS
  const booked = await moveSystem(tx, { kind: 'refund_paid', ref: id, debit: REFUNDS_PENDING, credit: GATEWAY, amount })
  if (!booked) throw new Error(`refund ${id} is open and ended at once`)
  await end(tx, id, { status: 'paid', reference })
  if (memberId !== null) await markRefunded(tx, orderId)
}

/** A top-up that went back whole says so. */
async function markRefunded(tx: Tx, orderId: string): Promise<void> {
  await tx.query(sql`
    update topup o set status = 'refunded' where order_id = ${orderId}::text and status = 'captured'
      and amount <= (select sum(r.amount) from refund r where r.order_id = o.order_id and r.member_id is not null and r.status = 'paid')`)
}

/** One that came back no longer makes its top-up a refunded one. */
async function unmarkRefunded(tx: Tx, orderId: string): Promise<void> {
  await tx.query(sql`update topup set status = 'captured' where order_id = ${orderId}::text and status = 'refunded'`)
}

/** From what was held, or from the gateway, which had paid it before. */
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
  if (!booked) throw new Error(`refund ${id} is open and ended at once`)
}

type End = {
  readonly status: 'paid' | 'rejected' | 'failed'
  readonly reference?: string | undefined
  readonly decision?: string | undefined
}
async function end(tx: Tx, id: string, { status, reference, decision }: End): Promise<void> {
  await tx.query(
    sql`update refund set status = ${status}::text, ended_at = roz_now(), problem = null,
          reference = coalesce(${reference ?? null}::text, reference), decision = coalesce(${decision ?? null}::text, decision)
         where id = ${id}::uuid`,
  )
}
