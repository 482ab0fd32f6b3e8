/**
 * Measures the portal's lists in a database of a million members and ten million movements: `npm run lab -- portal`.
 *
 * - The rows are made in a throw-away database (portal-rows.ts).
 * - Each list and page runs as the portal calls it: first page, a page far behind, common and rare searches. The 99th percentile of
 *   each must stay within 50 ms in the database. The plan of each statement is printed.
 * - `--members=100000` makes a smaller community with the same shares.
 */
import { addDays, dayAt } from '@roz/core/ist-day.ts'
import { createAdmin } from '@roz/server/features/admin/admin.ts'
import { type Filters, listCases } from '@roz/server/features/help/case-desk.ts'
import { readDeskFigures } from '@roz/server/features/desk/figures.ts'
import { countDays } from '@roz/server/members/member-days.ts'
import { listRounds } from '@roz/server/features/desk/round-list.ts'
import { readTodo } from '@roz/server/features/desk/todo.ts'
import { readMemberPage } from '@roz/server/features/member-care/member-page.ts'
import { showTransactions } from '@roz/server/features/wallet/transactions.ts'
import { listMovements } from '@roz/server/ledger/movements.ts'
import { searchRefunds } from '@roz/server/features/payouts/refund-view.ts'
import { searchWithdrawals } from '@roz/server/features/payouts/withdrawal-view.ts'
import { listMembers, type MemberSearch, type MemberSort } from '@roz/server/features/member-care/member-list.ts'
import { type Db, type Queryable, type Sql, sql } from '@roz/server/db/sql.ts'
import { listAll } from '@roz/server/features/impact/queries.ts'
import { listFlags } from '@roz/server/features/member-care/review.ts'
import { createStaffLog } from '@roz/server/features/staff-log/staff-log.ts'
import { FIRST, MEMBERS, ROWS } from './portal-rows.ts'
import { openSetUp } from './set-up.ts'

const ROUNDS = 60
const P99_MAX_MS = 50

type List = { readonly name: string; readonly run: (db: Queryable) => Promise<unknown> }

const search = (change: Partial<MemberSearch>): MemberSearch => ({
  q: undefined,
  sort: 'newest',
  status: undefined,
  after: undefined,
  limit: 25,
  ...change,
})
const SORTS: readonly MemberSort[] = ['newest', 'balance', 'joins', 'won']
const QUERIES = ['kumar', 'कुमार', 'रवि कुमार', 'zx7007', 'm77777.', '60000', 'a', 'nobody at all', 'example.org']
const farBehind = (sort: MemberSort): string[] => (sort === 'newest' ? [String(FIRST + MEMBERS / 2)] : ['8', String(FIRST + MEMBERS / 2)])

const MONEY_SEARCHES: readonly { readonly status?: string; readonly q?: string }[] = [
  {},
  { status: 'requested' },
  { q: 'kumar' },
  { q: 'zx7007' },
  { q: 'UTR777' },
  { q: 'ARN777' },
  { q: 'nobody at all' },
  { status: 'requested', q: 'kumar' },
  { status: 'rejected', q: 'kumar' },
]
const AUDIT_FILTERS = [{}, { action: 'member.hold' }, { subject: `member:${FIRST + 777}` }, { actor: 'system' }]

const OWNER = { memberId: BigInt(FIRST), staffRole: 'owner' } as const
const CASE_SEARCHES: readonly (Filters & { readonly after?: readonly string[] })[] = [
  {},
  { after: ['2', String((Date.now() - 200 * 86_400_000) * 1000), '0C350'] },
  ...(['open', 'untouched', 'mine', 'new', 'refused'] as const).map((status) => ({ status })),
  { state: 'KL' },
  { status: 'open', state: 'KL' },
  ...['Pune', '0C350', 'nobody at all'].map((q) => ({ q })),
  // Every open request is of Pune, and none of Patna.
  ...['Pune', 'Patna'].map((q) => ({ status: 'open' as const, q })),
]

const MIDDLE = BigInt(FIRST + MEMBERS / 2)
const A_YEAR_AGO = addDays(dayAt(Date.now()), -340)

async function transactionsOf(db: Queryable): Promise<void> {
  const page = await listMovements(db, { memberId: MIDDLE, limit: 20 })
  if (page.ok) await showTransactions(db, MIDDLE, page.value.movements, 'en')
}

