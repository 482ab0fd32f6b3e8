/**
 * Compares the bank with the account BANK of the books at the end of the last whole day that the statements of all accounts have.
 * - Lines and movements without each other, and a first balance other than the books', are findings (finding-rows.ts).
 * - Bank less books = first balances + lines without a movement − movements without a line + those that bank and books have on either
 *   side of the day. Nothing else can differ.
 * - The caller of `compareBank` holds the lock of the bank.
 */
import type { bankCheck } from '@roz/contract/accounts.ts'
import { bankDaysBefore } from '@roz/core/bank-days.ts'
import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import { paise, rupeesFromPaise } from '@roz/core/money.ts'
import type { z } from 'zod'
import { type Queryable, type Sql, sql } from '../../../db/sql.ts'
import type { Tx } from '../../../db/transaction.ts'
import { readBalances } from '../../../ledger/balances.ts'
import { type Found, replaceFindings } from '../finding-rows.ts'
import { DAYS_APART } from './match.ts'
import { listUnmatched, OF_BANK, RAISED } from './movements.ts'

const WINDOW_DAYS = 60
const LATE_BANK_DAYS = 3
const TODAY: Sql = sql`ist_day(roz_now())`
const BANK_KINDS: Sql = sql`('bank_line', 'bank_missing', 'bank_opening')`
/** Findings of the bank, whose sums say nothing of the gateway. */
export const IS_OF_BANK: Sql = sql`(f.kind in ${BANK_KINDS})`

type Span = { readonly base: IstDay; readonly until: IstDay; readonly before: IstDay | null; readonly today: IstDay }

/** From the first day of any account to the last whole day that all have. */
const findSpan = (from: Queryable): Promise<Span | undefined> =>
  from.maybeOne<Span>(sql`
    select min(a.first_day)::text as base, least(min(a.complete_until), ${TODAY} - 1)::text as until, min(c.until_day)::text as before, ${TODAY}::text as today
          from statement_account a cross join bank_comparison c where a.lines > 0 having count(*) > 0`)

export async function compareBank(tx: Tx): Promise<void> {
  const span = await findSpan(tx)
  if (span === undefined) return
  await replaceFindings(tx, {
    of: IS_OF_BANK,
    settlementId: null,
    found: [...(await findOpenings(tx, span)), ...(await findOpenLines(tx)), ...(await findMissing(tx, span))],
  })
  await tx.query(sql`update bank_comparison set until_day = ${span.until}::date, ran_at = roz_now()`)
}

/** The bank's balance at the end of a day by the books. */
async function booksAt(from: Queryable, day: IstDay): Promise<bigint> {
  const { since } = await from.one<{ since: bigint }>(
    sql`select coalesce(sum(${RAISED}), 0)::bigint as since from transfer t where ${OF_BANK} and t.day > ${day}::date`,
  )
  return -(await readBalances(from)).BANK - since
}

/** Lines of movements that the books have from before the first day: the first balance did not have them yet. */
const EARLIER: Sql = sql`l.subject is not null and l.matched_day < `

async function findOpenings(tx: Tx, { base }: Span): Promise<Found[]> {
  const before = await booksAt(tx, addDays(base, -1))
  return tx.query<Found>(sql`
    select * from (
      select 'bank_opening' as kind, 'bank_account:' || a.id as subject, null as detail,
             a.opening - case when row_number() over (order by a.first_day, a.created_at, a.id) = 1 then ${before}::bigint else 0 end
             + coalesce((select sum(l.amount) from bank_line l where l.account_id = a.id and ${EARLIER} ${base}::date), 0)::bigint as difference
        from statement_account a where a.lines > 0) opening where difference <> 0`)
}

const findOpenLines = (tx: Tx): Promise<Found[]> =>
  tx.query<Found>(sql`
    select 'bank_line' as kind, 'bank_line:' || l.id as subject, l.amount as difference, to_char(l.day, 'YYYY-MM-DD') as detail
      from bank_line l where l.subject is null`)

