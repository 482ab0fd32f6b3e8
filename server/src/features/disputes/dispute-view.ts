/** Disputes of payments as administrators see them: the bank's deadline for an answer, and the amount that each one took. */
import type { dispute } from '@roz/contract/disputes.ts'
import { type Paise, rupeesFromPaise } from '@roz/core/money.ts'
import type { z } from 'zod'
import { contains } from '../../members/member-search.ts'
import { type Db, sql } from '../../db/sql.ts'
import { CURSOR_PARTS, type Cursor, type CursorPart } from '../../lists/cursor.ts'
import { ACCOUNTS } from '../../ledger/accounts.ts'
import { CREDITED_MEMBER, NEEDS_ANSWER } from '../../ledger/disputes.ts'
import { beyond, microsOf, orderOf } from '../../lists/newest-first.ts'
import { instantOf, instantOrNull, type Search } from '../../lists/listing.ts'
import { payeeColumns, payeeOf, type PayeeRow, waitingHours } from '../../staff/money-rows.ts'

type Dispute = z.infer<typeof dispute>

type Row = PayeeRow &
  Pick<Dispute, 'id' | 'paymentId' | 'type' | 'status' | 'state' | 'needsAnswer' | 'waitingHours' | 'isTaken' | 'problem'> & {
    readonly orderId: string
    readonly amount: Paise
    readonly loss: Paise
    readonly respondBy: Date | null
    readonly createdAt: Date
    readonly updatedAt: Date
    readonly sortedAt: string
  }

const viewOf = (row: Row): Dispute => ({
  id: row.id,
  order_id: row.orderId,
  paymentId: row.paymentId,
  amount: rupeesFromPaise(row.amount),
  type: row.type,
  status: row.status,
  state: row.state,
  needsAnswer: row.needsAnswer,
  waitingHours: row.waitingHours,
  respondBy: instantOrNull(row.respondBy),
  isTaken: row.isTaken,
  loss: rupeesFromPaise(row.loss),
  problem: row.problem,
  createdAt: instantOf(row.createdAt),
  updatedAt: instantOf(row.updatedAt),
  member: payeeOf(row),
})

/** The gateway's id, as text. */
const isId: CursorPart = (part) => part.length <= 100 && !part.includes('\0')
export const DISPUTE_CURSOR: readonly CursorPart[] = [CURSOR_PARTS.micros, isId]

const KEY = { at: sql`d.created_at`, id: sql`d.id` }

/** Newest or oldest first; one row more than `limit` when there is a next page. */
export async function searchDisputes(db: Db, search: Search): Promise<{ readonly shown: Dispute; readonly key: Cursor }[]> {
  const found = await db.query<Row>(sql`
    select d.id, d.order_id as "orderId", d.payment_id as "paymentId", d.amount, d.type, d.status, d.state, ${NEEDS_ANSWER} as "needsAnswer",
      ${waitingHours(NEEDS_ANSWER, sql`d.created_at`)}, d.is_taken as "isTaken", d.problem,
      d.respond_by as "respondBy", d.created_at as "createdAt", d.updated_at as "updatedAt",
      ${payeeColumns},
      ${microsOf(sql`d.created_at`)} as "sortedAt",
      (select coalesce(sum(case t.debit when ${ACCOUNTS.LOSSES}::bigint then t.amount else -t.amount end), 0)::bigint from transfer t
        where t.kind in ('chargeback', 'chargeback_back', 'debt_paid', 'debt_back') and subject_of(t.ref) = d.id
          and ${ACCOUNTS.LOSSES}::bigint in (t.debit, t.credit)) as loss
    from dispute d
    left join topup o on o.order_id = d.order_id and o.payment_id = d.payment_id
    left join member m on m.id = coalesce(o.member_id, ${CREDITED_MEMBER})
    where ${beyond(KEY, search, 'text')} and ${search.work ?? sql`(${search.status ?? null}::text is null or d.state = ${search.status ?? null}::text)`}
      and (${contains(search.q, sql`m.name`, sql`m.email`, sql`d.id`, sql`d.order_id`, sql`d.payment_id`)})
    order by ${orderOf(KEY, search)} limit ${search.limit + 1}::int`)
  return found.map((row) => ({ shown: viewOf(row), key: [row.sortedAt, row.id] }))
}
