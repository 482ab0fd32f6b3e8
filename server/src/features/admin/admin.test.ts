import { addDays, type IstDay, nextDay } from '@roz/core/ist-day.ts'
import { POLICY_A } from '@roz/core/split.ts'
import { beforeAll, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { makeRound } from '../../ledger/rounds.ts'
import { makeMember, makeStaff, useCalls } from '../../testing/calls.ts'
import { useTestDatabase } from '../../testing/database.ts'
import { insertSettledRound } from '../../testing/settled-round.ts'
import { createAdmin } from './admin.ts'

// This file writes rounds without their money, which the audit would report.
const database = useTestDatabase({ isAudited: false })
const calls = useCalls(database, (db) => createAdmin({ db }).handlers)
let admin: bigint
beforeAll(async () => {
  admin = await makeStaff(database.db)
})

const stats = async () => (await calls.ask('GET /admin/stats', { as: admin })).body

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
})

test('a member or a visitor is refused', async () => {
  const member = await makeMember(database.db)
  expect((await calls.ask('GET /admin/stats', { as: member })).status).toBe(403)
  expect((await calls.ask('GET /admin/stats')).status).toBe(401)
})

test('the overview counts members, money, entries and active rounds', async () => {
  const winner = await makeMember(database.db)
  const gone = await makeMember(database.db, { verified: false })
  await database.db.query(sql`update member set deleted_at = roz_now() where id = ${gone}::bigint`)
  const { today } = await database.db.one<{ today: IstDay }>(sql`select ist_day(roz_now()) as today`)
  await insertSettledRound(database, { day: addDays(today, -2), entries: 10n, winner })
  const secret = { mode: 'local', secretHash: Buffer.alloc(32), encryptedSecret: Buffer.alloc(32) } as const
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
