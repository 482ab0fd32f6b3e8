/** Google sign-in, against a test issuer that serves its keys over HTTP. */
import { createHash, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { IstDay } from '@roz/core/ist-day.ts'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { createSecrets, type SecretKeys } from '../../secrets/secrets.ts'
import { PASSWORD, startPeople } from '../../testing/people.ts'
import { isBound, makeNonce } from './google-nonce.ts'
import { closeServer, listen } from '../../testing/listening.ts'
import { perFile } from '../../testing/fixture.ts'

const CLIENT = 'roz-client.apps.example'
type Keys = Awaited<ReturnType<typeof generateKeyPair>>
let keys: Keys
let fetches = 0
const issuer = perFile(startIssuer)
const roz = perFile(() => startPeople({ google: { clientId: CLIENT, jwksUrl: `${issuer.url}/certs` } }))

async function startIssuer() {
  keys = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }
  const server = createServer((_request, response) => {
    fetches++
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [jwk] }))
  })
  return { url: await listen(server), close: () => closeServer(server) }
}

type Claims = Record<string, unknown>
async function credential(claims: Claims, how: { key?: Keys; expiresIn?: number; kid?: string } = {}): Promise<string> {
  const { at } = await roz.db.one<{ at: Date }>(sql`select roz_now() as at`)
  const now = Math.floor(at.getTime() / 1000)
  return new SignJWT({
    iss: 'https://accounts.google.com',
    aud: CLIENT,
    email_verified: true,
    name: 'Asha Verma',
    jti: randomUUID(),
    ...claims,
  })
    .setProtectedHeader({ alg: 'RS256', kid: how.kid ?? 'one' })
    .setIssuedAt(now - 5)
    .setExpirationTime(now + (how.expiresIn ?? 3600))
    .sign((how.key ?? keys).privateKey)
}
const signIn = async (claims: Claims, how = {}) => roz.ask('POST /auth/google', { body: { token: await credential(claims, how) } })

