/** Orders in SQL: the ledger's state of a top-up, and when the gateway is asked next. */
import { type Queryable, sql } from '../../db/sql.ts'
import { isResting } from '../../jobs/parking.ts'
import type { Topup, TopupStatus } from '../../ledger/topups.ts'

export const ORDER_STATUS_OF = {
  created: 'PENDING',
  pending: 'PENDING',
  failed: 'FAILED',
  captured: 'PAID',
  refunded: 'PAID',
  expired: 'EXPIRED',
} as const satisfies Record<TopupStatus, string>

/** Whether another question to the gateway may change the status that the order's page shows. */
export const isOpen = (topup: Topup): boolean => topup.status === 'created' || topup.status === 'pending' || topup.status === 'failed'

export const findTopup = (db: Queryable, orderId: string): Promise<Topup | undefined> =>
  db.maybeOne<Topup>(
    sql`select order_id as "orderId", member_id as "memberId", amount, status from topup where order_id = ${orderId}::text`,
  )

const SPACING = sql`interval '5 seconds'`

/** Schedules the next question about an order, unless one is scheduled earlier. */
export async function scheduleCheck(tx: Queryable, orderId: string, inSeconds: number): Promise<void> {
  await tx.query(sql`
    insert into order_check (order_id, ask_at) values (${orderId}::text, roz_now() + make_interval(secs => ${inSeconds}::int))
    on conflict (order_id) do update set ask_at = least(order_check.ask_at, excluded.ask_at)`)
}

/**
 * Claims the right to ask the gateway about an order, for one caller of all processes.
 * Undefined when the gateway was asked less than 5 s ago: the question is delayed until 5 s have passed.
 * Otherwise the time of the next question, which the claim sets 15 s ahead, doubling up to an hour.
 */
export async function claimOrderCheck(db: Queryable, orderId: string): Promise<string | undefined> {
  const claimed = await db.maybeOne<{ next: string }>(sql`
    insert into order_check as c (order_id, asked_at, asks, ask_at)
    values (${orderId}::text, roz_now(), 1, roz_now() + interval '15 seconds')
    on conflict (order_id) do update
      set asked_at = roz_now(), asks = c.asks + 1, ask_at = roz_now() + least(15 * 2 ^ least(c.asks, 10), 3600) * interval '1 second'
      -- A clock that was set back must not delay an order.
      where c.asked_at is null or c.asked_at <= roz_now() - ${SPACING} or c.asked_at > roz_now()
    returning ask_at::text as next`)
  if (claimed !== undefined) return claimed.next
  // A scheduled time in the past is moved too, or the sweep would find it again and again.
  await db.query(sql`
    update order_check set ask_at = least(case when ask_at > roz_now() then ask_at end, asked_at + ${SPACING})
    where order_id = ${orderId}::text`)
  return undefined
}

/** The gateway knows the order: it answered about it, or sent a webhook of it. */
export async function noteOrderKnown(tx: Queryable, orderId: string): Promise<void> {
  await tx.query(sql`
    insert into order_check (order_id, known_at) values (${orderId}::text, roz_now())
    on conflict (order_id) do update set known_at = coalesce(order_check.known_at, roz_now()), missing_since = null
      where order_check.known_at is null or order_check.missing_since is not null`)
}

/**
 * The gateway says that it does not know the order.
 * - `young`: it may still be made. `known`: the gateway has known this order of ours, so its "no" contradicts it.
 * - `for_hours`: it has said so for hours. An order that is not ours is never `known`: a test of the gateway's dashboard invents one.
 */
export async function noteOrderMissing(tx: Queryable, orderId: string): Promise<'young' | 'known' | 'unmade' | 'for_hours'> {
  const [found] = await tx.query<{ isYoung: boolean; isKnown: boolean; forHours: boolean }>(sql`
    update order_check c set missing_since = coalesce(c.missing_since, roz_now())
      from order_check d left join topup o on o.order_id = d.order_id
     where c.order_id = ${orderId}::text and d.order_id = c.order_id
    returning coalesce(o.created_at > roz_now() - interval '10 minutes', false) as "isYoung",
      o.order_id is not null and (c.known_at is not null or o.status not in ('created', 'failed')) as "isKnown",
      c.missing_since <= roz_now() - interval '6 hours' as "forHours"`)
  if (found === undefined || found.isYoung) return 'young'
  if (found.isKnown) return 'known'
  return found.forHours ? 'for_hours' : 'unmade'
}

/** Nothing is asked about this id as an order. */
export async function endOrderQuestions(tx: Queryable, orderId: string): Promise<void> {
  await tx.query(sql`update order_check set ask_at = null where order_id = ${orderId}::text`)
}

/** When a final order is asked about again; by the last time banks have settled every open attempt. */
const WATCHED = sql`array['1 hour', '1 day', '3 days', '10 days']::interval[]`

/** Schedules a few more questions about a final order, and restarts them after news: a second payment's webhook may be lost. */
export async function watchOrder(tx: Queryable, orderId: string, next: string, { isNews }: { readonly isNews: boolean }): Promise<void> {
  await tx.query(sql`
    with ended as (
      select order_id, case when ${isNews}::boolean then roz_now() else coalesce(final_at, roz_now()) end as at
        from order_check where order_id = ${orderId}::text)
    update order_check c set final_at = ended.at,
      ask_at = case when c.ask_at = ${next}::timestamptz
        then (select min(ended.at + wait) from unnest(${WATCHED}) wait where ended.at + wait > roz_now()) else c.ask_at end
      from ended where c.order_id = ended.order_id`)
}

/** A question whose claim failed stays due. It is left out while it waits for its next try (jobs/parking.ts). */
export async function listDueOrders(db: Queryable, limit: number): Promise<string[]> {
  const rows = await db.query<{ orderId: string }>(sql`
    select order_id as "orderId" from order_check
     where ask_at <= (select roz_now()) and not ${isResting('order', sql`order_id`)} order by ask_at limit ${limit}::int`)
  return rows.map((row) => row.orderId)
}
