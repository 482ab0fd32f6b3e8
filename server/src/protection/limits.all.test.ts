/** Tests each throttle at its exact number. */
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../db/sql.ts'
import { ensureAdmin } from '../features/identity/ensure-admin.ts'
import { freeAddress } from '../features/rights/unconfirmed.ts'
import { PASSWORD, usePeople } from '../testing/people.ts'
import type { TestAnswer } from '../testing/http.ts'
import { addressBlock, type Limit, limitRules, plainIp, take } from './limits.ts'

const roz = usePeople()
beforeAll(async () => {
  await ensureAdmin(roz.db, { email: 'owner@x.test', password: 'owner password' }, freeAddress)
})

const statuses = (answers: readonly TestAnswer[]): Record<number, number> =>
  answers.reduce<Record<number, number>>((sum, { status }) => ({ ...sum, [status]: (sum[status] ?? 0) + 1 }), {})
const wrong = (email: string, ip: string, userAgent = 'attacker'): Promise<TestAnswer> =>
  roz.login(email, 'wrong password', { ip, userAgent })
const times = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)))

const rules = limitRules({ production: false })
const from = (ip: string) => ({ ip, userAgent: 'attacker' })
/** Takes hits as calls would, without the cost of calls: a wrong password costs a hash. */
async function taken(count: number, limitsOf: (index: number) => readonly Limit[]): Promise<void> {
  for (let i = 0; i < count; i++) expect((await take(roz.db, limitsOf(i))).ok, `hit ${i}`).toBe(true)
}

test('a refused call writes nothing, whatever new keys it has', async () => {
  const limits = (what: string): Limit[] => [
    { key: ['full', 'one'], hitsMax: 1, windowSeconds: 60 },
    { key: ['new', what], hitsMax: 5, windowSeconds: 60 },
  ]
  expect((await take(roz.db, limits('first'))).ok).toBe(true)
  const written = () => roz.db.query(sql`select bucket, xmin::text from throttle order by bucket`)
  const before = await written()
  for (const what of ['second', 'third']) expect(await take(roz.db, limits(what))).toMatchObject({ ok: false, code: 'too_many_requests' })
  expect(await written()).toEqual(before)
})

