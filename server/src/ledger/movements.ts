/**
 * Lists a member's movements, newest first: joins, transfers, unpaid orders, and payments of the member's orders that wait in SUSPENSE.
 * - Paging neither skips nor repeats a movement.
 * - The cursor keeps one position per source: joins by day, transfers by the wallet's `seq`, orders and waiting payments by time and id.
 *   Each page therefore reads one index per source.
 * - A waiting payment changes no balance. Once it is credited to this member, the credit is its only line.
 * - An order whose payment went to SUSPENSE has the lines of its payments, and none of its own.
 * - The items of a closed account are in no list: nobody logs in to read them.
 * - Requests for pages that arrive while a statement runs share the next statement.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import { parseDay } from '@roz/core/ist-day.ts'
import type { Paise } from '@roz/core/money.ts'
import { type Outcome, accepted, refused } from '@roz/core/outcome.ts'
import { gatherReads } from '../db/gathered-read.ts'
import { type Db, type Queryable, type Sql, sql } from '../db/sql.ts'
import type { TransferKind } from './accounts.ts'
import { balanceAfter, NOT_ARCHIVED } from './entries.ts'
import type { RefundStatus } from './refunds.ts'
import type { TopupStatus } from './topups.ts'
import type { WithdrawalStatus } from './withdrawals.ts'

export type Movement = {
  /** Unique among the member's movements: `join:2026-11-21`, `transfer:17`, `order:…`, `waiting:3`. */
  readonly id: string
  readonly kind: 'join' | 'order' | 'waiting' | TransferKind
  readonly direction: 'credit' | 'debit'
  readonly amount: Paise
  readonly at: Date
  /** The balance after this movement; null for an unpaid order and a waiting payment. */
  readonly balanceAfter: Paise | null
  /** A join's day, an order's id, the gateway's id of a waiting payment, or the `ref` of the transfer. */
  readonly ref: string
  /** The status of an unpaid order, of a waiting payment, or of the withdrawal or refund behind a hold; otherwise null. */
  readonly status: TopupStatus | WithdrawalStatus | RefundStatus | WaitingStatus | null
  /** The movement's position in the wallet's history; null for an order and a waiting payment. */
  readonly seq: bigint | null
  /** For a top-up and a waiting payment: the order that the payment paid, or null if there is none. */
  readonly orderId?: string | null
  /** The currency of a waiting payment; otherwise null. */
  readonly currency?: string | null
}
/** Being checked, being sent back to its source, sent back, or credited to another member. */
export type WaitingStatus = 'checking' | 'returning' | 'returned' | 'elsewhere'
type MovementPage = { readonly movements: readonly Movement[]; readonly nextCursor: string | null }

type Cursor = {
  /** Joins before this day. */
  readonly day: IstDay
  /** Transfers below this seq. */
  readonly seq: bigint
  /** Orders before this instant (in microseconds); at this instant, orders below `orderId`. */
  readonly orderUs: bigint
  readonly orderId: string
  /** Waiting payments before this instant (in microseconds); at this instant, items below `itemId`. */
  readonly itemUs: bigint
  readonly itemId: bigint
}
const START: Cursor = { day: '9999-12-31' as IstDay, seq: 2n ** 62n, orderUs: 2n ** 52n, orderId: '', itemUs: 2n ** 52n, itemId: 0n }

type MovementQuery = { readonly memberId: bigint; readonly cursor?: string | undefined; readonly limit: number }
type MovementAnswer = Outcome<MovementPage, 'cursor_invalid'>

/** One request for a page. */
type Asked = { readonly memberId: bigint; readonly cursor: Cursor; readonly count: number }
/** `place`: the request's position in the statement, from 1. `epoch`: seconds with six decimals. */
type Found = Omit<Movement, 'id' | 'at'> & {
  readonly place: number
  readonly source: 'join' | 'transfer' | 'order' | 'waiting'
  /** The transfer's or the item's. */
  readonly rowId: bigint | null
  readonly epoch: string
}
type Row = Movement & { readonly source: Found['source']; readonly rowId: bigint | null; readonly atUs: bigint }

export async function listMovements(from: Queryable, query: MovementQuery): Promise<MovementAnswer> {
  return pageOf(query, async (asked) => (await readPages(from, [asked]))[0] ?? [])
}

