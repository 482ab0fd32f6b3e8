/**
 * SUSPENSE: money that came without a place to go. Invariant: the account's balance is the sum of its
 * open items, and an item is decided once, under its lock.
 */
import { type Paise, paise } from '@roz/core/money.ts'
import { maybeOne, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { ACCOUNTS } from './accounts.ts'
import { moveSystem } from './transfer.ts'

export type SuspenseReason = 'unknown_order' | 'other_amount' | 'second_payment'

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
