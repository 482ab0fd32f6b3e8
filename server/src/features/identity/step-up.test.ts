import { beforeAll, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { usePeople } from '../../testing/people.ts'
import { ensureAdmin } from './ensure-admin.ts'
import { freeAddress } from '../rights/unconfirmed.ts'
import { createSessions } from './sessions.ts'

const roz = usePeople()
const OWNER = { email: 'owner@x.test', password: 'owner password' }
beforeAll(async () => {
  await ensureAdmin(roz.db, OWNER, freeAddress)
})

const signIn = async (): Promise<string> => (await roz.ask('POST /admin/login', { body: OWNER })).body.token
const stepUp = (token: string, password: string, ip = '198.51.100.20') =>
  roz.ask('POST /admin/step-up', { token, body: { password }, ip, userAgent: `agent of ${ip}` })
const isSteppedUp = async (token: string): Promise<boolean | undefined> => {
  const session = await createSessions(roz.db, { production: false }).find(token)
  return session?.kind === 'admin' ? session.steppedUp : undefined
}

test('a sign-in counts as a step-up for ten minutes, then the password for ten more, only in that session', async () => {
  const [mine, other] = [await signIn(), await signIn()]
  expect(await isSteppedUp(mine)).toBe(true)
  await roz.pass(10 * 60 + 1)
  expect(await isSteppedUp(mine)).toBe(false)
  const answer = await stepUp(mine, OWNER.password)
  expect([answer.status, typeof answer.body.until]).toEqual([200, 'string'])
  expect([await isSteppedUp(mine), await isSteppedUp(other)]).toEqual([true, false])
  await roz.pass(10 * 60 + 1)
  expect(await isSteppedUp(mine)).toBe(false)
  const log = await roz.db.query(sql`select 1 from audit_log where action = 'staff.step_up'`)
  expect(log).toHaveLength(1)
})

test('a wrong password answers 403 and counts in the throttle', async () => {
  const token = await signIn()
  await roz.pass(10 * 60 + 1)
  for (let guess = 0; guess < 10; guess++) {
    const wrong = await stepUp(token, `wrong ${guess}`)
    expect([wrong.status, wrong.body.code]).toEqual([403, 'wrong_password'])
  }
  const eleventh = await stepUp(token, OWNER.password)
  expect([eleventh.status, eleventh.headers.get('retry-after') !== null]).toEqual([429, true])
  expect(await isSteppedUp(token)).toBe(false)
  const door = await roz.ask('POST /admin/login', { body: OWNER, ip: '198.51.100.20', userAgent: 'agent of 198.51.100.20' })
  expect(door.status).toBe(429)
})

test('a member cannot step up', async () => {
  const member = await roz.register('member@x.test')
  expect((await stepUp(member.token, 'x')).body.code).toBe('forbidden')
  expect((await roz.ask('POST /admin/step-up', { body: { password: 'x' } })).status).toBe(401)
})