/** The same, batched: requests that arrive while a statement runs share the next statement. */
export function gatherMovements(db: Db): (query: MovementQuery) => Promise<MovementAnswer> {
  const read = gatherReads<Asked, Row[]>((asked) => readPages(db, asked))
  return (query) => pageOf(query, async (asked) => (await read(asked)) ?? [])
}

async function pageOf({ memberId, cursor: text, limit }: MovementQuery, read: (asked: Asked) => Promise<Row[]>): Promise<MovementAnswer> {
  const cursor = text === undefined ? START : parseCursor(text)
  if (cursor === undefined) return refused('cursor_invalid')
  const rows = (await read({ memberId, cursor, count: limit + 1 })).sort(newestFirst)
  const page = rows.slice(0, limit)
  return accepted({ movements: page.map(movementOf), nextCursor: rows.length > limit ? textOf(after(cursor, page)) : null })
}

async function readPages(from: Queryable, asked: readonly Asked[]): Promise<Row[][]> {
  const pages: Row[][] = asked.map(() => [])
  for (const found of await from.query<Found>(pagesStatement(asked))) pages[found.place - 1]?.push(rowOf(found))
  return pages
}

function rowOf(found: Found): Row {
  // PostgreSQL always prints the epoch with six decimals.
  const atUs = BigInt(found.epoch.replace('.', ''))
  const { source, ref, rowId } = found
  return { ...found, atUs, at: new Date(Number(atUs / 1000n)), id: `${source}:${rowId ?? ref}` }
}

const movementOf = ({
  id,
  kind,
  direction,
  amount,
  at,
  balanceAfter,
  ref,
  status,
  seq,
  orderId = null,
  currency = null,
}: Row): Movement => ({
  id,
  kind,
  direction,
  amount,
  at,
  balanceAfter,
  ref,
  status,
  seq,
  orderId,
  currency,
})

/** The status of the withdrawal or refund behind a hold. */
const heldStatus = sql`case t.kind
          when 'wd_hold' then (select w.status from withdrawal w where w.id = t.ref::uuid)
          when 'refund_hold' then (select r.status from refund r where r.id = t.ref::uuid) end`

/** The amount that a dispute took of an item is back with its payer, until the dispute is won; the rest is an item of its own. */
const waitingAmount = sql`case s.status when 'taken'
          then (select t.amount from transfer t where t.kind = 'chargeback' and t.ref = s.reference) else s.amount end`
/** The owner of an item `s` is the member of the order `o`. A refund that waits for a second person may still be rejected. */
const waitingStatus = sql`case s.status
          when 'credited' then 'elsewhere' when 'taken' then 'returned'
          when 'refunded' then (select case r.status when 'requested' then 'checking' when 'paid' then 'returned' else 'returning' end
                                  from refund r where r.suspense_id = s.id and r.status not in ('rejected', 'failed'))
          else 'checking' end`
// The limits and the offset below keep PostgreSQL from a scan of all items or all credits: it turns a plain `exists` and a plain join into one.
const isWaiting = sql`s.reason <> 'closed_account'
    and (s.status <> 'credited' or (
      select t.transfer_id from transfer t where t.kind = 'suspense_credit' and t.ref = s.id::text and t.credit = o.member_id limit 1) is null)
    and (s.status <> 'taken' or (
      select t.transfer_id from transfer t where t.kind = 'chargeback_back' and t.ref = s.reference limit 1) is null)`
const isUnpaid = sql`status in ('created', 'pending', 'failed', 'expired')
    and (select s.id from suspense_item s where s.order_id = topup.order_id limit 1) is null`

