/** Forgotten and changed passwords. */
import type { IstDay } from '@roz/core/ist-day.ts'
import { describe, expect, test } from 'vitest'
import { connect, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { PASSWORD, usePeople } from '../../testing/people.ts'

const roz = usePeople()

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

  test('writes the same for known and unknown addresses, and looks at no account before it answers', async () => {
    await roz.register('even@x.test')
    const written = () =>
      roz.db.one<{ jobs: number; links: number }>(
        sql`select (select count(*)::int from job) as jobs, (select count(*)::int from mail_token where purpose = 'reset') as links`,
      )
    const owner = connect({ url: roz.database.superUrl, max: 1 })
    for (let i = 0; i < 10; i++) {
      for (const who of ['even', 'nobody'] as const) {
        const before = await written()
        // A request that looked at an account or a link would wait for this lock.
        await inTransaction(owner, async (tx) => {
          await tx.query(sql`lock table member, mail_token in access exclusive mode`)
          expect((await forgot(`${who}@x.test`)).status).toBe(200)
        })
        expect(await written()).toEqual({ jobs: before.jobs + 1, links: before.links })
      }
    }
    await owner.close()
    // Ten answers, and the five mails of a day.
    expect((await roz.mailsTo('even@x.test')).filter((mail) => mail.subject.startsWith('Reset'))).toHaveLength(5)
    expect(await roz.mailsTo('nobody@x.test')).toEqual([])
  })

  test('mails a link to one address at most five times a day, with the same answer', async () => {
    await roz.register('bombed@x.test')
    const mails = async () => (await roz.mailsTo('bombed@x.test')).filter((mail) => mail.subject.startsWith('Reset')).length
    for (let i = 0; i < 7; i++) {
      const { status, body } = await forgot(i % 2 ? 'bombed@x.test' : 'Bombed@x.test')
      expect([status, body.message]).toEqual([200, 'If there is an account with this email, we have sent a link to set a new password.'])
    }
    expect(await mails()).toBe(5)
    await roz.pass(86_400)
    await forgot('bombed@x.test')
    expect(await mails()).toBe(6)
  })

  test('rejects a common password, and the link still works', async () => {
    await roz.register('weak@x.test')
    await forgot('weak@x.test')
    const token = await roz.tokenFrom('weak@x.test', '/reset-password')
    const refused = await reset(token, 'iloveyou')
    expect([refused.status, refused.body.fields]).toEqual([
      400,
      { password: 'This password is among the 10,000 most used ones, which are tried first. Please choose another.' },
    ])
    expect((await reset(token, 'a new password')).status).toBe(200)
  })

  test('treats a token with a NUL as unknown', async () => {
    expect((await reset('a\0b', 'a new password')).body.code).toBe('reset_token_invalid')
  })

  test('a reset sets the password, ends every session, confirms the address and mails the member', async () => {
    const person = await roz.register('reset@x.test')
    const other = (await roz.login('reset@x.test', PASSWORD)).body.token
    await forgot('reset@x.test')
    const answer = await reset(await roz.tokenFrom('reset@x.test', '/reset-password'), 'a new password')
    expect([answer.status, answer.body.message]).toEqual([200, 'Your password is changed. Please log in with the new one.'])
    expect(await roz.codeOf('GET /auth/me', person.token)).toBe('401 unauthenticated')
    expect(await roz.codeOf('GET /auth/me', other)).toBe('401 unauthenticated')
    expect((await roz.login('reset@x.test', PASSWORD)).status).toBe(401)
    expect((await roz.login('reset@x.test', 'a new password')).body.user.emailVerified).toBe(true)
    const subjects = (await roz.mailsTo('reset@x.test')).map((mail) => mail.subject)
    expect(subjects).toContain('Your Roz password was changed')
    expect(subjects).toContain('Welcome to Roz')
    const { may } = await roz.db.one<{ may: boolean }>(
      sql`select may_move as may from wallet where member_id = ${await roz.memberId(person)}::bigint`,
    )
    expect(may).toBe(true)
  })

  test('a reset of an account that nobody confirmed replaces the ticket key: a stranger may have registered the address', async () => {
    const person = await roz.register('hijacked@x.test')
    const id = await roz.memberId(person)
    const stolen = 'ab'.repeat(32)
    await inTransaction(roz.db, (tx) => roz.ticketKeys.change(tx, id, stolen))
    const keyNow = async () => (await roz.ticketKeys.find(roz.db, id, '2030-01-01' as IstDay))?.key
    expect(await keyNow()).toBe(stolen)
    await forgot('hijacked@x.test')
    expect((await reset(await roz.tokenFrom('hijacked@x.test', '/reset-password'), 'the owner’s own')).status).toBe(200)
    const own = await keyNow()
    expect(own).toMatch(/^[0-9a-f]{64}$/)
    expect(own).not.toBe(stolen)
    // Confirmed by now: another reset keeps the key, which may be of the member's own device.
    await forgot('hijacked@x.test')
    expect((await reset(await roz.tokenFrom('hijacked@x.test', '/reset-password'), 'another of the owner')).status).toBe(200)
    expect(await keyNow()).toBe(own)
  })

  test('a reset link works for one hour and once', async () => {
    await roz.register('hour@x.test')
    await forgot('hour@x.test')
    const late = await roz.tokenFrom('hour@x.test', '/reset-password')
    await roz.pass(3601)
    const expired = await reset(late, 'a new password')
    expect([expired.status, expired.body]).toEqual([
      400,
      { code: 'reset_token_invalid', message: 'This reset link is invalid or has expired. Please request a new one.' },
    ])
    await forgot('hour@x.test')
    const token = await roz.tokenFrom('hour@x.test', '/reset-password')
    expect((await reset(token, 'a new password')).status).toBe(200)
    expect((await reset(token, 'another password')).body.code).toBe('reset_token_invalid')
    expect((await reset('unknown', 'another password')).body.code).toBe('reset_token_invalid')
    expect((await roz.login('hour@x.test', 'a new password')).status).toBe(200)
  })

  test('a reset link used several times at once works once, and ends the other links', async () => {
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

  test('a sign-in with the old password during a reset opens no lasting session', async () => {
    await roz.register('raced@x.test')
    await forgot('raced@x.test')
    const token = await roz.tokenFrom('raced@x.test', '/reset-password')
    const [, ...logins] = await Promise.all([
      reset(token, 'a new password'),
      ...Array.from({ length: 10 }, () => roz.login('raced@x.test', PASSWORD)),
    ])
    // A sign-in before the reset lost its session; a sign-in after it was refused.
    for (const login of logins) {
      expect([200, 401]).toContain(login.status)
      if (login.status === 200) expect(await roz.codeOf('GET /auth/me', login.body.token)).toBe('401 unauthenticated')
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

  test('ends all sessions, answers with a new one, and is mailed', async () => {
    const person = await roz.register('change@x.test')
    await roz.ask(`GET /auth/verify-email?token=${await roz.tokenFrom('change@x.test', '/verify-email')}`)
    const other = (await roz.login('change@x.test', PASSWORD)).body.token
    const answer = await change(person.token, PASSWORD, 'a new password')
    expect(answer.status).toBe(200)
    expect(await roz.codeOf('GET /auth/me', person.token)).toBe('401 unauthenticated')
    expect(await roz.codeOf('GET /auth/me', other)).toBe('401 unauthenticated')
    expect(await roz.codeOf('GET /user/me', answer.body.token)).toBe('200')
    expect((await roz.mailsTo('change@x.test')).map((mail) => mail.subject)).toContain('Your Roz password was changed')
  })

  test('ends the reset links that were sent before it', async () => {
    const { token } = await roz.register('oldlink@x.test')
    await roz.ask('POST /auth/forgot-password', { body: { email: 'oldlink@x.test' } })
    const link = await roz.tokenFrom('oldlink@x.test', '/reset-password')
    expect((await change(token, PASSWORD, 'a new password')).status).toBe(200)
    const reset = await roz.ask('POST /auth/reset-password', { body: { token: link, password: 'from the old link' } })
    expect([reset.status, reset.body.code]).toEqual([400, 'reset_token_invalid'])
    expect((await roz.login('oldlink@x.test', 'a new password')).status).toBe(200)
  })

  test('with a wrong password answers 403 wrong_password, never 401, and ends nothing', async () => {
    const { token } = await roz.register('wrong@x.test')
    const answer = await change(token, 'not it', 'a new password')
    expect([answer.status, answer.body]).toEqual([403, { code: 'wrong_password', message: 'That password is not correct.' }])
    expect(await roz.codeOf('GET /auth/me', token)).toBe('200')
    expect((await change(token, PASSWORD, '12345')).body.message).toBe('Password must be at least 6 characters')
    expect((await change(token, PASSWORD, 'QwertyUIOP')).body.fields).toEqual({
      newPassword: 'This password is among the 10,000 most used ones, which are tried first. Please choose another.',
    })
  })

  test('takes effect once when two changes at once start from one password', async () => {
    const { token } = await roz.register('twochange@x.test')
    const answers = await Promise.all([change(token, PASSWORD, 'new password one'), change(token, PASSWORD, 'new password two')])
    expect(answers.map((answer) => answer.status).sort()).not.toEqual([200, 200])
    expect(answers.some((answer) => answer.status === 200)).toBe(true)
  })
})
