/**
 * Everything that moved or may still move a wallet, newest first. Invariants: what is booked is read
 * from the ledger's rows, what is still open from the orders; one movement is one line whose id stays
 * the same; pages go by (instant, id), so that a line added meanwhile neither repeats nor hides another.
 */
import type { transaction } from '@roz/contract/wallet.ts'
import type { Language } from '@roz/core/language.ts'
import { type Paise, rupeesFromPaise } from '@roz/core/money.ts'
import type { z } from 'zod'
import { type Db, sql } from '../../db/sql.ts'
import type { Cursor, CursorPart } from '../../http/cursor.ts'
import { describe, type MovementKind } from './descriptions.ts'
import { SHOWN_STATUS } from './withdraw.ts'

export type Transaction = z.infer<typeof transaction>

type Row = {
  readonly id: string
  readonly kind: MovementKind
  readonly isCredit: boolean
  readonly amount: Paise
  readonly at: Date
  readonly sortedAt: string
  /** The round's day, for joins, prizes and what a void round gives back. */
  readonly day: string | null
  readonly status: string
  readonly bankName: string | null
  readonly lastFour: string | null
}

/** The id's part of a cursor: what `id` below can be. */
export const isTransactionId: CursorPart = (part) => /^[\w:.#-]{1,200}$/.test(part)

/**
 * A member's movements, at most `limit` + 1 of each source before they are merged: a source alone may
 * fill the page. A join's instant is its batch's; a day has one, so its own order is by day.
 */
export async function listTransactions(
  db: Db,
  memberId: bigint,
  page: { readonly after: Cursor | undefined; readonly limit: number },
): Promise<Row[]> {
  const [at, id] = page.after ?? []
  const micros = at ?? '999999999999999999'
  const last = id ?? '~'
  const limit = page.limit + 1
  return db.query<Row>(sql`
    with cut as materialized (select 'epoch'::timestamptz + ${micros}::bigint * interval '1 microsecond' as at),
    joins as (
      select 'join:' || j.day as id, 'join' as kind, false as credit, entry_fee() as amount, b.created_at as at, j.day, 'completed' as status,
        null::bigint as bank
      from cut, round_join j join join_batch b on b.batch_id = j.batch_id
      where j.member_id = ${memberId}::bigint and j.day <= ist_day(cut.at) and (b.created_at, 'join:' || j.day) < (cut.at, ${last}::text collate "C")
      order by j.day desc limit ${limit}::int
    ), moves as (
      select coalesce(o.order_id, t.kind || ':' || t.ref) as id, t.kind, t.credit = ${memberId}::bigint as credit,
        t.amount, t.created_at as at, case when t.debit < 0 then to_date((-t.debit)::text, 'YYYYMMDD') end as day,
        coalesce(w.status, 'completed') as status, v.bank_account_id as bank
      from transfer t
        left join topup o on t.kind = 'topup' and o.payment_id = t.ref
        left join withdrawal v on t.kind in ('wd_hold', 'wd_back', 'wd_reversed') and v.id::text = t.ref
        left join withdrawal w on t.kind = 'wd_hold' and w.id = v.id
      where t.debit = ${memberId}::bigint or t.credit = ${memberId}::bigint
    ), orders as (
      select order_id as id, 'order' as kind, true as credit, amount, created_at as at, null::date as day, status, null::bigint as bank
      from topup where member_id = ${memberId}::bigint and status in ('created', 'pending', 'failed', 'expired')
    ), line as (
      select * from joins union all select * from moves union all select * from orders
    )
    select l.id, l.kind, l.credit as "isCredit", l.amount, l.at, (extract(epoch from l.at) * 1000000)::bigint::text as "sortedAt",
      l.day, l.status, a.bank_name as "bankName", a.last_four as "lastFour"
    from cut, line l left join bank_account a on a.id = l.bank
    where (l.at, l.id) < (cut.at, ${last}::text collate "C")
    order by l.at desc, l.id collate "C" desc limit ${limit}::int`)
}

/** The words of the spec for how a movement stands: success green, pending yellow, failed red. */
const ORDER_SHOWN: Readonly<Record<string, string>> = { created: 'pending', pending: 'pending', failed: 'failed', expired: 'expired' }

function statusOf(row: Row): string {
  if (row.kind === 'order') return ORDER_SHOWN[row.status] ?? row.status
  return row.kind === 'wd_hold' && Object.hasOwn(SHOWN_STATUS, row.status)
    ? SHOWN_STATUS[row.status as keyof typeof SHOWN_STATUS]
    : 'completed'
}

export const transactionOf =
  (language: Language) =>
  (row: Row): Transaction => ({
    id: row.id,
    type: row.isCredit ? 'credit' : 'debit',
    description: describe(row, language),
    createdAt: row.at.toISOString(),
    amount: rupeesFromPaise(row.amount),
    status: statusOf(row),
  })

export const keyOfTransaction = (row: Row): Cursor => [row.sortedAt, row.id]
