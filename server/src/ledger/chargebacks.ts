/**
 * Chargebacks: the payer's bank takes a payment back, and returns it where the dispute is won.
 * Invariants: what is taken is taken once, whatever is told how often; the member gives as far as the
 * balance reaches, while what is held for a withdrawal or refund stays held; of an account that is closed
 * what waits in SUSPENSE of this order; the rest is our loss, and together they are the amount. What is
 * returned goes back to whoever gave it, or to SUSPENSE where that account is closed; a top-up that was
 * taken back is not refunded on top of it, though another payment of its order may be with the bank. A
 * dispute that takes anew is numbered: `id`, `id#2`, ….
 */
import { type Paise, paise, ZERO } from '@roz/core/money.ts'
import { type Outcome, accepted, refused } from '@roz/core/outcome.ts'
import { maybeOne, one, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { ACCOUNTS, FIRST_MEMBER_ID } from './accounts.ts'
import { lockReturned, suspendReturn, takeReturned } from './suspense.ts'
import { creditMember, debitMember, lockWallet, moveSystem } from './transfer.ts'

export type Chargeback = {
  /** The gateway's ids; the dispute's without a `#`. */
  readonly disputeId: string
  readonly orderId: string
  readonly paymentId: string
  readonly amount: Paise
}
export type Parts = {
  readonly memberId: bigint | undefined
  readonly fromMember: Paise
  /** What waited for a closed account, or waits now. */
  readonly suspended: Paise
  readonly lost: Paise
}
export type ChargedBack = ({ readonly result: 'booked' } & Parts) | { readonly result: 'duplicate' }
/** Nothing is booked of either: a person has to look. */
export type ChargebackRefusal = 'order_not_found' | 'chargeback_exceeds_payment'

/** The bank has taken the money. */
export async function bookChargeback(tx: Tx, chargeback: Chargeback): Promise<Outcome<ChargedBack, ChargebackRefusal>> {
  const { disputeId, amount } = chargeback
  const payment = await lockPayment(tx, chargeback)
  if (payment === undefined) return refused('order_not_found')
  // In a later statement than the payment's lock: it sees every other dispute that the lock waited for.
  const { others } = await one<{ others: Paise }>(
    tx,
    sql`select coalesce(sum(amount), 0)::bigint as others from dispute
         where order_id = ${chargeback.orderId}::text and payment_id = ${payment.paymentId}::text and id <> ${disputeId}::text and is_taken`,
  )
  if (amount <= 0n || amount + others > payment.amount) return refused('chargeback_exceeds_payment')
  const { memberId } = payment
  const waiting = memberId === undefined ? [] : await lockReturned(tx, chargeback.orderId)
  const wallet = memberId === undefined ? undefined : await lockWallet(tx, memberId)
  if (memberId !== undefined && wallet === undefined) throw new Error(`chargeback ${disputeId}: member ${memberId} has no wallet`)
  const { turns, out } = await turnsOf(tx, disputeId)
  if (out.length > 0) return accepted({ result: 'duplicate' })
  const ref = turns === 0 ? disputeId : `${disputeId}#${turns + 1}`
  const fromMember = wallet === undefined ? ZERO : paise(amount < wallet.balance ? amount : wallet.balance)
  if (memberId !== undefined && fromMember > 0n)
    await debitMember(tx, { kind: 'chargeback', ref, memberId, amount: fromMember, to: 'GATEWAY' })
  const suspended = await takeReturned(tx, waiting, { ref, amount: paise(amount - fromMember) })
  const lost = paise(amount - fromMember - suspended)
  if (lost > 0n) await moveLoss(tx, 'chargeback', `${ref}${LOSS}`, lost)
  await tx.query(sql`
    update topup set charged_back_at = roz_now()
     where order_id = ${chargeback.orderId}::text and payment_id = ${payment.paymentId}::text and charged_back_at is null`)
  return accepted({ result: 'booked', memberId, fromMember, suspended, lost })
}

/** The bank has returned what it took: each part goes back to whoever gave it. */
export async function returnChargeback(tx: Tx, { disputeId, orderId }: Pick<Chargeback, 'disputeId' | 'orderId'>): Promise<ChargedBack> {
  await tx.query(sql`select from topup where order_id = ${orderId}::text for update`)
  const owner = (await turnsOf(tx, disputeId)).out.find(({ giver }) => giver >= FIRST_MEMBER_ID)?.giver
  const wallet = owner === undefined ? undefined : await lockWallet(tx, owner)
  // Read anew under the locks.
  const { out } = await turnsOf(tx, disputeId)
  if (out.length === 0) return { result: 'duplicate' }
  let [fromMember, suspended, lost] = [ZERO, ZERO, ZERO]
  for (const { ref, giver, amount } of out) {
    if (giver === ACCOUNTS.LOSSES) {
      await moveLoss(tx, 'chargeback_back', ref, amount)
      lost = paise(lost + amount)
    } else if (giver === ACCOUNTS.SUSPENSE || wallet?.isClosed === true) {
      await suspendReturn(tx, { kind: 'chargeback_back', ref, from: 'GATEWAY', orderId, amount })
      suspended = paise(suspended + amount)
    } else {
      await creditMember(tx, { kind: 'chargeback_back', ref, memberId: giver, amount, from: 'GATEWAY' })
      fromMember = paise(fromMember + amount)
    }
  }
  await tx.query(sql`
    update topup o set charged_back_at = null where order_id = ${orderId}::text
      and not exists (
        select from dispute d where d.order_id = o.order_id and d.payment_id = o.payment_id and d.id <> ${disputeId}::text and d.is_taken)`)
  return { result: 'booked', memberId: owner, fromMember, suspended, lost }
}

const LOSS = '#loss'
/** Which part of a turn a ref names. */
const PART = /#(?:loss|part\d+)$/

async function moveLoss(tx: Tx, kind: 'chargeback' | 'chargeback_back', ref: string, amount: Paise): Promise<void> {
  const { LOSSES, GATEWAY } = ACCOUNTS
  const sides = kind === 'chargeback' ? { debit: LOSSES, credit: GATEWAY } : { debit: GATEWAY, credit: LOSSES }
  if (!(await moveSystem(tx, { kind, ref, ...sides, amount }))) throw new Error(`${kind} ${ref} stands already`)
}

type Part = { readonly ref: string; readonly giver: bigint; readonly amount: Paise }

/** How often the dispute took, and the parts that are not returned. */
async function turnsOf(tx: Tx, disputeId: string): Promise<{ readonly turns: number; readonly out: readonly Part[] }> {
  const parts = await tx.query<Part & { isReturned: boolean }>(sql`
    select c.ref, c.debit as giver, c.amount,
      exists (select from transfer b where b.kind = 'chargeback_back' and b.ref = c.ref) as "isReturned"
    from transfer c where c.kind = 'chargeback' and subject_of(c.ref) = ${disputeId}::text order by c.transfer_id`)
  const turns = new Set(parts.map(({ ref }) => ref.replace(PART, ''))).size
  return { turns, out: parts.filter((part) => !part.isReturned) }
}

/**
 * The payment in question. One that was no order's own lies in SUSPENSE or was given out from there:
 * what is taken of it is a loss, for nobody knows who should give it.
 */
async function lockPayment(
  tx: Tx,
  { orderId, paymentId }: Chargeback,
): Promise<{ readonly memberId: bigint | undefined; readonly paymentId: string; readonly amount: Paise } | undefined> {
  const order = await maybeOne<{ memberId: bigint; amount: Paise; paymentId: string }>(
    tx,
    sql`select member_id as "memberId", amount, payment_id as "paymentId" from topup where order_id = ${orderId}::text for update`,
  )
  if (order?.paymentId === paymentId) return order
  const item = await maybeOne<{ amount: Paise }>(tx, sql`select amount from suspense_item where payment_id = ${paymentId}::text for update`)
  return item === undefined ? undefined : { memberId: undefined, paymentId, amount: item.amount }
}