// Sub-selects hide the lengths of the lists from the planner. A plan for a known short list looks so cheap that
// PostgreSQL would plan every statement again.
const pagesStatement = (asked: readonly Asked[]) => sql`
select q.place::int as place, m.*
  from unnest((select ${asked.map(({ memberId }) => memberId)}::bigint[]), (select ${asked.map(({ count }) => count)}::int[]),
              (select ${asked.map(({ cursor }) => cursor.day)}::date[]), (select ${asked.map(({ cursor }) => cursor.seq)}::bigint[]),
              (select ${asked.map(({ cursor }) => cursor.orderUs)}::bigint[]), (select ${asked.map(({ cursor }) => cursor.orderId)}::text[]),
              (select ${asked.map(({ cursor }) => cursor.itemUs)}::bigint[]), (select ${asked.map(({ cursor }) => cursor.itemId)}::bigint[]))
       with ordinality as q (member_id, count, day, seq, order_us, order_id, item_us, item_id, place)
 cross join lateral (
(select 'join' as source, null::bigint as "rowId", 'join' as kind, 'debit' as direction, entry_fee() as amount,
        extract(epoch from b.created_at) as epoch, j.balance_after as "balanceAfter", j.day::text as ref,
        null as status, j.wallet_seq::bigint as seq, null as "orderId", null as currency
   from round_join j join join_batch b using (batch_id)
  where j.member_id = q.member_id and j.day < q.day and ${NOT_ARCHIVED}
  order by j.day desc limit q.count)
union all
(select 'join', null, 'join', 'debit', entry_fee(), extract(epoch from b.created_at), ${balanceAfter(sql`j`)}, j.day::text,
        null, j.wallet_seq::bigint, null, null
   from entry_in_archive j join join_batch b using (batch_id)
  where j.member_id = q.member_id and j.day < q.day order by j.day desc limit q.count)
union all
(select 'transfer', t.transfer_id, t.kind, t.direction, t.amount, extract(epoch from t.created_at), t.balance_after, t.ref,
        ${heldStatus}, t.wallet_seq,
        case t.kind when 'topup' then (select o.order_id from topup o where o.payment_id = t.ref and o.member_id = q.member_id) end, null
   from ((select 'credit' as direction, c.* from transfer c
           where c.credit = q.member_id and c.credit > 1000 and c.wallet_seq < q.seq order by c.wallet_seq desc limit q.count)
         union all
         (select 'debit', d.* from transfer d
           where d.debit = q.member_id and d.debit > 1000 and d.wallet_seq < q.seq order by d.wallet_seq desc limit q.count)) t)
union all
(select 'order', null, 'order', 'credit', amount, extract(epoch from created_at), null, order_id, status, null, null, null
   from topup
  where member_id = q.member_id and ${isUnpaid}
    and created_at <= to_timestamp(q.order_us::numeric / 1000000)
    and ((extract(epoch from created_at) * 1000000)::bigint, order_id) < (q.order_us, q.order_id)
  order by created_at desc, order_id desc limit q.count)
union all
(select 'waiting', s.id, 'waiting', 'credit', ${waitingAmount}, extract(epoch from s.created_at), null, s.payment_id, ${waitingStatus}, null, s.order_id, s.currency
   from topup o cross join lateral (select * from suspense_item i where i.order_id = o.order_id offset 0) s
  where o.member_id = q.member_id and ${isWaiting}
    and s.created_at <= to_timestamp(q.item_us::numeric / 1000000)
    and ((extract(epoch from s.created_at) * 1000000)::bigint, s.id) < (q.item_us, q.item_id)
  order by s.created_at desc, s.id desc limit q.count)) m`

const BY_DAY = /^join:(\d{4}-\d{2}-\d{2})$/
const BY_TRANSFER = /^transfer:(\d{1,18})$/
const BY_WAITING = /^waiting:(\d{1,18})$/
const BY_ORDER = /^[0-9a-f]{32}$/

/** Finds one of the member's movements by its list id. A captured order and a credited payment are found as their transfers. */
export async function findMovement(from: Queryable, memberId: bigint, id: string): Promise<Movement | undefined> {
  const day = parseDay(BY_DAY.exec(id)?.[1] ?? '')
  if (day !== undefined) return from.maybeOne<Movement>(joinStatement(memberId, day))
  const transferId = BY_TRANSFER.exec(id)?.[1]
  if (transferId !== undefined) return from.maybeOne<Movement>(transferStatement(memberId, sql`t.transfer_id = ${transferId}::bigint`))
  const itemId = BY_WAITING.exec(id)?.[1]
  if (itemId !== undefined) {
    const credited = sql`t.kind = 'suspense_credit' and t.ref = ${itemId}::text and t.credit = ${memberId}::bigint`
    return (
      (await from.maybeOne<Movement>(transferStatement(memberId, credited))) ?? from.maybeOne<Movement>(waitingStatement(memberId, itemId))
    )
  }
  if (!BY_ORDER.test(id)) return undefined
  const paid = sql`t.kind = 'topup' and t.ref = (select payment_id from topup where order_id = ${id}::text)`
  return (await from.maybeOne<Movement>(transferStatement(memberId, paid))) ?? from.maybeOne<Movement>(orderStatement(memberId, id))
}

