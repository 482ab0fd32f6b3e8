/**
 * Reconciliation: the amounts that the gateway and the bank should have, to compare with the gateway's dashboard and the bank's statement.
 * - The figures of a day with books come from its public file, so a page is as fast after ten years as now.
 * - The figures of the days after the newest books, usually two, are sums of their transfers.
 */
import type { Output } from '@roz/contract/api.ts'
import type { accountCalls } from '@roz/contract/accounts.ts'
import type { BooksFile } from '@roz/core/books.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { paise, rupeesFromPaise } from '@roz/core/money.ts'
import { type Db, type Queryable, sql } from '../../db/sql.ts'
import { CURSOR_PARTS, type Cursor } from '../../lists/cursor.ts'
import { pageOf } from '../../lists/listing.ts'
import type { Handlers } from '../../http/route.ts'
import { ACCOUNTS, type TransferKind } from '../../ledger/accounts.ts'
import { readAllowance } from '../../ledger/approvals.ts'
import { readBalances } from '../../ledger/balances.ts'
import { exportList } from '../../staff/exported-list.ts'
import { readBankCheck } from './bank/compare.ts'
import type { AccountsDeps } from './deps.ts'
import { checkMoney } from './findings.ts'

type ReconciledDay = Output<(typeof accountCalls)['reconciliation']>['reconciliation'][number]
type Column = 'captured' | 'refunded' | 'disputed' | 'settled' | 'fee'
/** A flow adds to its column, or takes from it. `fee` is the part of a settlement that comes from GATEWAY_FEES. */
type Flow = { readonly kind: string; readonly isToGateway: boolean; readonly isFee: boolean; readonly paise: bigint }
type Day = { readonly day: IstDay; readonly flows: readonly Flow[] }

const COLUMN_OF: Readonly<Partial<Record<string, Column>>> = {
  topup: 'captured',
  topup_suspense: 'captured',
  refund_paid: 'refunded',
  refund_reversed: 'refunded',
  refund_conflict: 'refunded',
  refund_conflict_back: 'refunded',
  chargeback: 'disputed',
  chargeback_back: 'disputed',
  gateway_settled: 'settled',
} satisfies Partial<Record<TransferKind, Column>>

const shown = (amount: bigint): number => rupeesFromPaise(paise(amount))

export const reconciliationHandlers = ({ db, approvalAbove, reading }: AccountsDeps): Handlers<'reconciliation' | 'reconciliationCsv'> => ({
  reconciliation: async ({ query, session }) => {
    const page = await pageOf(query, (part) => listReconciled(db, part), [CURSOR_PARTS.day])
    if (!page.ok) return page
    const { GATEWAY, BANK, GATEWAY_FEES, PAYOUTS_PENDING, REFUNDS_PENDING, SUSPENSE } = await readBalances(db)
    return {
      ok: true,
      value: {
        balances: {
          gateway: shown(-GATEWAY),
          bank: shown(-BANK),
          fees: shown(-GATEWAY_FEES),
          payoutsPending: shown(PAYOUTS_PENDING),
          refundsPending: shown(REFUNDS_PENDING),
          suspense: shown(SUSPENSE),
        },
        reconciliation: [...page.rows],
        check: await checkMoney(db, reading?.settlements !== undefined),
        bankCheck: await readBankCheck(db),
        approvalAbove: rupeesFromPaise(await readAllowance(db, { by: session.memberId, limit: approvalAbove })),
        nextCursor: page.nextCursor,
      },
    }
  },
  reconciliationCsv: (call) =>
    exportList(db, call, {
      name: 'reconciliation',
      read: (page) => listReconciled(db, page),
      columns: {
        day: (row) => row.day,
        captured: (row) => row.captured,
        refunded: (row) => row.refunded,
        disputed: (row) => row.disputed,
        settled: (row) => row.settled,
        fee: (row) => row.fee,
        owed: (row) => row.owed,
      },
    }),
})

