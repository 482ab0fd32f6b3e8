/**
 * AutoPay as other features meet it: whose payment a mandate's is, and what stops a debit or a mandate.
 * - A mandate's debit is a row of `topup` and of `autopay_charge` under one order id; the gateway knows no order of that id.
 * - The payment of a debit is booked as `sub_` and the gateway's id: payments of orders have numbers of their own, which may meet.
 *   `paymentIdOf` has the one exception.
 * - Locks are taken in this order: top-up, wallet, mandate, debit, check.
 * - Nothing here asks the gateway: `ask_at` makes the mandate due, and features/autopay asks.
 */
import { lockOneInTransaction } from '../db/advisory-locks.ts'
import { type Queryable, type Sql, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { lockWallet } from './transfer.ts'

export const PAYMENT_PREFIX = 'sub_'
/** A mandate `m` that has not ended. */
export const IS_OPEN_MANDATE: Sql = sql`m.state not in ('stopped', 'payer_stopped', 'ended', 'lapsed')`

/** A debit `c` that has no end five days after its day (`isLateCharge` of core). */
export const LATE_FROM: Sql = sql`(start_of_ist_day(c.day) + interval '144 hours')`
export const IS_LATE_CHARGE: Sql = sql`(c.kind = 'charge' and c.status in ('raising', 'open') and ${LATE_FROM} <= roz_now())`
/** A mandate `a` whose stop the gateway has not confirmed for a day. */
export const IS_UNCANCELLED: Sql = sql`(a.state = 'stopping' and a.stopping_at <= roz_now() - interval '24 hours')`

/** The mandate whose debit has this order id, ours or the gateway's; undefined for an order. */
export async function findMandateOfOrder(from: Queryable, orderId: string): Promise<string | undefined> {
  const found = await from.maybeOne<{ mandateId: string }>(
    sql`select mandate_id as "mandateId" from autopay_charge where order_id = ${orderId}::text or cf_order_id = ${orderId}::text limit 1`,
  )
  return found?.mandateId
}

/**
 * The payment id under which a debit is booked: `sub_` and the gateway's id, unless an event named its order before the debit was known.
 * In that case the money is in SUSPENSE under the id of the order's payment, and is claimed instead of being booked again.
 */
export async function paymentIdOf(
  tx: Tx,
  told: { readonly cfPaymentId: string; readonly cfOrderId?: string | undefined },
): Promise<string> {
  const { cfPaymentId, cfOrderId } = told
  if (cfOrderId === undefined) return `${PAYMENT_PREFIX}${cfPaymentId}`
  await lockGatewayOrder(tx, cfOrderId)
  const item = await tx.maybeOne<{ paymentId: string }>(sql`
    select payment_id as "paymentId" from suspense_item where order_id = ${cfOrderId}::text and reason = 'unknown_order'
         order by payment_id = ${cfPaymentId}::text desc limit 1`)
  return item?.paymentId ?? `${PAYMENT_PREFIX}${cfPaymentId}`
}

/** Of an event about an order that we do not know and an answer about a debit, each sees what the other has booked. */
export const lockGatewayOrder = async (tx: Tx, orderId: string): Promise<void> => {
  const { key } = await tx.one<{ key: number }>(sql`select hashtext(${orderId}::text) as key`)
  await lockOneInTransaction(tx, 'gatewayOrder', key)
}

/** Makes the gateway asked about a mandate at once. */
export async function askMandateSoon(tx: Queryable, mandateId: string): Promise<void> {
  await tx.query(sql`
    insert into autopay_check (mandate_id, ask_at) values (${mandateId}::uuid, roz_now())
    on conflict (mandate_id) do update set ask_at = roz_now(), tries = 0`)
}

/**
 * After a restore: the gateway is asked about every mandate that is open or had a debit in the last 60 days, and nothing is raised for
 * one before it has answered. Returns how many.
 */
export async function askAllMandates(db: Queryable): Promise<number> {
  const asked = await db.query(sql`
    with waiting as (
      update autopay_mandate m set must_ask = true where ${IS_OPEN_MANDATE}
         or exists (select from autopay_charge c where c.mandate_id = m.id and c.day > ist_day(roz_now()) - 60) returning id)
    insert into autopay_check (mandate_id, ask_at) select id, roz_now() from waiting
    on conflict (mandate_id) do update set ask_at = roz_now(), asked_at = null, tries = 0 returning 1`)
  return asked.length
}

/**
 * The mandate and the gateway's id of a payment that a mandate's debit made; undefined for any other payment. A debit that was booked under
 * the id of its order's payment (`paymentIdOf`) has an id of its own, which may be another one. The item of a debit that nobody here raised
 * names the mandate; its order may be any.
 */
export async function findMandatePayment(
  from: Queryable,
  { orderId, paymentId }: { readonly orderId: string; readonly paymentId: string },
): Promise<{ readonly mandateId: string; readonly cfPaymentId: string } | undefined> {
  const found = await from.maybeOne<{ mandateId: string; own: string | null }>(sql`
    select replace(mandate_id::text, '-', '') as "mandateId", own from (
      select mandate_id, null as own, 1 as place from suspense_item where payment_id = ${paymentId}::text and mandate_id is not null
      union all
      select mandate_id, cf_payment_id, 2 from autopay_charge where order_id = ${orderId}::text) debit order by place limit 1`)
  return (
    found && {
      mandateId: found.mandateId,
      cfPaymentId: paymentId.startsWith(PAYMENT_PREFIX) ? paymentId.slice(PAYMENT_PREFIX.length) : (found.own ?? paymentId),
    }
  )
}

/**
 * The booked payment that a dispute means, if it is a mandate's: by our order id, then by each of the gateway's ids. A payment
 * and an order may have the same id, so an order of ours that is no debit is never looked for among the payments.
 */
export async function findDisputedCharge(
  from: Queryable,
  told: { readonly orderId: string; readonly paymentId: string },
): Promise<{ readonly orderId: string; readonly paymentId: string; readonly mandateId: string } | undefined> {
  return from.maybeOne(sql`
    select c.order_id as "orderId", t.payment_id as "paymentId", c.mandate_id as "mandateId"
      from autopay_charge c join topup t using (order_id)
     cross join lateral (select case
       when c.order_id = ${told.orderId}::text then 1 when c.cf_order_id = ${told.orderId}::text then 2
       when c.cf_txn_id = ${told.paymentId}::text then 3 when c.cf_payment_id = ${told.paymentId}::text then 4 end as place) p
     where t.payment_id is not null and p.place is not null
       and (p.place <= 2 or not exists (select from topup o where o.order_id = ${told.orderId}::text))
       and (c.order_id = ${told.orderId}::text or c.cf_order_id = ${told.orderId}::text
         or c.cf_txn_id = ${told.paymentId}::text or c.cf_payment_id = ${told.paymentId}::text)
     order by p.place limit 1`)
}

/**
 * The payment in SUSPENSE that a dispute means, if it is a debit's: of another amount, a second one, or one that nobody here raised, whose
 * item names the mandate. Asked first: another payment of the same debit may have credited the wallet.
 */
export async function findDisputedDebit(
  from: Queryable,
  { orderId, paymentId }: { readonly orderId: string; readonly paymentId: string },
): Promise<{ readonly orderId: string; readonly paymentId: string; readonly mandateId: string | null } | undefined> {
  return from.maybeOne(sql`
    select s.order_id as "orderId", s.payment_id as "paymentId", coalesce(c.mandate_id, s.mandate_id) as "mandateId"
      from suspense_item s left join autopay_charge c on c.order_id = s.order_id
     where s.payment_id = ${PAYMENT_PREFIX}::text || ${paymentId}::text
       and not exists (select from suspense_item o where o.payment_id = ${paymentId}::text)
       and not exists (
         select from topup o where o.order_id = ${orderId}::text and not exists (select from autopay_charge d where d.order_id = o.order_id))`)
}

/**
 * Asks for the end of the member's open debit, if there is one: a debit that the bank has begun goes on. The first debit, which
 * authorises a mandate, is not cancelled: the payer decides it.
 */
export async function cancelOpenCharge(tx: Tx, memberId: bigint): Promise<void> {
  const [charge] = await tx.query<{ mandateId: string }>(sql`
    update autopay_charge c set cancel_at = coalesce(c.cancel_at, roz_now()) from autopay_mandate m
     where m.id = c.mandate_id and m.member_id = ${memberId}::bigint and c.kind = 'charge' and c.status in ('raising', 'open')
    returning c.mandate_id as "mandateId"`)
  if (charge !== undefined) await askMandateSoon(tx, charge.mandateId)
}

/** Begins to stop a member's open mandate. Undefined: there is none. The gateway confirms it later. */
export async function stopMandate(tx: Tx, memberId: bigint): Promise<{ readonly isNew: boolean; readonly since: Date } | undefined> {
  await lockWallet(tx, memberId)
  const mandate = await tx.maybeOne<{ id: string; isNew: boolean; since: Date }>(sql`
    update autopay_mandate m set state = 'stopping', stopping_at = coalesce(m.stopping_at, roz_now())
         where m.member_id = ${memberId}::bigint and ${IS_OPEN_MANDATE}
        returning m.id, old.state <> 'stopping' as "isNew", m.stopping_at as since`)
  if (mandate === undefined) return undefined
  await cancelOpenCharge(tx, memberId)
  if (mandate.isNew) await askMandateSoon(tx, mandate.id)
  return mandate
}

/** A disputed debit ends its mandate, if it has one that is still open: the payer did not want it. */
export async function stopMandateOf(tx: Tx, mandateId: string | null): Promise<void> {
  const open = await tx.maybeOne<{ memberId: bigint }>(
    sql`select m.member_id as "memberId" from autopay_mandate m where m.id = ${mandateId}::uuid and ${IS_OPEN_MANDATE}`,
  )
  if (open !== undefined) await stopMandate(tx, open.memberId)
}

/** Whether a closing must wait for the gateway to confirm the stop of a mandate; it begins that stop. At most a day. */
export async function mustWaitForStop(tx: Tx, memberId: bigint): Promise<boolean> {
  const stopped = await stopMandate(tx, memberId)
  if (stopped === undefined) return false
  const [late] = await tx.query(sql`select where ${stopped.since}::timestamptz <= roz_now() - interval '24 hours'`)
  return late === undefined
}
