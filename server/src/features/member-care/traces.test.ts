/** Each look at a person's data leaves an entry in the staff log, without the words of the search. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { makeMember, makeStaff, publicIdOf } from '../../testing/calls.ts'
import { useServicesWorld } from '../../testing/services-world.ts'

const world = useServicesWorld()
let support: bigint
let member: bigint
let publicId: string
beforeAll(async () => {
  support = await makeStaff(world.database.db, 'support')
})
beforeEach(async () => {
  member = await makeMember(world.database.db)
  publicId = await publicIdOf(world.database.db, member)
})

const ask = (path: string, as = support) => world.calls.ask(`GET /admin/${path}`, { as })
const views = async () =>
  (
    await world.database.db.query<{ actor: bigint }>(
      sql`select actor_id as actor from audit_log where action = 'member.view' and subject = ${`member:${member}`}::text order by id`,
    )
  ).map(({ actor }) => actor)
const reads = (subject: string) =>
  world.database.db.query<{ actor: bigint; after: object }>(
    sql`select actor_id as actor, after from audit_log where action = 'list.read' and subject = ${subject}::text order by id`,
  )

test('opening a member leaves one entry of that person in ten minutes, and so does the list of the transactions alone', async () => {
  await ask(`users/${publicId}`)
  await ask(`users/${publicId}`)
  expect(await views()).toEqual([support])
  const auditor = await makeStaff(world.database.db, 'auditor')
  expect((await ask(`users/${publicId}/transactions`, auditor)).status).toBe(200)
  expect(await views()).toEqual([support, auditor])
  await world.database.db.query(sql`select set_clock_offset((select offset_ms from clock_offset) + 601000)`)
  await ask(`users/${publicId}`)
  expect(await views()).toEqual([support, auditor, support])
})

test('an unknown member leaves no trace, and two simultaneous looks leave at most two', async () => {
  const before = await world.database.db.one<{ n: number }>(sql`select count(*)::int as n from audit_log`)
  expect((await ask('users/2b1c0a9e-0000-4000-8000-000000000000')).status).toBe(404)
  expect(await world.database.db.one(sql`select count(*)::int as n from audit_log`)).toEqual(before)
  await Promise.all([ask(`users/${publicId}`), ask(`users/${publicId}`)])
  expect([1, 2]).toContain((await views()).length)
})

test.each(['users', 'messages', 'beneficiaries'])('each page of %s that somebody reads is recorded with its length', async (list) => {
  await makeMember(world.database.db)
  const body = { name: 'Gita Rao', email: 'gita@x.test', message: 'How do I change my number?' }
  for (const _ of [1, 2]) await world.calls.ask('POST /contact', { body })
  const finance = await makeStaff(world.database.db, 'finance')
  const beneficiary = { publicName: 'Meera', isChild: false, guardian: null, consent: null, note: 'The paper is in the blue folder.' }
  for (const _ of [1, 2]) expect((await world.calls.ask('POST /admin/beneficiaries', { as: finance, body: beneficiary })).status).toBe(201)

  const { nextCursor } = (await ask(`${list}?limit=1`)).body
  expect((await ask(`${list}?limit=1&cursor=${encodeURIComponent(nextCursor)}`)).status).toBe(200)
  expect((await ask(`${list}?q=nobody%20of%20this%20name`)).status).toBe(200)
  const found = await reads(list === 'users' ? 'members' : list)
  expect(found.map(({ actor }) => actor)).toEqual([support, support, support])
  expect(found.map(({ after }) => after)).toEqual([
    expect.objectContaining({ limit: 1, rows: 1 }),
    expect.objectContaining({ limit: 1, rows: 1, cursor: 'given' }),
    expect.objectContaining({ q: 'given', rows: 0 }),
  ])
  expect(JSON.stringify(found, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value))).not.toContain('nobody')
})
