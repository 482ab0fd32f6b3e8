/**
 * Chargebacks: the payer's bank takes a payment back, and returns it where the dispute is won.
 * Invariants: what is taken is taken once, whatever is told how often; the member gives as far as the
 * balance reaches, while what is held for a withdrawal or refund stays held; of an account that is closed
 * all that waits in SUSPENSE; the rest is our loss and the member's debt, and together they are the amount.
 * What is returned goes back to whoever gave it, also by a payment of that debt, or to SUSPENSE where that
 * account is closed; a top-up that was taken back is not refunded on top of it, though another payment of
 * its order may be with the bank. A dispute that takes anew is numbered: `id`, `id#2`, ….
 */
import { type Paise, paise, ZERO } from '@roz/core/money.ts'
import { type Outcome, accepted, refused } from '@roz/core/outcome.ts'
import { maybeOne, one, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { ACCOUNTS } from './accounts.ts'
import { endDebt, giveBackToMember, openDebt, payDebts } from './debts.ts'
import { lockReturned, suspendReturn, takeReturned } from './suspense.ts'
import { debitMember, lockWallet, moveSystem } from './transfer.ts'

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
  if (memberId !== undefined) await lockReturned(tx, memberId)
  const wallet = memberId === undefined ? undefined : await lockWallet(tx, memberId)
  if (memberId !== undefined && wallet === undefined) throw new Error(`chargeback ${disputeId}: member ${memberId} has no wallet`)
  // Once more: what came meanwhile waited for none but the wallet.
  const waiting = memberId !== undefined && wallet?.isClosed === true ? await lockReturned(tx, memberId) : []
  const { turns, out } = await turnsOf(tx, disputeId)
  if (out.length > 0) return accepted({ result: 'duplicate' })
  const ref = turns === 0 ? disputeId : `${disputeId}#${turns + 1}`
  const fromMember = wallet === undefined ? ZERO : paise(amount < wallet.balance ? amount : wallet.balance)
  if (memberId !== undefined && fromMember > 0n)
    await debitMember(tx, { kind: 'chargeback', ref, memberId, amount: fromMember, to: 'GATEWAY' })
  const suspended = await takeReturned(tx, waiting, { ref, amount: paise(amount - fromMember) })
  const lost = paise(amount - fromMember - suspended)
  if (lost > 0n) await moveLoss(tx, 'chargeback', `${ref}${LOSS}`, lost)
  if (lost > 0n && memberId !== undefined) await openDebt(tx, { ref, memberId, amount: lost })
  await tx.query(sql`
    update topup set charged_back_at = roz_now()
     where order_id = ${chargeback.orderId}::text and payment_id = ${payment.paymentId}::text and charged_back_at is null`)
  return accepted({ result: 'booked', memberId, fromMember, suspended, lost })
}

/** The bank has returned what it took: each part goes back to whoever gave it, also by a payment of the debt that it left. */
export async function returnChargeback(tx: Tx, chargeback: Omit<Chargeback, 'amount'>): Promise<ChargedBack> {
  const { disputeId, orderId } = chargeback
  const memberId = (await lockPayment(tx, chargeback))?.memberId
  const wallet = memberId === undefined ? undefined : await lockWallet(tx, memberId)
  const { out } = await turnsOf(tx, disputeId)
  if (out.length === 0) return { result: 'duplicate' }
  const loss = out.find(({ giver }) => giver === ACCOUNTS.LOSSES)
  // Ended first: nothing that comes back now pays it.
  const repaid = loss === undefined ? [] : await endDebt(tx, turnOf(loss.ref))
  let [fromMember, suspended] = [ZERO, ZERO]
  const give = async (kind: 'chargeback_back' | 'debt_back', { ref, amount }: Omit<Part, 'giver'>): Promise<void> => {
    const from = kind === 'debt_back' ? 'LOSSES' : 'GATEWAY'
    if (memberId === undefined || wallet === undefined) throw new Error(`${kind} ${ref}: nobody gave it`)
    if (wallet.isClosed) {
      await suspendReturn(tx, { kind, ref, from, orderId, amount, memberId })
      suspended = paise(suspended + amount)
    } else {
      await giveBackToMember(tx, { kind, ref, memberId, amount, from })
      fromMember = paise(fromMember + amount)
    }
  }
  for (const part of out) {
    if (part.giver === ACCOUNTS.LOSSES) await moveLoss(tx, 'chargeback_back', part.ref, part.amount)
    else await give('chargeback_back', part)
  }
  for (const payment of repaid) await give('debt_back', payment)
  await tx.query(sql`
    update topup o set charged_back_at = null where order_id = ${orderId}::text
      and not exists (
        select from dispute d where d.order_id = o.order_id and d.payment_id = o.payment_id and d.id <> ${disputeId}::text and d.is_taken)`)
  const taken = out.reduce((sum, { amount }) => sum + amount, 0n)
  return { result: 'booked', memberId, fromMember, suspended, lost: paise(taken - fromMember - suspended) }
}

