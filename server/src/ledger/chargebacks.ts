/**
 * Chargebacks: the payer's bank takes a payment back, and returns it if the dispute is won.
 * - A dispute's amount is taken once, however often the gateway repeats its status.
 * - The member pays as far as the balance reaches. Amounts held for a withdrawal or refund stay held.
 * - A payment in SUSPENSE that belongs to nobody gives its own items; a closed account gives its owner's.
 * - The rest is our loss, and the debt of a member. All parts together are the amount.
 * - A won dispute returns each part to its giver, payments of the debt included, or to SUSPENSE if the account is closed. Money that
 *   was nobody's is an item again.
 * - A top-up that the bank took back cannot also be refunded. A dispute about another payment of the same order does not block the refund.
 * - A dispute can take the money again after returning it. Each taking is a turn with a ref of its own: `id`, `id#2`, ….
 */
import { type Paise, paise, ZERO } from '@roz/core/money.ts'
import { type Outcome, accepted, refused } from '@roz/core/outcome.ts'
import { sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { ACCOUNTS } from './accounts.ts'
import { endDebt, giveBackToMember, openDebt } from './debts.ts'
import { type LockedItem, lockItemsOf, lockReturned, reopenTaken, suspendReturn, takeReturned } from './suspense.ts'
import { debitMember, lockWallet, moveSystem } from './transfer.ts'

type Chargeback = {
  /** The gateway's ids. The dispute's id has no `#`. */
  readonly disputeId: string
  readonly orderId: string
  readonly paymentId: string
  readonly amount: Paise
}
export type Parts = {
  readonly memberId: bigint | undefined
  readonly fromMember: Paise
  /** The amount taken from items in SUSPENSE, or returned to them. */
  readonly suspended: Paise
  readonly lost: Paise
  /** The part of the returned `fromMember` that paid other debts of the member. */
  readonly debtPaid: Paise
}
type ChargedBack = ({ readonly result: 'booked' } & Parts) | { readonly result: 'duplicate' }
/** A refusal books nothing: an administrator must look. */
export type ChargebackRefusal = 'order_not_found' | 'chargeback_exceeds_payment'

/** Books that the bank has taken the money. */
export async function bookChargeback(tx: Tx, chargeback: Chargeback): Promise<Outcome<ChargedBack, ChargebackRefusal>> {
  const { disputeId, amount } = chargeback
  const payment = await lockPayment(tx, chargeback)
  if (payment === undefined) return refused('order_not_found')
  // A later statement than the payment's lock: its snapshot sees every other dispute that the lock waited for.
  const { others } = await tx.one<{ others: Paise }>(sql`select coalesce(sum(amount), 0)::bigint as others from dispute
         where order_id = ${chargeback.orderId}::text and payment_id = ${payment.paymentId}::text and id <> ${disputeId}::text and is_taken`)
  if (amount <= 0n || amount + others > payment.amount) return refused('chargeback_exceeds_payment')
  const { memberId } = payment
  if (memberId !== undefined) await lockReturned(tx, memberId)
  const wallet = memberId === undefined ? undefined : await lockWallet(tx, memberId)
  if (memberId !== undefined && wallet === undefined) throw new Error(`chargeback ${disputeId}: member ${memberId} has no wallet`)
  // Locks the items again: new ones may have arrived before this transaction had the wallet's lock.
  const waiting = memberId !== undefined && wallet?.isClosed === true ? await lockReturned(tx, memberId) : []
  const items = [...payment.items, ...waiting]
  const { turns, out } = await turnsOf(tx, disputeId)
  if (out.length > 0) return accepted({ result: 'duplicate' })
  const ref = turns === 0 ? disputeId : `${disputeId}#${turns + 1}`
  const suspended = await takeReturned(tx, items, { ref, amount })
  const due = paise(amount - suspended)
  const fromMember = wallet === undefined ? ZERO : paise(due < wallet.balance ? due : wallet.balance)
  if (memberId !== undefined && fromMember > 0n)
    await debitMember(tx, { kind: 'chargeback', ref, memberId, amount: fromMember, to: 'GATEWAY' })
  const lost = paise(due - fromMember)
  if (lost > 0n) await moveLoss(tx, 'chargeback', `${ref}${LOSS}`, lost)
  if (lost > 0n && memberId !== undefined) await openDebt(tx, { ref, memberId, amount: lost })
  await tx.query(sql`
    update topup set charged_back_at = roz_now()
     where order_id = ${chargeback.orderId}::text and payment_id = ${payment.paymentId}::text and charged_back_at is null`)
  return accepted({ result: 'booked', memberId, fromMember, suspended, lost, debtPaid: ZERO })
}

/** Books that the bank has returned the money: each part is returned to its giver, payments of the debt included. */
export async function returnChargeback(tx: Tx, chargeback: Omit<Chargeback, 'amount'>): Promise<ChargedBack> {
  const { disputeId, orderId } = chargeback
  const memberId = (await lockPayment(tx, chargeback))?.memberId
  const wallet = memberId === undefined ? undefined : await lockWallet(tx, memberId)
  const { out } = await turnsOf(tx, disputeId)
  if (out.length === 0) return { result: 'duplicate' }
  const loss = out.find(({ giver }) => giver === ACCOUNTS.LOSSES)
  // The debt ends first, so that the returned money does not pay it.
  const repaid = loss === undefined ? [] : await endDebt(tx, turnOf(loss.ref))
  let [fromMember, suspended, debtPaid] = [ZERO, ZERO, ZERO]
  const give = async (kind: 'chargeback_back' | 'debt_back', { ref, amount }: Omit<Part, 'giver'>): Promise<void> => {
    const from = kind === 'debt_back' ? 'LOSSES' : 'GATEWAY'
    if (memberId === undefined || wallet === undefined) throw new Error(`${kind} ${ref}: no member gave it`)
    if (wallet.isClosed) {
      await suspendReturn(tx, { kind, ref, from, orderId, amount, memberId })
      suspended = paise(suspended + amount)
    } else {
      const given = await giveBackToMember(tx, { kind, ref, memberId, amount, from })
      fromMember = paise(fromMember + amount)
      debtPaid = paise(debtPaid + given.debtPaid)
    }
  }
  for (const part of out) {
    if (part.giver === ACCOUNTS.LOSSES) await moveLoss(tx, 'chargeback_back', part.ref, part.amount)
    else if (part.giver === ACCOUNTS.SUSPENSE && (await reopenTaken(tx, part))) suspended = paise(suspended + part.amount)
    else await give('chargeback_back', part)
  }
  for (const payment of repaid) await give('debt_back', payment)
  await tx.query(sql`
    update topup o set charged_back_at = null where order_id = ${orderId}::text
      and not exists (
        select from dispute d where d.order_id = o.order_id and d.payment_id = o.payment_id and d.id <> ${disputeId}::text and d.is_taken)`)
  const taken = out.reduce((sum, { amount }) => sum + amount, 0n)
  return { result: 'booked', memberId, fromMember, suspended, lost: paise(taken - fromMember - suspended), debtPaid }
}

const LOSS = '#loss'
/** The suffix of a ref that names a part of a turn. */
const PART = /#(?:loss|part\d+)$/

async function moveLoss(tx: Tx, kind: 'chargeback' | 'chargeback_back', ref: string, amount: Paise): Promise<void> {
  const { LOSSES, GATEWAY } = ACCOUNTS
  const sides = kind === 'chargeback' ? { debit: LOSSES, credit: GATEWAY } : { debit: GATEWAY, credit: LOSSES }
  if (!(await moveSystem(tx, { kind, ref, ...sides, amount }))) throw new Error(`${kind} ${ref} is booked already`)
}

const turnOf = (ref: string): string => ref.replace(PART, '')

type Part = { readonly ref: string; readonly giver: bigint; readonly amount: Paise }

/** The number of turns in which the dispute took the money, and the parts not returned yet. */
async function turnsOf(tx: Tx, disputeId: string): Promise<{ readonly turns: number; readonly out: readonly Part[] }> {
  const parts = await tx.query<Part & { isReturned: boolean }>(sql`
    select c.ref, c.debit as giver, c.amount,
      exists (select from transfer b where b.kind = 'chargeback_back' and b.ref = c.ref) as "isReturned"
    from transfer c where c.kind = 'chargeback' and subject_of(c.ref) = ${disputeId}::text order by c.transfer_id`)
  const turns = new Set(parts.map(({ ref }) => turnOf(ref))).size
  return { turns, out: parts.filter((part) => !part.isReturned) }
}

type DisputedPayment = {
  readonly memberId: bigint | undefined
  readonly paymentId: string
  readonly amount: Paise
  readonly items: readonly LockedItem[]
}

/**
 * Locks the disputed payment and finds the member who gives it.
 * - A payment that credited its order belongs to the order's member.
 * - A payment in SUSPENSE belongs to the first member whom a part of it was credited to, or to its order's member if that account is closed.
 * - Any other payment in SUSPENSE has no owner. `items`: those that belong to nobody.
 */
async function lockPayment(
  tx: Tx,
  { orderId, paymentId }: Pick<Chargeback, 'orderId' | 'paymentId'>,
): Promise<DisputedPayment | undefined> {
  const order = await tx.maybeOne<{ memberId: bigint; amount: Paise; paymentId: string }>(
    sql`select member_id as "memberId", amount, payment_id as "paymentId" from topup where order_id = ${orderId}::text for update`,
  )
  if (order?.paymentId === paymentId) return { ...order, items: [] }
  const items = await lockItemsOf(tx, paymentId)
  const item = items.find((one) => one.paymentId === paymentId)
  if (item === undefined) return undefined
  const { memberId } = await tx.one<{ memberId: bigint | null }>(sql`
    select coalesce((select credit from transfer where kind = 'suspense_credit' and ref = any (${items.map(({ id }) => String(id))}::text[])
                          order by transfer_id limit 1),
                        (select o.member_id from topup o where o.order_id = s.order_id and s.reason = 'closed_account')) as "memberId"
          from suspense_item s where s.id = ${item.id}::bigint`)
  return {
    memberId: memberId ?? undefined,
    paymentId,
    amount: item.amount,
    items: items.filter(({ reason }) => reason !== 'closed_account'),
  }
}
