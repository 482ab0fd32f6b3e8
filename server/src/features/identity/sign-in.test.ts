/** Signing in, and sessions with their expiry; sign-in-crowd.all.test.ts has many sign-ins at once. */
import { hash } from '@node-rs/argon2'
import { describe, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { countHashes } from '../../members/passwords.ts'
import { PASSWORD, usePeople } from '../../testing/people.ts'

const roz = usePeople()

const DAY = 86_400
describe('signing in', () => {
  test('accepts the address in any case and answers token and user', async () => {
    const person = await roz.register('login@x.test')
    const answer = await roz.login(' LOGIN@x.test ', PASSWORD)
    expect(answer.status).toBe(200)
    expect(answer.body.user.id).toBe(person.publicId)
    expect(answer.body.token).not.toBe(person.token)
    expect(await roz.codeOf('GET /user/me', answer.body.token)).toBe('200')
  })

  test('hashes the password anew where its hash has weaker parameters than today’s, also for two logins at once', async () => {
    const person = await roz.register('weak@x.test')
    const memberId = await roz.memberId(person)
    const weak = await hash(Buffer.from(PASSWORD), { algorithm: 2, memoryCost: 8192, timeCost: 1, parallelism: 1 })
    await roz.db.query(sql`update member set password_hash = ${weak}::text where id = ${memberId}::bigint`)
    const stored = async () =>
      (await roz.db.one<{ hash: string }>(sql`select password_hash as hash from member where id = ${memberId}::bigint`)).hash
    expect((await roz.login('weak@x.test', 'wrong password')).status).toBe(401)
    expect(await stored()).toBe(weak)
    const both = await Promise.all([roz.login('weak@x.test', PASSWORD), roz.login('weak@x.test', PASSWORD)])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    const strong = await stored()
    expect(strong).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect((await roz.login('weak@x.test', PASSWORD)).status).toBe(200)
    expect(await stored()).toBe(strong)
    // A change of the password is no sign-in, and compares with the hash that was just made anew.
    await roz.db.query(sql`update member set password_hash = ${weak}::text where id = ${memberId}::bigint`)
    const body = { currentPassword: PASSWORD, newPassword: 'tin door leaf' }
    expect(await roz.ask('POST /user/password', { token: both[0]?.body.token, body })).toMatchObject({ status: 200 })
  })

  test.each([
    ['a wrong password', 'login@x.test', 'wrong password'],
    ['an unknown address', 'nobody@x.test', PASSWORD],
    ['a malformed address', 'no address', PASSWORD],
    ['a password of 1,000 characters', 'login@x.test', 'x'.repeat(1000)],
  ])('with %s answers 401 with one message', async (_what, email, password) => {
    const answer = await roz.login(email, password)
    expect([answer.status, answer.body]).toEqual([401, { code: 'invalid_credentials', message: 'Invalid email or password' }])
  })

  test('without address or password answers Please fill in all fields', async () => {
    const lacking = [undefined, {}, { email: '', password: 'x' }, { email: 'a@x.test', password: '' }, { email: 'a@x.test', password: 1 }]
    for (const body of lacking) {
      const answer = await roz.ask('POST /auth/login', { body })
      expect([answer.status, answer.body.message]).toEqual([400, 'Please fill in all fields'])
    }
  })

  test('costs one hash for an unknown address, an account without a password, and a wrong or a right password', async () => {
    await roz.register('cost@x.test')
    const passwordless = await roz.register('google-only@x.test')
    await roz.db.query(sql`update member set password_hash = null where id = ${await roz.memberId(passwordless)}::bigint`)
    const costOf = async (email: string, password: string): Promise<readonly [status: number, hashes: number]> => {
      const before = countHashes()
      const { status } = await roz.login(email, password)
      return [status, countHashes() - before]
    }
    expect(await costOf('cost@x.test', 'wrong password')).toEqual([401, 1])
    expect(await costOf('cost-nobody@x.test', 'wrong password')).toEqual([401, 1])
    expect(await costOf('google-only@x.test', 'wrong password')).toEqual([401, 1])
    expect(await costOf('cost@x.test', PASSWORD)).toEqual([200, 1])
  })

  test('admits a suspended member', async () => {
    const person = await roz.register('onhold@x.test')
    await roz.db.query(sql`update member set suspended_at = roz_now() where id = ${await roz.memberId(person)}::bigint`)
    expect((await roz.login('onhold@x.test', PASSWORD)).status).toBe(200)
  })

  test('accepts a password in another Unicode form of the same letters', async () => {
    const body = { name: 'Zoë Form', email: 'form@x.test', phone: '9876543210', password: 'pässwörd'.normalize('NFC') }
    await roz.ask('POST /auth/register', { body })
    expect((await roz.login('form@x.test', 'pässwörd'.normalize('NFD'))).status).toBe(200)
  })
})

describe('sessions', () => {
  test('a missing, malformed or unknown token answers 401', async () => {
    expect(await roz.codeOf('GET /auth/me', undefined)).toBe('401 unauthenticated')
    expect(await roz.codeOf('GET /auth/me', 'short')).toBe('401 unauthenticated')
    expect(await roz.codeOf('GET /auth/me', 'a'.repeat(43))).toBe('401 unauthenticated')
    const answer = await roz.ask('GET /auth/me', { headers: { authorization: 'Basic abc' } })
    expect(answer.body.message).toBe('Please log in to continue.')
  })

  test('only the hash of a token is stored', async () => {
    const { token } = await roz.register('stored@x.test')
    expect(await roz.db.query(sql`select 1 from session s where s::text like ${`%${token}%`}::text`)).toEqual([])
    expect(await roz.db.query(sql`select 1 from session where token_hash = sha256(${token}::text::bytea)`)).toHaveLength(1)
  })

  test('logging out ends one session and leaves the others', async () => {
    const first = await roz.register('out@x.test')
    const second = (await roz.login('out@x.test', PASSWORD)).body.token
    const answer = await roz.ask('POST /auth/logout', { token: first.token })
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(await roz.codeOf('GET /auth/me', first.token)).toBe('401 unauthenticated')
    expect(await roz.codeOf('GET /auth/me', second)).toBe('200')
  })

  test('a member’s session lasts 30 days after its last use', async () => {
    const { token } = await roz.register('slide@x.test')
    await roz.pass(29 * DAY)
    expect(await roz.codeOf('GET /auth/me', token)).toBe('200')
    await roz.pass(29 * DAY)
    expect(await roz.codeOf('GET /auth/me', token)).toBe('200')
    await roz.pass(30 * DAY + 1)
    expect(await roz.codeOf('GET /auth/me', token)).toBe('401 unauthenticated')
  })

  test('a member’s session ends 90 days after its sign-in, however often it is used', async () => {
    const { token } = await roz.register('ninety@x.test')
    for (let day = 0; day < 89; day += 20) {
      expect(await roz.codeOf('GET /auth/me', token)).toBe('200')
      await roz.pass(Math.min(20, 89 - day) * DAY)
    }
    expect(await roz.codeOf('GET /auth/me', token)).toBe('200')
    await roz.pass(DAY + 1)
    expect(await roz.codeOf('GET /auth/me', token)).toBe('401 unauthenticated')
  })

  test('a session is extended at most once a minute, however many requests arrive at once', async () => {
    const { token } = await roz.register('writes@x.test')
    const written = async () =>
      (
        await roz.db.one<{ at: Date; v: string }>(
          sql`select last_used_at as at, xmin::text as v from session where token_hash = sha256(${token}::text::bytea)`,
        )
      ).v
    const before = await written()
    await Promise.all(Array.from({ length: 10 }, () => roz.codeOf('GET /auth/me', token)))
    expect(await written()).toBe(before)
    await roz.pass(61)
    await Promise.all(Array.from({ length: 10 }, () => roz.codeOf('GET /auth/me', token)))
    const after = await written()
    expect(after).not.toBe(before)
    await roz.codeOf('GET /auth/me', token)
    expect(await written()).toBe(after)
  })

  test('expired sessions are deleted', async () => {
    const { token } = await roz.register('swept@x.test')
    await roz.pass(31 * DAY)
    await roz.runJobs()
    expect(await roz.db.query(sql`select 1 from session where token_hash = sha256(${token}::text::bytea)`)).toEqual([])
    expect(await roz.db.query(sql`select 1 from throttle where last_at < roz_now() - interval '3 hours'`)).toEqual([])
  })
})
