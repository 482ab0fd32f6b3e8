/** The scheduled audit: its schedule, its alarm, the administrators' view of it, and `roz audit`. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { startOfDayMs } from '@roz/core/ist-day.ts'
import { connect, sql } from '../../db/sql.ts'
import { DAY, newMembers, openDay } from '../../ledger/testing/fixtures.ts'
import { listFindings } from '../../ledger/audit-findings.ts'
import { createJoinBatcher } from '../../ledger/join-batcher.ts'
import { makeStaff, serveCalls } from '../../testing/calls.ts'
import { breakRows, useConnection, useTestDatabase } from '../../testing/database.ts'
import { readFigures } from '../../operation/figures.ts'
import { createAdmin } from '../admin/admin.ts'
import { readTodo } from '../desk/todo.ts'
import { type AuditDeps, createAudit } from './scheduled-audit.ts'

const database = useTestDatabase()
const superuser = useConnection(() => database.superUrl)
let admin: bigint
let member: bigint
const alarms: { readonly broken: { readonly invariant: string; readonly first: string }[] }[] = []
const PAGES = { members: 3, entries: 2 }
const audit = (deps: Partial<AuditDeps> = {}) =>
  createAudit({ db: database.db, everyMs: 0, pages: PAGES, alarm: (details) => void alarms.push(details as never), ...deps })

beforeAll(async () => {
  // Triggers are off: the audit must find even rows that the schema would refuse.
  await superuser.query(sql`set session_replication_role = replica`)
  await openDay(database, DAY)
  const members = await newMembers(database.db, 7, { rupees: 10 })
  member = members[0] as bigint
  const batcher = createJoinBatcher({ db: database.db })
  for (const memberId of members.slice(0, 5)) await batcher.join({ memberId })
  admin = await makeStaff(database.db)
})
beforeEach(async () => {
  alarms.length = 0
  await database.db.query(sql`delete from audit_run`)
  await database.db.query(sql`delete from job`)
  await clockAt(12)
})

/** Hours since the day of the first round began in India. */
const clockAt = (hours: number) => database.setClock(new Date(startOfDayMs(DAY) + hours * 3_600_000))
const breakWallet = (by: bigint) =>
  superuser.query(sql`update wallet set balance = balance + ${by}::bigint where member_id = ${member}::bigint`)
const runs = async () => {
  const rows = await database.db.query<{ scope: string; isDone: boolean }>(
    sql`select scope, finished_at is not null as "isDone" from audit_run order by id`,
  )
  return rows.map(({ scope, isDone }) => (isDone ? scope : `${scope}, not ended`))
}
/** Audits until nothing is due; returns the number of parts, the ends of runs included. */
async function runAll({ due } = audit()): Promise<number> {
  let parts = 0
  while (await due()) parts++
  return parts
}

test('a recent audit begins each hour, a full one each night, and each run by one of all processes', async () => {
  const parts = await Promise.all([runAll(), runAll(), runAll()])
  expect(await runs()).toEqual(['recent', 'full'])
  await database.db.query(sql`delete from audit_run`)
  const alone = await runAll()
  expect(parts.reduce((sum, count) => sum + count)).toBe(alone)
  expect(await runAll()).toBe(0)
  await clockAt(12.9)
  expect(await runAll()).toBe(0)
  await clockAt(13.1)
  await runAll()
  expect(await runs()).toEqual(['recent', 'full', 'recent'])
  await clockAt(25.8)
  await runAll()
  expect(await runs()).toEqual(['recent', 'full', 'recent', 'recent'])
  await clockAt(26.1)
  await runAll()
  expect(await runs()).toEqual(['recent', 'full', 'recent', 'recent', 'full'])
  expect(alarms).toEqual([])
})

test('a process looks every minute for a run to begin: a look just before the hour does not lose an hour', async () => {
  const looks = audit({ everyMs: 60_000 })
  const time = vi.spyOn(performance, 'now')
  const at = (minutes: number) => {
    time.mockReturnValue(minutes * 60_000)
    return runAll(looks)
  }
  try {
    expect(await at(0)).toBeGreaterThan(0)
    // Too early: the last run began less than an hour ago.
    expect(await at(60)).toBe(0)
    await clockAt(13.1)
    expect(await at(60.5)).toBe(0)
    expect(await at(61)).toBeGreaterThan(0)
  } finally {
    time.mockRestore()
  }
})

const progress = () =>
  database.db.one(
    sql`select last_file <> '' as files, last_day::text as day, last_member - ${member}::bigint as member from audit_run where scope = 'full'`,
  )

test('a process that dies in a part leaves the run to another one, which continues with that part', async () => {
  await breakWallet(1n)
  try {
    const first = audit()
    while ((await runs()).at(-1) !== 'full, not ended' || (await progress())['member' as never] !== 2n) await first.due()
    let release: (() => void) | undefined
    const locked = superuser.withConnection(async (connection) => {
      await connection.command('begin; lock table wallet in access exclusive mode')
      await new Promise<void>((resolve) => (release = resolve))
      await connection.command('rollback')
    })
    await vi.waitFor(() => expect(release).toBeDefined())
    const dies = first.due()
    dies.catch(() => undefined)
    const other = connect({ url: database.superUrl, max: 1, named: false })
    await vi.waitFor(async () => {
      const killed = await other.query(sql`
        select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query like '%member_id%'`)
      expect(killed).toHaveLength(1)
    })
    await other.close()
    await expect(dies).rejects.toThrow()
    release?.()
    await locked
    expect(await progress()).toMatchObject({ member: 2n })
    // Two pages are left, and the end.
    expect(await runAll()).toBe(3)
  } finally {
    await breakWallet(-1n)
  }
  expect(await runs()).toEqual(['recent', 'full'])
  expect(alarms.at(-1)?.broken.map(({ invariant }) => invariant)).toEqual(['wallet_is_sum_of_legs'])
})

