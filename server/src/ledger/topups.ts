/**
 * Top-ups: orders, and the payments that credit them.
 * - A booking is keyed by the gateway's payment id, never by an event: each payment is booked once.
 * - A payment for no order, for a paid order, or in another amount or currency is booked to SUSPENSE with an open item.
 * - A payment for an account without a wallet, or with a closed one, is booked to SUSPENSE too. No payment is lost.
 * - A failed or expired order may still be paid.
 * - A top-up pays no debt of its member. A payment that the bank took while it was in SUSPENSE credits nobody.
 */
import { CURRENCY, type Paise } from '@roz/core/money.ts'
import { sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { missedAutoJoin } from './auto-join.ts'
import { claimSuspended, type SuspenseReason, suspend } from './suspense.ts'
import { creditMember, lockWallet } from './transfer.ts'

export type TopupStatus = 'created' | 'pending' | 'failed' | 'captured' | 'expired' | 'refunded'
export type Topup = { readonly orderId: string; readonly memberId: bigint; readonly amount: Paise; readonly status: TopupStatus }

/** `orderId`: a random UUID as 32 lower-case hex digits, made before the gateway is called. */
export async function createTopup(
  tx: Tx,
  topup: { readonly orderId: string; readonly memberId: bigint; readonly amount: Paise },
): Promise<void> {
  await tx.query(
    sql`insert into topup (order_id, member_id, amount) values (${topup.orderId}::text, ${topup.memberId}::bigint, ${topup.amount}::bigint)`,
  )
}

type Capture = {
  readonly orderId: string
  readonly paymentId: string
  /** The order's amount at the gateway. The amount paid may differ by a surcharge or an offer. */
  readonly orderAmount: Paise
  /** Set if the gateway names another currency than INR. */
  readonly currency?: string
}
export type Captured =
  | {
      readonly result: 'credited'
      readonly memberId: bigint
      readonly amount: Paise
      readonly balance: Paise
      /** Auto Participate skipped this member today: the caller queues a join. */
      readonly missedAutoJoin: boolean
    }
  | { readonly result: 'duplicate' }
  | { readonly result: 'suspense'; readonly reason: SuspenseReason }

/** Books a payment that the gateway reports as successful. */
export async function captureTopup(tx: Tx, capture: Capture): Promise<Captured> {
  // Serialises the events of one order.
  const order = await tx.maybeOne<Topup & { paymentId: string | null }>(sql`
    select order_id as "orderId", member_id as "memberId", amount, status, payment_id as "paymentId" from topup
         where order_id = ${capture.orderId}::text for update`)
  if (order === undefined) return suspend(tx, capture, 'unknown_order')
  if (order.paymentId === capture.paymentId) return { result: 'duplicate' }
  if (order.paymentId !== null) return suspend(tx, capture, 'second_payment')
  if ((capture.currency ?? CURRENCY) !== CURRENCY) return suspend(tx, capture, 'other_currency')
  if (order.amount !== capture.orderAmount) return suspend(tx, capture, 'other_amount')
  const balance = await credit(tx, order, capture.paymentId)
  if (balance === undefined) return { result: 'duplicate' }
  if (typeof balance === 'string') return suspend(tx, capture, balance, balance === 'closed_account' ? order.memberId : undefined)
  await tx.query(sql`
    update topup set status = 'captured', payment_id = ${capture.paymentId}::text, captured_at = roz_now() where order_id = ${order.orderId}::text`)
  return {
    result: 'credited',
    memberId: order.memberId,
    amount: order.amount,
    balance,
    missedAutoJoin: await missedAutoJoin(tx, order.memberId),
  }
}

/** The new balance; undefined if the payment is booked and decided already; or the reason why no wallet takes it. */
async function credit(tx: Tx, order: Topup, paymentId: string): Promise<Paise | 'closed_account' | 'no_wallet' | undefined> {
  // Lock order of every decision about an item: the item, then the wallet.
  await tx.query(sql`select from suspense_item where payment_id = ${paymentId}::text for update`)
  const { memberId } = order
  const wallet = await lockWallet(tx, memberId)
  if (wallet === undefined) return 'no_wallet'
  if (wallet.isClosed) return 'closed_account'
  const claimed = await claimSuspended(tx, paymentId, order.amount)
  if (claimed === 'decided') return undefined
  if (claimed === undefined) {
    const { balance } = await creditMember(tx, { kind: 'topup', ref: paymentId, memberId, amount: order.amount, from: 'GATEWAY' })
    return balance
  }
  // An earlier event named another amount: that money is in SUSPENSE and is used first.
  const { balance } = await creditMember(tx, {
    kind: 'suspense_credit',
    ref: claimed.itemId.toString(),
    memberId,
    amount: claimed.amount,
    from: 'SUSPENSE',
  })
  if (claimed.missing === 0n) return balance
  return (await creditMember(tx, { kind: 'topup', ref: `${paymentId}#rest`, memberId, amount: claimed.missing, from: 'GATEWAY' })).balance
}

/** Records the gateway's status of an unpaid order. False: nothing changed, because a paid order stays paid. */
export async function markTopup(tx: Tx, orderId: string, status: 'pending' | 'failed' | 'expired'): Promise<boolean> {
  const changed = await tx.query(sql`update topup set status = ${status}::text
         where order_id = ${orderId}::text and status in ('created', 'pending', 'failed') and status <> ${status}::text returning order_id`)
  return changed.length === 1
}
