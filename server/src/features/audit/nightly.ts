/**
 * The nightly audit: compares each wallet with the sum and the number of its movements, from 02:00 IST on, a page of members at a time.
 *
 * - A page and the cursor behind it are committed together, so a run that was cut off continues where it was.
 * - One process works on a page at a time.
 * - A night takes two hours at most; the next night continues with the rest.
 * - A wrong wallet is an error in the log and a mail to the owners.
 */
import { type Db, maybeOne, one, type Queryable, type Sql, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import type { Checked } from '../../ledger/audit.ts'
import { WALLET_SENTENCE } from '../../ledger/audit-findings.ts'
import { findWalletPage } from '../../ledger/wallets.ts'
import { mailOwners } from './owners.ts'

export type NightlyDeps = {
  readonly db: Db
  readonly alarm: (details: object, message: string) => void
  /** How often this process checks whether a night has begun. */
  readonly everyMs?: number
  readonly page?: number
}

const LOOK_MS = 60_000
const PAGE = 1_000
const BEGINS = sql`interval '2 hours'`
const NIGHT = sql`interval '2 hours'`
const KEPT = sql`interval '90 days'`
/** The days of a demo community pass in seconds: an audit during them would be weeks old when the server is ready. */
export const DEMO_IN_THE_MAKING = sql`select from demo_community where finished_at is null`
const WAITS = { statementTimeoutMs: 120_000, transactionTimeoutMs: 150_000 }

type Night = { readonly night: string; readonly lastId: bigint }
type Page = { readonly wallets: number; readonly last: bigint | null; readonly broken: Checked['rows'] }

export function createNightly({ db, alarm, everyMs = LOOK_MS, page = PAGE }: NightlyDeps) {
  let lookedAt = Number.NEGATIVE_INFINITY
  let isUnderWay = false
  /** Audits one page; false when this night has none left. */
  return async function due(): Promise<boolean> {
    if (!isUnderWay && performance.now() - lookedAt < everyMs) return false
    lookedAt = performance.now()
    // A page that fails is tried again at the next look, not at once: it can take two minutes.
    isUnderWay = false
    isUnderWay = await inTransaction(db, (tx) => step(tx, page, alarm), WAITS)
    return isUnderWay
  }
}

async function step(tx: Tx, size: number, alarm: NightlyDeps['alarm']): Promise<boolean> {
  await begin(tx)
  const night = await maybeOne<Night>(
    tx,
    sql`select night, last_id as "lastId" from wallet_check
         where night = ist_day(roz_now()) and finished_at is null and started_at > roz_now() - ${NIGHT} for update skip locked`,
  )
  if (night === undefined) return false
  const { wallets, last, broken } = await comparePage(tx, night.lastId, size)
  await tx.query(sql`
    update wallet_check
       set last_id = coalesce(${last}::bigint, last_id), wallets = wallets + ${wallets}::int, broken = broken + ${broken.length}::int,
           finished_at = case when ${wallets}::int < ${size}::int then roz_now() end
     where night = ${night.night}::date`)
  if (broken.length > 0) {
    const found: Checked = { invariant: 'wallet_is_sum_of_legs', sentence: WALLET_SENTENCE, rows: broken, hasMore: false }
    await mailOwners(tx, `night:${night.night}:${last}`, [found])
    const first = broken.slice(0, 3).map((row) => `${row.subject}: ${row.found}`)
    alarm({ night: night.night, wallets: broken.length, first }, 'the books do not add up: wallets differ from their movements')
  }
  return wallets === size
}

/** Opens this night's run, at the first member or where the night before had to stop. */
async function begin(tx: Tx): Promise<void> {
  const begun = await tx.query(sql`
    insert into wallet_check (night, last_id)
    select ist_day(roz_now()),
           coalesce((select case when finished_at is null then last_id end from wallet_check order by night desc limit 1), 0)
     where roz_now() >= start_of_ist_day(ist_day(roz_now())) + ${BEGINS} and not exists (${DEMO_IN_THE_MAKING})
    on conflict do nothing returning night`)
  if (begun.length > 0) await tx.query(sql`delete from wallet_check where started_at < roz_now() - ${KEPT}`)
}

/** One statement compares, so from one snapshot. Joins are read day by day, because each day's index has its members in order. */
async function comparePage(from: Queryable, after: bigint, size: number): Promise<Page> {
  const page = await findWalletPage(from, after, size)
  if (page === undefined) return { wallets: 0, last: null, broken: [] }
  const inPage = (id: Sql): Sql => sql`${id} > ${after}::bigint and ${id} <= ${page.last}::bigint`
  const { broken } = await one<Pick<Page, 'broken'>>(
    from,
    sql`
  with page as materialized (select member_id, balance, seq from wallet where ${inPage(sql`member_id`)}),
  moves as (
    select j.member_id, -entry_fee() as amount, 1 as moves
      from round r cross join lateral (select member_id from round_join where day = r.day and ${inPage(sql`member_id`)} offset 0) j
     where month_of(r.day) not in (select month from archived_month where restored_at is null)
    union all
    select a.member_id, -entry_fee() * a.n, a.n
      from archived_month m cross join lateral (
        select member_id, cardinality(days) as n from archived_entry where month = m.month and ${inPage(sql`member_id`)} offset 0) a
     where m.restored_at is null
    union all
    select t.debit, -t.amount, 1 from transfer t where t.debit > 1000 and ${inPage(sql`t.debit`)}
    union all
    select t.credit, t.amount, 1 from transfer t where t.credit > 1000 and ${inPage(sql`t.credit`)}),
  sums as (select member_id, sum(amount)::bigint as amount, sum(moves) as moves from moves group by member_id),
  wrong as (
    select member_id, 'the wallet says ' || coalesce(p.balance::text, 'nothing') || ' after ' || coalesce(p.seq, 0)
             || ' movements, its legs ' || coalesce(s.amount, 0) || ' after ' || coalesce(s.moves, 0) as found
      from page p full join sums s using (member_id)
     where (p.balance, p.seq) is distinct from (coalesce(s.amount, 0), coalesce(s.moves, 0)))
  select coalesce(json_agg(json_build_object('subject', 'member ' || member_id, 'found', found) order by member_id), '[]') as broken from wrong`,
  )
  return { wallets: page.count, last: page.last, broken }
}
