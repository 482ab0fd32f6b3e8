/**
 * Top-ups: orders, and the payments that credit them. Invariants: the money is keyed by the gateway's
 * payment, never by an event; every payment is booked once; one that fits no order, not its amount, its
 * currency or a paid order, or that comes for an account without a wallet or closed since, goes to
 * SUSPENSE with an open item, and is never lost; a failed order may still be paid. A top-up pays no debt
 * of its member but the one that it makes itself, where the bank had taken it before it was anybody's.
 */
import { CURRENCY, type Paise, paise, ZERO } from '@roz/core/money.ts'
import { maybeOne, one, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { missedAutoJoin } from './auto-join.ts'
import { oweLoss } from './chargebacks.ts'
import { claimSuspended, type SuspenseReason, suspend } from './suspense.ts'
import { creditMember, lockWallet } from './transfer.ts'

export type TopupStatus = 'created' | 'pending' | 'failed' | 'captured' | 'expired' | 'refunded'
export type Topup = { readonly orderId: string; readonly memberId: bigint; readonly amount: Paise; readonly status: TopupStatus }

/** `orderId`: 32 lower-case hex of a random UUID, made before the gateway is asked. */
export async function createTopup(
  tx: Tx,
  topup: { readonly orderId: string; readonly memberId: bigint; readonly amount: Paise },
): Promise<void> {
  await tx.query(
    sql`insert into topup (order_id, member_id, amount) values (${topup.orderId}::text, ${topup.memberId}::bigint, ${topup.amount}::bigint)`,
  )
}

export type Capture = {
  readonly orderId: string
  /** The gateway's id of the payment. */
  readonly paymentId: string
  /** The order's amount as the gateway has it; what was paid with it (a surcharge, an offer) may differ. */
  readonly orderAmount: Paise
  /** Where the gateway told of another currency than INR. */
  readonly currency?: string
}
export type Captured =
  | {
      readonly result: 'credited'
      readonly memberId: bigint
      readonly amount: Paise
      readonly balance: Paise
      /** Auto Participate passed this member over today: a join of its own should follow. */
      readonly missedAutoJoin: boolean
    }
  | { readonly result: 'duplicate' }
  | { readonly result: 'suspense'; readonly reason: SuspenseReason }

/** Books a payment that the gateway says has succeeded. */
export async function captureTopup(tx: Tx, capture: Capture): Promise<Captured> {
  // Every event of one order waits here for the others.
  const order = await maybeOne<Topup & { paymentId: string | null }>(
    tx,
    sql`select order_id as "orderId", member_id as "memberId", amount, status, payment_id as "paymentId" from topup
         where order_id = ${capture.orderId}::text for update`,
  )
  if (order === undefined) return suspend(tx, capture, 'unknown_order')
  if (order.paymentId === capture.paymentId) return { result: 'duplicate' }
  if (order.paymentId !== null) return suspend(tx, capture, 'second_payment')
  if ((capture.currency ?? CURRENCY) !== CURRENCY) return suspend(tx, capture, 'other_currency')
  if (order.amount !== capture.orderAmount) return suspend(tx, capture, 'other_amount')
  const balance = await credit(tx, order, capture.paymentId)
  if (balance === undefined) return { result: 'duplicate' }
  if (typeof balance === 'string') return suspend(tx, capture, balance, balance === 'closed_account' ? order.memberId : undefined)
  const { isTaken } = await one<{ isTaken: boolean }>(
    tx,
    // What the bank took while it lay in SUSPENSE is not refunded on top of it.
    sql`update topup set status = 'captured', payment_id = ${capture.paymentId}::text, captured_at = roz_now(),
          charged_back_at = (select roz_now() from dispute where order_id = ${order.orderId}::text and payment_id = ${capture.paymentId}::text
                                and is_taken limit 1)
         where order_id = ${order.orderId}::text returning charged_back_at is not null as "isTaken"`,
  )
  const owed = isTaken ? await oweLoss(tx, { ...capture, memberId: order.memberId, amount: order.amount }) : ZERO
  return {
    result: 'credited',
    memberId: order.memberId,
    amount: order.amount,
    balance: paise(balance - owed),
    missedAutoJoin: await missedAutoJoin(tx, order.memberId),
  }
}

/** The new balance, undefined where this payment was booked and decided elsewhere, or why no wallet takes it. */
async function credit(tx: Tx, order: Topup, paymentId: string): Promise<Paise | 'closed_account' | 'no_wallet' | undefined> {
  // The item before the wallet, as whoever decides about it takes them.
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
  // An event told of another amount before; that money waits in SUSPENSE and is used first.
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

/** What the gateway says of an order that is not paid. False when nothing changed: a paid order stays paid. */
export async function markTopup(tx: Tx, orderId: string, status: 'pending' | 'failed' | 'expired'): Promise<boolean> {
  const changed = await tx.query(
    sql`update topup set status = ${status}::text
         where order_id = ${orderId}::text and status in ('created', 'pending', 'failed') and status <> ${status}::text returning order_id`,
  )
  return changed.length === 1
}