const LISTS: readonly List[] = [
  ...SORTS.flatMap((sort) => [
    { name: `members by ${sort}, first page`, run: (db: Queryable) => listMembers(db, search({ sort })) },
    { name: `members by ${sort}, far behind`, run: (db: Queryable) => listMembers(db, search({ sort, after: farBehind(sort) })) },
  ]),
  ...QUERIES.map((q) => ({ name: `members matching “${q}”`, run: (db: Queryable) => listMembers(db, search({ q })) })),
  ...QUERIES.slice(0, 4).map((q) => ({
    name: `members matching “${q}” by balance`,
    run: (db: Queryable) => listMembers(db, search({ q, sort: 'balance' })),
  })),
  ...MONEY_SEARCHES.flatMap(({ status, q }) => {
    const asked = { status, q, after: undefined, limit: 25 }
    const name = `${status ?? 'of every state'}${q === undefined ? '' : ` matching “${q}”`}`
    return (['newest', 'oldest'] as const).flatMap((order) => {
      const first = order === 'oldest' ? ', oldest first' : ''
      return [
        { name: `withdrawals ${name}${first}`, run: (db: Queryable) => searchWithdrawals(db as Db, { ...asked, order }) },
        { name: `refunds ${name}${first}`, run: (db: Queryable) => searchRefunds(db as Db, { ...asked, order }) },
      ]
    })
  }),
  { name: 'review list, not reviewed', run: (db: Queryable) => listFlags(db, { status: 'unreviewed' }, { after: undefined, limit: 25 }) },
  { name: 'review list, all', run: (db: Queryable) => listFlags(db, {}, { after: undefined, limit: 25 }) },
  ...['kumar', 'zx7007', 'a', 'nobody at all'].map((q) => ({
    name: `review list, not reviewed, matching “${q}”`,
    run: (db: Queryable) => listFlags(db, { status: 'unreviewed', q }, { after: undefined, limit: 25 }),
  })),
  {
    name: 'stories, first page',
    run: (db: Queryable) => listAll(db, { after: undefined, only: undefined, status: undefined, q: undefined, limit: 25 }),
  },
  { name: 'rounds, first page', run: (db: Queryable) => listRounds(db as Db, { after: undefined, limit: 25 }) },
  { name: 'rounds, void', run: (db: Queryable) => listRounds(db as Db, { status: 'void', after: undefined, limit: 25 }) },
  { name: 'rounds, a year back', run: (db: Queryable) => listRounds(db as Db, { after: [A_YEAR_AGO], limit: 25 }) },
  ...CASE_SEARCHES.map(({ after, ...asked }) => ({
    name: `requests for help by ${JSON.stringify(asked)}${after === undefined ? '' : ', far behind'}`,
    run: (db: Queryable) => listCases(db, asked, { after, limit: 25 }, OWNER),
  })),
  { name: 'overview', run: (db: Queryable) => createAdmin({ db: db as Db }).handlers.adminStats(undefined as never) },
  {
    name: 'what waits for the team',
    run: (db: Queryable) => readTodo(db as Db, { viewer: { memberId: 0n, staffRole: 'owner' }, payoutsByHand: true }),
  },
  { name: 'charts of 30 days', run: (db: Queryable) => readDeskFigures(db as Db, 30) },
  { name: 'charts of a year', run: (db: Queryable) => readDeskFigures(db as Db, 365) },
  { name: 'a member’s page', run: (db: Queryable) => readMemberPage(db as Db, MIDDLE) },
  { name: 'a member’s transactions', run: transactionsOf },
  ...AUDIT_FILTERS.map((filter) => ({
    name: `staff log by ${JSON.stringify(filter)}`,
    run: (db: Queryable) => createStaffLog({ db: db as Db }).handlers.adminAudit({ query: { ...filter, limit: 25 } } as never),
  })),
]

/** Runs every statement, and prints its plan. */
const explaining = (db: Queryable): Queryable => ({
  query: async <Row extends object>(statement: Sql) => {
    const plan = await db.query<{ 'QUERY PLAN': string }>(sql`explain (analyze, buffers, costs off) ${statement}`)
    for (const row of plan) console.log(`    ${row['QUERY PLAN'].slice(0, 150)}`)
    return db.query<Row>(statement)
  },
})

/** The time in the database: planning and execution of the list's statements together. */
async function measure(db: Queryable, list: List): Promise<number> {
  const took: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    let spent = 0
    const timed: Queryable = {
      query: async <Row extends object>(statement: Sql) => {
        const plan = await db.query<{ 'QUERY PLAN': string }>(sql`explain (analyze, timing off, costs off) ${statement}`)
        for (const row of plan) spent += Number(/^(?:Planning|Execution) Time: ([\d.]+)/.exec(row['QUERY PLAN'])?.[1] ?? 0)
        return db.query<Row>(statement)
      },
    }
    await list.run(timed)
    took.push(spent)
  }
  took.sort((a, b) => a - b)
  return took[Math.ceil(ROUNDS * 0.99) - 1] ?? Number.NaN
}

const setUp = await openSetUp()
try {
  const { root } = setUp
  await root.withConnection(
    async (connection) => {
      await connection.query(sql`set session_replication_role = replica`)
      await connection.query(sql`set statement_timeout = 0`)
      for (const [name, statement] of Object.entries(ROWS)) {
        const before = performance.now()
        await connection.query(statement)
        console.log(`${name}: ${((performance.now() - before) / 1000).toFixed(1)} s`)
      }
      await connection.query(sql`vacuum analyze`)
    },
    { queryTimeoutMs: 3_600_000 },
  )
  // The clockwork counts ended days before anybody opens the charts.
  while (await countDays(root)) console.log('counted days')
  const slow: string[] = []
  for (const list of LISTS) {
    // The first runs read from the disk.
    await list.run(setUp.db)
    console.log(`\n${list.name}`)
    await list.run(explaining(setUp.db))
    const p99 = await measure(setUp.db, list)
    console.log(`  p99 ${p99.toFixed(1)} ms`)
    if (p99 > P99_MAX_MS) slow.push(`${list.name}: ${p99.toFixed(1)} ms`)
  }
  console.log(slow.length === 0 ? `\nEvery list stays within ${P99_MAX_MS} ms.` : `\nAbove ${P99_MAX_MS} ms:\n${slow.join('\n')}`)
  process.exitCode = slow.length === 0 ? 0 : 1
} finally {
  await setUp.stop()
}