test('a part that fails is tried again at the next look', async () => {
  const looks = audit({ everyMs: 60_000 })
  const time = vi.spyOn(performance, 'now')
  const at = (seconds: number) => {
    time.mockReturnValue(seconds * 1000)
    return runAll(looks)
  }
  const mend = await breakRows(database, 'audit_run', `new.scope = 'full' and new.last_member > ${member}`)
  try {
    await expect(at(0)).rejects.toThrow('on purpose')
    expect(await at(59)).toBe(0)
    await expect(at(61)).rejects.toThrow('on purpose')
    await mend()
    expect(await at(122)).toBe(4)
  } finally {
    time.mockRestore()
  }
  expect(await runs()).toEqual(['recent', 'full'])
})

test('a full audit that takes days goes on after each recent one, and no second one begins beside it', async () => {
  const slow = audit()
  const fulls = async () => (await runs()).filter((run) => run.startsWith('full'))
  const recents = async () => (await runs()).filter((run) => run === 'recent').length
  for (const [nights, hours] of [12, 26.1, 50.1].entries()) {
    await clockAt(hours)
    while ((await recents()) === nights) await slow.due()
    expect(await fulls()).toEqual(['full, not ended'])
  }
  await runAll(slow)
  // The second one began after the end of the first, in a night that had none.
  expect(await fulls()).toEqual(['full', 'full'])
})

test('no part starts while a round ends or the next one takes its members in, for ten minutes at most', async () => {
  const night = audit()
  await clockAt(23.9)
  expect(await night.due()).toBe(true)
  await clockAt(24 + 5 / 3600)
  expect(await night.due()).toBe(false)
  await clockAt(24 + 601 / 3600)
  expect(await runAll(night)).toBeGreaterThan(5)
})

/** The findings in the overview, in the to-do list and at /metrics. */
async function seenFindings() {
  const calls = await serveCalls(database.db, createAdmin({ db: database.db }).handlers)
  const { audit } = (await calls.ask('GET /admin/stats', { as: admin })).body
  await calls.close()
  const todo = await readTodo(database.db, { viewer: { memberId: admin, staffRole: 'owner' }, payoutsByHand: false })
  const figures = await readFigures({ db: database.db, witnesses: { keys: [], quorum: 0 }, dataDir: '.' })
  return { audit, todo: todo.find(({ code }) => code === 'audit')?.count ?? 0, figure: figures.get('roz_audit_broken_invariants') }
}
const mails = () =>
  database.db.query<{ payload: { template: string; data: { sentences: string } } }>(sql`select payload from job where kind = 'mail'`)

test('a finding is an error each hour, one mail to the owners, and shown everywhere until a full audit finds it mended', async () => {
  expect((await seenFindings()).audit).toBeNull()
  await breakWallet(1n)
  const standing = {
    audit: { ok: false, broken: [{ sentence: "A wallet's balance is the sum of its legs.", rows: 1 }] },
    todo: 1,
    figure: 1,
  }
  try {
    const first = audit()
    // It counts before the run has ended.
    while ((await listFindings(database.db)).length === 0) await first.due()
    expect(await runs()).toEqual(['recent', 'full, not ended'])
    expect(await seenFindings()).toMatchObject(standing)
    await runAll(first)
    for (const hours of [13.1, 14.2]) {
      await clockAt(hours)
      await runAll()
      expect(await seenFindings()).toMatchObject(standing)
    }
  } finally {
    await breakWallet(-1n)
  }
  expect(alarms).toHaveLength(3)
  expect(alarms[0]?.broken[0]).toMatchObject({ invariant: 'wallet_is_sum_of_legs', first: expect.stringContaining(`member ${member}`) })
  const told = await mails()
  expect(told.map(({ payload }) => payload.template)).toEqual(['audit_alarm'])
  expect(told[0]?.payload.data.sentences).toContain("A wallet's balance is the sum of its legs. (member")
  await clockAt(25.5)
  await runAll()
  expect((await seenFindings()).audit.ok).toBe(false)
  await clockAt(26.1)
  await runAll()
  expect(await seenFindings()).toMatchObject({ audit: { ok: true, broken: [] }, todo: 0, figure: 0 })
})

test('the next recent audit ends a finding in whole tables, and the owners are told when it comes back', async () => {
  const breakHold = (by: number) => superuser.query(sql`update wallet set held = held + ${by}::int where member_id = ${member}::bigint`)
  for (const hours of [13, 15.2]) {
    await clockAt(hours)
    await breakHold(1)
    await runAll()
    expect((await seenFindings()).figure).toBe(1)
    await clockAt(hours + 1.1)
    await breakHold(-1)
    await runAll()
    expect((await seenFindings()).figure).toBe(0)
  }
  expect(await mails()).toHaveLength(2)
})

test('an age counts from the end of the last full audit', async () => {
  const age = async () =>
    (await readFigures({ db: database.db, witnesses: { keys: [], quorum: 0 }, dataDir: '.' })).get('roz_full_audit_age_seconds')
  expect(await age()).toBe(0)
  await runAll()
  await clockAt(15)
  await runAll()
  expect(await age()).toBeCloseTo(3 * 3600, -2)
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
