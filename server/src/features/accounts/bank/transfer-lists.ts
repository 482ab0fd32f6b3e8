/** Transfers that finance confirms: what came in by the statements, and what was confirmed. The lists have no words of the bank. */
import type { Output } from '@roz/contract/api.ts'
import type { bankTransferCalls } from '@roz/contract/bank-transfers.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Paise, rupeesFromPaise } from '@roz/core/money.ts'
import { transferReferencesIn } from '@roz/core/reference-fields.ts'
import { type Queryable, type Sql, sql } from '../../../db/sql.ts'
import type { Handlers } from '../../../http/route.ts'
import type { Cursor } from '../../../lists/cursor.ts'
import { instantOf, pageOf } from '../../../lists/listing.ts'
import { microsOf, olderThan } from '../../../lists/newest-first.ts'
import { fingerprintOf } from '../../../staff/decision.ts'
import { IS_CLOSED_LINE, IS_LINE_TO_CONFIRM, IS_UNBOOKED_LINE, openWork, workOf } from '../../../staff/open-work.ts'
import type { AccountsDeps } from '../deps.ts'
import { wordsOf } from './match.ts'
import { CAME_IN } from './transfer-matches.ts'

export type ShownTransfer = Output<(typeof bankTransferCalls)['transfers']>['transfers'][number]
type ShownLine = Output<(typeof bankTransferCalls)['transferLines']>['lines'][number]
type Order = ShownTransfer['order']

export const transferListHandlers = (deps: AccountsDeps): Handlers<'transferLines' | 'transfers'> => ({
  transferLines: async ({ query }) => {
    const page = await pageOf(query, (part) => listLines(deps, { ...query, ...part }))
    return page.ok ? { ok: true, value: { lines: [...page.rows], nextCursor: page.nextCursor } } : page
  },
  transfers: async ({ query, session }) => {
    const { status } = query
    const wanted =
      workOf(openWork({ viewer: session, payoutsByHand: true }).transfers, status) ??
      (status === undefined ? sql`true` : sql`b.status = ${status}::text`)
    const page = await pageOf(query, async ({ after, limit }) => {
      const rows = await deps.db.query<Row>(sql`
        ${ROWS} where ${wanted} and ${olderThan({ at: sql`b.asked_at`, id: sql`b.id` }, after)} order by b.asked_at desc, b.id desc limit ${limit + 1}::int`)
      return rows.map((row) => ({ shown: viewOf(row), key: [row.sortedAt, row.id] }))
    })
    return page.ok ? { ok: true, value: { transfers: [...page.rows], nextCursor: page.nextCursor } } : page
  },
})

type Wanted = { readonly status?: 'closed' | undefined; readonly after: Cursor | undefined; readonly limit: number }
/**
 * Lines to confirm. Or those that were closed with a reason and have an order's reference: somebody may wait for one. Where money is added in
 * another way now, a line without a reference may be a settlement of the gateway.
 */
async function listLines(
  { db, secrets, transfers }: AccountsDeps,
  { status, after, limit }: Wanted,
): Promise<{ readonly shown: ShownLine; readonly key: Cursor }[]> {
  const wanted = status === undefined ? IS_LINE_TO_CONFIRM : sql`${CAME_IN} and ${IS_UNBOOKED_LINE} and ${IS_CLOSED_LINE}`
  const listed: { readonly shown: ShownLine; readonly key: Cursor }[] = []
  for (let from = after; ; ) {
    const lines = await db.query<LineRow>(sql`
      select l.id, a.name as account, l.day::text as day, l.amount, l.sealed_words as words, ${IS_CLOSED_LINE} as "isClosed",
             ${microsOf(sql`l.stored_at`)} as "sortedAt"
        from bank_line l join statement_account a on a.id = l.account_id
       where ${wanted} and ${olderThan({ at: sql`l.stored_at`, id: sql`l.id` }, from)}
       order by l.stored_at desc, l.id desc limit ${limit + 1}::int`)
    const read = lines.map((line) => ({ line, words: wordsOf(secrets, line) }))
    const orders = await findOrders(
      db,
      read.map(({ words }) => words),
    )
    for (const { line, words } of read) {
      const order = referenceOf(words, orders)
      if (order !== undefined || (transfers.areOffered && !line.isClosed))
        listed.push({ shown: lineOf(line, order), key: [line.sortedAt, line.id] })
    }
    const last = lines.at(-1)
    if (last === undefined || lines.length <= limit || listed.length > limit) return listed
    from = [last.sortedAt, last.id]
  }
}