/** Movements without a line: of the last days, of those since the last comparison, and older ones that were missing already. */
async function findMissing(tx: Tx, { base, until, before, today }: Span): Promise<Found[]> {
  const openDay = (
    await tx.one<{ day: IstDay | null }>(sql`select (min(day) - ${DAYS_APART}::int)::text as day from bank_line where subject is null`)
  ).day
  const [oldest] = [addDays(today, -WINDOW_DAYS), before ?? base, openDay ?? base].toSorted()
  const since = oldest !== undefined && oldest > base ? oldest : base
  const found = await listUnmatched(tx, since, sql`m.day <= ${until}::date and m.amount <> 0`)
  const recent = found.map(({ subject, day, amount }): Found => ({ kind: 'bank_missing', subject, difference: -amount, detail: day }))
  const older = await tx.query<Found>(sql`
    select f.kind, f.subject, f.difference, f.detail from money_finding f
     where f.kind = 'bank_missing' and f.ended_at is null and f.detail >= ${base}::text and f.detail < ${since}::text
       and not exists (select from bank_line l where l.subject = f.subject)`)
  return [...recent, ...older]
}

type Part = 'opening' | 'lines' | 'entries' | 'other_day'
type Explained = { readonly part: Part; readonly amount: bigint; readonly count: number }

export async function readBankCheck(from: Queryable): Promise<z.infer<typeof bankCheck> | null> {
  const span = await from.maybeOne<{ base: IstDay; until: IstDay; today: IstDay }>(sql`
    select min(a.first_day)::text as base, min(c.until_day)::text as until, ${TODAY}::text as today
          from statement_account a cross join bank_comparison c where a.lines > 0 having min(c.until_day) is not null`)
  if (span === undefined) return null
  const { until, today } = span
  const bank = await bankAt(from, until)
  const books = await booksAt(from, until)
  const parts = [...(await explainedByFindings(from, until)), ...(await explainedByDays(from, span))]
  const difference = bank - books
  const rest = difference - parts.reduce((sum, { amount }) => sum + amount, 0n)
  // Open findings are counted, not added up: a stolen sum and an invented account would cancel each other out.
  const { closed, open } = await from.one<{ closed: bigint; open: number }>(sql`
    select coalesce(sum(difference) filter (where f.closed_at is not null), 0)::bigint as closed,
               (count(*) filter (where f.closed_at is null))::int as open from money_finding f
         where ${IS_OF_BANK} and f.ended_at is null and (f.detail is null or f.detail <= ${until}::text)`)
  const shown = (amount: bigint): number => rupeesFromPaise(paise(amount))
  return {
    day: until,
    isLate: until < bankDaysBefore(today, LATE_BANK_DAYS),
    bank: shown(bank),
    books: shown(books),
    difference: shown(difference),
    unsettled: shown(difference - closed),
    open,
    explained: [...parts, { part: 'unexplained' as const, amount: rest, count: 1 }]
      .filter(({ amount }) => amount !== 0n)
      .map(({ amount, ...part }) => ({ ...part, amount: shown(amount) })),
  }
}

/** The bank's balance at the end of a day by its statements. An account that begins later had its first balance. */
async function bankAt(from: Queryable, day: IstDay): Promise<bigint> {
  const { bank } = await from.one<{ bank: bigint }>(sql`select coalesce(sum(coalesce((
            select l.balance from bank_line l where l.account_id = a.id and l.day <= ${day}::date order by l.day desc, l.position desc limit 1),
          a.opening)), 0)::bigint as bank from statement_account a where a.lines > 0`)
  return bank
}

const explainedByFindings = (from: Queryable, until: IstDay): Promise<Explained[]> =>
  from.query<Explained>(sql`
    select case f.kind when 'bank_opening' then 'opening' when 'bank_line' then 'lines' else 'entries' end as part,
           sum(f.difference)::bigint as amount, count(*)::int as count
      from money_finding f where ${IS_OF_BANK} and f.ended_at is null and (f.detail is null or f.detail <= ${until}::text)
     group by f.kind order by f.kind desc`)

/** Lines on one side of the day whose entry is on the other, or from before the first day. */
const explainedByDays = (from: Queryable, { base, until }: { readonly base: IstDay; readonly until: IstDay }): Promise<Explained[]> =>
  from.query<Explained>(sql`
    select 'other_day' as part, coalesce(sum(amount), 0)::bigint as amount, count(*)::int as count from (
      select l.amount from bank_line l where l.subject is not null and l.day <= ${until}::date and l.matched_day > ${until}::date
      union all
      select -l.amount from bank_line l where l.subject is not null and l.day > ${until}::date and l.matched_day between ${base}::date and ${until}::date
      union all
      select -l.amount from bank_line l where ${EARLIER} ${base}::date and l.day > ${until}::date) apart having count(*) > 0`)