/** Days with the flows that changed the gateway's debt to us, newest first; one more than `limit` when there is a next page. */
async function listReconciled(
  db: Db,
  { after, limit }: { readonly after: Cursor | undefined; readonly limit: number },
): Promise<{ readonly shown: ReconciledDay; readonly key: Cursor }[]> {
  const newest = await db.maybeOne<{ day: IstDay; bytes: Buffer }>(sql`select day, bytes from books_day order by day desc limit 1`)
  const since = await listDaysSince(db, newest?.day)
  const owedAt = owedAtEnds(since, newest === undefined ? 0n : owedIn(booksOf(newest.bytes)))
  const flowsSince = new Map(since.map(({ day, flows }) => [day, flows]))
  const found = await listDays(db, after?.[0], limit)
  return found.map(({ day, bytes }) => {
    const isOfBooks = bytes !== null && !flowsSince.has(day)
    const books = isOfBooks ? booksOf(bytes) : undefined
    const figures = figuresOf(books === undefined ? (flowsSince.get(day) ?? []) : flowsIn(books))
    return { shown: { day, ...figures, owed: shown(books === undefined ? owedAt(day) : owedIn(books)) }, key: [day] }
  })
}

const booksOf = (bytes: Buffer): BooksFile => JSON.parse(bytes.toString('utf8')) as BooksFile
const owedIn = ({ accounts }: BooksFile): bigint => -BigInt(accounts.find(({ account }) => account === 'GATEWAY')?.closing ?? 0)
const flowsIn = ({ flows }: BooksFile): Flow[] =>
  flows
    .filter(({ from, to }) => from === 'GATEWAY' || to === 'GATEWAY')
    .map(({ kind, from, to, paise: amount }) => ({
      kind,
      isToGateway: to === 'GATEWAY',
      isFee: from === 'GATEWAY_FEES',
      paise: BigInt(amount),
    }))

/** The days of the ledger until today, the newest first, with their books; one row more than `limit` when there is a next page. */
const listDays = (db: Db, before: string | undefined, limit: number): Promise<{ day: IstDay; bytes: Buffer | null }[]> =>
  db.query(sql`
    select l.day, b.bytes from ledger_day l left join books_day b using (day)
     where l.day <= ist_day(roz_now()) and l.day < ${before ?? 'infinity'}::date order by l.day desc limit ${limit + 1}::int`)

/** Movements at the gateway on each day after the newest books, the oldest day first. */
async function listDaysSince(from: Queryable, newest: IstDay | undefined): Promise<Day[]> {
  const rows = await from.query<Flow & { day: IstDay }>(sql`
    select day, kind, credit = ${ACCOUNTS.GATEWAY}::bigint as "isToGateway", debit = ${ACCOUNTS.GATEWAY_FEES}::bigint as "isFee", sum(amount)::bigint as paise
      from transfer where day > ${newest ?? '-infinity'}::date and ${ACCOUNTS.GATEWAY}::bigint in (debit, credit)
     group by 1, 2, 3, 4 order by day`)
  const days = new Map<IstDay, Flow[]>()
  for (const { day, ...flow } of rows) days.set(day, [...(days.get(day) ?? []), flow])
  return [...days].map(([day, flows]) => ({ day, flows }))
}

/** The amount by which a flow raises the gateway's debt to us. */
const raised = ({ isToGateway, paise: amount }: Flow): bigint => (isToGateway ? -amount : amount)

/** The gateway's debt to us at the end of a day after the newest books. */
function owedAtEnds(days: readonly Day[], owedBefore: bigint): (day: IstDay) => bigint {
  return (until) =>
    days.filter(({ day }) => day <= until).reduce((owed, { flows }) => flows.reduce((sum, flow) => sum + raised(flow), owed), owedBefore)
}

function figuresOf(flows: readonly Flow[]): Record<Column, number> {
  const sums = { captured: 0n, refunded: 0n, disputed: 0n, settled: 0n, fee: 0n }
  for (const flow of flows) {
    const column = flow.isFee ? 'fee' : COLUMN_OF[flow.kind]
    if (column === undefined) throw new Error(`${flow.kind} is no movement of the gateway`)
    sums[column] += column === 'captured' ? raised(flow) : -raised(flow)
  }
  return {
    captured: shown(sums.captured),
    refunded: shown(sums.refunded),
    disputed: shown(sums.disputed),
    settled: shown(sums.settled),
    fee: shown(sums.fee),
  }
}