type LineRow = {
  readonly id: string
  readonly account: string
  readonly day: IstDay
  readonly amount: Paise
  readonly words: Buffer
  readonly isClosed: boolean
  readonly sortedAt: string
}

type Found = {
  readonly orderId: string
  readonly reference: string
  readonly amount: Paise
  readonly memberId: string
  readonly name: string
}
type Orders = ReadonlyMap<string, Found>
const ORDERS = sql`bank_transfer_order f join topup o on o.order_id = f.order_id join member m on m.id = o.member_id`

/** The orders whose references these words of the bank have. */
export async function findOrders(from: Queryable, words: readonly string[]): Promise<Orders> {
  const found = await from.query<Found>(sql`
    select f.order_id as "orderId", f.reference, f.amount, m.public_id as "memberId", m.name
      from ${ORDERS} where f.reference = any(${words.flatMap(transferReferencesIn)}::text[])`)
  return new Map(found.map((one) => [one.reference, one]))
}

/** The order whose reference the words have. With two it is nobody's: a person decides in SUSPENSE. */
export function referenceOf(words: string, orders: Orders): Found | undefined {
  const [only, another] = [...new Set(transferReferencesIn(words))].flatMap((reference) => orders.get(reference) ?? [])
  return another === undefined ? only : undefined
}

const orderOf = ({ reference, amount, memberId, name }: Omit<Found, 'orderId'>): Order => ({
  reference,
  amount: rupeesFromPaise(amount),
  member: { id: memberId, name },
})

/** The fingerprint of what can change while the line is listed. */
export const seenOfLine = (reference: string | undefined, isClosed: boolean): string => fingerprintOf([reference, isClosed])

const lineOf = ({ id, account, day, amount, isClosed }: LineRow, found: Found | undefined): ShownLine => ({
  id,
  account,
  day,
  amount: rupeesFromPaise(amount),
  order: found === undefined ? null : orderOf(found),
  isClosed,
  seen: seenOfLine(found?.reference, isClosed),
})

type Row = {
  readonly id: string
  readonly amount: Paise
  readonly day: IstDay
  readonly bankNumber: string | null
  readonly status: ShownTransfer['status']
  readonly askedById: string
  readonly askedByName: string
  readonly askedAt: Date
  readonly reason: string | null
  readonly sortedAt: string
  readonly reference: string | null
  readonly orderAmount: Paise | null
  readonly memberId: string | null
  readonly name: string | null
}
const ROWS: Sql = sql`
  select b.id, b.amount, b.day::text as day, b.bank_number as "bankNumber", b.status, s.public_id as "askedById", s.name as "askedByName",
         b.asked_at as "askedAt", b.reason, ${microsOf(sql`b.asked_at`)} as "sortedAt",
         f.reference, f.amount as "orderAmount", m.public_id as "memberId", m.name
    from bank_transfer b join member s on s.id = b.asked_by left join (${ORDERS}) on o.order_id = b.order_id`

const viewOf = (row: Row): ShownTransfer => ({
  id: row.id,
  amount: rupeesFromPaise(row.amount),
  day: row.day,
  order:
    row.reference === null || row.orderAmount === null || row.memberId === null
      ? null
      : orderOf({ reference: row.reference, amount: row.orderAmount, memberId: row.memberId, name: row.name ?? '' }),
  bankReference: row.bankNumber,
  status: row.status,
  askedBy: { id: row.askedById, name: row.askedByName },
  askedAt: instantOf(row.askedAt),
  reason: row.reason,
})

export const viewTransfer = async (from: Queryable, id: string): Promise<ShownTransfer> =>
  viewOf(await from.one<Row>(sql`${ROWS} where b.id = ${id}::uuid`))
