/** The scheduled audit: its schedule, its alarm, the administrators' view of it, and `roz audit`. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { connect, type Db, sql } from '../../db/sql.ts'
import { addMoney, DAY, newMember, openDay } from '../../ledger/testing/fixtures.ts'
import { createJoinBatcher } from '../../ledger/join-batcher.ts'
import { makeStaff, serveCalls } from '../../testing/calls.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { endOfDayMs } from '@roz/core/ist-day.ts'
import { wholeRupees } from '@roz/core/money.ts'
import { readFigures } from '../../operation/figures.ts'
import { createAdmin } from '../admin/admin.ts'
import { readTodo } from '../desk/todo.ts'
import { createAudit } from './scheduled-audit.ts'

let database: TestDatabase
let superuser: Db
let member: bigint
const alarms: { readonly broken: { readonly invariant: string; readonly first: string[] }[] }[] = []
let audit: ReturnType<typeof createAudit>

beforeAll(async () => {
  database = await createTestDatabase()
  superuser = connect({ url: database.superUrl, max: 1, named: false })
  // Triggers are off: the audit must find even rows that the schema would refuse.
  await superuser.query(sql`set session_replication_role = replica`)
  await openDay(database, DAY)
  member = await newMember(database.db)
  await addMoney(database.db, member, wholeRupees(10))
  await createJoinBatcher({ db: database.db }).join({ memberId: member })
  audit = createAudit({ db: database.db, everyMs: 0, alarm: (details) => void alarms.push(details as never) })
})
afterAll(async () => {
  await superuser.close()
  await database.drop()
})
beforeEach(async () => {
  alarms.length = 0
  await database.db.query(sql`delete from audit_run`)
})

const breakWallet = (by: bigint) =>
  superuser.query(sql`update wallet set balance = balance + ${by}::bigint where member_id = ${member}::bigint`)
const passHours = (hours: number) =>
  superuser.query(
    sql`update audit_run set started_at = started_at - make_interval(hours => ${hours}::int), finished_at = finished_at - make_interval(hours => ${hours}::int)`,
  )
const runs = () => database.db.query<{ scope: string }>(sql`select scope from audit_run order by started_at, id`)

test('a full audit runs once an hour, by one of all processes, while it is quick', async () => {
  const begun = await Promise.all([audit.due(), audit.due(), audit.due()])
  expect(begun.filter(Boolean)).toHaveLength(1)
  expect(await audit.due()).toBe(false)
  await passHours(1)
  expect(await audit.due()).toBe(true)
  expect(await runs()).toEqual([{ scope: 'full' }, { scope: 'full' }])
  expect(alarms).toEqual([])
})

test('a process checks every minute: a check just before the hour does not lose an hour', async () => {
  const looks = createAudit({ db: database.db, alarm: () => undefined })
  const time = vi.spyOn(performance, 'now')
  const at = (minutes: number) => {
    time.mockReturnValue(minutes * 60_000)
    return looks.due()
  }
  try {
    expect(await at(0)).toBe(true)
    // Too early: the last run is less than an hour old.
    expect(await at(60)).toBe(false)
    await passHours(1)
    expect(await at(60.5)).toBe(false)
    expect(await at(61)).toBe(true)
  } finally {
    time.mockRestore()
  }
})

test('a full audit that takes long, or never ended, runs once a week; between them only recent days are audited', async () => {
  await superuser.query(sql`
    insert into ledger_day (day, sealed_at) values ('2026-01-01', roz_now()) on conflict do nothing`)
  await audit.due()
  await superuser.query(sql`update audit_run set started_at = started_at - interval '5 minutes'`)
  await passHours(1)
  expect(await audit.due()).toBe(true)
  await superuser.query(sql`delete from audit_run where scope = 'recent'`)
  await superuser.query(sql`update audit_run set finished_at = null, broken = null`)
  expect(await audit.due()).toBe(true)
  expect(await runs()).toEqual([{ scope: 'full' }, { scope: 'recent' }])
  await passHours(7 * 24)
  expect(await audit.due()).toBe(true)
  expect((await runs()).at(-1)).toEqual({ scope: 'full' })
  expect(alarms).toEqual([])
})

test('broken books are an error each hour, a mail to the owners when new, and shown in the overview', async () => {
  const admin = await makeStaff(database.db)
  const calls = await serveCalls(database.db, createAdmin({ db: database.db }).handlers)
  const seen = async () => (await calls.ask('GET /admin/stats', { as: admin })).body.audit
  const mails = () =>
    database.db.query<{ payload: { template: string; data: { sentences: string } } }>(sql`select payload from job where kind = 'mail'`)
  expect(await seen()).toBeNull()
  await breakWallet(1n)
  try {
    for (let hour = 0; hour < 3; hour++) {
      expect(await audit.due()).toBe(true)
      await passHours(1)
    }
  } finally {
    await breakWallet(-1n)
  }
  expect(alarms).toHaveLength(3)
  expect(alarms[0]?.broken.map(({ invariant }) => invariant)).toContain('wallet_is_sum_of_legs')
  expect(alarms[0]?.broken[0]?.first.join()).toContain(`member ${member}`)
  const told = await mails()
  expect(told.map(({ payload }) => payload.template)).toEqual(['audit_alarm'])
  expect(told[0]?.payload.data.sentences).toContain("A wallet's balance is the sum of its legs.")
  expect(await seen()).toMatchObject({
    ok: false,
    broken: expect.arrayContaining([{ sentence: "A wallet's balance is the sum of its legs.", rows: 1, first: expect.any(String) }]),
  })
  expect(await audit.due()).toBe(true)
  expect(await seen()).toMatchObject({ ok: true, broken: [] })
  await calls.close()
})

test('a finding of a full audit is shown everywhere and told hourly until a full audit of the next day finds it mended', async () => {
  const admin = await makeStaff(database.db)
  const calls = await serveCalls(database.db, createAdmin({ db: database.db }).handlers)
  const seen = async () => {
    const { ok } = (await calls.ask('GET /admin/stats', { as: admin })).body.audit
    const todo = await readTodo(database.db, { viewer: { memberId: admin, staffRole: 'owner' }, payoutsByHand: false })
    const figures = await readFigures({ db: database.db, witnesses: { keys: [], quorum: 0 }, dataDir: '.' })
    return [ok, todo.find(({ code }) => code === 'audit')?.count ?? 0, figures.get('roz_audit_broken_invariants')]
  }
  await superuser.query(sql`insert into ledger_day (day, sealed_at) values ('2026-01-01', roz_now()) on conflict do nothing`)
  await breakWallet(1n)
  try {
    expect(await audit.due()).toBe(true)
    // It took long: the runs of the next hours are recent ones, which do not read each wallet's legs.
    await superuser.query(sql`update audit_run set started_at = started_at - interval '5 minutes'`)
    const broken = (await seen())[1] as number
    expect(broken).toBeGreaterThan(0)
    for (let hour = 0; hour < 2; hour++) {
      await passHours(1)
      expect(await audit.due()).toBe(true)
      expect(await seen()).toEqual([false, broken, broken])
    }
  } finally {
    await breakWallet(-1n)
  }
  expect(alarms).toHaveLength(3)
  await passHours(20)
  await audit.due()
  expect((await seen())[0]).toBe(false)
  await passHours(2)
  await audit.due()
  expect(await seen()).toEqual([true, 0, 0])
  expect((await runs()).map(({ scope }) => scope)).toEqual(['full', 'recent', 'recent', 'recent', 'full'])
  await calls.close()
})

test('roz audit prints every invariant and exits with 0; with a broken one it names the row and exits with 1', async () => {
  const main = fileURLToPath(new URL('../../main.ts', import.meta.url))
  const run = (env: Record<string, string>) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [main, 'audit'], {
      env: { PATH: process.env['PATH'] ?? '', ...env },
      encoding: 'utf8',
    })
    return { status, stdout: stdout + stderr }
  }
  const live = { DATABASE_URL: database.appUrl, NODE_ENV: 'production' }
  const clean = run(live)
  expect(clean.stdout).toMatch(/✓ wallet_is_sum_of_legs: A wallet's balance is the sum of its legs\./)
  expect(clean.stdout).toMatch(/All \d+ invariants hold\./)
  expect(clean.status).toBe(0)
  await breakWallet(1n)
  const broken = run(live)
  await breakWallet(-1n)
  expect(broken.stdout).toMatch(new RegExp(`✗ wallet_is_sum_of_legs: .+\\n    member ${member}: the wallet says 901, its legs 900`))
  expect(broken.status).toBe(1)
  expect(run({ DATA_DIR: '/nonexistent-data' })).toMatchObject({ status: 2, stdout: expect.stringContaining('There is no database') })
  expect(run({ DATABASE_URL: 'postgres://nobody:x@127.0.0.1:1/none' })).toMatchObject({
    status: 2,
    stdout: expect.stringContaining('could not be read'),
  })
})

test('no audit starts while a round ends or the next one takes its members in, for ten minutes at most', async () => {
  const midnight = endOfDayMs(DAY)
  await database.setClock(new Date(midnight + 5_000))
  expect(await audit.due()).toBe(false)
  await database.setClock(new Date(midnight + 601_000))
  expect(await audit.due()).toBe(true)
})
