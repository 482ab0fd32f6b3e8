/**
 * The unused part of each top-up.
 * - Spending uses top-ups first in, first out, and winnings last.
 * - The unused total is the end of a running sum clamped at zero: spending below zero used winnings.
 * - A refund takes from its own top-up, whatever its age.
 * - A withdrawal or refund whose money came back counts as never requested.
 * - The sum of the unused parts is never above the balance.
 */
import type { Paise } from '@roz/core/money.ts'
import { type Queryable, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'

type UnusedTopup = {
  readonly orderId: string
  readonly amount: Paise
  readonly unused: Paise
  readonly capturedAt: Date
  /** Captured within the last seven days, and not charged back. A bank transfer has no way back but a withdrawal. */
  readonly isRefundable: boolean
}

/**
 * `lot(order_id, created_at, is_topup, unused)`: every credit that is spent like a top-up, with its unused part. One lot per order: a
 * payment that waited in SUSPENSE is credited in two parts.
 */
const lots = (memberId: bigint) => sql`
  refunded as (
    select order_id, sum(amount) as amount from refund
    where member_id = ${memberId}::bigint and status not in ('rejected', 'failed') group by order_id),
  credit as (
    select coalesce(o.order_id, 'transfer:' || t.transfer_id) as lot, o.order_id, min(t.wallet_seq) as seq, min(t.created_at) as created_at,
           bool_or(t.kind = 'topup') as is_topup, sum(t.amount) as amount
      from transfer t
      left join topup o on o.member_id = ${memberId}::bigint and o.payment_id = case t.kind
        when 'topup' then replace(t.ref, '#rest', '')
        when 'suspense_credit' then (select s.payment_id from suspense_item s where s.id = t.ref::bigint) end
     where t.credit > 1000 and t.credit = ${memberId}::bigint and t.kind in ('topup', 'suspense_credit', 'round_refund') group by 1, 2),
  kept as (select c.*, greatest(c.amount - coalesce(r.amount, 0), 0) as left_of_it from credit c left join refunded r using (order_id)),
  move as (
    select wallet_seq::bigint as seq, -entry_fee() as amount from entry where member_id = ${memberId}::bigint
    union all select seq, left_of_it from kept
    union all
    select wallet_seq, -t.amount from transfer t
     where t.debit > 1000 and t.debit = ${memberId}::bigint and t.kind <> 'refund_hold'
       and not exists (select from transfer b where b.ref = t.ref and b.kind in ('wd_back', 'wd_reversed', 'chargeback_back', 'debt_back'))),
  walk as (select amount, sum(amount) over (order by seq) as height from move),
  rest as (
    select least(coalesce(sum(amount), 0) - least(0, coalesce(min(height), 0)),
                 (select balance from wallet where member_id = ${memberId}::bigint)) as amount from walk),
  lot as (
    select k.order_id, k.created_at, k.is_topup,
           greatest(0, least(k.left_of_it, rest.amount - coalesce(sum(k.left_of_it) over (
             order by k.seq desc rows between unbounded preceding and 1 preceding), 0)))::bigint as unused
      from kept k cross join rest)`

/** The member's top-ups with an unused part, newest first. Call it under the wallet's lock if money follows from the answer. */
export function listUnusedTopups(from: Queryable, memberId: bigint): Promise<UnusedTopup[]> {
  return from.query<UnusedTopup>(sql`
    with ${lots(memberId)}
    select o.order_id as "orderId", o.amount, lot.unused, o.captured_at as "capturedAt",
      o.charged_back_at is null and o.captured_at > roz_now() - interval '7 days'
        and not exists (select from bank_transfer_order b where b.order_id = o.order_id) as "isRefundable"
    from lot join topup o using (order_id) where lot.unused > 0 order by o.captured_at desc, o.order_id`)
}

/**
 * Whether a withdrawal draws on a top-up younger than 72 h: a flag for the administrator. Call it before the hold, under the wallet's lock.
 */
export async function drawsOnYoungTopup(tx: Tx, memberId: bigint, amount: Paise): Promise<boolean> {
  const { older, young } = await tx.one<{ older: bigint; young: bigint }>(sql`with ${lots(memberId)}
      select coalesce(sum(unused) filter (where not is_young), 0)::bigint as older, coalesce(sum(unused) filter (where is_young), 0)::bigint as young
      from (select unused, is_topup and created_at > roz_now() - interval '72 hours' as is_young from lot) l`)
  return young > 0n && amount > older
}
