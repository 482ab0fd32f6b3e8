/**
 * Chargebacks: the payer's bank took a payment back. Invariants: booked once per dispute; the member
 * gives as far as the balance reaches, while what is held for a withdrawal or refund stays held; the
 * rest is our loss, and together they are the amount; a top-up that was taken back is not refunded on
 * top of it.
 */
import { type Paise, paise } from '@roz/core/money.ts'
import { type Outcome, accepted, refused } from '@roz/core/outcome.ts'
import { maybeOne, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { ACCOUNTS } from './accounts.ts'
import { debitMember, lockWallet, moveSystem } from './transfer.ts'

export type Chargeback = {
  /** The gateway's id of the dispute. */
  readonly disputeId: string
  readonly orderId: string
  readonly amount: Paise
}
export type ChargedBack =
  | { readonly result: 'booked'; readonly memberId: bigint; readonly fromMember: Paise; readonly lost: Paise }
  | { readonly result: 'duplicate' }

export async function bookChargeback(
  tx: Tx,
  { disputeId, orderId, amount }: Chargeback,
): Promise<Outcome<ChargedBack, 'order_not_found' | 'chargeback_exceeds_payment'>> {
  const order = await maybeOne<{ memberId: bigint; amount: Paise; isPaid: boolean }>(
    tx,
    sql`select member_id as "memberId", amount, payment_id is not null as "isPaid" from topup where order_id = ${orderId}::text for update`,
  )
  if (order === undefined || !order.isPaid) return refused('order_not_found')
  if (amount <= 0n || amount > order.amount) return refused('chargeback_exceeds_payment')
  const { memberId } = order
  const wallet = await lockWallet(tx, memberId)
  if (wallet === undefined) throw new Error(`chargeback ${disputeId}: member ${memberId} has no wallet`)
  // The dispute's two parts carry refs of their own; either tells that it was booked.
  const known = await maybeOne(
    tx,
    sql`select 1 as booked from transfer where kind = 'chargeback' and ref in (${disputeId}::text, ${`${disputeId}#loss`}::text) limit 1`,
  )
  if (known !== undefined) return accepted({ result: 'duplicate' })
  const fromMember = paise(amount < wallet.balance ? amount : wallet.balance)
  const lost = paise(amount - fromMember)
  if (fromMember > 0n) await debitMember(tx, { kind: 'chargeback', ref: disputeId, memberId, amount: fromMember, to: 'GATEWAY' })
  const { LOSSES, GATEWAY } = ACCOUNTS
  if (lost > 0n) await moveSystem(tx, { kind: 'chargeback', ref: `${disputeId}#loss`, debit: LOSSES, credit: GATEWAY, amount: lost })
  await tx.query(sql`update topup set charged_back_at = coalesce(charged_back_at, roz_now()) where order_id = ${orderId}::text`)
  return accepted({ result: 'booked', memberId, fromMember, lost })
}
