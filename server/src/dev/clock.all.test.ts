/** Tests /dev/clock. */
import { expect, test } from 'vitest'
import { connect, sql } from '../db/sql.ts'
import { openRoundsWorld } from '../testing/rounds-world.ts'
import { perTest } from '../testing/fixture.ts'

const world = perTest(() => openRoundsWorld({ startsAt: '2026-11-21T10:00:00+05:30' }))

const readSql = async (): Promise<number> => (await world.db.one<{ now: Date }>(sql`select roz_now() as now`)).now.getTime()
const readCall = async (): Promise<number> => Date.parse((await world.readClock()).now)

test('the clock is set, runs on from there, and answers its time', async () => {
  const { status, body } = await world.setClock({ now: '2026-11-21T23:59:58+05:30' })
  expect(status).toBe(200)
  expect(String(body['now'])).toMatch(/^2026-11-21T23:59:58\.\d{3}\+05:30$/)
  expect(Object.keys(body)).toEqual(['now'])
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(Date.parse((await world.readClock()).now)).toBeGreaterThan(Date.parse(String(body['now'])))
  // SQL and the call tell one clock: each reading lies between its neighbours.
  const readings = [await readSql(), await readCall(), await readSql(), await readCall()]
  expect(readings).toEqual(readings.toSorted((a, b) => a - b))
})

test('the clock accepts any UTC offset, and Z', async () => {
  expect((await world.setClock({ now: '2026-11-22T00:00:05Z' })).body['now']).toMatch(/^2026-11-22T05:30:0/)
  expect((await world.setClock({ now: '2026-11-22T20:00:00-05:00' })).body['now']).toMatch(/^2026-11-23T06:30:0/)
})

test('setting the clock answers after all due work has run', async () => {
  const member = await world.member(10)
  await world.join(member)
  await world.goTo('2026-11-22T00:00:05+05:30')
  expect((await world.statuses())['2026-11-21']).toBe('settled')
  expect(world.jobs.map(({ kind }) => kind).sort()).toEqual(['draft_story', 'mail'])
})

test('setting the clock waits for a job of another process, but not for a job whose process was killed', async () => {
  await world.db.query(sql`
    insert into job (kind, key, payload, due_at, attempts, locked_until)
    values ('mail', 'elsewhere', '{}', roz_now(), 1, roz_now() + interval '1 hour')`)
  let isEnded = false
  setTimeout(() => {
    isEnded = true
    void world.db.query(sql`update job set done_at = roz_now(), locked_until = null where key = 'elsewhere'`)
  }, 400)
  await world.goTo('2026-11-21T10:01:00+05:30')
  expect(isEnded).toBe(true)
  await world.db.query(sql`update job set done_at = null, locked_until = roz_now() + interval '1 hour' where key = 'elsewhere'`)
  await world.goTo('2026-11-21T10:02:00+05:30')
  expect(world.jobs).toEqual([])
})

test('a step back to before the opening of the newest round is refused with 409 and changes nothing', async () => {
  await world.goTo('2026-11-23T08:00:00+05:30')
  for (const now of ['2026-11-22T23:59:59+05:30', '2020-01-01T00:00:00Z']) {
    const { status, body } = await world.setClock({ now })
    expect({ status, code: body['code'] }).toEqual({ status: 409, code: 'clock_step_back' })
    expect((await world.readClock()).now).toMatch(/^2026-11-23T08:00:/)
  }
  // A step back within the day is allowed.
  expect((await world.setClock({ now: '2026-11-23T00:00:00+05:30' })).status).toBe(200)
})

test('a return to real time is refused if it is a step back', async () => {
  const inTwoDays = new Date(Date.now() + 2 * 86_400_000).toISOString()
  const other = await openRoundsWorld({ startsAt: inTwoDays })
  const { status, body } = await other.setClock({ now: null })
  expect({ status, code: body['code'] }).toEqual({ status: 409, code: 'clock_step_back' })
  expect(Date.parse(String((await other.readClock()).now))).toBeGreaterThanOrEqual(Date.parse(inTwoDays))
  await other.close()
})

test('a return to real time is accepted if it is no step back', async () => {
  const monthAgo = new Date(Date.now() - 30 * 86_400_000).toISOString()
  const other = await openRoundsWorld({ startsAt: monthAgo })
  const before = Date.now()
  const { status, body } = await other.setClock({ now: null })
  expect(status).toBe(200)
  const answered = Date.parse(String(body['now']))
  expect([before, answered, Date.now()]).toEqual([before, answered, Date.now()].toSorted((a, b) => a - b))
  await other.close()
}, 120_000)

test('two concurrent calls run one after the other, and both answer 200', async () => {
  const answers = await Promise.all([
    world.setClock({ now: '2026-11-24T00:00:05+05:30' }),
    world.setClock({ now: '2026-11-24T00:00:06+05:30' }),
  ])
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect(Object.keys(await world.statuses())).toContain('2026-11-25')
})

test('an invalid time is refused and changes nothing', async () => {
  const bad = [
    {},
    { now: 5 },
    { now: '' },
    { now: 'tomorrow' },
    { now: '2026-11-22' },
    { now: '2026-11-22T00:00:00' },
    { now: '2026-13-01T00:00:00Z' },
  ]
  for (const body of [...bad, { now: '2026-11-22T00:00:00Z', later: 1 }, [], 'null', '{"now":', { now: '0001-01-01T00:00:00Z' }]) {
    const { status, body: answer } = await world.setClock(body)
    expect({ status, words: typeof answer['message'] }).toEqual({ status: 400, words: 'string' })
  }
  expect((await world.readClock()).now).toMatch(/^2026-11-21T10:/)
})

test('the clock cannot be set if the database is marked as production', async () => {
  const owner = connect({ url: world.database.ownerUrl, max: 1 })
  await owner.query(sql`select set_clock_production(true)`)
  expect((await world.setClock({ now: '2026-11-22T00:00:00+05:30' })).status).toBe(500)
  await owner.query(sql`select set_clock_production(false)`)
  await owner.close()
})
