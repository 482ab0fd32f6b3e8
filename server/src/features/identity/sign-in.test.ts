/** Signing in, sessions and their ends, the administrator's door, forgotten and changed passwords. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect, one, sql } from '../../db/sql.ts'
import { isPassword } from '../../people/passwords.ts'
import { PASSWORD, type People, startPeople } from '../../testing/people.ts'
import { AdminAddressError, ensureAdmin } from './ensure-admin.ts'

let roz: People
const OWNER = { email: 'Owner@x.test', password: 'owner password' }
beforeAll(async () => {
  roz = await startPeople()
  await ensureAdmin(roz.db, OWNER)
})
afterAll(() => roz.close())

const DAY = 86_400
const codeOf = async (call: string, token: string | undefined): Promise<string> => {
  const answer = await roz.ask(call, token === undefined ? {} : { token })
  return `${answer.status} ${answer.body?.code ?? ''}`.trim()
}

describe('signing in', () => {
  test('takes the address in any case and answers token and user', async () => {
    const person = await roz.register('login@x.test')
    const answer = await roz.login(' LOGIN@x.test ', PASSWORD)
    expect(answer.status).toBe(200)
    expect(answer.body.user.id).toBe(person.publicId)
    expect(answer.body.token).not.toBe(person.token)
    expect(await codeOf('GET /user/me', answer.body.token)).toBe('200')
  })

  test.each([
    ['a wrong password', 'login@x.test', 'wrong password'],
    ['an unknown address', 'nobody@x.test', PASSWORD],
    ['an address that is none', 'no address', PASSWORD],
    ['a password of 1,000 characters', 'login@x.test', 'x'.repeat(1000)],
  ])('%s answers 401 in the same words', async (_what, email, password) => {
    const answer = await roz.login(email, password)
    expect([answer.status, answer.body]).toEqual([401, { code: 'invalid_credentials', message: 'Invalid email or password' }])
  })

  test('without address or password it says Please fill in all fields', async () => {
    for (const body of [{}, { email: '', password: 'x' }, { email: 'a@x.test', password: '' }, { email: 'a@x.test', password: 1 }]) {
      const answer = await roz.ask('POST /auth/login', { body })
      expect([answer.status, answer.body.message]).toEqual([400, 'Please fill in all fields'])
    }
  })

  test('an unknown address costs as much as a known one', async () => {
    await roz.register('timing@x.test')
    const timeOf = async (email: string): Promise<number> => {
      const started = performance.now()
      await roz.login(email, 'wrong password')
      return performance.now() - started
    }
    const known: number[] = []
    const unknown: number[] = []
    for (let i = 0; i < 8; i++) {
      known.push(await timeOf('timing@x.test'))
      unknown.push(await timeOf('timing-nobody@x.test'))
    }
    const median = (times: number[]): number => times.sort((a, b) => a - b)[4] as number
    expect(median(unknown) / median(known)).toBeGreaterThan(0.5)
    expect(median(unknown) / median(known)).toBeLessThan(2)
  })

  test('a member on hold can sign in', async () => {
    const person = await roz.register('onhold@x.test')
    await roz.db.query(sql`update member set suspended_at = roz_now() where id = ${await roz.memberId(person)}::bigint`)
    expect((await roz.login('onhold@x.test', PASSWORD)).status).toBe(200)
  })

  test('the same letters typed in another Unicode form are the same password', async () => {
    const body = { name: 'Zoë Form', email: 'form@x.test', phone: '9876543210', password: 'pässwörd'.normalize('NFC') }
    await roz.ask('POST /auth/register', { body })
    expect((await roz.login('form@x.test', 'pässwörd'.normalize('NFD'))).status).toBe(200)
  })

  test('eighty right sign-ins at once all succeed', async () => {
    await roz.register('parallel@x.test')
    const answers = await Promise.all(Array.from({ length: 80 }, () => roz.login('parallel@x.test', PASSWORD)))
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]))
  })
})

test('when more passwords wait than can be judged, the next is told so with 503, and counts as no wrong password', async () => {
  let isOver = false
  const crowd = Promise.all(
    Array.from({ length: 3 + 256 }, async () => {
      while (!isOver) await isPassword(undefined, 'x').catch(() => new Promise((resolve) => setImmediate(resolve)))
    }),
  )
  const answer = await roz.login('crowd@x.test', 'wrong password', { ip: '127.0.0.9' })
  expect([answer.status, answer.body]).toEqual([
    503,
    { code: 'overloaded', message: 'Roz is very busy right now. Please try again in a moment.' },
  ])
  expect(answer.headers.get('retry-after')).toBe('2')
  isOver = true
  await crowd
  for (let i = 0; i < 10; i++) expect((await roz.login('crowd@x.test', 'wrong password', { ip: '127.0.0.9' })).status).toBe(401)
  expect((await roz.login('crowd@x.test', 'wrong password', { ip: '127.0.0.9' })).status).toBe(429)
})

describe('sessions', () => {
  test('a missing, malformed or unknown token answers 401', async () => {
    expect(await codeOf('GET /auth/me', undefined)).toBe('401 unauthenticated')
    expect(await codeOf('GET /auth/me', 'short')).toBe('401 unauthenticated')
    expect(await codeOf('GET /auth/me', 'a'.repeat(43))).toBe('401 unauthenticated')
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
    expect(await codeOf('GET /auth/me', first.token)).toBe('401 unauthenticated')
    expect(await codeOf('GET /auth/me', second)).toBe('200')
  })

  test('a member stays signed in for 30 days after the last use', async () => {
    const { token } = await roz.register('slide@x.test')
    await roz.pass(29 * DAY)
    expect(await codeOf('GET /auth/me', token)).toBe('200')
    await roz.pass(29 * DAY)
    expect(await codeOf('GET /auth/me', token)).toBe('200')
    await roz.pass(30 * DAY + 1)
    expect(await codeOf('GET /auth/me', token)).toBe('401 unauthenticated')
  })

  test('a session slides at most once a minute, whatever comes at once', async () => {
    const { token } = await roz.register('writes@x.test')
    const written = async () =>
      (
        await one<{ at: Date; v: string }>(
          roz.db,
          sql`select last_used_at as at, xmin::text as v from session where token_hash = sha256(${token}::text::bytea)`,
        )
      ).v
    const before = await written()
    await Promise.all(Array.from({ length: 10 }, () => codeOf('GET /auth/me', token)))
    expect(await written()).toBe(before)
    await roz.pass(61)
    await Promise.all(Array.from({ length: 10 }, () => codeOf('GET /auth/me', token)))
    const after = await written()
    expect(after).not.toBe(before)
    await codeOf('GET /auth/me', token)
    expect(await written()).toBe(after)
  })

  test('what has ended is swept away', async () => {
    const { token } = await roz.register('swept@x.test')
    await roz.pass(31 * DAY)
    await roz.runJobs()
    expect(await roz.db.query(sql`select 1 from session where token_hash = sha256(${token}::text::bytea)`)).toEqual([])
    expect(await roz.db.query(sql`select 1 from throttle where last_at < roz_now() - interval '3 hours'`)).toEqual([])
  })
})

describe('the administrator’s door', () => {
  const adminLogin = (email: string, password: string, ip = '198.51.100.7') =>
    roz.ask('POST /admin/login', { body: { email, password }, ip })

  test('opens for staff and answers an owner without a wallet', async () => {
    const answer = await adminLogin('owner@x.test', OWNER.password)
    expect(answer.status).toBe(200)
    expect(answer.body.user).toMatchObject({ role: 'admin', staffRole: 'owner', wallet: { balance: 0 }, emailVerified: true })
    expect(await roz.db.query(sql`select 1 from wallet join member on id = member_id where role = 'admin'`)).toEqual([])
  })

  test('a member with the right password and a wrong password get the same 401', async () => {
    await roz.register('plain@x.test')
    const right = await adminLogin('plain@x.test', PASSWORD)
    const wrong = await adminLogin('owner@x.test', 'wrong password')
    const unknown = await adminLogin('nobody@x.test', PASSWORD)
    for (const answer of [right, wrong, unknown]) {
      expect([answer.status, answer.text]).toEqual([401, '{"code":"invalid_credentials","message":"Invalid email or password"}'])
    }
  })

  test('its token opens /auth/me and /auth/logout and no member call', async () => {
    const { token } = (await adminLogin('owner@x.test', OWNER.password)).body
    expect(await codeOf('GET /auth/me', token)).toBe('200')
    for (const call of [
      'GET /user/me',
      'PUT /user',
      'POST /user/avatar',
      'POST /user/password',
      'GET /notifications',
      'GET /wallet/transactions',
    ]) {
      expect(await codeOf(call, token)).toBe('403 forbidden')
    }
    expect(await codeOf('POST /auth/logout', token)).toBe('204')
    expect(await codeOf('GET /auth/me', token)).toBe('401 unauthenticated')
  })

  test('an administrator’s account signed in as a member opens no admin call', async () => {
    const { token } = (await roz.login('owner@x.test', OWNER.password)).body
    expect(await codeOf('GET /admin/stats', token)).toBe('403 forbidden')
    const member = await roz.register('noadmin@x.test')
    expect(await codeOf('GET /admin/stats', member.token)).toBe('403 forbidden')
  })

  test('ends after 15 idle minutes, and after 12 hours in any case', async () => {
    const idle = (await adminLogin('owner@x.test', OWNER.password)).body.token
    await roz.pass(30)
    expect(await codeOf('GET /auth/me', idle)).toBe('200')
    await roz.pass(14 * 60 + 50)
    expect(await codeOf('GET /auth/me', idle)).toBe('200')
    await roz.pass(15 * 60 + 1)
    expect(await codeOf('GET /auth/me', idle)).toBe('401 unauthenticated')

    const busy = (await adminLogin('owner@x.test', OWNER.password)).body.token
    for (let minutes = 0; minutes < 12 * 60 - 10; minutes += 10) {
      expect(await codeOf('GET /auth/me', busy)).toBe('200')
      await roz.pass(600)
    }
    expect(await codeOf('GET /auth/me', busy)).toBe('200')
    await roz.pass(600)
    expect(await codeOf('GET /auth/me', busy)).toBe('401 unauthenticated')
  })

  test('a token of somebody who is no longer staff opens nothing', async () => {
    await ensureAdmin(roz.db, { email: 'former@x.test', password: 'former password' })
    const { token } = (await adminLogin('former@x.test', 'former password')).body
    expect(await codeOf('GET /auth/me', token)).toBe('200')
    await roz.db.query(sql`update member set role = 'member', staff_role = null where email = 'former@x.test'`)
    expect(await codeOf('GET /auth/me', token)).toBe('401 unauthenticated')
  })

  test('each sign-in of staff stands in the audit log', async () => {
    await adminLogin('owner@x.test', OWNER.password)
    const rows = await roz.db.query<{ action: string }>(sql`
      select action from audit_log a join member m on a.subject = 'member:' || m.id where lower(m.email) = 'owner@x.test' order by a.id`)
    expect(rows[0]?.action).toBe('staff.create')
    expect(rows.at(-1)?.action).toBe('staff.sign_in')
  })
})

describe('the first administrator', () => {
  test('is made once; a password made for them is answered once and works', async () => {
    const made = await ensureAdmin(roz.db, { email: 'first@x.test', password: undefined })
    expect(made.isNew).toBe(true)
    expect(made.madePassword).toMatch(/^[a-z2-9-]{16,}$/)
    const answer = await roz.ask('POST /admin/login', { body: { email: 'first@x.test', password: made.madePassword } })
    expect(answer.body.user.staffRole).toBe('owner')
    expect(await ensureAdmin(roz.db, { email: 'FIRST@x.test', password: 'another password' })).toEqual({
      isNew: false,
      madePassword: undefined,
    })
    expect((await roz.ask('POST /admin/login', { body: { email: 'first@x.test', password: 'another password' } })).status).toBe(401)
  })

  test('two starts at once make one, and one of them shows the password', async () => {
    const both = await Promise.all([1, 2].map(() => ensureAdmin(roz.db, { email: 'two@x.test', password: undefined })))
    expect(both.filter((made) => made.isNew && made.madePassword !== undefined)).toHaveLength(1)
    expect(both.filter((made) => !made.isNew && made.madePassword === undefined)).toHaveLength(1)
  })

  test('staff of another role becomes an owner; a member’s account is refused in words', async () => {
    await ensureAdmin(roz.db, { email: 'editor@x.test', password: 'editor password' })
    await roz.db.query(sql`update member set staff_role = 'editor' where email = 'editor@x.test'`)
    await ensureAdmin(roz.db, { email: 'editor@x.test', password: undefined })
    expect(await one(roz.db, sql`select staff_role from member where email = 'editor@x.test'`)).toEqual({ staff_role: 'owner' })
    await roz.register('mere@x.test')
    await expect(ensureAdmin(roz.db, { email: 'mere@x.test', password: undefined })).rejects.toThrow(AdminAddressError)
  })
})

describe('a forgotten password', () => {
  const forgot = (email: string) => roz.ask('POST /auth/forgot-password', { body: { email } })
  const reset = (token: string, password: string) => roz.ask('POST /auth/reset-password', { body: { token, password } })

  test('answers the same for known and unknown addresses, and mails only the known', async () => {
    await roz.register('forgot@x.test')
    const [known, unknown] = await Promise.all([forgot('Forgot@x.test'), forgot('stranger@x.test')])
    expect([known.status, known.text]).toEqual([200, unknown.text])
    expect(known.body.message).toBe('If there is an account with this email, we have sent a link to set a new password.')
    expect((await roz.mailsTo('forgot@x.test')).map((mail) => mail.subject)).toContain('Reset your Roz password')
    expect(await roz.mailsTo('stranger@x.test')).toEqual([])
    expect((await forgot('no address')).body.message).toBe('Please enter a valid email address')
  })

  test('a reset sets the password, ends every session, confirms the mail and tells the member', async () => {
    const person = await roz.register('reset@x.test')
    const other = (await roz.login('reset@x.test', PASSWORD)).body.token
    await forgot('reset@x.test')
    const answer = await reset(await roz.tokenFrom('reset@x.test', '/reset-password'), 'a new password')
    expect([answer.status, answer.body.message]).toEqual([200, 'Your password is changed. Please log in with the new one.'])
    expect(await codeOf('GET /auth/me', person.token)).toBe('401 unauthenticated')
    expect(await codeOf('GET /auth/me', other)).toBe('401 unauthenticated')
    expect((await roz.login('reset@x.test', PASSWORD)).status).toBe(401)
    expect((await roz.login('reset@x.test', 'a new password')).body.user.emailVerified).toBe(true)
    const subjects = (await roz.mailsTo('reset@x.test')).map((mail) => mail.subject)
    expect(subjects).toContain('Your Roz password was changed')
    expect(subjects).toContain('Welcome to Roz')
    const { may } = await one<{ may: boolean }>(
      roz.db,
      sql`select may_move as may from wallet where member_id = ${await roz.memberId(person)}::bigint`,
    )
    expect(may).toBe(true)
  })

  test('its link works for one hour and once', async () => {
    await roz.register('hour@x.test')
    await forgot('hour@x.test')
    const late = await roz.tokenFrom('hour@x.test', '/reset-password')
    await roz.pass(3601)
    const expired = await reset(late, 'a new password')
    expect([expired.status, expired.body]).toEqual([
      400,
      { code: 'reset_token_invalid', message: 'This reset link is invalid or has expired. Please ask for a new one.' },
    ])
    await forgot('hour@x.test')
    const token = await roz.tokenFrom('hour@x.test', '/reset-password')
    expect((await reset(token, 'a new password')).status).toBe(200)
    expect((await reset(token, 'another password')).body.code).toBe('reset_token_invalid')
    expect((await reset('unknown', 'another password')).body.code).toBe('reset_token_invalid')
    expect((await roz.login('hour@x.test', 'a new password')).status).toBe(200)
  })

  test('sent twice at once it works once, and other links that were sent end with it', async () => {
    await roz.register('once@x.test')
    await forgot('once@x.test')
    const older = await roz.tokenFrom('once@x.test', '/reset-password')
    await forgot('once@x.test')
    const token = await roz.tokenFrom('once@x.test', '/reset-password')
    const passwords = Array.from({ length: 6 }, (_, i) => `password number ${i}`)
    const answers = await Promise.all(passwords.map((password) => reset(token, password)))
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400, 400, 400, 400, 400])
    const winner = passwords[answers.findIndex((answer) => answer.status === 200)] as string
    expect((await roz.login('once@x.test', winner)).status).toBe(200)
    expect((await reset(older, 'yet another one')).status).toBe(400)
  })

  test('a password judged before a reset opens nothing after it', async () => {
    await roz.register('raced@x.test')
    await forgot('raced@x.test')
    const token = await roz.tokenFrom('raced@x.test', '/reset-password')
    const [, ...logins] = await Promise.all([
      reset(token, 'a new password'),
      ...Array.from({ length: 10 }, () => roz.login('raced@x.test', PASSWORD)),
    ])
    // Each sign-in came before the reset, which then ended its session, or after it and was refused.
    for (const login of logins) {
      expect([200, 401]).toContain(login.status)
      if (login.status === 200) expect(await codeOf('GET /auth/me', login.body.token)).toBe('401 unauthenticated')
    }
  })

  test('a verification token sets no password', async () => {
    await roz.register('noset@x.test')
    const token = await roz.tokenFrom('noset@x.test', '/verify-email')
    expect((await reset(token, 'a new password')).body.code).toBe('reset_token_invalid')
  })
})

describe('changing the password', () => {
  const change = (token: string, currentPassword: string, newPassword: string) =>
    roz.ask('POST /user/password', { token, body: { currentPassword, newPassword } })

  test('ends all sessions and answers with a new one, and is mailed', async () => {
    const person = await roz.register('change@x.test')
    const other = (await roz.login('change@x.test', PASSWORD)).body.token
    const answer = await change(person.token, PASSWORD, 'a new password')
    expect(answer.status).toBe(200)
    expect(await codeOf('GET /auth/me', person.token)).toBe('401 unauthenticated')
    expect(await codeOf('GET /auth/me', other)).toBe('401 unauthenticated')
    expect(await codeOf('GET /user/me', answer.body.token)).toBe('200')
    expect((await roz.mailsTo('change@x.test')).map((mail) => mail.subject)).toContain('Your Roz password was changed')
  })

  test('a wrong password answers 403 wrong_password, never 401, and ends nothing', async () => {
    const { token } = await roz.register('wrong@x.test')
    const answer = await change(token, 'not it', 'a new password')
    expect([answer.status, answer.body]).toEqual([403, { code: 'wrong_password', message: 'That password is not correct.' }])
    expect(await codeOf('GET /auth/me', token)).toBe('200')
    expect((await change(token, PASSWORD, '12345')).body.message).toBe('Password must be at least 6 characters')
  })

  test('two changes at once from one password: one holds', async () => {
    const { token } = await roz.register('twochange@x.test')
    const answers = await Promise.all([change(token, PASSWORD, 'new password one'), change(token, PASSWORD, 'new password two')])
    expect(answers.map((answer) => answer.status).sort()).not.toEqual([200, 200])
    expect(answers.some((answer) => answer.status === 200)).toBe(true)
  })
})

test('the audit log is append-only, also for its owner', async () => {
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
