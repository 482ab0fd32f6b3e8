/**
 * SUSPENSE: payments and returned money that no wallet can take.
 * - The account's balance is the sum of its open items.
 * - An item is decided once, under its lock. No administrator can credit it to an account of their own.
 * - A dispute takes its amount from the open items of its payment; the rest is free to be decided. A loss that was booked while no item
 *   was open, and that no member owes, is taken from the item before it is decided.
 * - Money returned for a closed account pays its owner's debt first. Only such money may be paid out by hand.
 * - A bank transfer is not refunded: it is credited, and its member may withdraw it. Of a member who left it is paid by hand.
 * - The payment of a member on hold is not refunded while the hold lasts.
 * - A payment in another currency is booked by its number, credited to nobody, and refunded in that currency.
 */
import { CURRENCY, type Paise, paise } from '@roz/core/money.ts'
import { type Outcome, accepted, refused } from '@roz/core/outcome.ts'
import type { ApprovalRefusal } from '@roz/core/two-persons.ts'
import { sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { ACCOUNTS } from './accounts.ts'
import { type Approver, isOwnMoney, judgeApprover, recordAlone } from './approvals.ts'
import { giveBackToMember, payDebts } from './debts.ts'
import { isItemOnHold, ITEM_OWNER } from './holds.ts'
import { isBankTransfer, REASON_NOW, ROOT } from './suspense-transfers.ts'
import { lockWallet, moveSystem } from './transfer.ts'

export type SuspenseReason = 'unknown_order' | 'other_amount' | 'second_payment' | 'closed_account' | 'no_wallet' | 'other_currency'

/** Books a payment into SUSPENSE with an open item. `duplicate`: it is booked already. `ownerId`: of the closed account. */
export async function suspend(
  tx: Tx,
  payment: {
    readonly orderId: string
    readonly paymentId: string
    readonly orderAmount: Paise
    readonly currency?: string
    readonly debit?: Debit
  },
  reason: SuspenseReason,
  ownerId?: bigint,
): Promise<{ readonly result: 'suspense'; readonly reason: SuspenseReason } | { readonly result: 'duplicate' }> {
  const booked = await moveSystem(tx, {
    kind: 'topup_suspense',
    ref: payment.paymentId,
    debit: ACCOUNTS.GATEWAY,
    credit: ACCOUNTS.SUSPENSE,
    amount: payment.orderAmount,
  })
  const { orderId, paymentId, orderAmount: amount, currency = CURRENCY, debit } = payment
  const item = booked ? await openItem(tx, { orderId, paymentId, amount, currency }, reason) : undefined
  if (debit !== undefined) await nameDebit(tx, paymentId, debit)
  if (item === undefined) return { result: 'duplicate' }
  if (ownerId !== undefined) await payOwed(tx, item, ownerId)
  return { result: 'suspense', reason }
}

/** Of a debit that nobody here raised: its mandate, and the gateway's own order once it is known. */
type Debit = { readonly mandateId: string; readonly gatewayOrderId: string | null }
/** An item of the order's own event has that order already, and is refunded by it. */
const nameDebit = (tx: Tx, paymentId: string, { mandateId, gatewayOrderId }: Debit): Promise<unknown> =>
  tx.query(sql`
    update suspense_item set mandate_id = ${mandateId}::uuid, gateway_order_id = coalesce(gateway_order_id, ${gatewayOrderId}::text)
     where payment_id = ${paymentId}::text and order_id is distinct from ${gatewayOrderId}::text
       and (mandate_id is null or gateway_order_id is null and ${gatewayOrderId}::text is not null)`)

/** The payments of this order of the gateway's that are in SUSPENSE as debits that nobody here raised. The caller has the order's lock. */
export const listStrangersOf = async (tx: Tx, gatewayOrderId: string): Promise<string[]> =>
  (
    await tx.query<{ paymentId: string }>(sql`
      select payment_id as "paymentId" from suspense_item where gateway_order_id = ${gatewayOrderId}::text order by id`)
  ).map(({ paymentId }) => paymentId)

/** Books money returned for a closed account as an item of its own. `ref` names the movement. */
export async function suspendReturn(
  tx: Tx,
  money: {
    readonly kind: 'wd_reversed' | 'refund_reversed' | 'chargeback_back' | 'debt_back'
    readonly ref: string
    readonly from: 'BANK' | 'GATEWAY' | 'LOSSES'
    readonly orderId: string
    readonly amount: Paise
    readonly memberId: bigint
  },
): Promise<void> {
  const { kind, ref, from, orderId, amount } = money
  if (!(await moveSystem(tx, { kind, ref, debit: ACCOUNTS[from], credit: ACCOUNTS.SUSPENSE, amount })))
    throw new Error(`${kind} ${ref} is booked already`)
  const item = await openItem(tx, { orderId, paymentId: `${kind}:${ref}`, amount, currency: CURRENCY }, 'closed_account')
  await payOwed(tx, item, money.memberId)
}

type NewItem = { readonly orderId: string; readonly paymentId: string; readonly amount: Paise; readonly currency: string }
type OpenItem = NewItem & { readonly id: bigint; readonly reason: SuspenseReason }

async function openItem(tx: Tx, { orderId, paymentId, amount, currency }: NewItem, reason: SuspenseReason): Promise<OpenItem> {
  const { id } = await tx.one<{ id: bigint }>(sql`insert into suspense_item (payment_id, order_id, amount, currency, reason)
        values (${paymentId}::text, ${orderId}::text, ${amount}::bigint, ${currency}::text, ${reason}::text) returning id`)
  return { id, orderId, paymentId, amount, currency, reason }
}

/** Takes from an open item. The rest becomes an item of its own, which is returned. */
async function takeFrom(
  tx: Tx,
  item: OpenItem,
  { kind, ref, amount }: { readonly kind: 'chargeback' | 'debt_paid'; readonly ref: string; readonly amount: Paise },
): Promise<OpenItem | undefined> {
  await tx.query(sql`
    update suspense_item set status = 'taken', decided_at = roz_now(), reference = ${ref}::text where id = ${item.id}::bigint`)
  const credit = kind === 'chargeback' ? ACCOUNTS.GATEWAY : ACCOUNTS.LOSSES
  if (!(await moveSystem(tx, { kind, ref, debit: ACCOUNTS.SUSPENSE, credit, amount }))) throw new Error(`${kind} ${ref} is booked already`)
  if (item.amount === amount) return undefined
  return openItem(tx, { ...item, paymentId: `${item.paymentId}#rest`, amount: paise(item.amount - amount) }, item.reason)
}

/** Pays the owner's debts from the item; returns the amount paid. */
function payOwed(tx: Tx, item: OpenItem, ownerId: bigint): Promise<Paise> {
  let rest: OpenItem | undefined = item
  return payDebts(tx, ownerId, item.amount, async (ref, amount) => {
    if (rest === undefined) throw new Error(`debt ${ref} is paid from an item that is used up`)
    rest = await takeFrom(tx, rest, { kind: 'debt_paid', ref, amount })
  })
}

/**
 * Credits money that an earlier event of this payment put into SUSPENSE, up to `due`.
 * - A surplus becomes an item of its own. `missing` is the part that the caller books from the gateway.
 * - `decided`: the item is not open. Undefined: this payment has no item.
 */
export async function claimSuspended(
  tx: Tx,
  paymentId: string,
  due: Paise,
): Promise<{ readonly itemId: bigint; readonly amount: Paise; readonly missing: Paise } | 'decided' | undefined> {
  const item = await tx.maybeOne<Pick<Item, 'orderId' | 'amount' | 'currency' | 'status' | 'reason'> & { id: bigint }>(
    sql`select id, order_id as "orderId", amount, currency, status, reason from suspense_item where payment_id = ${paymentId}::text for update`,
  )
  if (item === undefined) return undefined
  if (item.status !== 'open' || (await coverLosses(tx, { ...item, paymentId }))) return 'decided'
  await tx.query(sql`update suspense_item set status = 'credited', decided_at = roz_now() where id = ${item.id}::bigint`)
  if (item.amount > due) await openItem(tx, { ...item, paymentId: `${paymentId}#rest`, amount: paise(item.amount - due) }, item.reason)
  return item.amount >= due
    ? { itemId: item.id, amount: due, missing: paise(0n) }
    : { itemId: item.id, amount: item.amount, missing: paise(due - item.amount) }
}

type Item = {
  readonly orderId: string
  readonly paymentId: string
  readonly amount: Paise
  readonly currency: string
  readonly reason: SuspenseReason
  readonly status: string
}
export type LockedItem = Item & { readonly id: bigint }
type SuspenseRefusal = 'suspense_not_found' | 'suspense_decided' | 'payment_taken_back'

const lockItem = (tx: Tx, itemId: bigint): Promise<Item | undefined> =>
  tx.maybeOne<Item>(sql`select s.order_id as "orderId", s.payment_id as "paymentId", s.amount, s.currency, ${REASON_NOW} as reason, s.status
          from suspense_item s where s.id = ${itemId}::bigint for update`)

/** Locks an item that may be decided now, or says why it may not. */
async function lockOpenItem(tx: Tx, itemId: bigint): Promise<Outcome<Item, SuspenseRefusal>> {
  const item = await lockItem(tx, itemId)
  if (item === undefined) return refused('suspense_not_found')
  if (item.status !== 'open') return refused('suspense_decided')
  await tx.query(
    sql`update suspense_item set reason = ${item.reason}::text where id = ${itemId}::bigint and reason <> ${item.reason}::text`,
  )
  if (await coverLosses(tx, { ...item, id: itemId })) return refused('suspense_decided')
  return (await isTakenBack(tx, itemId)) ? refused('payment_taken_back') : accepted(item)
}

/** Losses of disputes about the payment of the item `s` or, for a closed account, of its order. A loss that a member owes counts only there. */
const LOSSES_OF_ITEM = sql`
  select c.ref, c.amount, c.transfer_id from dispute d
    join transfer c on subject_of(c.ref) = d.id and c.kind = 'chargeback' and c.debit = ${ACCOUNTS.LOSSES}::bigint
    left join debt on debt.ref = regexp_replace(c.ref, '#loss$', '')
   where d.is_taken and d.payment_id in (${ROOT}, (select o.payment_id from topup o where s.reason = 'closed_account' and o.order_id = s.order_id))
     and not exists (select from transfer b where b.kind = 'chargeback_back' and b.ref = c.ref)
     and (debt.ref is null or s.reason = 'closed_account' and debt.paid < debt.amount)`

/**
 * Takes from the item what its disputes left to LOSSES while no item was open: it was being refunded and the refund failed, or an earlier
 * release booked such a dispute as a loss. True: the item is taken, and a rest is an item of its own.
 */
async function coverLosses(tx: Tx, item: OpenItem): Promise<boolean> {
  if (item.reason === 'closed_account') {
    const owner = await findOwner(tx, item.orderId)
    if (owner !== undefined) await lockWallet(tx, owner)
    return owner !== undefined && (await payOwed(tx, item, owner)) > 0n
  }
  const losses = await tx.query<{ ref: string; amount: Paise; parts: number }>(sql`
    select l.ref, l.amount, (select count(*) from transfer p where p.kind = 'chargeback' and subject_of(p.ref) = subject_of(l.ref))::int as parts
      from suspense_item s cross join lateral (${LOSSES_OF_ITEM}) l where s.id = ${item.id}::bigint order by l.transfer_id`)
  const { LOSSES, GATEWAY } = ACCOUNTS
  let rest: OpenItem | undefined = item
  for (const { ref, amount, parts } of losses) {
    if (rest === undefined || rest.amount < amount) break
    if (!(await moveSystem(tx, { kind: 'chargeback_back', ref, debit: GATEWAY, credit: LOSSES, amount })))
      throw new Error(`chargeback_back ${ref} is booked already`)
    rest = await takeFrom(tx, rest, { kind: 'chargeback', ref: ref.replace(/#loss$/, `#part${parts}`), amount })
  }
  return rest !== item
}

const findOwner = async (tx: Tx, orderId: string): Promise<bigint | undefined> =>
  (
    await tx.maybeOne<{ owner: bigint }>(sql`select member_id as owner from topup where order_id = ${orderId}::text
          union all select member_id from withdrawal where replace(id::text, '-', '') = ${orderId}::text limit 1`)
  )?.owner

/**
 * Whether the item's money is gone. Call it under the item's lock, which the bookings of disputes and conflicts need too.
 * - A dispute's loss is not taken from the item yet: it is being refunded.
 * - Or the gateway has paid a payout or refund that it had reported as returned.
 */
export const isTakenBack = async (tx: Tx, itemId: bigint): Promise<boolean> =>
  (await tx.maybeOne(sql`select 1 from suspense_item s where s.id = ${itemId}::bigint and (
          exists (${LOSSES_OF_ITEM})
          or (select count(*) filter (where kind in ('wd_conflict', 'refund_conflict'))
                   > count(*) filter (where kind in ('wd_conflict_back', 'refund_conflict_back'))
                from transfer where kind in ('wd_conflict', 'refund_conflict', 'wd_conflict_back', 'refund_conflict_back')
                 and s.payment_id like '%_reversed:%' and subject_of(ref) = subject_of(split_part(s.payment_id, ':', 2))))`)) !== undefined

/** Locks the items of a payout or refund that came back, and their rests, so that nobody decides them while the gateway's status is booked. */
export const lockReversed = (tx: Tx, id: string): Promise<unknown> =>
  tx.query(sql`
    select from suspense_item s where reason = 'closed_account' and order_id in (
         select replace(${id}::text, '-', '') union all select order_id from refund where id = ${id}::uuid)
       and ${ROOT} in (${`wd_reversed:${id}`}::text, ${`refund_reversed:${id}`}::text) order by s.id for update`)

/** Locks the items of a payment that belongs to nobody: its own, and those that were made of it. */
export const lockItemsOf = (tx: Tx, paymentId: string): Promise<LockedItem[]> =>
  tx.query(sql`
    select id, order_id as "orderId", payment_id as "paymentId", amount, currency, reason, status from suspense_item
     where order_id = (select order_id from suspense_item where payment_id = ${paymentId}::text)
       and (payment_id = ${paymentId}::text or starts_with(payment_id, ${paymentId}::text || '#')) order by id for update`)

/** The dispute returned what it took from an item without an owner: an item of its own. False: the part was taken from no such item. */
export async function reopenTaken(tx: Tx, { ref, amount }: { readonly ref: string; readonly amount: Paise }): Promise<boolean> {
  const item = await tx.maybeOne<OpenItem>(sql`
    select id, order_id as "orderId", payment_id as "paymentId", amount, currency, reason from suspense_item
         where reference = ${ref}::text and status = 'taken' and reason <> 'closed_account'`)
  if (item === undefined) return false
  const { GATEWAY, SUSPENSE } = ACCOUNTS
  if (!(await moveSystem(tx, { kind: 'chargeback_back', ref, debit: GATEWAY, credit: SUSPENSE, amount })))
    throw new Error(`chargeback_back ${ref} is booked already`)
  await openItem(tx, { ...item, paymentId: `${item.paymentId}#back`, amount }, item.reason)
  return true
}

type Decision = {
  readonly status: 'credited' | 'refunded' | 'paid'
  readonly decidedBy: bigint
  readonly reference?: string
}
const decide = (tx: Tx, itemId: bigint, { status, decidedBy, reference }: Decision) =>
  tx.query(sql`
    update suspense_item set status = ${status}::text, decided_at = roz_now(), decided_by = ${decidedBy}::bigint,
      reference = ${reference ?? null}::text where id = ${itemId}::bigint`)

type CreditRefusal = SuspenseRefusal | 'member_not_found' | 'own_money' | 'suspense_other_currency'
type Credit = { readonly itemId: bigint; readonly memberId: bigint; readonly decidedBy: bigint }

/** Locks the item and the wallet. Whether the item can be credited to this member now, by this person. */
export async function judgeCredit(tx: Tx, { itemId, memberId, decidedBy }: Credit): Promise<Outcome<Item, CreditRefusal>> {
  const open = await lockOpenItem(tx, itemId)
  if (!open.ok) return open
  if (open.value.currency !== CURRENCY) return refused('suspense_other_currency')
  const wallet = await lockWallet(tx, memberId)
  if (wallet === undefined || wallet.isClosed) return refused('member_not_found')
  return (await isOwnMoney(tx, decidedBy, memberId)) ? refused('own_money') : open
}

/** The whole item is credited to the member, and pays the member's debt first. How many persons this needs: suspense-voices.ts. */
export async function creditSuspense(
  tx: Tx,
  decision: Credit,
): Promise<Outcome<{ readonly amount: Paise; readonly balance: Paise }, CreditRefusal>> {
  const { itemId, memberId } = decision
  const judged = await judgeCredit(tx, decision)
  if (!judged.ok) return judged
  const item = judged.value
  await decide(tx, itemId, { status: 'credited', decidedBy: decision.decidedBy })
  const { balance } = await giveBackToMember(tx, {
    kind: 'suspense_credit',
    ref: itemId.toString(),
    memberId,
    amount: item.amount,
    from: 'SUSPENSE',
  })
  return accepted({ amount: item.amount, balance })
}

/** Refunds the whole item to its source, sent after the commit; above the limit the refund waits for a second person. */
export async function refundSuspense(
  tx: Tx,
  decision: { readonly itemId: bigint; readonly refundId: string; readonly reason: string; readonly approver: Approver },
): Promise<
  Outcome<
    { readonly amount: Paise; readonly approval: 'first' | 'final' },
    SuspenseRefusal | 'suspense_no_source' | 'member_on_hold' | ApprovalRefusal
  >
> {
  const { itemId, refundId, approver } = decision
  const { by } = approver
  const open = await lockOpenItem(tx, itemId)
  if (!open.ok) return open
  const item = open.value
  if (item.paymentId.startsWith('wd_reversed:') || (await isBankTransfer(tx, item))) return refused('suspense_no_source')
  const { owner } = await tx.one<{ owner: bigint | null }>(
    sql`select ${ITEM_OWNER} as owner from suspense_item s where s.id = ${itemId}::bigint`,
  )
  const judged = await judgeApprover(tx, approver, { amount: item.amount, owner, firstApprovedBy: null })
  if (!judged.ok) return judged
  if (await isItemOnHold(tx, itemId)) return refused('member_on_hold')
  await decide(tx, itemId, { status: 'refunded', decidedBy: by })
  if (judged.value === 'alone') await recordAlone(tx, { by, kind: 'refund', subject: refundId, amount: item.amount })
  const approval =
    judged.value === 'first'
      ? sql`'requested', null, null, ${by}::bigint, roz_now()`
      : sql`'approved', roz_now(), ${by}::bigint, null, null`
  await tx.query(sql`
    insert into refund (id, order_id, suspense_id, amount, reason, status, approved_at, approved_by, first_approved_by, first_approved_at)
    values (${refundId}::uuid, ${item.orderId}::text, ${itemId}::bigint, ${item.amount}::bigint, ${decision.reason}::text, ${approval})`)
  const { SUSPENSE, REFUNDS_PENDING } = ACCOUNTS
  const booked = await moveSystem(tx, {
    kind: 'suspense_refund',
    ref: refundId,
    debit: SUSPENSE,
    credit: REFUNDS_PENDING,
    amount: item.amount,
  })
  if (!booked) throw new Error(`suspense item ${itemId}: refund ${refundId} is booked already`)
  return accepted({ amount: item.amount, approval: judged.value === 'first' ? 'first' : 'final' })
}

type PayRefusal = SuspenseRefusal | 'suspense_by_wallet'

/** Locks the item. Whether it may be paid by hand now. */
export async function judgePay(tx: Tx, itemId: bigint): Promise<Outcome<Item, PayRefusal>> {
  const open = await lockOpenItem(tx, itemId)
  return !open.ok || open.value.reason === 'closed_account' ? open : refused('suspense_by_wallet')
}

/** Records that the owner of a closed account was paid by bank transfer: the whole item, with the bank's reference. */
export async function paySuspense(
  tx: Tx,
  decision: { readonly itemId: bigint; readonly reference: string; readonly decidedBy: bigint },
): Promise<Outcome<{ readonly amount: Paise }, PayRefusal>> {
  const { itemId, reference, decidedBy } = decision
  const judged = await judgePay(tx, itemId)
  if (!judged.ok) return judged
  const { amount } = judged.value
  await decide(tx, itemId, { status: 'paid', decidedBy, reference })
  const { SUSPENSE, BANK } = ACCOUNTS
  const booked = await moveSystem(tx, { kind: 'suspense_paid', ref: itemId.toString(), debit: SUSPENSE, credit: BANK, amount })
  if (!booked) throw new Error(`suspense item ${itemId} is paid already`)
  return accepted({ amount })
}

/** Locks every item of a closed account, decided ones too, so that none is paid out meanwhile. Lock order: the items, then the wallet. */
export const lockReturned = (tx: Tx, memberId: bigint): Promise<LockedItem[]> =>
  tx.query(sql`
    select id, order_id as "orderId", payment_id as "paymentId", amount, currency, reason, status from suspense_item
     where reason = 'closed_account' and order_id in (
       select order_id from topup where member_id = ${memberId}::bigint
       union all select replace(id::text, '-', '') from withdrawal where member_id = ${memberId}::bigint) order by id for update`)

/** Takes a chargeback from these items, as far as they reach; returns the amount taken. */
export async function takeReturned(
  tx: Tx,
  items: readonly LockedItem[],
  { ref, amount }: { readonly ref: string; readonly amount: Paise },
): Promise<Paise> {
  let due = amount
  const open = items.filter(({ status, currency }) => status === 'open' && currency === CURRENCY)
  for (const [index, item] of open.entries()) {
    const taken = paise(item.amount < due ? item.amount : due)
    if (taken === 0n) break
    await takeFrom(tx, item, { kind: 'chargeback', ref: `${ref}#part${index + 1}`, amount: taken })
    due = paise(due - taken)
  }
  return paise(amount - due)
}
