/**
 * SUSPENSE: money that came without a place to go. Invariant: the account's balance is the sum of its
 * open items; an item is decided once, under its lock, and not while its payment is with the payer's bank.
 */
import { type Paise, paise } from '@roz/core/money.ts'
import { type Outcome, accepted, refused } from '@roz/core/outcome.ts'
import { maybeOne, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { ACCOUNTS } from './accounts.ts'
import { creditMember, lockWallet, moveSystem } from './transfer.ts'

export type SuspenseReason = 'unknown_order' | 'other_amount' | 'second_payment' | 'closed_account'

/** Books a payment into SUSPENSE with an open item; a payment that is booked already is a duplicate. */
export async function suspend(
  tx: Tx,
  payment: { readonly orderId: string; readonly paymentId: string; readonly orderAmount: Paise },
  reason: SuspenseReason,
): Promise<{ readonly result: 'suspense'; readonly reason: SuspenseReason } | { readonly result: 'duplicate' }> {
  const booked = await moveSystem(tx, {
    kind: 'topup_suspense',
    ref: payment.paymentId,
    debit: ACCOUNTS.GATEWAY,
    credit: ACCOUNTS.SUSPENSE,
    amount: payment.orderAmount,
  })
  if (!booked) return { result: 'duplicate' }
  await openItem(tx, { ...payment, amount: payment.orderAmount }, reason)
  return { result: 'suspense', reason }
}

/** Money that comes back for a member whose account was closed since: an item of its own. `ref` names the movement. */
export async function suspendReturn(
  tx: Tx,
  money: {
    readonly kind: 'wd_reversed' | 'refund_reversed' | 'chargeback_back'
    readonly ref: string
    readonly from: 'BANK' | 'GATEWAY'
    readonly orderId: string
    readonly amount: Paise
  },
): Promise<void> {
  const { kind, ref, from, orderId, amount } = money
  if (!(await moveSystem(tx, { kind, ref, debit: ACCOUNTS[from], credit: ACCOUNTS.SUSPENSE, amount })))
    throw new Error(`${kind} ${ref} stands already`)
  await openItem(tx, { orderId, paymentId: `${kind}:${ref}`, amount }, 'closed_account')
}

async function openItem(tx: Tx, item: { orderId: string; paymentId: string; amount: Paise }, reason: SuspenseReason): Promise<void> {
  await tx.query(
    sql`insert into suspense_item (payment_id, order_id, amount, reason)
        values (${item.paymentId}::text, ${item.orderId}::text, ${item.amount}::bigint, ${reason}::text)`,
  )
}

/**
 * Takes what an earlier event of this payment put into SUSPENSE, up to `due`: what is above it stays as
 * an item of its own, what is missing comes from the gateway. Undefined: this payment is not there.
 */
export async function claimSuspended(
  tx: Tx,
  paymentId: string,
  due: Paise,
): Promise<{ readonly itemId: bigint; readonly amount: Paise; readonly missing: Paise } | 'decided' | undefined> {
  const item = await maybeOne<{ id: bigint; orderId: string; amount: Paise; status: string; reason: SuspenseReason }>(
    tx,
    sql`select id, order_id as "orderId", amount, status, reason from suspense_item where payment_id = ${paymentId}::text for update`,
  )
  if (item === undefined) return undefined
  if (item.status !== 'open') return 'decided'
  await tx.query(sql`update suspense_item set status = 'credited', decided_at = roz_now() where id = ${item.id}::bigint`)
  if (item.amount > due)
    await openItem(tx, { orderId: item.orderId, paymentId: `${paymentId}#rest`, amount: paise(item.amount - due) }, item.reason)
  return item.amount >= due
    ? { itemId: item.id, amount: due, missing: paise(0n) }
    : { itemId: item.id, amount: item.amount, missing: paise(due - item.amount) }
}

type Item = { readonly orderId: string; readonly amount: Paise; readonly status: string }
export type SuspenseRefusal = 'suspense_not_found' | 'suspense_decided' | 'payment_taken_back'

const lockItem = (tx: Tx, itemId: bigint): Promise<Item | undefined> =>
  maybeOne<Item>(tx, sql`select order_id as "orderId", amount, status from suspense_item where id = ${itemId}::bigint for update`)

/** Whether a dispute has the item's payment; asked after the item's lock, which whoever takes it waits for as well. */
export const isTakenBack = async (tx: Tx, itemId: bigint): Promise<boolean> =>
  (await maybeOne(
    tx,
    sql`select 1 from suspense_item s join dispute d using (payment_id) where s.id = ${itemId}::bigint and d.is_taken limit 1`,
  )) !== undefined

const decide = (tx: Tx, itemId: bigint, status: 'credited' | 'refunded', decidedBy: bigint) =>
  tx.query(sql`
    update suspense_item set status = ${status}::text, decided_at = roz_now(), decided_by = ${decidedBy}::bigint where id = ${itemId}::bigint`)

/** An administrator knows whose it is: the whole item goes to a member. */
export async function creditSuspense(
  tx: Tx,
  decision: { readonly itemId: bigint; readonly memberId: bigint; readonly decidedBy: bigint },
): Promise<Outcome<{ readonly amount: Paise; readonly balance: Paise }, SuspenseRefusal | 'member_not_found'>> {
  const { itemId, memberId } = decision
  const item = await lockItem(tx, itemId)
  if (item === undefined) return refused('suspense_not_found')
  if (item.status !== 'open') return refused('suspense_decided')
  if (await isTakenBack(tx, itemId)) return refused('payment_taken_back')
  const wallet = await lockWallet(tx, memberId)
  if (wallet === undefined || wallet.isClosed) return refused('member_not_found')
  await decide(tx, itemId, 'credited', decision.decidedBy)
  const { balance } = await creditMember(tx, {
    kind: 'suspense_credit',
    ref: itemId.toString(),
    memberId,
    amount: item.amount,
    from: 'SUSPENSE',
  })
  return accepted({ amount: item.amount, balance })
}

/** Back to where it came from: an approved refund of the whole item, to be sent after the commit. */
export async function refundSuspense(
  tx: Tx,
  decision: { readonly itemId: bigint; readonly refundId: string; readonly reason: string; readonly decidedBy: bigint },
): Promise<Outcome<{ readonly amount: Paise }, SuspenseRefusal>> {
  const { itemId, refundId } = decision
  const item = await lockItem(tx, itemId)
  if (item === undefined) return refused('suspense_not_found')
  if (item.status !== 'open') return refused('suspense_decided')
  if (await isTakenBack(tx, itemId)) return refused('payment_taken_back')
  await decide(tx, itemId, 'refunded', decision.decidedBy)
  await tx.query(sql`
    insert into refund (id, order_id, suspense_id, amount, status, reason)
    values (${refundId}::uuid, ${item.orderId}::text, ${itemId}::bigint, ${item.amount}::bigint, 'approved', ${decision.reason}::text)`)
  const { SUSPENSE, REFUNDS_PENDING } = ACCOUNTS
  const booked = await moveSystem(tx, {
    kind: 'suspense_refund',
    ref: refundId,
    debit: SUSPENSE,
    credit: REFUNDS_PENDING,
    amount: item.amount,
  })
  if (!booked) throw new Error(`suspense item ${itemId}: refund ${refundId} is booked already`)
  return accepted({ amount: item.amount })
}
