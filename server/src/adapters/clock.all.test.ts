/**
 * A clock that jumps: the database's clock, by seconds to months, forwards and backwards, at noon and around midnight; the machine's own.
 * - The database's clock is moved below roz_now(), in machine_clock(). /dev/clock only chooses the day and the hour.
 * - `npm run test:all` takes every jump at every hour.
 */
import { addDays, type IstDay, startOfDayMs } from '@roz/core/ist-day.ts'
import { wholeRupees } from '@roz/core/money.ts'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { clockNow } from '../commands/clock.ts'
import { statusNow } from '../commands/status.ts'
import { beat } from '../db/heartbeat.ts'
import { sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { openSession } from '../features/identity/sessions.ts'
import { listAlarms } from '../operation/alarms.ts'
import { addMoney, DAY } from '../ledger/testing/fixtures.ts'
import { makeMember } from '../testing/calls.ts'
import { BANK } from '../testing/wallet-world.ts'
import { openServicesWorld, useServicesWorld } from '../testing/services-world.ts'
import { type ClockOptions, createClock } from './clock.ts'
import { useConnection } from '../testing/database.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const HOURS = { noon: 12 * HOUR, 'two minutes before midnight': 24 * HOUR - 2 * MINUTE, 'half a minute after midnight': 30 * SECOND }
type At = keyof typeof HOURS

/** One jump of each size and direction, at the hour where it did most harm. */
const FEW: readonly (readonly [number, At])[] = [
  [20 * SECOND, 'noon'],
  [-20 * SECOND, 'half a minute after midnight'],
  [-10 * MINUTE, 'half a minute after midnight'],
  [10 * MINUTE, 'two minutes before midnight'],
  [-2 * HOUR, 'half a minute after midnight'],
  [3 * HOUR, 'two minutes before midnight'],
  [40 * 24 * HOUR, 'noon'],
  [-40 * 24 * HOUR, 'noon'],
]
const SIZES = [SECOND, 25 * SECOND, 4 * MINUTE, 6 * MINUTE, HOUR, 26 * HOUR, 40 * 24 * HOUR, 400 * 24 * HOUR]
const ALL = SIZES.flatMap((size) => [size, -size]).flatMap((jump) => (Object.keys(HOURS) as At[]).map((at) => [jump, at] as const))
const JUMPS = process.env.ROZ_TEST_ALL === undefined ? FEW : ALL
/** A few minutes are no jump: such a clock is believed, so its midnight counts. */
const isJump = (ms: number): boolean => Math.abs(ms) > 5 * MINUTE

let day: IstDay = DAY
const steadyJump = { ms: 0 }
const clockOptions: ClockOptions = { steadyMs: () => [performance.now() + steadyJump.ms] }
const world = useServicesWorld({ clock: clockOptions })
const owner = useConnection(() => world.database.ownerUrl)
afterEach(() => void vi.useRealTimers())

/** Moves the database's own clock. */
async function jumpBy(ms: number): Promise<void> {
  await owner.withConnection(({ command }) =>
    command(`create or replace function machine_clock() returns timestamptz volatile parallel safe language sql
               return clock_timestamp() + interval '${ms} milliseconds'`),
  )
}
async function tick(): Promise<void> {
  await world.clock.read()
  await world.services.worker.runDue()
}
const productNow = async (): Promise<number> => (await world.database.db.one<{ now: Date }>(sql`select roz_now() as now`)).now.getTime()
/** Alarms about the clock. Left out: help that nobody sends, which is late after days, too. */
const alarms = async (): Promise<string[]> =>
  (await listAlarms(world.database.db)).map(({ code }) => code).filter((code) => code !== 'help_waiting')
/** The next day at this hour, after all that was due until then. A small jump that was believed before this no longer counts. */
async function nextDayAt(at: At): Promise<void> {
  day = addDays(day, 1)
  await owner.query(sql`update clock_offset set trusted_at = null, doubted_at = null`)
  await world.database.setClock(new Date(startOfDayMs(day) + HOURS[at]))
  await tick()
}
async function memberWithSession(): Promise<{ readonly id: bigint; readonly token: string }> {
  const id = await makeMember(world.database.db)
  await addMoney(world.database.db, id, wholeRupees(20))
  return { id, token: await inTransaction(world.database.db, (tx) => openSession(tx, id, 'member')) }
}
const joins = async (as: bigint): Promise<unknown> => {
  const { status, body } = await world.calls.ask('POST /rounds/join', { as, body: {} })
  return [status, (body as { readonly code?: string }).code]
}
/** All that a wrong clock could end: rounds, days of the ledger, sessions, keys, jobs and unconfirmed accounts. */
const state = () =>
  world.database.db.one(sql`select (select json_agg(json_build_array(day, status) order by day) from round) as rounds,
               (select json_agg(day order by day) from ledger_day where sealed_at is not null) as sealed,
               (select count(*) from ledger_day) as days,
               (select count(*) from session) as sessions, (select count(*) from idempotency_key) as keys,
               (select count(*) from member where deleted_at is null) as members`)

describe('while the database’s clock is wrong nothing ends, and afterwards the day goes on', () => {
  test.each(JUMPS)('a jump of %i ms at %s', async (jump, at) => {
    await nextDayAt(at)
    const [first, second, third] = [await memberWithSession(), await memberWithSession(), await memberWithSession()]
    const unconfirmed = await makeMember(world.database.db, { verified: false })
    expect(await joins(first.id)).toEqual([200, undefined])
    await tick()
    const before = await state()
    const beforeMs = await productNow()
    await jumpBy(jump)
    // Members served in the second before the worker's next look.
    expect(await world.services.sessions.find(first.token)).toBeDefined()
    for (let ticks = 0; ticks < 3; ticks++) await tick()
    expect(await alarms()).toEqual(isJump(jump) ? ['clock_doubted'] : [])
    const isNextDay = at === 'two minutes before midnight' && jump > 2 * MINUTE && !isJump(jump)
    if (!isNextDay) {
      expect(await state()).toEqual(before)
      expect(await joins(second.id)).toEqual([200, undefined])
    }
    expect(Math.abs((await productNow()) - beforeMs)).toBeLessThan(
      Math.min(Math.abs(jump), 10 * SECOND) + MINUTE + (isJump(jump) ? 0 : 5 * MINUTE),
    )
    await jumpBy(0)
    for (let ticks = 0; ticks < 2; ticks++) await tick()
    expect(await alarms()).toEqual([])
    if (isNextDay) day = addDays(day, 1)
    expect(await joins(third.id)).toEqual([200, undefined])
    for (const { token } of [first, second, third]) expect(await world.services.sessions.find(token)).toBeDefined()
    const { kept, statuses } = await world.database.db.one<{ kept: boolean; statuses: string }>(sql`
      select exists (select from member where id = ${unconfirmed}::bigint and deleted_at is null) as kept,
                 (select string_agg(status, ' ' order by day) from round where day >= ${day}::date) as statuses`)
    expect([kept, statuses]).toEqual([true, 'open open'])
  })
})

/** Another server process on the same database. */
const newServer = (options: ClockOptions = {}) => createClock(world.database.db, { ...clockOptions, ...options })
const doubted = async (): Promise<boolean> =>
  (await world.database.db.one<{ is: boolean }>(sql`select doubted_at is not null as is from clock_offset`)).is
const command = async (...words: string[]): Promise<[number, string]> => {
  const said: string[] = []
  const say = (line: string): void => void said.push(line)
  const code = await clockNow({ databaseUrl: world.database.appUrl, dataDir: '/nowhere', namedStatements: true, say }, words)
  return [code, said.join('\n')]
}
/** Time passes for the database and for the clocks that nobody sets. */
async function pass(ms: number): Promise<void> {
  steadyJump.ms += ms
  await jumpBy(steadyJump.ms)
}

describe('what ends a doubt, and what is none', () => {
  test('a database that was away for twenty minutes is no jump', async () => {
    await nextDayAt('noon')
    await pass(20 * MINUTE)
    await tick()
    expect(await alarms()).toEqual([])
  })

  test('a date of this machine that jumps changes nothing while the server runs', async () => {
    const beforeMs = await productNow()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 40 * 24 * HOUR })
    await tick()
    expect(await alarms()).toEqual([])
    expect(Math.abs((await world.clock.read()).getTime() - beforeMs)).toBeLessThan(MINUTE)
  })

  test('a server that was off for three days goes on by itself, and closes what is due', async () => {
    await pass(3 * 24 * HOUR)
    day = addDays(day, 3)
    await newServer({ ownMs: () => Date.now() + steadyJump.ms }).read()
    expect(await doubted()).toBe(false)
    await tick()
    expect(await alarms()).toEqual([])
  })

  test('a start whose own date differs from the database’s by more than minutes doubts the clock; an outside clock that agrees ends it', async () => {
    await pass(HOUR)
    await newServer({ ownMs: () => Date.now() + steadyJump.ms - 10 * MINUTE }).read()
    expect(await doubted()).toBe(true)
    await newServer({ ownMs: () => 0, outsideMs: async () => [Date.now() + steadyJump.ms] }).read()
    expect(await doubted()).toBe(false)
  })

  test('a start that agrees with the database doubts the clock if every outside clock says another time', async () => {
    await pass(HOUR)
    await newServer({ ownMs: () => Date.now() + steadyJump.ms, outsideMs: async () => [Date.now(), Date.now() + 1] }).read()
    expect(await doubted()).toBe(true)
    await tick()
    expect(await doubted()).toBe(false)
  })

  test('a restart during a jump does not believe the clock, and goes on when it has come back', async () => {
    await jumpBy(steadyJump.ms + 40 * 24 * HOUR)
    await tick()
    const restarted = newServer({ ownMs: () => Date.now() + steadyJump.ms + 40 * 24 * HOUR })
    await restarted.read()
    expect(await alarms()).toEqual(['clock_doubted'])
    await jumpBy(steadyJump.ms + HOUR)
    await newServer({ ownMs: () => Date.now() + steadyJump.ms + HOUR }).read()
    expect(await alarms()).toEqual([])
    steadyJump.ms += HOUR
    await tick()
  })

  test('a machine that was suspended for six hours without noticing goes on when an outside clock agrees', async () => {
    const server = newServer({ steadyMs: () => [performance.now()], outsideMs: async () => [Date.now() + steadyJump.ms] })
    await server.read()
    steadyJump.ms += 6 * HOUR
    await jumpBy(steadyJump.ms)
    await server.read()
    expect(await doubted()).toBe(false)
    await tick()
  })

  test('without an outside clock the operator confirms a real jump, and every server follows', async () => {
    expect(await command()).toEqual([0, expect.stringContaining('is not doubted')])
    const suspended = newServer({ steadyMs: () => [performance.now()] })
    await suspended.read()
    await jumpBy(steadyJump.ms + 6 * HOUR)
    await suspended.read()
    expect(await command()).toEqual([1, expect.stringContaining('is doubted since it showed')])
    const said: string[] = []
    expect(await statusNow({ DATABASE_URL: world.database.appUrl, DATA_DIR: '/nowhere' }, (line) => void said.push(line))).toBe(1)
    expect(said.join('\n')).toContain('the clock of the database has jumped, and the product waits (docs/runbooks/clock.md)')
    expect(await command('accept')).toEqual([0, expect.stringContaining('is accepted as it is now')])
    steadyJump.ms += 6 * HOUR
    await suspended.read()
    await tick()
    expect(await alarms()).toEqual([])
    expect(await command('perhaps')).toEqual([2, 'Usage: roz clock show, or roz clock accept'])
  })

  test('the operator cannot confirm a clock that would begin a day again', async () => {
    await nextDayAt('half a minute after midnight')
    await jumpBy(steadyJump.ms - 2 * HOUR)
    await tick()
    expect(await command('accept')).toEqual([1, expect.stringContaining('Not accepted: a round was opened after')])
    await jumpBy(steadyJump.ms)
    await tick()
    expect(await alarms()).toEqual([])
  })

  test('a server of the previous release, which confirms no clock, runs on by the database’s', async () => {
    await beat(world.database.db)
    await jumpBy(steadyJump.ms + HOUR)
    const standing = await productNow()
    await world.database.db.query(sql`update heartbeat set at = machine_clock()`)
    expect((await productNow()) - standing).toBeGreaterThan(50 * MINUTE)
    steadyJump.ms += HOUR
    await tick()
  })
})