describe('a Google sign-in', () => {
  test('makes a member without a phone whose mail is confirmed, and signs them in again', async () => {
    const first = await signIn({ sub: 'g1', email: 'Google@x.test' })
    expect(first.status).toBe(200)
    expect(first.body.user).toMatchObject({ name: 'Asha Verma', email: 'Google@x.test', phone: null, emailVerified: true, role: 'member' })
    const again = await signIn({ sub: 'g1', email: 'google@x.test', iss: 'accounts.google.com' })
    expect(again.body.user.id).toBe(first.body.user.id)
    expect((await roz.ask('GET /user/me', { token: again.body.token })).status).toBe(200)
    expect((await roz.mailsTo('google@x.test')).map((mail) => mail.subject)).toEqual(['Welcome to Roz'])
    const row = await roz.db.one(sql`select may_move, terms_version from wallet join member on id = member_id where google_sub = 'g1'`)
    expect(row).toEqual({ may_move: true, terms_version: '2025-08-09' })
  })

  test('finds the account by Google’s id after the address has changed at Google', async () => {
    const first = await signIn({ sub: 'g2', email: 'before@x.test' })
    const later = await signIn({ sub: 'g2', email: 'after@x.test' })
    expect(later.body.user).toMatchObject({ id: first.body.user.id, email: 'before@x.test' })
  })

  test('that is the first to a confirmed account ends its password, sessions and links, even if a mail scanner had confirmed it', async () => {
    const hijacker = await roz.register('linked@x.test')
    await roz.ask(`GET /auth/verify-email?token=${await roz.tokenFrom('linked@x.test', '/verify-email')}`)
    await roz.ask('POST /auth/forgot-password', { body: { email: 'linked@x.test' } })
    const reset = await roz.tokenFrom('linked@x.test', '/reset-password')
    const id = await roz.memberId(hijacker)
    const theirs = 'ab'.repeat(32)
    await inTransaction(roz.db, (tx) => roz.ticketKeys.change(tx, id, theirs))
    const answer = await signIn({ sub: 'g3', email: 'LINKED@x.test' })
    expect(answer.body.user.id).toBe(hijacker.publicId)
    expect((await roz.login('linked@x.test', PASSWORD)).status).toBe(401)
    expect((await roz.ask('GET /auth/me', { token: hijacker.token })).status).toBe(401)
    const byLink = await roz.ask('POST /auth/reset-password', { body: { token: reset, password: 'the old link opens' } })
    expect(byLink.body.code).toBe('reset_token_invalid')
    const { today } = await roz.db.one<{ today: IstDay }>(sql`select ist_day(roz_now()) as today`)
    const key = await roz.ticketKeys.find(roz.db, id, today)
    expect([key?.custodial, key?.key === theirs]).toEqual([true, false])
    const browsers = sql`select 1 from known_browser where member_id = ${id}::bigint`
    // The browser that signed in with Google, by its address and its address block.
    expect(await roz.db.query(browsers)).toHaveLength(2)
    expect((await roz.mailsTo('linked@x.test'))[0]?.subject).toBe('Google is now linked to your Roz account')

    // The member sets a new password by a reset. The next Google sign-in is not the first and keeps it.
    await roz.ask('POST /auth/forgot-password', { body: { email: 'linked@x.test' } })
    const token = await roz.tokenFrom('linked@x.test', '/reset-password')
    expect((await roz.ask('POST /auth/reset-password', { body: { token, password: 'a new password' } })).status).toBe(200)
    expect((await signIn({ sub: 'g3', email: 'linked@x.test' })).status).toBe(200)
    expect((await roz.login('linked@x.test', 'a new password')).status).toBe(200)
    expect((await roz.mailsTo('linked@x.test')).filter((mail) => mail.subject.startsWith('Google'))).toHaveLength(1)
  })

  test('by another Google account with the same address is refused with a message and changes nothing', async () => {
    const first = await signIn({ sub: 'g10', email: 'reused@x.test' })
    const other = await signIn({ sub: 'g11', email: 'reused@x.test' })
    expect([other.status, other.body]).toEqual([
      409,
      {
        code: 'google_other_account',
        message: 'This email is linked to another Google account. Please log in with that one, or with your password.',
      },
    ])
    expect((await roz.ask('GET /auth/me', { token: first.body.token })).status).toBe(200)
    expect((await signIn({ sub: 'g10', email: 'reused@x.test' })).body.user.id).toBe(first.body.user.id)
  })

  test('links one of several Google accounts that arrive at once', async () => {
    await roz.register('both@x.test')
    const answers = await Promise.all(['g12', 'g13', 'g14', 'g15'].map((sub) => signIn({ sub, email: 'both@x.test' })))
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409, 409, 409])
  })

  test('to an unconfirmed account first discards its password, sessions and links', async () => {
    const hijacker = await roz.register('victim@x.test')
    const link = await roz.tokenFrom('victim@x.test', '/verify-email')
    const answer = await signIn({ sub: 'g4', email: 'victim@x.test' })
    expect(answer.body.user).toMatchObject({ id: hijacker.publicId, emailVerified: true })
    expect((await roz.ask('GET /auth/me', { token: hijacker.token })).status).toBe(401)
    expect((await roz.login('victim@x.test', PASSWORD)).status).toBe(401)
    expect((await roz.ask(`GET /auth/verify-email?token=${link}`)).status).toBe(400)
    expect((await roz.ask('GET /auth/me', { token: answer.body.token })).status).toBe(200)
  })

  test('makes one account for many first sign-ins at once', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => signIn({ sub: 'g5', email: 'many@x.test' })))
    expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 8 }, () => 200))
    expect(new Set(answers.map((answer) => answer.body.user.id)).size).toBe(1)
  })

  test('refuses an administrator’s account in words, and links nothing', async () => {
    await roz.db.query(
      sql`insert into member (name, email, role, staff_role, email_verified_at) values ('Owner', 'owner@x.test', 'admin', 'owner', roz_now())`,
    )
    const answer = await signIn({ sub: 'g6', email: 'owner@x.test' })
    expect([answer.status, answer.body.code]).toEqual([403, 'staff_portal'])
    expect(await roz.db.one(sql`select google_sub as sub from member where email = 'owner@x.test'`)).toEqual({ sub: null })
  })

  test('an address in a domain of another script is stored as the browser sends it; another script before the @ is refused', async () => {
    const answer = await signIn({ sub: 'g8', email: 'ajay@डाटा.भारत' })
    expect([answer.status, answer.body.user.email]).toEqual([200, 'ajay@xn--c2bd1gb.xn--h2brj9c'])
    const body = { name: 'Ajay Rao', email: 'ajay@डाटा.भारत', phone: '9876543210', password: PASSWORD }
    expect((await roz.ask('POST /auth/register', { body })).body.code).toBe('email_taken')
    expect((await signIn({ sub: 'g9', email: 'अजय@डाटा.भारत' })).body.code).toBe('google_failed')
  })

  test.each([
    ['g7a', 'meera@x.test', undefined, 'meera'],
    ['g7b', 'k.r.nair99@x.test', undefined, 'k r nair'],
    ['g7c', 'spam@x.test', 'Win now: https://evil.example', 'Win now https evil. example'],
    ['g7f', 'karhade@x.test', 'अमोल कर्‍हाडे', 'अमोल कर्‍हाडे'],
    ['g7g', 'srimali@x.test', 'ශ්‍රීමාලි', 'ශ්‍රීමාලි'],
    ['g7h', 'raman@x.test', 'K.\u00a0R. Ramanathan', 'K. R. Ramanathan'],
    ['g7i', 'narayan@x.test', 'आर.के. नारायण (RK)', 'आर. के. नारायण RK'],
    ['g7j', 'blank@x.test', 'ㅤㅤ', 'blank'],
    ['g7d', 'asha7@x.test', 'आशा 🌸 वर्मा', 'आशा वर्मा'],
    ['g7e', '7@x.test', '🌸', 'Member'],
  ])('%s: a name is the letters of Google’s name, or those of the address', async (sub, email, name, shown) => {
    expect((await signIn({ sub, email, name })).body.user.name).toBe(shown)
  })
})

