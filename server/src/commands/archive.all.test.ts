/** Old months leave the database and come back: what members and audits see meanwhile, refusals, kills at every step, and damaged files. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { addDays, endOfDayMs, type IstDay } from '@roz/core/ist-day.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Step } from '../archive/archive-month.ts'
import type { Manifest } from '../archive/month-file.ts'
import { openConnection } from '../db/hosts.ts'
import { connect, type Db, sql } from '../db/sql.ts'
import { createAudit } from '../features/audit/scheduled-audit.ts'
import { addMoney, DAY, openDay } from '../ledger/testing/fixtures.ts'
import { describeViolations, runAudit } from '../ledger/audit.ts'
import { entrantsAfter } from '../ledger/entries.ts'
import { wholeRupees } from '@roz/core/money.ts'
import { makeMember } from '../testing/calls.ts'
import { openServicesWorld, type ServicesWorld } from '../testing/services-world.ts'
import { archiveNow } from './archive.ts'

const DAYS = [DAY, addDays(DAY, 1), addDays(DAY, 2)] as const
const [MONTH, NEXT] = ['2026-11', '2026-12'] as const
/** The first day on which the month may leave is December 1. */
const LATER = '2027-12-10' as IstDay
const root = mkdtempSync(path.join(tmpdir(), 'roz-archive-'))
const folder = path.join(root, 'months')
const file = path.join(folder, `entries-${MONTH}.csv.gz`)
let world: ServicesWorld
let superuser: Db
let members: bigint[]
let said: string[] = []
/** The members' view before anything is archived. */
let seen: unknown[]

const env = () => ({
  DATA_DIR: path.join(root, 'data'),
  DATABASE_URL: world.database.appUrl,
  MIGRATE_DATABASE_URL: world.database.ownerUrl,
})
async function run(...words: string[]): Promise<0 | 1 | 2> {
  for (;;) {
    said = []
    const code = await archiveNow(env(), words, (line) => void said.push(line))
    // The backend of a killed run may live for a moment.
    if (!said.join().includes('under way')) return code
  }
}
const archive = () => run('--before', NEXT, '--to', folder)
const restore = (...more: string[]) => run('--restore', MONTH, ...more)
const tables = async (): Promise<string[]> =>
  (await superuser.query<{ name: string }>(sql`select relname as name from pg_class where relname ~ '^round_join_2026_11$'`)).map(
    ({ name }) => name,
  )

async function expectSound(): Promise<void> {
  expect(describeViolations(await runAudit(world.database.db))).toBe('')
}

/** Everything that shows a member an old entry. */
async function whatMembersSee(): Promise<unknown[]> {
  const found: unknown[] = []
  for (const day of DAYS) {
    const page = entrantsAfter(sql`${day}::date`, sql`${members[0]}::bigint`, sql`2`)
    found.push(await world.database.db.query(sql`select distinct member_id from ${page} e order by 1 limit 2`))
  }
  for (const as of members) {
    const ask = async (call: string) => (await world.calls.ask(call, { as })).body
    found.push(await ask('GET /rounds/history?limit=100'), await ask('GET /wallet/transactions?limit=100'))
    found.push(await ask('GET /notifications?limit=100'), await ask('GET /impact/stats'), await ask('GET /rounds/stats'))
    for (const day of DAYS) for (const call of ['rupees', 'tickets', 'liabilities']) found.push(await ask(`GET /user/${call}/${day}`))
    found.push(await ask(`GET /wallet/transactions/${encodeURIComponent(`join:${DAY}`)}`), (await ask('GET /user/export')).transactions)
  }
  return found
}

beforeAll(async () => {
  world = await openServicesWorld()
  const { database, calls } = world
  superuser = connect({ url: database.superUrl, max: 1, named: false })
  await superuser.query(sql`set session_replication_role = replica`)
  members = []
  for (let n = 0; n < 4; n++) members.push(await makeMember(database.db))
  for (const member of members) await addMoney(database.db, member, wholeRupees(10))
  await calls.ask('PUT /user', { as: members[3] as bigint, body: { autoParticipate: true } })
  for (const day of DAYS) {
    // The second member misses a day, and money comes between two entries of the third.
    for (const member of members.slice(0, 3))
      if (member !== members[1] || day !== DAYS[1])
        expect((await calls.ask('POST /rounds/join', { as: member, body: {} })).status).toBe(200)
    if (day === DAYS[1]) await addMoney(database.db, members[2] as bigint, wholeRupees(10))
    if (day !== DAYS[2]) await endDay(day)
  }
}, 120_000)
afterAll(async () => {
  await superuser.close()
  await world.calls.close()
  await world.services.worker.stop()
  await world.database.drop()
  rmSync(root, { recursive: true })
})

async function endDay(day: IstDay): Promise<void> {
  await world.database.setClock(new Date(endOfDayMs(day) + 5_000))
  await world.services.worker.runDue()
}

