/** The evening reminder: once a day at the member's time, and only to a member who could still join by a press. */
import { startOfDayMs } from '@roz/core/ist-day.ts'
import { paise } from '@roz/core/money.ts'
import { reminderNews } from '@roz/core/reminder.ts'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { addMoney } from '../../ledger/testing/fixtures.ts'
import { makeMember, testSecrets, publicIdOf } from '../../testing/calls.ts'
import type { TestBrowser } from '../../testing/push-service.ts'
import { usePushWorld, type Owner } from '../../testing/push-world.ts'
import { createPushKeys } from './keys.ts'
import { remindDue, tellReminder } from './reminders.ts'
import { silenceToken } from './silence-token.ts'

const world = usePushWorld()
beforeEach(async () => {
  await world.db.query(sql`update evening_reminder set at = null`)
  await world.nextDay()
})
afterAll(async () => {
  expect(world.service.problems).toEqual([])
})

const pick = async ({ token }: Owner, reminder: string | null): Promise<void> => {
  const answer = await world.ask('PUT /user', { token, body: { reminder } })
  expect([answer.status, answer.body.user?.reminder]).toEqual([200, reminder])
}
type Person = { readonly owner: Owner; readonly browser: TestBrowser }
const person = async (reminder: string | null = '19:00', language = 'en'): Promise<Person> =>
  withDevice(await world.member(language), reminder)
const withoutMoney = async (): Promise<Person> => {
  const id = await makeMember(world.db)
  return withDevice({ id, token: await world.signIn(id) }, '19:00')
}
const withDevice = async (owner: Owner, reminder: string | null): Promise<Person> => {
  const browser = await world.subscribe(owner)
  if (reminder !== null) await pick(owner, reminder)
  return { owner, browser }
}
/** Sets the clock to a time of today in Asia/Kolkata, without running anything. */
const setTime = (time: string): Promise<unknown> => {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return world.database.setClock(new Date(startOfDayMs(world.today()) + (hours * 60 + minutes) * 60_000))
}
const at = async (time: string): Promise<void> => {
  await setTime(time)
  await world.runAll()
}
const tokenOf = (browser: TestBrowser): string => JSON.parse(browser.arrived.at(-1)?.text ?? '{}').silence

test('comes at its time to each device of the member, in the member’s language, and until then to none', async () => {
  const { owner, browser } = await person('19:30', 'hi')
  const second = await world.subscribe({ token: await world.signIn(owner.id) })
  const off = await person(null)
  await at('19:29')
  expect(browser.asked).toBe(0)
  await at('19:31')
  const publicId = await publicIdOf(world.db, owner.id)
  const news = reminderNews(world.today(), silenceToken(testSecrets, { day: world.today(), publicId }), 'hi')
  for (const device of [browser, second]) {
    expect(device.arrived.map(({ text }) => JSON.parse(text))).toEqual([news])
    expect(device.arrived[0]).toMatchObject({ topic: `reminder-${world.today()}`, ttl: 7200 })
  }
  expect(off.browser.asked).toBe(0)
  expect(world.logLines.join('')).not.toContain(news.silence)
})

test('leaves out who has joined, has less than ₹1, joins by Auto Participate, or may not join', async () => {
  const people = [await person(), await withoutMoney(), await person(), await person(), await person()]
  const [joined, poor, auto, held, wanted] = people as [Person, Person, Person, Person, Person]
  await world.join(joined.owner)
  await world.db.query(sql`update wallet set auto_join = true where member_id = ${auto.owner.id}::bigint`)
  await world.db.query(sql`update wallet set may_move = false where member_id = ${held.owner.id}::bigint`)
  await at('19:00')
  expect(people.map(({ browser }) => browser.asked)).toEqual([0, 0, 0, 0, 1])
  // Later the same evening each of them could join: the turn of the day has been.
  await addMoney(world.db, poor.owner.id, paise(100n))
  await world.db.query(sql`update wallet set auto_join = false, may_move = true where member_id > 1000`)
  await at('19:40')
  expect(people.map(({ browser }) => browser.asked)).toEqual([0, 0, 0, 0, 1])
  expect(wanted.browser.arrived).toHaveLength(1)
})

test('comes to all of a later turn although one of them took over a browser of an earlier one', async () => {
  const { browser } = await person('19:00')
  await at('19:00')
  const next = await world.member()
  await world.subscribe(next, browser)
  await pick(next, '20:00')
  const others = [await person('20:00'), await person('20:00')]
  await at('20:00')
  expect([browser, ...others.map((each) => each.browser)].map(({ asked }) => asked)).toEqual([1, 1, 1])
})

