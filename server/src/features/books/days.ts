/**
 * Days as public pages show them: intake, split, winners, and what left the help fund.
 *
 * - Figures come from the ledger and the books of the day.
 * - Each page looks up the winners' names when it is read and follows each member's present choice. No copy of a name is stored.
 * - A running day is not shown, but its list of requests for help is.
 * - Only the first page lists the entries that belong to no day.
 * - A day's disbursed amount is the sum of its allotments, which are in the books too.
 */
import type { Api, Output } from '@roz/contract/api.ts'
import type { OtherEntry } from '@roz/contract/open-books.ts'
import type { Received } from '@roz/contract/rupee.ts'
import type { BooksFile } from '@roz/core/books.ts'
import type { ResultRecord } from '@roz/core/draw-records.ts'
import { caseOrder } from '@roz/core/case-order.ts'
import { hex } from '@roz/core/draw.ts'
import { type IstDay, parseDay } from '@roz/core/ist-day.ts'
import type { Language, StoredTexts } from '@roz/core/language.ts'
import { type Paise, paise, rupeesFromPaise, ZERO } from '@roz/core/money.ts'
import { type PublicName, publicNameOf } from '@roz/core/names.ts'
import { type Db, type Sql, sql } from '../../db/sql.ts'
import { CURSOR_PARTS, cutPage, readPage } from '../../lists/cursor.ts'
import type { Answer, Call } from '../../http/route.ts'
import { outlayOf } from '../../ledger/evidence.ts'
import { isDemoSql } from '../../ledger/rounds.ts'
import { type Assurance, assuranceSql } from '../../transparency-log/checkpoints.ts'
import { sha256 } from '../../tickets/sha256.ts'
import { FILE_NOT_FOUND } from '../../transparency-log/published-file.ts'

type DayView = Output<Api['publicDay']>['day']
type Row = {
  readonly day: IstDay
  readonly status: 'settled' | 'void'
  readonly entries: number
  readonly pool: Paise
  readonly need: Paise
  readonly reward: Paise
  readonly platform: Paise
  readonly assurance: Assurance
  readonly isDemo: boolean
  readonly result: Buffer | null
  readonly books: Buffer | null
  readonly seed: Buffer | null
  readonly ordered: readonly string[] | null
}
type Named = {
  readonly day: IstDay
  readonly rank: number
  readonly name: string
  readonly publicName: PublicName
  readonly isDeleted: boolean
}
/** An entry of the books with its public words and its bills. */
type Entry = {
  readonly id: string
  readonly date: IstDay
  readonly amount: Paise
  readonly purpose: string
  readonly language: Language | null
  readonly translations: StoredTexts
  readonly hasPictures: boolean
  readonly withheld: readonly string[]
  readonly evidence: readonly Buffer[]
}
/** A disbursement with what it took of a day and did not give back. */
type Spent = Entry & { readonly day: IstDay; readonly allotted: Paise; readonly name: string | null; readonly received: Received | null }
type Back = Entry & { readonly corrects: string }
type Other = Entry & { readonly kind: OtherEntry['kind'] }
type Given = {
  readonly gifts: readonly { readonly day: IstDay; readonly amount: Paise }[]
  readonly spent: readonly Spent[]
  readonly backs: readonly Back[]
}

const rupees = (amount: number): number => rupeesFromPaise(paise(BigInt(amount)))

const listRows = (db: Db, where: Sql): Promise<Row[]> =>
  db.query<Row>(sql`
    select r.day, r.status, r.entries::float8 as entries, r.pool, coalesce(r.need_paise, 0)::bigint as need,
           coalesce(r.reward_paise, 0)::bigint as reward, coalesce(r.platform_paise, 0)::bigint as platform, ${assuranceSql(sql`r.day`)} as assurance,
           ${isDemoSql(sql`r.day`)} as "isDemo",
           (select bytes from log_entry e where e.day = r.day and e.kind = 'result') as result,
           (select bytes from books_day b where b.day = r.day) as books, r.seed,
           (select numbers from help_order h where h.day = r.day) as ordered
      from round r where r.status in ('settled', 'void') and r.day < ist_day(roz_now()) and ${where}`)

