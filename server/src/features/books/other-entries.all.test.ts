/** The first public page of days reads only the entries of no day that it lists, however many transfers and outlays there are. */
import { beforeAll, expect, test } from 'vitest'
import { type Db, queryableBy, type Sql, sql } from '../../db/sql.ts'
import { makeStaff } from '../../testing/calls.ts'
import { useConnection, useTestDatabase } from '../../testing/database.ts'
import { readDays } from './days.ts'

const database = useTestDatabase({ isAudited: false })
const owner = useConnection(() => database.superUrl)

/** 20,000 disbursements and as many outlays, none of them an entry that the page lists. */
beforeAll(async () => {
  const staff = await makeStaff(database.db, 'finance')
  // The superuser writes bare rows without triggers: the plan depends on their number alone.
  await owner.query(sql`set session_replication_role = replica`)
  await owner.query(sql`
    insert into outlay (id, kind, amount_paise, purpose, needs_second, status, asked_by, decided_by, decided_at)
    select gen_random_uuid(), 'platform_out', 100, 'rent ' || n, false, 'booked', ${staff}::bigint, ${staff}::bigint, roz_now()
      from generate_series(1, 20000) n`)
  await insertTransfers(sql`select 'disbursement', 'help ' || n, 6, 2, 100, date '2026-02-01' + n % 300 from generate_series(1, 20000) n`)
})

async function insertTransfers(rows: Sql): Promise<void> {
  await owner.query(sql`
    with t as (insert into transfer (kind, ref, debit, credit, amount, day) ${rows} returning kind, ref)
    insert into evidence (kind, ref, hash) select kind, ref, sha256((kind || ref)::bytea) from t`)
  await owner.query(sql`analyze`)
}

type Plan = { readonly [name: string]: unknown; readonly Plans?: readonly Plan[] }
const partsOf = (plan: Plan): readonly Plan[] => [plan, ...(plan.Plans ?? []).flatMap(partsOf)]

/** The page, and the plan's nodes of each statement that reads the other entries. */
async function readPage(before?: string) {
  const plans: (readonly Plan[])[] = []
  const explaining: Db = {
    ...database.db,
    ...queryableBy(async <Row extends object>(statement: Sql): Promise<Row[]> => {
      if (statement.sql.includes("'platform_out'")) {
        const [told] = await owner.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(sql`explain (analyze, format json) ${statement}`)
        plans.push(told === undefined ? [] : partsOf(told['QUERY PLAN'][0].Plan))
      }
      return database.db.query<Row>(statement)
    }),
  }
  return { page: await readDays(explaining, { before, limit: 5, language: 'en' }), plans }
}

/** Expects at most 50 rows from each scan, no row that a filter drops, and no sequential scan of the outlays. */
function expectBounded(parts: readonly Plan[] = []): void {
  const scans = parts.filter((part) => part['Relation Name'] !== undefined)
  expect(scans.map((part) => part['Relation Name'])).toEqual(expect.arrayContaining(['transfer', 'outlay', 'evidence']))
  for (const part of scans) {
    const name = String(part['Relation Name'])
    expect([name, part['Rows Removed by Filter'] ?? 0, Number(part['Actual Rows']) <= 50]).toEqual([name, 0, true])
    expect([name, part['Node Type']]).not.toEqual(['outlay', 'Seq Scan'])
  }
}

test('few other entries cost no more than those listed', async () => {
  await insertTransfers(sql`
    select 'platform_out', id::text, 7, 2, 100, date '2026-01-01' from (select id from outlay order by purpose limit 2) o
    union all select 'disbursement_back', 'back ' || n, 2, 6, 100, date '2026-01-01' + n from generate_series(1, 2) n`)
  const { page, plans } = await readPage()
  expect(page.otherEntries.map(({ kind, date, purpose }) => [kind, date, purpose.slice(0, 4)])).toEqual([
    ['disbursement_back', '2026-01-03', ''],
    ['disbursement_back', '2026-01-02', ''],
    ['platform_out', '2026-01-01', 'rent'],
    ['platform_out', '2026-01-01', 'rent'],
  ])
  expectBounded(plans[0])
})

test('many other entries cost no more than the fifty listed', async () => {
  await insertTransfers(sql`
    select 'platform_out', id::text, 7, 2, 100, date '2026-03-01' + n::int % 200
      from (select id, row_number() over (order by purpose) as n from outlay) o where n > 2`)
  const { page, plans } = await readPage()
  expect(page.otherEntries).toHaveLength(50)
  expect(page.otherEntries.every(({ date, purpose }) => date > '2026-09-01' && purpose.startsWith('rent'))).toBe(true)
  expectBounded(plans[0])
  expect(plans[0]?.find((part) => part['Relation Name'] === 'transfer')).toMatchObject({ 'Index Name': 'transfer_of_other_entries' })
})

test('other entries are on no later page, and cost it nothing', async () => {
  const { page, plans } = await readPage('2026-11-01')
  expect([page.otherEntries, plans]).toEqual([[], []])
})