test('unknown words, a folder inside DATA_DIR, a young month and an unfinished month are refused', async () => {
  for (const words of [
    [],
    ['--list', 'all'],
    ['--before', NEXT],
    ['--before', '2026-13', '--to', folder],
    ['--restore', MONTH, '--to', folder],
  ])
    expect([words, await run(...words)]).toEqual([words, 2])
  expect([await run('--before', NEXT, '--to', path.join(root, 'data', 'months')), said]).toEqual([
    1,
    [expect.stringContaining('inside DATA_DIR')],
  ])
  expect([await archive(), said]).toEqual([1, [expect.stringContaining('--before 2025-11 is the latest possible today')]])
  await openDay(world.database, LATER)
  expect([await archive(), said]).toEqual([1, [`${MONTH} stays: ${DAYS[2]} has a round that is open.`]])
  expect([await restore(), said]).toEqual([1, [expect.stringContaining(`${MONTH} is not in the archive`)]])
  expect([await run('--list'), said]).toEqual([0, ['No month is archived.']])
  await endDay(DAYS[2])
  // The rest of the month, on which Auto Participate alone joins a first day.
  await endDay('2026-11-30' as IstDay)
  const hide = sql`update books_day set day = day + 1000 where day = ${DAYS[2]}::date`
  await superuser.query(hide)
  await world.database.setClock(new Date(endOfDayMs(LATER) - 43_200_000))
  expect([await archive(), said]).toEqual([1, [`${MONTH} stays: ${DAYS[2]} has no books yet.`]])
  await superuser.query(sql`update books_day set day = day - 1000 where day = ${addDays(DAYS[2], 1000)}::date`)
  seen = await whatMembersSee()
  expect(await tables()).toHaveLength(1)
})

test('books that are broken are not archived', async () => {
  const change = (by: number) =>
    superuser.query(sql`update wallet set balance = balance + ${by}::int where member_id = ${members[0] as bigint}::bigint`)
  await change(1)
  expect(await archive()).toBe(1)
  expect(said.join('\n')).toMatch(/✗ wallet_is_sum_of_legs[^]*Nothing was archived/)
  await change(-1)
  expect(await tables()).toHaveLength(1)
})

test('a month leaves, and members, audits and the night see what they saw', async () => {
  expect([await archive(), said.join('\n')]).toEqual([0, expect.stringContaining('11 entries are in')])
  expect(await tables()).toEqual([])
  expect(await whatMembersSee()).toEqual(seen)
  const alarms: unknown[] = []
  const pages = { members: 2, entries: 1 }
  const audit = createAudit({ db: world.database.db, alarm: (details) => void alarms.push(details), everyMs: 0, pages })
  while (await audit.due());
  const ended = sql`select scope, broken, last_day::text as "lastDay" from audit_run where finished_at is not null order by id`
  expect(await superuser.query(ended)).toEqual([
    { scope: 'recent', broken: [], lastDay: 'infinity' },
    { scope: 'full', broken: [], lastDay: 'infinity' },
  ])
  expect(alarms).toEqual([])
  // The file is readable without Roz, by its owner alone.
  const manifest = JSON.parse(readFileSync(path.join(folder, `entries-${MONTH}.json`), 'utf8')) as Manifest
  expect(manifest).toMatchObject({ entries: '11', paise: '1100', days: { [DAYS[0]]: 3, [DAYS[1]]: 3, [DAYS[2]]: 4, [addDays(DAY, 3)]: 1 } })
  const lines = gunzipSync(readFileSync(file)).toString().trim().split('\n')
  expect([lines[0], lines.length]).toEqual([manifest.columns.join(','), 12])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect([await archive(), said]).toEqual([0, [`No month before ${NEXT} is left in the database.`]])
  expect([await run('--list'), said]).toEqual([0, [expect.stringMatching(/^2026-11: 11 entries, .*archived .*the file is there/)]])
})

test('what stays of a month still counts: the audit names a member whose row is changed or gone', async () => {
  const broken = async (statement: string): Promise<string[]> => {
    await superuser.query(sql`begin`)
    await superuser.query(sql([statement] as unknown as TemplateStringsArray))
    const found = await runAudit(superuser)
    await superuser.query(sql`rollback`)
    return found.map(({ invariant }) => invariant)
  }
  const whose = `where member_id = ${members[0]}`
  expect(await broken(`delete from archived_entry ${whose}`)).toEqual(
    expect.arrayContaining([
      'joins_are_batches_are_pool',
      'legs_sum_to_zero',
      'one_join_a_day',
      'wallet_is_sum_of_legs',
      'wallet_history_has_no_gap',
    ]),
  )
  expect(await broken(`update archived_entry set wallet_seqs[1] = 9 ${whose}`)).toContain('wallet_history_has_no_gap')
  expect(await broken(`update archived_entry set days[1] = 7 ${whose}`)).toEqual(expect.arrayContaining(['joins_are_batches_are_pool']))
  for (const statement of [`update archived_entry set days = days`, `delete from archived_month`, `update archived_month set entries = 1`])
    await expect(world.database.db.query(sql([statement] as unknown as TemplateStringsArray))).rejects.toThrow('permission denied')
})

