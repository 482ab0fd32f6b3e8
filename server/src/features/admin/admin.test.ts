import { addDays, type IstDay, nextDay } from '@roz/core/ist-day.ts'
import { POLICY_A } from '@roz/core/split.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { one, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { makeRound } from '../../ledger/rounds.ts'
import { makeMember, makeStaff, type ServedCalls, serveCalls } from '../../testing/calls.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { insertSettledRound } from '../../testing/settled-round.ts'
import { createAdmin } from './admin.ts'

let database: TestDatabase
let calls: ServedCalls
let admin: bigint
beforeAll(async () => {
  database = await createTestDatabase()
  calls = await serveCalls(database.db, createAdmin({ db: database.db }).handlers)
  admin = await makeStaff(database.db)
})
afterAll(async () => {
  await calls.close()
  // This file writes rounds without their money, which the audit would report.
  await database.dropUnaudited()
})

const stats = async () => (await calls.ask('GET /admin/stats', { as: admin })).body
const users = async (query = '') => (await calls.ask(`GET /admin/users${query}`, { as: admin })).body

test('with no members every figure is zero; staff are not counted as members', async () => {
  expect(await stats()).toEqual({
    totalUsers: 0,
    totalRevenue: 0,
    totalDonated: 0,
    todayParticipants: 0,
    todayRevenue: 0,
    activeRounds: 0,
    audit: null,
    alarms: [],
  })
  expect(await users()).toEqual({ users: [], nextCursor: null })
})

test('a member or a visitor is refused', async () => {
  const member = await makeMember(database.db)
  expect((await calls.ask('GET /admin/stats', { as: member })).status).toBe(403)
  expect((await calls.ask('GET /admin/users', { as: member })).status).toBe(403)
  expect((await calls.ask('GET /admin/stats')).status).toBe(401)
})

test('the overview counts members, money, entries and active rounds', async () => {
  const winner = await makeMember(database.db)
  const gone = await makeMember(database.db, { verified: false })
  await database.db.query(sql`update member set deleted_at = roz_now() where id = ${gone}::bigint`)
  const { today } = await one<{ today: IstDay }>(database.db, sql`select ist_day(roz_now()) as today`)
  await insertSettledRound(database, { day: addDays(today, -2), entries: 10n, winner })
  const secret = { mode: 'local', secretHash: Buffer.alloc(32), sealedSecret: Buffer.alloc(32) } as const
  await inTransaction(database.db, async (tx) => {
    for (const day of [today, nextDay(today)]) await makeRound(tx, { day, policy: POLICY_A, ...secret })
  })
  await database.db.query(
    sql`insert into join_batch (uuid, day, via, n, amount) values (gen_random_uuid(), ${today}::date, 'member', 4, 400)`,
  )
  // Two members, one of them from the test before. Tomorrow's round exists but is not open.
  expect(await stats()).toEqual({
    totalUsers: 2,
    totalRevenue: 14,
    totalDonated: 6,
    todayParticipants: 4,
    todayRevenue: 4,
    activeRounds: 1,
    audit: null,
    alarms: [],
  })
})

test('members are listed newest first with balance, rounds and winnings; q searches name, mail and phone', async () => {
  const asha = await makeMember(database.db, { name: 'Asha 100% Verma' })
  const ravi = await makeMember(database.db, { name: 'रवि कुमार' })
  await database.db.query(sql`update member set email = 'ravi@roz.example', phone = '7000000001' where id = ${ravi}::bigint`)
  await insertSettledRound(database, { day: '2026-01-03', entries: 20n, winner: ravi, joins: [ravi] })
  const { users: list } = await users()
  expect(list[0]).toMatchObject({
    name: 'रवि कुमार',
    email: 'ravi@roz.example',
    role: 'member',
    walletBalance: 0,
    totalParticipated: 1,
    totalWon: 6,
    wallet: { balance: 0 },
  })
  expect(list[0]).not.toHaveProperty('password_hash')
  const names = async (q: string) => (await users(`?q=${encodeURIComponent(q)}`)).users.map((user: { name: string }) => user.name)
  expect(await names('रवि')).toEqual(['रवि कुमार'])
  expect(await names('RAVI@roz')).toEqual(['रवि कुमार'])
  expect(await names('70000000')).toEqual(['रवि कुमार'])
  expect(await names('100%')).toEqual(['Asha 100% Verma'])
  expect(await names('%%%')).toEqual([])
  expect(await names('nobody at all')).toEqual([])
  expect(asha).toBeLessThan(ravi)
})

test('pages neither repeat nor skip a member while others register', async () => {
  const all = (await users('?limit=100')).users.map((user: { id: string }) => user.id)
  const seen: string[] = []
  for (let query = '?limit=2'; ; ) {
    const page = await users(query)
    seen.push(...page.users.map((user: { id: string }) => user.id))
    await makeMember(database.db)
    if (page.nextCursor === null) break
    query = `?limit=2&cursor=${page.nextCursor}`
  }
  expect(seen).toEqual(all)
  expect((await calls.ask('GET /admin/users?cursor=x', { as: admin })).status).toBe(400)
})