const listNames = (db: Db, days: readonly IstDay[]): Promise<Named[]> =>
  db.query<Named>(sql`
    select w.day, w.rank, m.name, m.public_name as "publicName", m.deleted_at is not null as "isDeleted"
      from draw_winner w join member m on m.id = w.member_id where w.day = any(${days}::date[]) order by w.day, w.rank`)

const listGifts = (db: Db, days: readonly IstDay[]): Promise<{ day: IstDay; amount: Paise }[]> =>
  db.query(sql`
    select day, sum(amount)::bigint as amount from transfer where kind = 'gift' and day = any(${days}::date[]) group by day`)

/** The columns of an `Entry`, from its transfer `t` and its outlay's words `o`. */
const ENTRY = sql`
  t.ref as id, t.day as date, coalesce(o.purpose, '') as purpose, o.written_in as language, coalesce(o.translations, '{}') as translations,
  coalesce(cardinality(o.receipts), 0) > 0 as "hasPictures",
  coalesce(o.withheld, '{}') as withheld,
  (select array_agg(e.hash order by e.hash) from evidence e where e.kind = t.kind and e.ref = t.ref) as evidence`

/** The disbursements that these days paid for, with their amounts after corrections. A fully returned one is included. */
const listSpent = (db: Db, days: readonly IstDay[]): Promise<Spent[]> =>
  db.query<Spent>(sql`
    with part as materialized (
      select day, disbursement_id as id, sum(paise)::bigint as allotted from help_allotment
       where day = any(${days}::date[]) group by day, disbursement_id)
    select ${ENTRY}, part.day, part.allotted, o.public_name as name, o.received,
           (select sum(a.paise)::bigint from help_allotment a where a.disbursement_id = part.id) as amount
      from part join transfer t on t.kind = 'disbursement' and t.ref = part.id
      left join outlay_public o on o.id = ${outlayOf(sql`part.id`)} order by t.day, t.transfer_id`)

/** The corrections of these disbursements: money that came back. */
const listBacks = (db: Db, ids: readonly string[]): Promise<Back[]> =>
  db.query<Back>(sql`
    select ${ENTRY}, t.amount, d.corrects
      from disbursement d join transfer t on t.kind = 'disbursement_back' and t.ref = d.id
      left join outlay_public o on o.id = ${outlayOf(sql`d.id`)}
     where d.corrects = any(${ids}::text[]) order by t.transfer_id`)

const OTHERS_MAX = 50
/** The newest entries that belong to no day. An index of these four kinds finds them before their words are joined. */
const listOthers = (db: Db): Promise<Other[]> =>
  db.query<Other>(sql`
    with t as materialized (
      select kind, ref, day, transfer_id, amount from transfer
       where kind in ('disbursement_back', 'platform_out', 'tds_remitted', 'losses_covered')
       order by day desc, transfer_id desc limit ${OTHERS_MAX}::int)
    select ${ENTRY}, t.amount, t.kind from t left join outlay_public o on o.id = ${outlayOf(sql`t.ref`)}
     order by t.day desc, t.transfer_id desc`)

/** The lists of requests for help whose day is not shown yet. Public before the draw, so that nobody can choose a list after it. */
const listFrozen = (db: Db): Promise<{ day: IstDay; numbers: string[] }[]> =>
  db.query(sql`
    select h.day, h.numbers from help_order h join round r on r.day = h.day
     where r.day >= ist_day(roz_now()) or r.status not in ('settled', 'void') order by h.day`)

const shown = ({ id, date, amount, purpose, language, translations, hasPictures, withheld, evidence }: Entry) => ({
  id,
  date,
  amount: rupeesFromPaise(amount),
  purpose,
  language,
  translations,
  hasPictures,
  withheld: [...withheld],
  evidence: evidence.map(hex),
})

