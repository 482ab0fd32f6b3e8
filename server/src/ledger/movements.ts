/**
 * A member's movements, newest first: joins, transfers, and orders that are not paid. Invariant: paging
 * neither skips nor repeats a row. Each source has its own key and its own part of the cursor (joins by
 * day, transfers by the wallet's seq, orders by time and id), so each page reads one index per source.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import { parseDay } from '@roz/core/ist-day.ts'
import type { Paise } from '@roz/core/money.ts'
import { type Outcome, accepted, refused } from '@roz/core/outcome.ts'
import { type Queryable, sql } from '../db/sql.ts'
import type { TransferKind } from './accounts.ts'
import type { RefundStatus } from './refunds.ts'
import type { TopupStatus } from './topups.ts'
import type { WithdrawalStatus } from './withdrawals.ts'

export type Movement = {
  /** Unique among the member's movements: `join:2026-11-21`, `transfer:17`, `order:…`. */
  readonly id: string
  readonly kind: 'join' | 'order' | TransferKind
  readonly direction: 'credit' | 'debit'
  readonly amount: Paise
  readonly at: Date
  /** The balance after it; null for an order that is not paid. */
  readonly balanceAfter: Paise | null
  /** What moved it: the round's day, a payment, an order, a withdrawal, day and rank. */
  readonly ref: string
  /** Of an order that is not paid, or of the withdrawal or refund that a hold belongs to; otherwise null. */
  readonly status: TopupStatus | WithdrawalStatus | RefundStatus | null
  /** Its place in the wallet's history; null for an order. */
  readonly seq: bigint | null
}
export type MovementPage = { readonly movements: readonly Movement[]; readonly nextCursor: string | null }

type Cursor = {
  /** Joins before this day. */
  readonly day: IstDay
  /** Transfers below this seq. */
  readonly seq: bigint
  /** Orders before this instant in microseconds, and at it below this id. */
  readonly orderUs: bigint
  readonly orderId: string
}
const START: Cursor = { day: '9999-12-31' as IstDay, seq: 2n ** 62n, orderUs: 2n ** 52n, orderId: '' }

type Row = Movement & { readonly source: 'join' | 'transfer' | 'order'; readonly atUs: bigint; readonly day: IstDay | null }

export async function listMovements(
  from: Queryable,
  query: { readonly memberId: bigint; readonly cursor?: string | undefined; readonly limit: number },
): Promise<Outcome<MovementPage, 'cursor_invalid'>> {
  const cursor = query.cursor === undefined ? START : parseCursor(query.cursor)
  if (cursor === undefined) return refused('cursor_invalid')
  const rows = await from.query<Row>(pageStatement(query.memberId, cursor, query.limit + 1))
  rows.sort(newestFirst)
  const page = rows.slice(0, query.limit)
  const movements = page.map(movementOf)
  return accepted({ movements, nextCursor: rows.length > query.limit ? textOf(after(cursor, page)) : null })
}

const movementOf = ({ id, kind, direction, amount, at, balanceAfter, ref, status, seq }: Row): Movement => ({
  id,
  kind,
  direction,
  amount,
  at,
  balanceAfter,
  ref,
  status,
  seq,
})

const pageStatement = (memberId: bigint, cursor: Cursor, count: number) => sql`
(select 'join' as source, 'join:' || j.day as id, 'join' as kind, 'debit' as direction, entry_fee() as amount, b.created_at as at,
        (extract(epoch from b.created_at) * 1000000)::bigint as "atUs", j.day, j.balance_after as "balanceAfter", j.day::text as ref,
        null as status, j.wallet_seq::bigint as seq
   from round_join j join join_batch b using (batch_id)
  where j.member_id = ${memberId}::bigint and j.day < ${cursor.day}::date order by j.day desc limit ${count}::int)
union all
(select 'transfer', 'transfer:' || t.transfer_id, t.kind, t.direction, t.amount, t.created_at, (extract(epoch from t.created_at) * 1000000)::bigint,
        null, t.balance_after, t.ref, case t.kind
          when 'wd_hold' then (select w.status from withdrawal w where w.id = t.ref::uuid)
          when 'refund_hold' then (select r.status from refund r where r.id = t.ref::uuid) end, t.wallet_seq
   from ((select 'credit' as direction, c.* from transfer c
           where c.credit = ${memberId}::bigint and c.credit > 1000 and c.wallet_seq < ${cursor.seq}::bigint order by c.wallet_seq desc limit ${count}::int)
         union all
         (select 'debit', d.* from transfer d
           where d.debit = ${memberId}::bigint and d.debit > 1000 and d.wallet_seq < ${cursor.seq}::bigint order by d.wallet_seq desc limit ${count}::int)) t)
union all
(select 'order', 'order:' || order_id, 'order', 'credit', amount, created_at, (extract(epoch from created_at) * 1000000)::bigint,
        null, null, order_id, status, null
   from topup
  where member_id = ${memberId}::bigint and status in ('created', 'pending', 'failed', 'expired')
    and created_at <= to_timestamp(${cursor.orderUs}::numeric / 1000000)
    and ((extract(epoch from created_at) * 1000000)::bigint, order_id) < (${cursor.orderUs}::bigint, ${cursor.orderId}::text)
  order by created_at desc, order_id desc limit ${count}::int)`

/** By the wallet's own order where both have one: two movements of one instant keep their sequence. */
function newestFirst(a: Row, b: Row): number {
  const byTime = b.atUs - a.atUs
  if (byTime !== 0n) return byTime > 0n ? 1 : -1
  if (a.seq !== null && b.seq !== null && a.seq !== b.seq) return b.seq > a.seq ? 1 : -1
  return a.id < b.id ? 1 : -1
}

/** Each part moves to the oldest row of its source on this page. */
function after(cursor: Cursor, page: readonly Row[]): Cursor {
  let { day, seq, orderUs, orderId } = cursor
  for (const row of page) {
    if (row.source === 'join' && row.day !== null && row.day < day) day = row.day
    if (row.source === 'transfer' && row.seq !== null && row.seq < seq) seq = row.seq
    if (row.source === 'order') {
      orderUs = row.atUs
      orderId = row.ref
    }
  }
  return { day, seq, orderUs, orderId }
}

const textOf = (cursor: Cursor): string =>
  Buffer.from([cursor.day, cursor.seq, cursor.orderUs, cursor.orderId].join('|')).toString('base64url')

const CURSOR = /^(\d{4}-\d{2}-\d{2})\|(\d{1,19})\|(\d{1,16})\|([0-9a-f]{32})?$/

function parseCursor(text: string): Cursor | undefined {
  const [, dayText = '', seq = '', orderUs = '', orderId = ''] = CURSOR.exec(Buffer.from(text, 'base64url').toString()) ?? []
  const day = parseDay(dayText)
  if (day === undefined || BigInt(seq) > START.seq || BigInt(orderUs) > START.orderUs) return undefined
  return { day, seq: BigInt(seq), orderUs: BigInt(orderUs), orderId }
}
