/**
 * The audit of money: each invariant is one SQL file in the folder audit.
 * - The first comment line of a file is the invariant's sentence.
 * - A file returns one row `(subject, found)` per violation.
 * - An audit goes in parts (`auditPart`), each of few and short statements, so that it runs at any size. The kind of a file is its part:
 *   - a file with `:since` and `:until` reads some days. Entries, and days with many, are read a few at a time (`PAGES`);
 *   - a file with `-- by member` in its second line reads only the tables of `ofMembers`, which then have the rows of some members;
 *   - any other file reads whole tables, and is a part of its own.
 * - A recent audit reads the days since its first one, and whole tables. A full audit reads all days, and all members too.
 * - The audit runs after every test file that moved money, by `roz audit`, and on a schedule (features/audit).
 */
import { readdir, readFile } from 'node:fs/promises'
import { joinSql, type Queryable, type Sql, sql } from '../db/sql.ts'
import { findWalletPage } from './wallets.ts'

type Violation = {
  /** The file's name without its ending: `wallet_is_sum_of_legs`. */
  readonly invariant: string
  readonly sentence: string
  /** The broken row: a member, a day, a withdrawal. */
  readonly subject: string
  readonly found: string
}

/** Rows reported per invariant: enough to start a search, and never a million. */
const NAMED_MAX = 100
const FOLDER = new URL('./audit/', import.meta.url)
const BOUND = /:(since|until)\b/

type Invariant = {
  readonly name: string
  readonly sentence: string
  readonly text: string
  readonly reads: 'days' | 'members' | 'tables'
}
type Row = { readonly subject: string; readonly found: string }
export type Checked = {
  readonly invariant: string
  readonly sentence: string
  readonly rows: readonly Row[]
  /** More rows violate the invariant than `rows` lists. */
  readonly hasMore: boolean
}

let known: Promise<readonly Invariant[]> | undefined
export const listInvariants = (): Promise<readonly Invariant[]> => (known ??= readInvariants())

async function readInvariants(): Promise<readonly Invariant[]> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, FOLDER), 'utf8')
      const [first = '', second = ''] = text.split('\n')
      const sentence = /^-- (.+)$/.exec(first)?.[1]
      if (sentence === undefined) throw new Error(`audit ${name} has no sentence`)
      return {
        name: name.replace('.sql', ''),
        sentence,
        text,
        reads: second === '-- by member' ? 'members' : BOUND.test(text) ? 'days' : 'tables',
      }
    }),
  )
}

/** How far an audit has come: the last file of whole tables, the last day and the last member that it has read. */
export type Progress = { readonly lastFile: string; readonly lastDay: string; readonly lastMember: bigint }
/** Accounts up to this number are the house's. */
const HOUSE_ACCOUNTS = 1000n
export const LAST_MEMBER = 2n ** 63n - 1n
export const BEGIN: Progress = { lastFile: '', lastDay: '-infinity', lastMember: HOUSE_ACCOUNTS }

/** The most that a part reads: a member has as many entries as days, and a day as many as members. */
export type AuditPages = { readonly members: number; readonly entries: number }
const PAGES: AuditPages = { members: 1_000, entries: 1_000_000 }

export type AuditPart = { readonly progress: Progress; readonly checked: readonly Checked[] }

/** Audits the part after `progress`; undefined when nothing is left. */
export async function auditPart(from: Queryable, progress: Progress, pages: AuditPages = PAGES): Promise<AuditPart | undefined> {
  const invariants = await listInvariants()
  const reading = (reads: Invariant['reads']) => invariants.filter((invariant) => invariant.reads === reads)
  const file = reading('tables').find(({ name }) => name > progress.lastFile)
  if (file !== undefined) return { progress: { ...progress, lastFile: file.name }, checked: [await check(from, file, raw(file.text))] }
  if (progress.lastDay !== 'infinity') {
    const days = await findDays(from, progress.lastDay, pages.entries)
    const checked: Checked[] = []
    for (const each of reading('days')) checked.push(await check(from, each, bounded(each.text, days)))
    return { progress: { ...progress, lastDay: days.until }, checked }
  }
  if (progress.lastMember === LAST_MEMBER) return undefined
  const page = await findWalletPage(from, progress.lastMember, pages.members)
  // The last page has no end: it finds the money of members who have no wallet.
  const last = page === undefined || page.count < pages.members ? LAST_MEMBER : page.last
  return { progress: { ...progress, lastMember: last }, checked: await checkMembers(from, reading('members'), progress.lastMember, last) }
}

const raw = (text: string): Sql => sql([text] as unknown as TemplateStringsArray)

type Days = { readonly since: string; readonly until: string }
function bounded(text: string, days: Days): Sql {
  const pieces = text.split(BOUND)
  const texts = pieces.filter((_piece, at) => at % 2 === 0).map((piece, at) => (at === 0 ? piece : `::date${piece}`))
  return sql(
    texts as unknown as TemplateStringsArray,
    ...pieces.filter((_piece, at) => at % 2 === 1).map((name) => days[name as keyof Days]),
  )
}