async function viewsOf(db: Db, rows: readonly Row[], language: Language): Promise<DayView[]> {
  const days = rows.map(({ day }) => day)
  const [names, gifts, spent] = await Promise.all([listNames(db, days), listGifts(db, days), listSpent(db, days)])
  const backs = await listBacks(
    db,
    spent.map(({ id }) => id),
  )
  return rows.map((row) => {
    const own = names.filter(({ day }) => day === row.day)
    return {
      ...figuresOf(row),
      winners: winnersOf(row, own, language),
      ...spentOf(row, { gifts, spent, backs }),
      helpOrder: orderOf(row),
      books: booksOf(row),
    }
  })
}

function figuresOf({ day, status, entries, pool, need, reward, platform, assurance, isDemo }: Row) {
  const ofRupee = (share: Paise): number => (pool === 0n ? 0 : Math.round((Number(share) * 10_000) / Number(pool)) / 100)
  return {
    day,
    status,
    entries,
    intake: rupeesFromPaise(pool),
    split: { need: rupeesFromPaise(need), reward: rupeesFromPaise(reward), platform: rupeesFromPaise(platform) },
    perRupee: { need: ofRupee(need), reward: ofRupee(reward), platform: ofRupee(platform) },
    assurance,
    isDemo,
  }
}

function winnersOf({ result }: Row, names: readonly Named[], language: Language): DayView['winners'] {
  if (result === null) return []
  const { winners } = JSON.parse(result.toString()) as ResultRecord
  return winners.map(({ amount, tax, position, ticket }, index) => {
    const named = names[index]
    if (named === undefined) throw new Error('a winner of the result record is missing from draw_winner')
    return { name: publicNameOf(named, language), amount: rupees(amount), tax: rupees(tax), position, ticket }
  })
}

/** How much of this day's share has been disbursed, and with which bills. */
function spentOf({ day }: Row, { gifts, spent, backs }: Given) {
  const own = spent.filter((each) => each.day === day)
  return {
    gifts: rupeesFromPaise(gifts.find((gift) => gift.day === day)?.amount ?? ZERO),
    disbursed: rupeesFromPaise(paise(own.reduce((sum, { allotted }) => sum + allotted, 0n))),
    receipts: own.map((entry) => ({
      ...shown(entry),
      allotted: rupeesFromPaise(entry.allotted),
      name: entry.name,
      received: entry.received,
      back: backs.filter(({ corrects }) => corrects === entry.id).map(shown),
    })),
  }
}

function orderOf({ ordered, seed }: Row): DayView['helpOrder'] {
  if (ordered === null) return null
  return seed === null ? { numbers: [...ordered], isDrawn: false } : { numbers: caseOrder(sha256, seed, ordered), isDrawn: true }
}

function booksOf({ books }: Row): DayView['books'] {
  if (books === null) return null
  const { help, flows, accounts, liabilities } = JSON.parse(books.toString()) as BooksFile
  const moved = (...kinds: string[]): number =>
    rupees(flows.filter(({ kind }) => kinds.includes(kind)).reduce((total, flow) => total + flow.paise, 0))
  const total = (entries: readonly { readonly paise: number }[]): number => entries.reduce((sum, entry) => sum + entry.paise, 0)
  const back = total(help.corrections ?? [])
  return {
    help: {
      opening: rupees(help.opening),
      in: rupees(help.in - back),
      out: rupees(total(help.disbursements) - back),
      closing: rupees(help.closing),
    },
    topups: moved('topup'),
    withdrawals: moved('wd_paid'),
    refunds: moved('refund_paid'),
    members: rupees(accounts.find(({ account }) => account === 'MEMBERS')?.closing ?? 0),
    liabilities: { count: liabilities.count, total: rupees(liabilities.total) },
  }
}

