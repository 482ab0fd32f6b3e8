/** The nightly audit compares each wallet with its movements, page by page. */
import { nextDay, startOfDayMs } from '@roz/core/ist-day.ts'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { connect, type Db, one, sql } from '../../db/sql.ts'
import { readFigures } from '../../operation/figures.ts'
import { DAY, newMembers, openDay } from '../../ledger/testing/fixtures.ts'
import { createJoinBatcher } from '../../ledger/join-batcher.ts'
import { makeStaff } from '../../testing/calls.ts'
import { breakRows, createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { createNightly } from './nightly.ts'

const HOUR_MS = 3_600_000
const NIGHT = nextDay(DAY)
let database: TestDatabase
let superuser: Db
let members: bigint[]
const alarms: { readonly first: string[] }[] = []
const nightly = (page: number) =>
  createNightly({ db: database.db, everyMs: 0, page, alarm: (details) => void alarms.push(details as (typeof alarms)[number]) })

beforeAll(async () => {
  database = await createTestDatabase()
  superuser = connect({ url: database.superUrl, max: 1, named: false })
  await superuser.query(sql`set session_replication_role = replica`)
  await openDay(database, DAY)
  members = await newMembers(database.db, 7, { rupees: 10 })
  const batcher = createJoinBatcher({ db: database.db })
  for (const memberId of members.slice(0, 5)) await batcher.join({ memberId })
})
afterAll(async () => {
  await superuser.close()
  await database.drop()
})
beforeEach(async () => {
  alarms.length = 0
  await database.db.query(sql`delete from wallet_check`)
  await database.setClock(new Date(startOfDayMs(NIGHT) + 2 * HOUR_MS + 1000))
})

const record = () =>
  one(
    database.db,
    sql`select wallets::int, broken::int, finished_at is not null as finished from wallet_check where night = ${NIGHT}::date`,
  )
/** Runs pages until none is left; returns how many calls that took. */
async function run(due: () => Promise<boolean>): Promise<number> {
  let pages = 1
  while (await due()) pages++
  return pages
}

test('nothing runs before two o’clock; then all wallets are audited page by page, once a night, by one process at a time', async () => {
  await database.setClock(new Date(startOfDayMs(NIGHT) + 2 * HOUR_MS - 60_000))
  expect(await nightly(3)()).toBe(false)
  expect(await database.db.query(sql`select 1 from wallet_check`)).toEqual([])
  await database.setClock(new Date(startOfDayMs(NIGHT) + 2 * HOUR_MS + 1000))
  await Promise.all([run(nightly(2)), run(nightly(2)), run(nightly(2))])
  await run(nightly(2))
  expect(await record()).toEqual({ wallets: 7, broken: 0, finished: true })
  expect(await nightly(2)()).toBe(false)
  expect(alarms).toEqual([])
})

test('a run that was cut off continues after its last page, and a night that ended leaves the rest to the next night', async () => {
  const first = nightly(3)
  expect(await first()).toBe(true)
  expect(await record()).toEqual({ wallets: 3, broken: 0, finished: false })
  expect(await run(nightly(3))).toBe(2)
  expect(await record()).toEqual({ wallets: 7, broken: 0, finished: true })
  await database.db.query(sql`delete from wallet_check`)
  expect(await nightly(3)()).toBe(true)
  await database.setClock(new Date(startOfDayMs(NIGHT) + 4 * HOUR_MS + 60_000))
  expect(await nightly(3)()).toBe(false)
  await database.setClock(new Date(startOfDayMs(nextDay(NIGHT)) + 2 * HOUR_MS + 1000))
  await run(nightly(3))
  const [next] = await database.db.query(
    sql`select wallets::int, finished_at is not null as finished from wallet_check order by night desc limit 1`,
  )
  expect(next).toEqual({ wallets: 4, finished: true })
})

test('a page that fails is tried again at the next look, and a comparison that does not end is counted by its age', async () => {
  const age = async () =>
    (await readFigures({ db: database.db, witnesses: { keys: [], quorum: 0 }, dataDir: '.' })).get('roz_wallet_check_age_seconds')
  const due = createNightly({ db: database.db, everyMs: 60_000, page: 3, alarm: () => undefined })
  const time = vi.spyOn(performance, 'now')
  const at = (seconds: number) => {
    time.mockReturnValue(seconds * 1000)
    return due()
  }
  await database.db.query(sql`insert into audit_run (scope) values ('full')`)
  try {
    expect(await at(0)).toBe(true)
    const mend = await breakRows(database, 'wallet_check', 'new.wallets > 3')
    await expect(at(1)).rejects.toThrow('on purpose')
    expect([await at(2), await at(60)]).toEqual([false, false])
    await expect(at(61)).rejects.toThrow('on purpose')
    await database.setClock(new Date(startOfDayMs(NIGHT) + 86_400_000))
    expect(await age()).toBeCloseTo(22 * 3600, -2)
    await database.setClock(new Date(startOfDayMs(NIGHT) + 3 * HOUR_MS))
    await mend()
    expect([await at(121), await at(122)]).toEqual([true, false])
  } finally {
    time.mockRestore()
  }
  expect(await age()).toBeLessThan(60)
  await database.db.query(sql`delete from audit_run`)
})

test('a wallet off by a paisa, by a missing entry or by its number of movements raises an alarm and a mail', async () => {
  await makeStaff(database.db)
  const [paisa, entry, count] = members as [bigint, bigint, bigint]
  await superuser.query(sql`update wallet set balance = balance + 1 where member_id = ${paisa}::bigint`)
  const kept = await superuser.query<Record<string, unknown>>(sql`delete from round_join where member_id = ${entry}::bigint returning *`)
  await superuser.query(sql`update wallet set seq = seq + 1 where member_id = ${count}::bigint`)
  try {
    await run(nightly(100))
  } finally {
    await superuser.query(sql`update wallet set balance = balance - 1 where member_id = ${paisa}::bigint`)
    await superuser.query(
      sql`insert into round_join select * from jsonb_populate_record(null::round_join, ${JSON.stringify(kept[0], (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value))}::jsonb)`,
    )
    await superuser.query(sql`update wallet set seq = seq - 1 where member_id = ${count}::bigint`)
  }
  expect(alarms.map(({ first }) => first)).toEqual([
    [
      `member ${paisa}: the wallet says 901 after 2 movements, its legs 900 after 2`,
      `member ${entry}: the wallet says 900 after 2 movements, its legs 1000 after 1`,
      `member ${count}: the wallet says 900 after 3 movements, its legs 900 after 2`,
    ],
  ])
  expect(await record()).toMatchObject({ broken: 3, finished: true })
  const mails = await database.db.query<{ template: string }>(sql`select payload ->> 'template' as template from job where kind = 'mail'`)
  expect(mails).toEqual([{ template: 'audit_alarm' }])
})