/** A payment that the bank took while it lay in SUSPENSE has become this member's: so has the loss, and the payment pays it. How much. */
export async function oweLoss(
  tx: Tx,
  payment: { readonly orderId: string; readonly paymentId: string; readonly memberId: bigint; readonly amount: Paise },
): Promise<Paise> {
  const { orderId, paymentId, memberId, amount } = payment
  const losses = await tx.query<Omit<Part, 'giver'>>(sql`
    select c.ref, c.amount from transfer c join dispute d on d.id = subject_of(c.ref)
     where d.order_id = ${orderId}::text and d.payment_id = ${paymentId}::text and d.is_taken
       and c.kind = 'chargeback' and c.debit = ${ACCOUNTS.LOSSES}::bigint
       and not exists (select from transfer b where b.kind = 'chargeback_back' and b.ref = c.ref) order by c.ref collate "C"`)
  for (const { ref, amount: lost } of losses) await openDebt(tx, { ref: turnOf(ref), memberId, amount: lost })
  return payDebts(tx, memberId, amount)
}

const LOSS = '#loss'
/** Which part of a turn a ref names. */
const PART = /#(?:loss|part\d+)$/

async function moveLoss(tx: Tx, kind: 'chargeback' | 'chargeback_back', ref: string, amount: Paise): Promise<void> {
  const { LOSSES, GATEWAY } = ACCOUNTS
  const sides = kind === 'chargeback' ? { debit: LOSSES, credit: GATEWAY } : { debit: GATEWAY, credit: LOSSES }
  if (!(await moveSystem(tx, { kind, ref, ...sides, amount }))) throw new Error(`${kind} ${ref} stands already`)
}

const turnOf = (ref: string): string => ref.replace(PART, '')

type Part = { readonly ref: string; readonly giver: bigint; readonly amount: Paise }

/** How often the dispute took, and the parts that are not returned. */
async function turnsOf(tx: Tx, disputeId: string): Promise<{ readonly turns: number; readonly out: readonly Part[] }> {
  const parts = await tx.query<Part & { isReturned: boolean }>(sql`
    select c.ref, c.debit as giver, c.amount,
      exists (select from transfer b where b.kind = 'chargeback_back' and b.ref = c.ref) as "isReturned"
    from transfer c where c.kind = 'chargeback' and subject_of(c.ref) = ${disputeId}::text order by c.transfer_id`)
  const turns = new Set(parts.map(({ ref }) => turnOf(ref))).size
  return { turns, out: parts.filter((part) => !part.isReturned) }
}

/**
 * The payment in question, and who gives it. One that was no order's own lies in SUSPENSE: it is its order's where
 * it came for an account that is closed, or whose it was given to from there; otherwise what is taken of it is a
 * loss, for nobody knows who should give it.
 */
async function lockPayment(
  tx: Tx,
  { orderId, paymentId }: Pick<Chargeback, 'orderId' | 'paymentId'>,
): Promise<{ readonly memberId: bigint | undefined; readonly paymentId: string; readonly amount: Paise } | undefined> {
  const order = await maybeOne<{ memberId: bigint; amount: Paise; paymentId: string }>(
    tx,
    sql`select member_id as "memberId", amount, payment_id as "paymentId" from topup where order_id = ${orderId}::text for update`,
  )
  if (order?.paymentId === paymentId) return order
  const item = await maybeOne<{ id: bigint; amount: Paise }>(
    tx,
    sql`select id, amount from suspense_item where payment_id = ${paymentId}::text for update`,
  )
  if (item === undefined) return undefined
  const { memberId } = await one<{ memberId: bigint | null }>(
    tx,
    sql`select coalesce((select credit from transfer where kind = 'suspense_credit' and ref = s.id::text),
                        (select o.member_id from topup o where o.order_id = s.order_id and s.reason = 'closed_account')) as "memberId"
          from suspense_item s where s.id = ${item.id}::bigint`,
  )
  return { memberId: memberId ?? undefined, paymentId, amount: item.amount }
}