describe('never twice a day', () => {
  test('by two servers that look and send at the same moment', async () => {
    const people = await Promise.all(Array.from({ length: 12 }, () => person()))
    await setTime('19:00')
    const looks = await Promise.all(Array.from({ length: 6 }, () => remindDue(world.db)))
    expect(looks).toContain(true)
    const jobs = await world.db.query<{ payload: { day: string; devices: string[] } }>(sql`
      select payload from job where kind = 'push_reminder' and done_at is null`)
    expect(jobs.flatMap(({ payload }) => payload.devices)).toHaveLength(people.length)
    const deps = {
      db: world.db,
      keys: createPushKeys({ secrets: testSecrets }),
      push: world.push,
      secrets: testSecrets,
      warn: () => undefined,
    }
    await Promise.all([...jobs, ...jobs, ...jobs].map(({ payload }) => tellReminder(deps, payload)))
    await world.runAll()
    expect(people.map(({ browser }) => browser.asked)).toEqual(people.map(() => 1))
  })

  test('when the time changes, the reminder is turned off and on, or the browser subscribes anew', async () => {
    const { owner, browser } = await person()
    await at('19:00')
    await pick(owner, '20:00')
    await at('20:00')
    await pick(owner, null)
    await pick(owner, '21:00')
    const renewed = await world.subscribe(owner)
    await at('21:00')
    expect([browser.asked, renewed.asked]).toEqual([1, 0])
    await world.nextDay()
    await at('21:00')
    expect([browser.asked, renewed.asked]).toEqual([1, 1])
  })

  test('when the clock jumps back, or a day ahead and back', async () => {
    const { browser } = await person()
    await at('19:00')
    await at('18:00')
    await at('19:00')
    expect(browser.asked).toBe(1)
    const noon = startOfDayMs(world.today()) + 12 * 3_600_000
    await world.database.setClock(new Date(noon + 24 * 3_600_000))
    await world.runAll()
    await at('19:30')
    expect(browser.asked).toBe(1)
  })
})

test('is sent again after a push service that says it did not take it, but not to a member who has joined meanwhile', async () => {
  const [waits, joins] = [await person(), await person()]
  for (const { browser } of [waits, joins]) browser.answers.push({ status: 429, headers: { 'retry-after': '60' } })
  await at('19:00')
  expect([waits.browser.arrived.length, joins.browser.arrived.length]).toEqual([0, 0])
  await world.join(joins.owner)
  await world.pass(70)
  expect([waits.browser.arrived.length, joins.browser.asked]).toEqual([1, 1])
})

test('of a server that was down for more than two hours is not sent that day', async () => {
  const { browser } = await person()
  await at('21:01')
  expect(browser.asked).toBe(0)
})

test('a time that has passed today begins tomorrow', async () => {
  await setTime('20:10')
  const { browser } = await person('20:00')
  await at('20:11')
  expect(browser.asked).toBe(0)
  await world.nextDay()
  await at('20:00')
  expect(browser.asked).toBe(1)
})

describe('“Not today”', () => {
  test('silences the member’s other devices for this day only; a repeat answers the same', async () => {
    const { owner, browser } = await person()
    const second = await world.subscribe({ token: await world.signIn(owner.id) })
    second.answers.push({ status: 429, headers: { 'retry-after': '60' } })
    await at('19:00')
    expect([browser.arrived.length, second.arrived.length]).toEqual([1, 0])
    const press = () => world.ask('POST /notifications/reminder/silence', { body: { token: tokenOf(browser) } })
    expect((await Promise.all([press(), press()])).map(({ status }) => status)).toEqual([204, 204])
    await world.pass(70)
    expect(second.arrived).toHaveLength(0)
    await world.nextDay()
    // Yesterday's token has no power over today.
    expect((await press()).status).toBe(204)
    await at('19:00')
    expect([browser.arrived.length, second.arrived.length]).toEqual([2, 1])
  })

  test('with a forged token, or one of another day or member, answers not_found', async () => {
    const { browser } = await person()
    await at('19:00')
    const [day = '', publicId = '', signature = ''] = tokenOf(browser).split('.')
    const forged = [
      `2020-01-01.${publicId}.${signature}`,
      `${day}.00000000-0000-4000-8000-000000000000.${signature}`,
      `${day}.${publicId}.`,
      'x',
    ]
    for (const token of forged)
      expect((await world.ask('POST /notifications/reminder/silence', { body: { token } })).body).toMatchObject({ code: 'not_found' })
  })
})

test('a time that is not offered is refused', async () => {
  const { owner } = await person(null)
  for (const reminder of ['12:00', '19:15', '25:00', 7])
    expect((await world.ask('PUT /user', { token: owner.token, body: { reminder } })).body).toMatchObject({ code: 'invalid_input' })
})

// The last test: a service without an answer is paused for the time of a real clock.
test('is not sent twice when the process dies between the note and the answer of the push service', async () => {
  const { browser } = await person()
  browser.answers.push('hang')
  await setTime('19:00')
  await remindDue(world.db)
  const [job] = await world.db.query<{ payload: { day: string; devices: string[] } }>(sql`
    select payload from job where kind = 'push_reminder' and done_at is null`)
  if (job === undefined) throw new Error('no job was written')
  const deps = {
    db: world.db,
    keys: createPushKeys({ secrets: testSecrets }),
    push: world.push,
    secrets: testSecrets,
    warn: () => undefined,
  }
  // The first run never hears an answer; its job runs again as after the end of its lease.
  const lost = tellReminder(deps, job.payload)
  await expect.poll(() => browser.asked).toBe(1)
  await world.runAll()
  await lost
  expect(browser.asked).toBe(1)
})