/** Totals of all settled rounds. A round that was closed early today counts: the help fund has its money already. */
async function readTotals(db: Db): Promise<Output<Api['publicDays']>['totals']> {
  type Counts = { days: number; entries: number; winners: number; passedOn: number }
  type Totals = Counts & { pool: Paise; need: Paise; reward: Paise; platform: Paise; disbursed: Paise; fund: Paise }
  const totals = await db.one<Totals>(sql`with kept as (select day, help_in, help_out from books_day order by day desc limit 1),
        since as (
          select coalesce(sum(amount) filter (where kind in ('need', 'gift')), 0) as came,
                 coalesce(sum(case kind when 'disbursement' then amount when 'disbursement_back' then -amount end), 0) as went
            from transfer where kind in ('need', 'gift', 'disbursement', 'disbursement_back') and day > coalesce((select day from kept), '-infinity')),
        help as (
          select (coalesce((select help_in from kept), 0) + came)::bigint as came, (coalesce((select help_out from kept), 0) + went)::bigint as went from since)
        select count(*)::int as days, coalesce(sum(entries), 0)::float8 as entries, coalesce(sum(pool), 0)::bigint as pool,
               coalesce(sum(need_paise), 0)::bigint as need, coalesce(sum(reward_paise), 0)::bigint as reward,
               coalesce(sum(platform_paise), 0)::bigint as platform,
               (select went from help) as disbursed, (select came - went from help) as fund,
               (select count(*)::int from draw_winner w join round r on r.day = w.day and r.status = 'settled') as winners,
               (select count(*)::int from prize_gift) as "passedOn"
          from round where status = 'settled'`)
  const split = { need: rupeesFromPaise(totals.need), reward: rupeesFromPaise(totals.reward), platform: rupeesFromPaise(totals.platform) }
  return {
    days: totals.days,
    entries: totals.entries,
    intake: rupeesFromPaise(totals.pool),
    split,
    disbursed: rupeesFromPaise(totals.disbursed),
    helpFund: rupeesFromPaise(totals.fund),
    winners: totals.winners,
    passedOn: totals.passedOn,
  }
}

export async function listDays(db: Db, { query, language }: Call<Api['publicDays']>): Promise<Answer<Api['publicDays']>> {
  const page = readPage(query, [CURSOR_PARTS.day])
  if (!page.ok) return page
  return { ok: true, value: await readDays(db, { before: page.after?.[0], limit: page.limit, language }) }
}

type Wanted = { readonly before?: string | undefined; readonly limit: number; readonly language: Language }

export async function readDays(db: Db, { before, limit, language }: Wanted): Promise<Output<Api['publicDays']>> {
  const found = await listRows(db, sql`r.day < ${before ?? 'infinity'}::date order by r.day desc limit ${limit + 1}::int`)
  const { rows, nextCursor } = cutPage(found, limit, (row) => [row.day])
  const [totals, days, others, frozen] = await Promise.all([
    readTotals(db),
    viewsOf(db, rows, language),
    before === undefined ? listOthers(db) : [],
    before === undefined ? listFrozen(db) : [],
  ])
  return { totals, otherEntries: others.map((entry) => ({ ...shown(entry), kind: entry.kind })), frozen, days, nextCursor }
}

export async function findDay(db: Db, { params, language }: Call<Api['publicDay']>): Promise<Answer<Api['publicDay']>> {
  const day = parseDay(params.day)
  if (day === undefined) return FILE_NOT_FOUND
  const [view] = await viewsOf(db, await listRows(db, sql`r.day = ${day}::date`), language)
  return view === undefined ? FILE_NOT_FOUND : { ok: true, value: { day: view } }
}

/** The figures of a settled day, read from one row; undefined for any other day. */
export async function findFigures(db: Db, day: string): Promise<{ entries: number; intake: number; need: number } | undefined> {
  const row = await db.maybeOne<{ entries: number; pool: Paise; need: Paise }>(sql`
    select entries::float8 as entries, pool, need_paise as need from round
         where day = ${day}::date and status = 'settled' and day < ist_day(roz_now())`)
  return row && { entries: row.entries, intake: rupeesFromPaise(row.pool), need: rupeesFromPaise(row.need) }
}