describe('a credential is refused with 401 Google login failed', () => {
  const cases: [string, () => Promise<string>][] = [
    ['for another audience', () => credential({ sub: 'r', email: 'r@x.test', aud: 'another-client' })],
    ['from another issuer', () => credential({ sub: 'r', email: 'r@x.test', iss: 'https://accounts.google.example' })],
    ['after its expiry', () => credential({ sub: 'r', email: 'r@x.test' }, { expiresIn: -60 })],
    ['with an address that Google has not confirmed', () => credential({ sub: 'r', email: 'r@x.test', email_verified: false })],
    ['without email_verified', () => credential({ sub: 'r', email: 'r@x.test', email_verified: undefined })],
    ['without an address', () => credential({ sub: 'r' })],
    [
      'signed by another key under the same name',
      async () => credential({ sub: 'r', email: 'r@x.test' }, { key: await generateKeyPair('RS256') }),
    ],
    ['signed by a key that is not published', () => credential({ sub: 'r', email: 'r@x.test' }, { kid: 'two' })],
    ['that is not a token', async () => 'no token'],
    [
      'signed with the public key as a shared secret',
      async () =>
        new SignJWT({ sub: 'r', email: 'r@x.test', email_verified: true, aud: CLIENT, iss: 'accounts.google.com' })
          .setProtectedHeader({ alg: 'HS256', kid: 'one' })
          .setExpirationTime('1h')
          .sign(new TextEncoder().encode('x'.repeat(32))),
    ],
    [
      'without a signature',
      async () =>
        `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify({ sub: 'r', email: 'r@x.test' })).toString('base64url')}.`,
    ],
  ]
  test.each(cases)('%s', async (_what, make) => {
    const answer = await roz.ask('POST /auth/google', { body: { token: await make() } })
    expect([answer.status, answer.body]).toEqual([401, { code: 'google_failed', message: 'Google login failed' }])
    expect(await roz.db.query(sql`select 1 from member where email = 'r@x.test'`)).toEqual([])
  })

  test('the published keys are fetched once, not at every sign-in', () => {
    expect(fetches).toBeLessThanOrEqual(2)
  })

  test('when it is expired by roz_now()', async () => {
    const token = await credential({ sub: 'g8', email: 'clock@x.test' })
    await roz.pass(86_400)
    expect((await roz.ask('POST /auth/google', { body: { token } })).status).toBe(401)
  })

  test('100 times in 15 minutes from one network address, then with 429; accepted sign-ins do not count', async () => {
    const ask = (token: string) => roz.ask('POST /auth/google', { body: { token }, ip: '127.0.0.2' })
    const good = () => credential({ sub: 'g9', email: 'counted@x.test' })
    for (let i = 0; i < 5; i++) expect((await ask(await good())).status).toBe(200)
    const answers = await Promise.all(Array.from({ length: 110 }, () => ask('no token')))
    expect(answers.filter((answer) => answer.status === 401)).toHaveLength(100)
    expect((await ask(await good())).status).toBe(429)
  })
})