test('a file that was changed, cut off, exchanged or lost is refused in plain words, and nothing changes', async () => {
  const sound = readFileSync(file)
  const manifest = readFileSync(path.join(folder, `entries-${MONTH}.json`), 'utf8')
  const refused = async (why: string): Promise<void> => {
    expect([await restore(), said]).toEqual([1, [expect.stringContaining(why)]])
    expect([await tables(), said[0]?.includes('Nothing was changed')]).toEqual([[], true])
    writeFileSync(file, sound)
    writeFileSync(path.join(folder, `entries-${MONTH}.json`), manifest)
  }
  truncateSync(file, sound.length - 20)
  await refused('is damaged or cut off')
  const { gzipSync } = await import('node:zlib')
  writeFileSync(
    file,
    gzipSync(
      gunzipSync(sound)
        .toString()
        .replace(/,(\d+),(\d+),/, ',$1,1$2,'),
    ),
  )
  await refused('was changed after it was archived')
  writeFileSync(path.join(folder, `entries-${MONTH}.json`), manifest.replace(/"sha256": "./, '"sha256": "x'))
  await refused('is not the archived file')
  rmSync(path.join(folder, `entries-${MONTH}.json`))
  await refused('cannot be used')
  expect([await restore('--from', root), said]).toEqual([1, [expect.stringContaining(root)]])
})

test('a restored month is among the joins again and passes the audit, and leaves again as it came', async () => {
  expect([await restore(), said.join('\n')]).toEqual([
    0,
    expect.stringMatching(/11 entries are in the database again[^]*All \d+ invariants hold/),
  ])
  expect(await tables()).toHaveLength(1)
  expect(await whatMembersSee()).toEqual(seen)
  expect([await restore(), said]).toEqual([1, [expect.stringContaining('is not in the archive')]])
  await expect(superuser.query(sql`begin; set local session_replication_role = origin; truncate round_join_2026_11`)).rejects.toThrow(
    'never changed',
  )
  await superuser.query(sql`rollback`)
  const hash = () => superuser.one<{ hash: Buffer }>(sql`select sha256 as hash from archived_month order by id desc limit 1`)
  const first = await hash()
  expect(await archive()).toBe(0)
  expect(await hash()).toEqual(first)
  expect(await restore()).toBe(0)
})

/** Runs the command in a process that kills itself at the step. */
function runTo(step: Step | undefined, ...words: string[]) {
  const module = new URL('archive.ts', import.meta.url).href
  const program = `
    const { archiveNow } = await import(${JSON.stringify(module)})
    process.exit(await archiveNow(process.env, ${JSON.stringify(words)}, (line) => console.log(line), (step) => step === '${step}' && process.kill(process.pid, 'SIGKILL')))`
  return spawn(process.execPath, ['--input-type=module', '-e', program], { env: { ...process.env, ...env() }, stdio: 'ignore' })
}
/** A table that is neither a partition nor known to a new database. */
const TO_ARCHIVE = ['--before', NEXT, '--to', folder]

test.each<Step>(['writing', 'written', 'named', 'filed', 'kept', 'noted', 'detached', 'dropped'])(
  'killed when the month is %s, nothing is lost and the next run ends it',
  async (step) => {
    expect(await once(runTo(step, ...TO_ARCHIVE), 'exit')).toEqual([null, 'SIGKILL'])
    await expectSound()
    expect(await whatMembersSee()).toEqual(seen)
    expect(await archive()).toBe(0)
    expect(await tables()).toEqual([])
    expect(await restore()).toBe(0)
  },
)

test('a restore that is killed leaves the month in the archive, and the next one ends it', async () => {
  expect(await archive()).toBe(0)
  expect(await once(runTo('loaded', '--restore', MONTH), 'exit')).toEqual([null, 'SIGKILL'])
  await expectSound()
  expect(await whatMembersSee()).toEqual(seen)
  expect(await restore()).toBe(0)
  expect(await whatMembersSee()).toEqual(seen)
})

test('while a long reader keeps the partition, members join, a second run is refused, and a kill leaves the next run to finish', async () => {
  const reader = await openConnection(world.database.appUrl, 'reader')
  await reader.query('begin isolation level repeatable read read only; lock table round_join in access share mode')
  const entries = async () =>
    (await reader.query<{ n: number }>(`select count(*)::int as n from entry where day < '2026-12-01'`)).rows[0]?.n
  expect(await entries()).toBe(11)
  const archiving = runTo(undefined, ...TO_ARCHIVE)
  const isPending = async () => (await superuser.query(sql`select from pg_inherits where inhdetachpending`)).length > 0
  while (!(await isPending()));
  for (const member of members) expect((await world.calls.ask('POST /rounds/join', { as: member, body: {} })).status).toBe(200)
  await expectSound()
  expect(await entries()).toBe(11)
  said = []
  expect(await archiveNow(env(), TO_ARCHIVE, (line) => void said.push(line))).toBe(1)
  expect(said).toEqual([expect.stringContaining('Another run of roz archive is under way')])
  archiving.kill('SIGKILL')
  await once(archiving, 'exit')
  await reader.query('commit')
  await reader.end()
  expect([await archive(), said[0]]).toEqual([0, expect.stringContaining('a run before was cut off; its table has left the database now')])
  expect(await tables()).toEqual([])
  await expectSound()
})
