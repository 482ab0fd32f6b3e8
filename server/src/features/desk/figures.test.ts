/** The portal's figures over time: members, rounds and help of each day, counted once. */
import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { makeMember, makeStaff, type ServedCalls, serveCalls } from '../../testing/calls.ts'
import { useTestDatabase } from '../../testing/database.ts'
import { insertSettledRound } from '../../testing/settled-round.ts'
import { createDesk } from './desk.ts'

const TODAY = '2026-11-21' as IstDay
// This file writes rounds without their money, which the audit would report.
const database = useTestDatabase({ isAudited: false })
let calls: ServedCalls
let desk: ReturnType<typeof createDesk>
let editor: bigint
beforeAll(async () => {
  await database.setClock(new Date(`${TODAY}T17:50:00+05:30`))
  desk = createDesk({ db: database.db, payoutsByHand: false })
  calls = await serveCalls(database.db, desk.handlers)
  editor = await makeStaff(database.db, 'editor')
})
afterAll(() => calls.close())

const run = (statement: ReturnType<typeof sql>) => database.db.query(statement)

test('figures count members at the end of each day, rounds and help; a counted day is never counted again', async () => {
  const figures = async (days = '30') => (await calls.ask(`GET /admin/figures?days=${days}`, { as: editor })).body.figures
  await makeMember(database.db)
  const winner = await makeMember(database.db)
  const gone = await makeMember(database.db)
  const back = (member: bigint, days: number) =>
    run(sql`update member set created_at = roz_now() - ${days}::int * interval '1 day' where id = ${member}::bigint`)
  await run(sql`update member set created_at = roz_now() - interval '3 days'`)
  await back(winner, 2)
  await back(gone, 2)
  await run(sql`update member set deleted_at = roz_now() - interval '1 day' where id = ${gone}::bigint`)
  await insertSettledRound(database, { day: addDays(TODAY, -2), entries: 10n, winner })
  const before = await figures()
  expect(before).toHaveLength(30)
  const last = before.slice(-4)
  expect(last.map(({ day, members, joined, pool, setAside }: Record<string, unknown>) => [day, members, joined, pool, setAside])).toEqual([
    [addDays(TODAY, -3), 1, 0, 0, 0],
    [addDays(TODAY, -2), 3, 10, 10, 6],
    [addDays(TODAY, -1), 2, 0, 0, 0],
    [TODAY, 2, 0, 0, 0],
  ])
  expect(await desk.due()).toBe(true)
  expect(await desk.due()).toBe(false)
  expect(await figures()).toEqual(before)
  expect(await database.db.one(sql`select count(*)::int as days from member_day`)).toEqual({ days: 3 })
  expect(await figures('365')).toHaveLength(365)
  expect((await calls.ask('GET /admin/figures?days=7', { as: editor })).status).toBe(400)
})

test('the help of a round that is not settled is not called set aside, and is no zero', async () => {
  const day = addDays(TODAY, -2)
  const setAside = async () => {
    const { figures } = (await calls.ask('GET /admin/figures?days=30', { as: editor })).body
    return figures.find((figure: { day: string }) => figure.day === day).setAside
  }
  expect(await setAside()).toBe(6)
  await run(sql`insert into round (day, status, policy, need, reward, platform, winners, opens_at, closes_at, mode, secret_hash, sealed_secret)
    select ist_day(roz_now()), 'open', policy, need, reward, platform, winners, start_of_ist_day(ist_day(roz_now())),
      start_of_ist_day(ist_day(roz_now()) + 1), mode, secret_hash, sealed_secret from round where day = ${day}::date`)
  const { figures } = (await calls.ask('GET /admin/figures?days=30', { as: editor })).body
  expect(figures.at(-1)).toMatchObject({ day: TODAY, setAside: null })
})

test('a day is counted an hour after its end, so that a registration over midnight is in it; until then it is counted when read', async () => {
  const members = async () => {
    const { figures } = (await calls.ask('GET /admin/figures?days=30', { as: editor })).body
    return figures.at(-1).members
  }
  await database.setClock(new Date(`${addDays(TODAY, 1)}T00:59:00+05:30`))
  expect(await desk.due()).toBe(false)
  const before = await members()
  const late = await makeMember(database.db)
  await run(sql`update member set created_at = start_of_ist_day(ist_day(roz_now())) - interval '1 second' where id = ${late}::bigint`)
  expect(await members()).toBe(before + 1)
  await database.setClock(new Date(`${addDays(TODAY, 1)}T01:00:00+05:30`))
  expect(await desk.due()).toBe(true)
  expect(await members()).toBe(before + 1)
})

test('two processes that count the ended days at once count each day once', async () => {
  await database.setClock(new Date(`${addDays(TODAY, 2)}T12:00:00+05:30`))
  await Promise.all([desk.due(), desk.due(), desk.due()])
  expect(await database.db.one(sql`select count(*)::int as days from member_day`)).toEqual({ days: 5 })
  expect(await desk.due()).toBe(false)
})