/**
 * The days after one: as many as have at most so many entries, and one at least. The first ones begin, and the last ones end, at
 * infinity. An archived month is read as a whole, because its rows are of a month.
 */
const findDays = (from: Queryable, last: string, entries: number): Promise<Days> =>
  from.one<Days>(sql`
    with later as (
      select day, row_number() over by_day as place, sum(coalesce(entries, ${entries}::bigint)) over by_day as entries
        from round where day > ${last}::date window by_day as (order by day)),
    page as (select max(day) as day from later where place = 1 or entries <= ${entries}::bigint),
    whole as (
      select case when exists (select from archived_month where month = month_of(day) and restored_at is null)
                  then (month_of(day) + interval '1 month')::date - 1 else day end as until from page)
    select ${last}::date + 1 as since, case when exists (select from round where day > until) then until else 'infinity' end as until from whole`)

async function check(from: Queryable, { name, sentence }: Invariant, text: Sql): Promise<Checked> {
  const rows = await from.query<Row>(sql`select subject, found from (${text}) violation limit ${NAMED_MAX + 1}::int`)
  return { invariant: name, sentence, ...named(rows) }
}
const named = (rows: readonly Row[]) => ({ rows: rows.slice(0, NAMED_MAX), hasMore: rows.length > NAMED_MAX })

/** One statement checks everything about some members: it reads their entries once. */
async function checkMembers(from: Queryable, invariants: readonly Invariant[], after: bigint, last: bigint): Promise<Checked[]> {
  const each = invariants.map(
    ({ name, text }) => sql`(select ${name}::text as invariant, subject, found from (${raw(text)}) violation limit ${NAMED_MAX + 1}::int)`,
  )
  const rows = await from.query<Row & { invariant: string }>(sql`with ${ofMembers(after, last)} ${joinSql(each, ' union all ')}`)
  return invariants.map(({ name, sentence }) => ({
    invariant: name,
    sentence,
    ...named(rows.filter(({ invariant }) => invariant === name).map(({ subject, found }) => ({ subject, found }))),
  }))
}

const TABLES_OF_MEMBERS = ['wallet', 'withdrawal', 'draw_winner', 'topup']
/** The tables of a file with `-- by member`, each with the rows of these members alone. Both ends are parameters: see `findWalletPage`. */
function ofMembers(after: bigint, last: bigint): Sql {
  const isOne = (id: Sql): Sql => sql`${id} > ${after}::bigint and ${id} <= ${last}::bigint`
  const [debited, credited] = [isOne(sql`debit`), isOne(sql`credit`)]
  const tables = TABLES_OF_MEMBERS.map(
    (table) => sql`${raw(table)} as materialized (select * from ${raw(table)} where ${isOne(sql`member_id`)})`,
  )
  return sql`
    ${joinSql(tables)},
    entry as materialized (select * from entries_of_members(${after}::bigint, ${last}::bigint)),
    transfer as materialized (
      select * from transfer where credit > 1000 and ${credited}
      union all select * from transfer where debit > 1000 and ${debited} and not (${credited})),
    leg as materialized (
      select member_id as account, -entry_fee() as amount, day, wallet_seq::bigint as wallet_seq, balance_after from entry
      union all select debit, -amount, day, wallet_seq, balance_after from transfer where ${debited}
      union all select credit, amount, day, wallet_seq, balance_after from transfer where ${credited})`
}

/** Adds the findings of a part to those of the parts before it. */
export function addChecked(before: readonly Checked[], part: readonly Checked[]): Checked[] {
  const all = new Map(before.map((checked) => [checked.invariant, checked]))
  for (const checked of part) {
    const rows = [...(all.get(checked.invariant)?.rows ?? []), ...checked.rows]
    all.set(checked.invariant, {
      ...checked,
      rows: rows.slice(0, NAMED_MAX),
      hasMore: rows.length > NAMED_MAX || checked.hasMore || (all.get(checked.invariant)?.hasMore ?? false),
    })
  }
  return [...all.values()]
}

/** Audits part after part, to the end. */
export async function* auditParts(from: Queryable, begin: Progress = BEGIN, pages: AuditPages = PAGES): AsyncGenerator<readonly Checked[]> {
  for (let part = await auditPart(from, begin, pages); part !== undefined; part = await auditPart(from, part.progress, pages))
    yield part.checked
}

export async function runAudit(from: Queryable, begin?: Progress, pages?: AuditPages): Promise<Violation[]> {
  const violations: Violation[] = []
  for await (const checked of auditParts(from, begin, pages))
    for (const { invariant, sentence, rows } of checked) violations.push(...rows.map((row) => ({ invariant, sentence, ...row })))
  return violations
}

export const describeViolations = (violations: readonly Violation[]): string =>
  violations.map(({ invariant, sentence, subject, found }) => `${invariant}: ${subject}: ${found} (${sentence})`).join('\n')
