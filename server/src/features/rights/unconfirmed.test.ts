/** Accounts whose address nobody confirmed. */
import { expect, test } from 'vitest'
import { connect, sql } from '../../db/sql.ts'
import { makeMember } from '../../testing/calls.ts'
import { createUnconfirmed } from './unconfirmed.ts'
import { useServicesWorld } from '../../testing/services-world.ts'

const world = useServicesWorld()

/** Registers by the public call. */
async function registered(email: string): Promise<bigint> {
  const body = { name: 'Asha Verma', email, phone: '9876543210', password: 'correct horse 1' }
  expect((await world.calls.ask('POST /auth/register', { body })).status).toBe(201)
  return (await world.database.db.one<{ id: bigint }>(sql`select id from member where email = ${email}::text`)).id
}
const pass = (days: number) =>
  world.database.db.query(sql`select set_clock_offset((select offset_ms from clock_offset) + ${days * 86_400_000}::bigint)`)
const isThere = async (id: bigint): Promise<boolean> =>
  (await world.database.db.one<{ is: boolean }>(sql`select deleted_at is null as is from member where id = ${id}::bigint`)).is
const sweep = () => world.services.worker.runDue()

test('an unconfirmed account is closed after 30 days, and its address is free again', async () => {
  const { db } = world.database
  const [late, confirmed, held] = [await registered('late@x.test'), await makeMember(db), await registered('held@x.test')]
  await db.query(sql`update member set suspended_at = roz_now(), avatar = '/uploads/avatars/x.webp' where id = ${held}::bigint`)
  await db.query(sql`update member set avatar = '/uploads/avatars/late.webp' where id = ${late}::bigint`)
  await pass(29)
  await sweep()
  expect(await isThere(late)).toBe(true)
  const young = await registered('young@x.test')
  await pass(1.01)
  await sweep()
  expect([await isThere(late), await isThere(confirmed), await isThere(held), await isThere(young)]).toEqual([false, true, true, true])
  expect(world.removed).toEqual(['avatars/late.webp'])
  const left = await db.one(
    sql`select name, email, phone, password_hash as hash, is_closed as closed from member join wallet on member_id = id where id = ${late}::bigint`,
  )
  expect(left).toEqual({ name: 'Closed account', email: null, phone: null, hash: null, closed: true })
  expect(
    await db.query(sql`select 1 from audit_log where action = 'member.never_confirmed' and subject = ${`member:${late}`}::text`),
  ).toHaveLength(1)
  expect(await registered('late@x.test')).not.toBe(late)
})

test('an unconfirmed account that cannot be closed is reported by its id, and the others are closed', async () => {
  const { db } = world.database
  const [odd, next] = [await registered('odd@x.test'), await registered('next@x.test')]
  const alarms: object[] = []
  const due = createUnconfirmed({ db, storage: { remove: async () => undefined }, alarm: (details) => void alarms.push(details) })
  const look = async () => due((await db.one<{ at: Date }>(sql`select roz_now() as at`)).at)
  // The rules exclude this state: money in an unconfirmed account. The test removes it below, before the audit.
  const root = connect({ url: world.database.superUrl, max: 1, named: false })
  await root.query(sql`set session_replication_role = replica`)
  await root.query(sql`update wallet set balance = 100 where member_id = ${odd}::bigint`)
  await pass(30.1)
  await look()
  expect([await isThere(odd), await isThere(next)]).toEqual([true, false])
  expect(alarms).toEqual([{ err: new Error('the wallet cannot be closed: money_left'), memberId: String(odd) }])
  await root.query(sql`update wallet set balance = 0 where member_id = ${odd}::bigint`)
  await root.close()
  await look()
  expect(await isThere(odd)).toBe(true)
  await pass(0.1)
  await look()
  expect(await isThere(odd)).toBe(false)
})
