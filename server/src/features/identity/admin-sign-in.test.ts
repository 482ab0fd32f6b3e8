/** The administrators' sign-in, the first administrator, and the staff log. */
import { beforeAll, describe, expect, test } from 'vitest'
import { connect, sql } from '../../db/sql.ts'
import { PASSWORD, usePeople } from '../../testing/people.ts'
import { freeAddress } from '../rights/unconfirmed.ts'
import { AdminAddressError, ensureAdmin } from './ensure-admin.ts'

const roz = usePeople()
const OWNER = { email: 'Owner@x.test', password: 'owner password' }
beforeAll(async () => {
  await ensureAdmin(roz.db, OWNER, freeAddress)
})

describe('the administrators’ sign-in', () => {
  const adminLogin = (email: string, password: string, ip = '198.51.100.7') =>
    roz.ask('POST /admin/login', { body: { email, password }, ip })

  test('admits staff and answers an owner without a wallet', async () => {
    const answer = await adminLogin('owner@x.test', OWNER.password)
    expect(answer.status).toBe(200)
    expect(answer.body.user).toMatchObject({ role: 'admin', staffRole: 'owner', wallet: { balance: 0 }, emailVerified: true })
    expect(await roz.db.query(sql`select 1 from wallet join member on id = member_id where role = 'admin'`)).toEqual([])
  })

  test('answers a member with the right password like a wrong password: 401', async () => {
    await roz.register('plain@x.test')
    const right = await adminLogin('plain@x.test', PASSWORD)
    const wrong = await adminLogin('owner@x.test', 'wrong password')
    const unknown = await adminLogin('nobody@x.test', PASSWORD)
    for (const answer of [right, wrong, unknown]) {
      expect([answer.status, answer.text]).toEqual([401, '{"code":"invalid_credentials","message":"Invalid email or password"}'])
    }
  })

  test('returns a token that opens /auth/me and /auth/logout and no member call', async () => {
    const { token } = (await adminLogin('owner@x.test', OWNER.password)).body
    expect(await roz.codeOf('GET /auth/me', token)).toBe('200')
    for (const call of [
      'GET /user/me',
      'PUT /user',
      'POST /user/avatar',
      'POST /user/password',
      'GET /notifications',
      'GET /wallet/transactions',
    ]) {
      expect(await roz.codeOf(call, token)).toBe('403 forbidden')
    }
    expect(await roz.codeOf('POST /auth/logout', token)).toBe('204')
    expect(await roz.codeOf('GET /auth/me', token)).toBe('401 unauthenticated')
  })

  test('is the only login of staff: the members’ login refuses the right password in words, and leaves no session', async () => {
    const { status, body } = await roz.login('owner@x.test', OWNER.password)
    expect([status, body]).toEqual([
      403,
      { code: 'staff_portal', message: 'This is an account of the team. Please log in on the page of the team.' },
    ])
    expect((await roz.login('owner@x.test', 'wrong password')).body.code).toBe('invalid_credentials')
    const left = sql`select 1 from session join member on id = member_id where lower(email) = 'owner@x.test' and kind = 'member'`
    expect(await roz.db.query(left)).toEqual([])
  })

  test('a member’s session of staff, from before this rule, opens no call', async () => {
    const person = await roz.register('promoted@x.test')
    expect(await roz.codeOf('GET /user/me', person.token)).toBe('200')
    await roz.db.query(sql`update member set role = 'admin', staff_role = 'finance' where id = ${await roz.memberId(person)}::bigint`)
    for (const call of ['GET /auth/me', 'PUT /user', 'POST /user/avatar', 'POST /user/password', 'POST /user/sessions/end-others'])
      expect([call, await roz.codeOf(call, person.token)]).toEqual([call, '401 unauthenticated'])
  })

  test('opens no admin call to a member', async () => {
    const member = await roz.register('noadmin@x.test')
    expect(await roz.codeOf('GET /admin/stats', member.token)).toBe('403 forbidden')
  })

  test('makes a session that ends after 30 idle minutes, and after 12 hours in any case', async () => {
    const idle = (await adminLogin('owner@x.test', OWNER.password)).body.token
    await roz.pass(29 * 60 + 50)
    expect(await roz.codeOf('GET /auth/me', idle)).toBe('200')
    await roz.pass(29 * 60 + 50)
    expect(await roz.codeOf('GET /auth/me', idle)).toBe('200')
    await roz.pass(30 * 60 + 1)
    expect(await roz.codeOf('GET /auth/me', idle)).toBe('401 unauthenticated')

    const busy = (await adminLogin('owner@x.test', OWNER.password)).body.token
    for (let minutes = 0; minutes < 12 * 60 - 20; minutes += 20) {
      expect(await roz.codeOf('GET /auth/me', busy)).toBe('200')
      await roz.pass(20 * 60)
    }
    expect(await roz.codeOf('GET /auth/me', busy)).toBe('200')
    await roz.pass(20 * 60)
    expect(await roz.codeOf('GET /auth/me', busy)).toBe('401 unauthenticated')
  })

  test('makes a token that opens nothing once its owner is no longer staff', async () => {
    await ensureAdmin(roz.db, { email: 'former@x.test', password: 'former password' }, freeAddress)
    const { token } = (await adminLogin('former@x.test', 'former password')).body
    expect(await roz.codeOf('GET /auth/me', token)).toBe('200')
    await roz.db.query(sql`update member set role = 'member', staff_role = null where email = 'former@x.test'`)
    expect(await roz.codeOf('GET /auth/me', token)).toBe('401 unauthenticated')
  })

  test('is written to the staff log', async () => {
    await adminLogin('owner@x.test', OWNER.password)
    const rows = await roz.db.query<{ action: string }>(sql`
      select action from audit_log a join member m on a.subject = 'member:' || m.id where lower(m.email) = 'owner@x.test' order by a.id`)
    expect(rows[0]?.action).toBe('staff.create')
    expect(rows.at(-1)?.action).toBe('staff.sign_in')
  })
})