describe('wrong passwords for one mail address', () => {
  test.each([
    ['known', 'ten@x.test'],
    ['unknown', 'ten-nobody@x.test'],
  ])('after 10 from one address block in 15 minutes a %s address gets 429 with Retry-After', async (what, email) => {
    if (what === 'known') await roz.register(email, { ip: '203.0.113.9' })
    for (let i = 0; i < 10; i++) expect((await wrong(i % 2 ? email : email.toUpperCase(), `10.1.1.${i}`)).status).toBe(401)
    const refused = await roz.login(email, PASSWORD, { ip: '10.1.1.200', userAgent: 'x' })
    expect([refused.status, refused.body]).toEqual([
      429,
      { code: 'too_many_requests', message: 'Too many attempts. Please wait a little and try again.' },
    ])
    const wait = Number(refused.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(880)
    expect(wait).toBeLessThanOrEqual(900)
    expect((await wrong(email, '10.1.2.1')).status).toBe(401)
    await roz.pass(wait)
    expect((await roz.login(email, PASSWORD, { ip: '10.1.1.200', userAgent: 'x' })).status).toBe(what === 'known' ? 200 : 401)
  })

  test('of 40 sent at once exactly 10 are checked', async () => {
    await roz.register('burst@x.test', { ip: '203.0.113.9' })
    const answers = await times(40, () => wrong('burst@x.test', '10.2.1.1'))
    expect(statuses(answers)).toEqual({ 401: 10, 429: 30 })
  })

  test('after 50 from any address blocks in 15 minutes the next get 429', async () => {
    await roz.register('spread@x.test', { ip: '203.0.113.9' })
    expect(statuses(await times(10, (i) => wrong('spread@x.test', `10.3.${i}.1`)))).toEqual({ 401: 10 })
    await taken(35, (i) => rules.wrongPassword('spread@x.test', from(`10.3.${10 + i}.1`), undefined))
    expect(statuses(await times(15, (i) => wrong('spread@x.test', `10.3.${45 + i}.1`)))).toEqual({ 401: 5, 429: 10 })
  })

  test('the logins of members and of the portal share one count', async () => {
    for (let i = 0; i < 5; i++) expect((await wrong('owner@x.test', '10.4.1.1')).status).toBe(401)
    const portal = () => roz.ask('POST /admin/login', { ip: '10.4.1.2', body: { email: 'Owner@x.test', password: 'wrong password' } })
    for (let i = 0; i < 5; i++) expect((await portal()).status).toBe(401)
    expect((await portal()).status).toBe(429)
    expect((await wrong('owner@x.test', '10.4.1.1')).status).toBe(429)
  })

  test('right passwords do not count', async () => {
    await roz.register('right@x.test', { ip: '203.0.113.9' })
    for (let i = 0; i < 15; i++) expect((await roz.login('right@x.test', PASSWORD, { ip: '10.5.1.1' })).status).toBe(200)
    for (let i = 0; i < 10; i++) expect((await wrong('right@x.test', '10.5.1.1')).status).toBe(401)
  })

  test('a browser that logged in before has its own limit, so nobody can lock its member out', async () => {
    const home = { ip: '203.0.113.20', userAgent: 'my browser' }
    const { token } = await roz.register('victim@x.test', home)
    await taken(45, (i) => rules.wrongPassword('victim@x.test', from(`10.6.${i}.1`), undefined))
    expect(statuses(await times(10, (i) => wrong('victim@x.test', `10.6.${45 + i}.1`)))).toEqual({ 401: 5, 429: 5 })
    expect((await wrong('victim@x.test', '10.6.99.1')).status).toBe(429)
    expect((await roz.login('victim@x.test', PASSWORD, home)).status).toBe(200)
    // Nobody in the same address block with the same kind of browser can lock the member out either.
    await times(20, () => wrong('victim@x.test', '203.0.113.21', 'my browser'))
    expect((await wrong('victim@x.test', '203.0.113.21', 'my browser')).status).toBe(429)
    expect((await roz.login('victim@x.test', PASSWORD, home)).status).toBe(200)
    // The browser's own limit is ten, too; the password form of the profile counts in it.
    for (let i = 0; i < 5; i++) expect((await wrong('victim@x.test', home.ip, home.userAgent)).status).toBe(401)
    const change = (currentPassword: string) =>
      roz.ask('POST /user/password', { ...home, token, body: { currentPassword, newPassword: 'a new password' } })
    for (let i = 0; i < 5; i++) expect((await change('wrong password')).status).toBe(403)
    expect((await change(PASSWORD)).status).toBe(429)
    expect((await roz.login('victim@x.test', PASSWORD, home)).status).toBe(429)
    await roz.pass(901)
    expect((await change(PASSWORD)).status).toBe(200)
  })
})

describe('limits by network address', () => {
  test('after 200 wrong passwords in 15 minutes the next get 429', async () => {
    expect(statuses(await times(10, (i) => wrong(`net${i}@x.test`, '127.0.0.2')))).toEqual({ 401: 10 })
    await taken(180, (i) => rules.wrongPassword(`net${10 + i}@x.test`, from('127.0.0.2'), undefined))
    expect(statuses(await times(20, (i) => wrong(`net${190 + i}@x.test`, '127.0.0.2')))).toEqual({ 401: 10, 429: 10 })
    expect((await wrong('net-other@x.test', '127.0.0.3')).status).toBe(401)
  })

  test('outside production 127.0.0.1 and ::1 have no limit, and every other address has one', () => {
    const live = limitRules({ production: true })
    const source = (ip: string) => ({ ip, userAgent: '' })
    for (const ip of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
      expect(rules.other(source(ip))).toEqual([])
      expect(live.other(source(ip))).toHaveLength(1)
    }
    for (const ip of ['127.0.0.2', '10.0.0.1', '::2', 'fe80::1']) expect(rules.other(source(ip))).toHaveLength(1)
    expect(rules.wrongPassword('a@x.test', source('127.0.0.1'), undefined)).toHaveLength(2)
  })

  test('after 300 registrations in an hour the next get 429', async () => {
    await roz.register('taken@x.test')
    for (const email of ['reg0@x.test', 'reg1@x.test'])
      await roz.db.query(sql`insert into member (name, email) values ('Taken', ${email}::text)`)
    expect(statuses(await times(10, () => register('reg0@x.test', '127.0.0.4')))).toEqual({ 409: 10 })
    await taken(280, (i) => rules.registration(`others${i}@x.test`, from('127.0.0.4')))
    expect(statuses(await times(15, () => register('reg1@x.test', '127.0.0.4')))).toEqual({ 409: 10, 429: 5 })
    expect((await register('taken@x.test', '127.0.0.4')).status).toBe(429)
    expect((await register('taken@x.test', '127.0.0.5')).status).toBe(409)
  })

  test('after 300 other calls in an hour (forgotten password, message, mail sent again) the next get 429', async () => {
    const forgot = (i: number) => roz.ask('POST /auth/forgot-password', { ip: '127.0.0.6', body: { email: `other${i}@x.test` } })
    const message = (i: number) =>
      roz.ask('POST /contact', { ip: '127.0.0.6', body: { name: 'Asha', email: `other${i}@x.test`, message: 'A long enough message.' } })
    expect(statuses(await times(20, (i) => (i % 2 ? forgot(i) : message(i))))).toEqual({ 200: 10, 201: 10 })
    await taken(260, () => rules.other(from('127.0.0.6')))
    expect(statuses(await times(20, (i) => (i % 2 ? forgot(20 + i) : message(20 + i))))).toEqual({ 200: 10, 201: 10 })
    expect((await forgot(1000)).status).toBe(429)
    expect((await message(1000)).status).toBe(429)
    const { token } = await roz.register('others@x.test')
    expect((await roz.ask('POST /auth/resend-verification', { token, ip: '127.0.0.6' })).status).toBe(429)
  })
})

const register = (email: string, ip = '203.0.113.9') =>
  roz.ask('POST /auth/register', { ip, body: { name: 'Asha Verma', email, phone: '9876543210', password: PASSWORD } })

describe('limits by mail address and hour', () => {
  test('after 20 registrations the next get 429', async () => {
    const answers = await times(25, (i) => register(i % 2 ? 'often@x.test' : 'Often@x.test'))
    expect(statuses(answers)).toEqual({ 201: 1, 409: 19, 429: 5 })
    const wait = Number((await register('often@x.test')).headers.get('retry-after'))
    expect(wait).toBeGreaterThan(3500)
    await roz.pass(wait)
    expect((await register('often@x.test')).status).toBe(409)
  })

  test('after 10 forgotten passwords a known and an unknown address get 429; a member gets at most five mails a day', async () => {
    await roz.register('forget@x.test')
    for (const email of ['forget@x.test', 'forget-nobody@x.test']) {
      const answers = await times(12, () => roz.ask('POST /auth/forgot-password', { body: { email } }))
      expect(statuses(answers)).toEqual({ 200: 10, 429: 2 })
    }
    expect((await roz.mailsTo('forget@x.test')).filter((mail) => mail.subject.startsWith('Reset'))).toHaveLength(5)
  })

  test('one network learns twenty times an hour that an address has an account; new addresses still register', async () => {
    const ip = '203.0.113.77'
    const register = (email: string) =>
      roz.ask('POST /auth/register', { ip, body: { name: 'Asha Verma', email, phone: '9876543210', password: PASSWORD } })
    const members = ['probe1@x.test', 'probe2@x.test']
    for (const email of members) expect((await register(email)).status).toBe(201)
    const answers = []
    for (let n = 0; n < 22; n++) answers.push(await register(members[n % 2] ?? ''))
    expect(statuses(answers)).toEqual({ 409: 20, 429: 2 })
    expect((await register('probe3@x.test')).status).toBe(201)
  })

  test('after 20 messages the next get 429', async () => {
    const body = { name: 'Asha Verma', email: 'writer@x.test', message: 'A long enough message.' }
    expect(statuses(await times(23, () => roz.ask('POST /contact', { body })))).toEqual({ 201: 20, 429: 3 })
  })
})

describe('address blocks', () => {
  test.each([
    ['203.0.113.77', '203.0.113'],
    ['::ffff:203.0.113.77', '203.0.113'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
  ])('%s is in block %s', (ip, block) => {
    expect(addressBlock(ip)).toBe(block)
  })

  test('an IPv4-mapped IPv6 address counts as the IPv4 address', () => {
    expect(plainIp('::ffff:127.0.0.1')).toBe('127.0.0.1')
  })
})