test('on a day that is sealed already a withdrawal is answered with 503 in plain words, and a missing round is an alarm', async () => {
  const sealed = await openServicesWorld()
  const { db } = sealed.database
  try {
    const member = await makeMember(db)
    await addMoney(db, member, wholeRupees(20))
    await db.query(sql`insert into ledger_day (day, sealed_at) values (${DAY}::date, roz_now())
      on conflict (day) do update set sealed_at = excluded.sealed_at`)
    const { status, body, headers } = await sealed.calls.ask('POST /wallet/withdraw', {
      as: member,
      body: { amount: 10, bankDetail: BANK },
    })
    expect([status, body, headers.get('retry-after')]).toEqual([
      503,
      expect.objectContaining({ code: 'clock_wrong', message: expect.stringMatching(/clock of our server is being corrected/) }),
      '60',
    ])
    expect(await listAlarms(db)).toEqual([])
    await sealed.database.setClock(new Date(startOfDayMs(addDays(DAY, -3)) + 12 * HOUR))
    expect(await listAlarms(db)).toEqual([{ code: 'no_open_round', day: addDays(DAY, -3), waiting: 0 }])
  } finally {
    await sealed.calls.close()
    await sealed.services.worker.stop()
    await sealed.database.dropUnaudited()
  }
})