describe('the first administrator', () => {
  test('is made once; a generated password is returned once and works', async () => {
    const made = await ensureAdmin(roz.db, { email: 'first@x.test', password: undefined }, freeAddress)
    expect(made.isNew).toBe(true)
    expect(made.madePassword).toMatch(/^[a-z2-9-]{16,}$/)
    const answer = await roz.ask('POST /admin/login', { body: { email: 'first@x.test', password: made.madePassword } })
    expect(answer.body.user.staffRole).toBe('owner')
    expect(await ensureAdmin(roz.db, { email: 'FIRST@x.test', password: 'another password' }, freeAddress)).toEqual({
      isNew: false,
      madePassword: undefined,
      isPassedOver: false,
    })
    expect((await roz.ask('POST /admin/login', { body: { email: 'first@x.test', password: 'another password' } })).status).toBe(401)
  })

  test('with a domain in another script is made once and logs in with the address as typed', async () => {
    const owner = { email: 'ajay@डाटा.भारत', password: 'owner password' }
    for (const isNew of [true, false]) expect(await ensureAdmin(roz.db, owner, freeAddress)).toMatchObject({ isNew })
    const answer = await roz.ask('POST /admin/login', { body: owner })
    expect([answer.status, answer.body.user.email]).toEqual([200, 'ajay@xn--c2bd1gb.xn--h2brj9c'])
  })

  test('is made once by two starts at once, and one of them returns the password', async () => {
    const both = await Promise.all([1, 2].map(() => ensureAdmin(roz.db, { email: 'two@x.test', password: undefined }, freeAddress)))
    expect(both.filter((made) => made.isNew && made.madePassword !== undefined)).toHaveLength(1)
    expect(both.filter((made) => !made.isNew && made.madePassword === undefined)).toHaveLength(1)
  })

  test('staff of another role becomes an owner; a member’s account is refused with a message', async () => {
    await ensureAdmin(roz.db, { email: 'editor@x.test', password: 'editor password' }, freeAddress)
    await roz.db.query(sql`update member set staff_role = 'editor' where email = 'editor@x.test'`)
    await ensureAdmin(roz.db, { email: 'editor@x.test', password: undefined }, freeAddress)
    expect(await roz.db.one(sql`select staff_role from member where email = 'editor@x.test'`)).toEqual({ staff_role: 'owner' })
    await roz.register('mere@x.test')
    await roz.ask(`GET /auth/verify-email?token=${await roz.tokenFrom('mere@x.test', '/verify-email')}`)
    await expect(ensureAdmin(roz.db, { email: 'mere@x.test', password: undefined }, freeAddress)).rejects.toThrow(AdminAddressError)
  })

  test('an account of the address that nobody confirmed stops no start: anybody can register it', async () => {
    const { token } = await roz.register('next-admin@x.test')
    const made = await ensureAdmin(roz.db, { email: 'next-admin@x.test', password: 'administrator password' }, freeAddress)
    expect(made).toMatchObject({ isNew: true })
    expect((await roz.ask('GET /auth/me', { token })).status).toBe(401)
    const body = { email: 'next-admin@x.test', password: 'administrator password' }
    expect((await roz.ask('POST /admin/login', { body })).body.user).toMatchObject({ role: 'admin' })
  })

  test('is made by the same start when somebody registers the address in that moment', async () => {
    await roz.register('same-moment@x.test')
    let looks = 0
    // At the first look the address was free.
    const freeLater: typeof freeAddress = async (tx, email) => (looks++ === 0 ? undefined : freeAddress(tx, email))
    const made = await ensureAdmin(roz.db, { email: 'same-moment@x.test', password: undefined }, freeLater)
    expect(made).toMatchObject({ isNew: true, madePassword: expect.stringMatching(/^[a-z2-9-]{16,}$/) })
  })
})

test('the staff log is append-only, for its owner too', async () => {
  await expect(roz.db.query(sql`update audit_log set action = 'x'`)).rejects.toThrow()
  await expect(roz.db.query(sql`delete from audit_log`)).rejects.toThrow()
  const owner = connect({ url: roz.database.ownerUrl, max: 1 })
  try {
    await expect(owner.query(sql`update audit_log set action = 'x'`)).rejects.toThrow('rows of this table are never changed')
    await expect(owner.query(sql`truncate audit_log`)).rejects.toThrow('rows of this table are never changed')
  } finally {
    await owner.close()
  }
})