describe('a credential is bound to the page that asked for it', () => {
  const asked = async (): Promise<{ nonce: string; claim: string; lastsSeconds: number }> => (await roz.ask('GET /auth/google/nonce')).body
  const send = async (claim: string | undefined, nonce: string | undefined) => {
    const token = await credential({ sub: 'n1', email: 'bound@x.test', ...(claim && { nonce: claim }) })
    return { token, answer: await roz.ask('POST /auth/google', { body: { token, ...(nonce && { nonce }) } }) }
  }
  const refused = [401, { code: 'google_failed', message: 'Google login failed' }]

  test('a token with its nonce opens one session', async () => {
    const { nonce, claim, lastsSeconds } = await asked()
    expect([lastsSeconds, claim]).toEqual([1800, createHash('sha256').update(nonce).digest('base64url')])
    const { token, answer } = await send(claim, nonce)
    expect(answer.status).toBe(200)
    const again = await roz.ask('POST /auth/google', { body: { token, nonce } })
    expect([again.status, again.body]).toEqual(refused)
    const otherToken = (await send(claim, nonce)).answer
    expect([otherToken.status, otherToken.body]).toEqual(refused)
  })

  test('one of many sign-ins at once with one nonce opens a session', async () => {
    const { nonce, claim } = await asked()
    const sent = await Promise.all(Array.from({ length: 6 }, () => send(claim, nonce)))
    expect(sent.map(({ answer }) => answer.status).sort()).toEqual([200, 401, 401, 401, 401, 401])
  })

  test('a stolen token opens nothing without its nonce, with another nonce or with a forged one', async () => {
    const [mine, other] = [await asked(), await asked()]
    const made = `${mine.nonce.slice(0, -1)}${mine.nonce.endsWith('A') ? 'E' : 'A'}`
    const own = createHash('sha256').update(made).digest('base64url')
    for (const [claim, nonce] of [
      [mine.claim, undefined],
      [mine.claim, other.nonce],
      [undefined, mine.nonce],
      [own, made],
      ['guess', 'guess'],
    ] as const) {
      const { answer } = await send(claim, nonce)
      expect([answer.status, answer.body]).toEqual(refused)
    }
    expect((await send(mine.claim, mine.nonce)).answer.status).toBe(200)
  })

  test('a nonce expires after 30 minutes, and a used token is forgotten after its expiry', async () => {
    const [late, used] = [await asked(), await asked()]
    expect((await send(used.claim, used.nonce)).answer.status).toBe(200)
    await roz.pass(1801)
    expect((await send(late.claim, late.nonce)).answer.status).toBe(401)
    await roz.runJobs()
    expect(await roz.db.query(sql`select 1 from google_token_used`)).not.toEqual([])
    await roz.pass(3 * 3600)
    await roz.runJobs()
    expect(await roz.db.query(sql`select 1 from google_token_used`)).toEqual([])
  })

  test('a token without a claim opens one session without a nonce', async () => {
    const { token, answer } = await send(undefined, undefined)
    expect(answer.status).toBe(200)
    expect((await roz.ask('POST /auth/google', { body: { token } })).status).toBe(401)
  })

  test('a nonce is valid in another process and after SECRET_KEY was replaced', () => {
    const now = new Date()
    const { nonce, claim } = makeNonce(createSecrets({ secretKey: 'the one before' }), now)
    const check = (keys: SecretKeys) => isBound(createSecrets(keys), { nonce, claim }, now)
    expect(check({ secretKey: 'the one before' })).toBe(true)
    expect(check({ secretKey: 'the new one', secretKeyOld: 'the one before' })).toBe(true)
    expect(check({ secretKey: 'the new one' })).toBe(false)
  })
})

test('without a client id the call answers 404 with a message', async () => {
  const without = await startPeople()
  try {
    const answer = await without.ask('POST /auth/google', { body: { token: 'x' } })
    expect([answer.status, answer.body.message]).toEqual([404, 'Google login is not available.'])
    expect((await without.ask('GET /auth/google/nonce')).body.code).toBe('google_not_configured')
  } finally {
    await without.close()
  }
})

test('when the keys cannot be fetched the call answers 503 and counts nothing', async () => {
  const lost = await startPeople({ google: { clientId: CLIENT, jwksUrl: 'http://127.0.0.1:1/certs' } })
  try {
    const token = await credential({ sub: 'g', email: 'lost@x.test' })
    const answer = await lost.ask('POST /auth/google', { body: { token }, ip: '127.0.0.2' })
    expect([answer.status, answer.body.code]).toEqual([503, 'overloaded'])
    expect(await lost.db.query(sql`select 1 from throttle where cardinality(hits) > 0`)).toEqual([])
  } finally {
    await lost.close()
  }
})