const joinStatement = (memberId: bigint, day: IstDay) => sql`
  select 'join:' || j.day as id, 'join' as kind, 'debit' as direction, entry_fee() as amount, b.created_at as at,
         coalesce(j.balance_after, ${balanceAfter(sql`j`)}) as "balanceAfter", j.day::text as ref, null as status, j.wallet_seq::bigint as seq
    from entry j join join_batch b using (batch_id) where j.member_id = ${memberId}::bigint and j.day = ${day}::date`

const transferStatement = (memberId: bigint, which: Sql) => sql`
  select 'transfer:' || t.transfer_id as id, t.kind, case when t.credit = ${memberId}::bigint then 'credit' else 'debit' end as direction,
         t.amount, t.created_at as at, t.balance_after as "balanceAfter", t.ref, ${heldStatus} as status, t.wallet_seq as seq
    from transfer t where ${which} and ${memberId}::bigint > 1000 and ${memberId}::bigint in (t.debit, t.credit)`

const orderStatement = (memberId: bigint, orderId: string) => sql`
  select 'order:' || order_id as id, 'order' as kind, 'credit' as direction, amount, created_at as at,
         null as "balanceAfter", order_id as ref, status, null as seq
    from topup where member_id = ${memberId}::bigint and order_id = ${orderId}::text and ${isUnpaid}`

const waitingStatement = (memberId: bigint, itemId: string) => sql`
  select 'waiting:' || s.id as id, 'waiting' as kind, 'credit' as direction, ${waitingAmount} as amount, s.created_at as at, null as "balanceAfter",
         s.payment_id as ref, ${waitingStatus} as status, null as seq, s.order_id as "orderId", s.currency
    from suspense_item s join topup o on o.order_id = s.order_id
   where s.id = ${itemId}::bigint and o.member_id = ${memberId}::bigint and ${isWaiting}`

/** Orders by time, then by `seq` or by item: simultaneous movements keep the wallet's order. */
function newestFirst(a: Row, b: Row): number {
  const byTime = b.atUs - a.atUs
  if (byTime !== 0n) return byTime > 0n ? 1 : -1
  if (a.seq !== null && b.seq !== null && a.seq !== b.seq) return b.seq > a.seq ? 1 : -1
  if (a.source === 'waiting' && b.source === 'waiting') return (b.rowId ?? 0n) > (a.rowId ?? 0n) ? 1 : -1
  return a.id < b.id ? 1 : -1
}

/** Moves each part of the cursor to the oldest row of its source on this page. */
function after(cursor: Cursor, page: readonly Row[]): Cursor {
  let { day, seq, orderUs, orderId, itemUs, itemId } = cursor
  for (const row of page) {
    // The `ref` of a join is its day.
    if (row.source === 'join' && row.ref < day) day = row.ref as IstDay
    if (row.source === 'transfer' && row.seq !== null && row.seq < seq) seq = row.seq
    if (row.source === 'order') {
      orderUs = row.atUs
      orderId = row.ref
    }
    if (row.source === 'waiting') {
      itemUs = row.atUs
      itemId = row.rowId ?? 0n
    }
  }
  return { day, seq, orderUs, orderId, itemUs, itemId }
}

/** Most lists have no waiting payment: their cursors have four parts, which a server of the previous release reads too. */
function textOf({ day, seq, orderUs, orderId, itemUs, itemId }: Cursor): string {
  const parts = [day, seq, orderUs, orderId, ...(itemUs === START.itemUs ? [] : [itemUs, itemId])]
  return Buffer.from(parts.join('|')).toString('base64url')
}

const CURSOR = /^(\d{4}-\d{2}-\d{2})\|(\d{1,19})\|(\d{1,16})\|([0-9a-f]{32})?(?:\|(\d{1,16})\|(\d{1,18}))?$/

function parseCursor(text: string): Cursor | undefined {
  const [, dayText = '', seqText = '', orderText = '', orderId = '', itemText = START.itemUs, itemId = START.itemId] =
    CURSOR.exec(Buffer.from(text, 'base64url').toString()) ?? []
  const day = parseDay(dayText)
  const [seq, orderUs, itemUs] = [BigInt(seqText), BigInt(orderText), BigInt(itemText)]
  if (day === undefined || seq > START.seq || orderUs > START.orderUs || itemUs > START.itemUs) return undefined
  return { day, seq, orderUs, orderId, itemUs, itemId: BigInt(itemId) }
}
