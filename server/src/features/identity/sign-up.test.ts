/** Registering, confirming the address, and sending its mail again. */
import { describe, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { PASSWORD, usePeople } from '../../testing/people.ts'

const roz = usePeople()

const form = (email: string, change: object = {}) => ({ name: 'Asha Verma', email, phone: '9876543210', password: PASSWORD, ...change })

describe('registering', () => {
  test('answers 201 with a token and the user, who is not verified yet', async () => {
    const answer = await roz.ask('POST /auth/register', { body: form('new@x.test'), language: 'hi' })
    expect(answer.status).toBe(201)
    expect(answer.body.user).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Asha Verma',
      email: 'new@x.test',
      phone: '9876543210',
      avatar: null,
      wallet: { balance: 0, owed: 0 },
      autoParticipate: false,
      passOn: false,
      reminder: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+\+05:30$/),
      role: 'member',
      emailVerified: false,
      publicName: 'initial',
      language: 'hi',
      staffRole: null,
    })
    expect((await roz.ask('GET /auth/me', { token: answer.body.token })).body.user.email).toBe('new@x.test')
  })

  test('opens a wallet whose money may not move, and records the terms with their time', async () => {
    await roz.register('terms@x.test')
    const row = await roz.db.one(sql`select terms_version, terms_accepted_at = created_at as at_once, may_move, balance
          from member join wallet on member_id = id where email = 'terms@x.test'`)
    expect(row).toMatchObject({ terms_version: '2025-08-09', may_move: false, balance: 0n })
  })

  test.each([
    ['all fields are required', {}, 'Please fill in all fields'],
    ['a name has at least 2 characters', form('a@x.test', { name: ' A ' }), 'Name must be 2 to 100 characters'],
    ['a malformed address is refused', form('no address'), 'Please enter a valid email address'],
    ...(['name', 'email', 'phone', 'password'] as const).flatMap((field): [string, object, string][] => [
      [`${field} may not be missing`, form('a@x.test', { [field]: undefined }), 'Please fill in all fields'],
      [`${field} may not be empty`, form('a@x.test', { [field]: '' }), 'Please fill in all fields'],
    ]),
    ['a missing field is reported before a wrong one', form('a@x.test', { name: 'A', phone: undefined }), 'Please fill in all fields'],
    ['a name consists of letters', form('a@x.test', { name: 'Win ₹900 now!' }), "Name can contain only letters, spaces and . ' -"],
    [
      'a name is not a web address',
      form('a@x.test', { name: 'Asha visit evil.example' }),
      'Name must not look like a web address. Please put a space after each dot.',
    ],
    [
      'a common password is refused',
      form('a@x.test', { password: 'Password1' }),
      'This password is among the 10,000 most used ones, which are tried first. Please choose another.',
    ],
    ['a phone starts with 6 to 9', form('a@x.test', { phone: '5876543210' }), 'Please enter a valid 10-digit mobile number'],
    ['a password has at least 6 characters', form('a@x.test', { password: '12345' }), 'Password must be at least 6 characters'],
    ['a password has at most 128 characters', form('a@x.test', { password: 'x'.repeat(129) }), 'Password must be at most 128 characters'],
    ['unknown fields are refused', form('a@x.test', { role: 'admin' }), 'This field is not known.'],
    ['a NUL is refused', form('a@x.test', { password: 'correct\0 horse' }), 'This value has the wrong type.'],
  ])('%s', async (_rule, body, message) => {
    const answer = await roz.ask('POST /auth/register', { body })
    expect([answer.status, answer.body.code, answer.body.message]).toEqual([400, 'invalid_input', message])
    expect(await roz.db.query(sql`select 1 from member where email = 'a@x.test'`)).toEqual([])
  })

  test('with a taken address, in any case, answers 409', async () => {
    await roz.register('taken@x.test')
    const answer = await roz.ask('POST /auth/register', { body: form('Taken@X.test') })
    expect([answer.status, answer.body]).toEqual([409, { code: 'email_taken', message: 'An account with this email already exists.' }])
    const hindi = await roz.ask('POST /auth/register', { body: form('taken@x.test'), language: 'hi-IN,hi' })
    expect(hindi.body.message).toBe('इस ईमेल से एक खाता पहले से है।')
  })

  test('stores the domain of an address in ASCII; a login and a forgotten password find the account by the address as typed', async () => {
    const [typed, stored] = ['Ajay@डाटा.भारत', 'Ajay@xn--c2bd1gb.xn--h2brj9c'] as const
    const answer = await roz.ask('POST /auth/register', { body: form(typed) })
    expect([answer.status, answer.body.user.email]).toEqual([201, stored])
    for (const again of [typed, stored.toUpperCase()])
      expect((await roz.ask('POST /auth/register', { body: form(again) })).body.code).toBe('email_taken')
    for (const given of [typed, stored]) expect((await roz.login(given, PASSWORD)).body.user.email).toBe(stored)
    await roz.ask('POST /auth/forgot-password', { body: { email: typed } })
    expect((await roz.mailsTo(stored)).map(({ subject }) => subject)).toContain('Reset your Roz password')
  })

  test('makes one account for many simultaneous registrations of an address', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => roz.ask('POST /auth/register', { body: form(i % 2 ? 'race@x.test' : 'RACE@x.test') })),
    )
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, ...Array.from({ length: 11 }, () => 409)])
    const { n } = await roz.db.one<{ n: number }>(
      sql`select count(*)::int as n from member m join wallet w on w.member_id = m.id where lower(email) = 'race@x.test'`,
    )
    expect(n).toBe(1)
    expect(await roz.mailsTo('race@x.test')).toHaveLength(1)
  })

  test('stores the password as Argon2id with 19 MiB, two passes and one lane', async () => {
    await roz.register('hash@x.test')
    const { hash } = await roz.db.one<{ hash: string }>(sql`select password_hash as hash from member where email = 'hash@x.test'`)
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  })
})

describe('the verification mail', () => {
  test('has the language of the registration, and an absolute link to the requested host', async () => {
    await roz.register('mail@x.test')
    await roz.register('hindi@x.test', { language: 'hi' })
    const [mail] = await roz.mailsTo('MAIL@x.test')
    expect(mail?.subject).toBe('Verify your email for Roz')
    expect(mail?.links).toEqual([expect.stringMatching(new RegExp(`^${roz.url}/verify-email\\?token=[\\w-]{43}$`))])
    expect((await roz.mailsTo('hindi@x.test'))[0]?.subject).toBe('Roz के लिए अपने ईमेल की पुष्टि करें')
  })

  test('does not contain the registered name until the address is confirmed', async () => {
    const { token } = await roz.register('stranger@x.test', { name: 'Call Now For Money' })
    await roz.ask('POST /auth/resend-verification', { token })
    await roz.ask('POST /auth/forgot-password', { body: { email: 'stranger@x.test' } })
    const body = { currentPassword: PASSWORD, newPassword: 'quite another one' }
    expect((await roz.ask('POST /user/password', { token, body })).status).toBe(200)
    const mails = await roz.mailsTo('stranger@x.test')
    expect(mails.map((mail) => mail.subject).sort()).toEqual([
      'Reset your Roz password',
      'Verify your email for Roz',
      'Verify your email for Roz',
    ])
    for (const mail of mails) {
      expect(mail.subject + mail.text + mail.html).not.toContain('Call Now')
      expect(mail.text).toMatch(/^Hello,\n/)
    }
    await roz.ask(`GET /auth/verify-email?token=${await roz.tokenFrom('stranger@x.test', '/verify-email')}`)
    expect((await roz.mailsTo('stranger@x.test'))[0]?.text).toContain('Hello Call Now For Money,')
  })

  test('shows a name older than the rule of names as it was written, escaped once', async () => {
    const person = await roz.register('older@x.test')
    // The confirmation is sent: jobs that are due together run in any order.
    await roz.runJobs()
    const name = 'Tom & <b>Jerry</b>'
    await roz.db.query(
      sql`update member set name = ${name}::text, email_verified_at = roz_now() where id = ${await roz.memberId(person)}::bigint`,
    )
    expect((await roz.ask('PUT /user', { token: person.token, body: { autoParticipate: true } })).body.user.name).toBe(name)
    await roz.ask('POST /auth/forgot-password', { body: { email: 'older@x.test' } })
    const [mail] = await roz.mailsTo('older@x.test')
    expect(mail?.text).toContain('Hello Tom & <b>Jerry</b>,')
    expect(mail?.html).toContain('Hello Tom &amp; &lt;b&gt;Jerry&lt;/b&gt;,')
    expect(mail?.html).not.toContain('<b>')
  })

  test('has a token that no table stores in the clear, not even the job', async () => {
    await roz.register('secret@x.test')
    const token = await roz.tokenFrom('secret@x.test', '/verify-email')
    const rows = await roz.db.query(sql`
      select 1 from job where payload::text like ${`%${token}%`}::text union all select 1 from mail_token t where t::text like ${`%${token}%`}::text`)
    expect(rows).toEqual([])
  })
})

describe('confirming an address', () => {
  test('answers plain text and lets the member’s money move', async () => {
    const person = await roz.register('verify@x.test')
    const token = await roz.tokenFrom('verify@x.test', '/verify-email')
    const answer = await roz.ask(`GET /auth/verify-email?token=${token}`)
    expect([answer.status, answer.headers.get('content-type'), answer.text]).toEqual([
      200,
      'text/plain; charset=utf-8',
      'Your email is verified. You can log in now.',
    ])
    expect((await roz.ask('GET /user/me', { token: person.token })).body.user.emailVerified).toBe(true)
    const { may } = await roz.db.one<{ may: boolean }>(
      sql`select may_move as may from wallet where member_id = ${await roz.memberId(person)}::bigint`,
    )
    expect(may).toBe(true)
  })

  test('works again for 24 hours, then answers 400 that the link has expired', async () => {
    await roz.register('again@x.test')
    const token = await roz.tokenFrom('again@x.test', '/verify-email')
    const both = await Promise.all([roz.ask(`GET /auth/verify-email?token=${token}`), roz.ask(`GET /auth/verify-email?token=${token}`)])
    expect(both.map((answer) => answer.status)).toEqual([200, 200])
    expect((await roz.mailsTo('again@x.test')).map((mail) => mail.subject)).toEqual(['Welcome to Roz', 'Verify your email for Roz'])
    await roz.pass(23 * 3600)
    expect((await roz.ask(`GET /auth/verify-email?token=${token}`)).status).toBe(200)
    await roz.pass(3600)
    const late = await roz.ask(`GET /auth/verify-email?token=${token}`)
    expect([late.status, late.text]).toEqual([400, 'This verification link has expired. Please request a new one.'])
  })

  test.each(['', '?token=', '?token=unknown', '?token[]=x', `?token=${'a'.repeat(43)}`, '?token=%00', '?token=a%00b&token=c'])(
    'with a missing or unknown token answers 400: %s',
    async (query) => {
      const answer = await roz.ask(`GET /auth/verify-email${query}`)
      expect([answer.status, answer.headers.get('content-type'), answer.text]).toEqual([
        400,
        'text/plain; charset=utf-8',
        'Invalid or missing verification token',
      ])
    },
  )

  test('with a token followed by a NUL is refused as unknown', async () => {
    await roz.register('nul@x.test')
    const token = await roz.tokenFrom('nul@x.test', '/verify-email')
    expect((await roz.ask(`GET /auth/verify-email?token=${token}%00`)).text).toBe('Invalid or missing verification token')
  })

  test('is refused as plain text in the language asked for, and as JSON when Accept names no text', async () => {
    const accept = 'application/json, text/plain, */*'
    expect((await roz.ask('GET /auth/verify-email', { language: 'hi' })).text).toBe('पुष्टि का लिंक अधूरा है या सही नहीं है')
    expect((await roz.ask('GET /auth/verify-email', { headers: { accept } })).text).toBe('Invalid or missing verification token')
    const { body } = await roz.ask('GET /auth/verify-email', { headers: { accept: 'application/json' } })
    expect(body).toEqual({ code: 'verification_token_invalid', message: 'Invalid or missing verification token' })
  })

  test('with two tokens in the query uses the first', async () => {
    await roz.register('twice@x.test')
    const token = await roz.tokenFrom('twice@x.test', '/verify-email')
    expect((await roz.ask(`GET /auth/verify-email?token=${token}&token=x`)).status).toBe(200)
  })

  test('with a reset token is refused', async () => {
    await roz.register('cross@x.test')
    await roz.ask('POST /auth/forgot-password', { body: { email: 'cross@x.test' } })
    const token = await roz.tokenFrom('cross@x.test', '/reset-password')
    expect((await roz.ask(`GET /auth/verify-email?token=${token}`)).text).toBe('Invalid or missing verification token')
  })

  test('does not let the money of a suspended member move', async () => {
    const person = await roz.register('held@x.test')
    const id = await roz.memberId(person)
    await roz.db.query(sql`update member set suspended_at = roz_now() where id = ${id}::bigint`)
    await roz.ask(`GET /auth/verify-email?token=${await roz.tokenFrom('held@x.test', '/verify-email')}`)
    const { may } = await roz.db.one<{ may: boolean }>(sql`select may_move as may from wallet where member_id = ${id}::bigint`)
    expect(may).toBe(false)
  })
})

describe('sending the verification mail again', () => {
  test('is possible at once, then once a minute with Retry-After', async () => {
    const { token } = await roz.register('resend@x.test')
    const first = await roz.ask('POST /auth/resend-verification', { token })
    expect([first.status, first.body.message]).toEqual([200, 'We have sent the verification email again. Please check your inbox.'])
    await roz.pass(20)
    const early = await roz.ask('POST /auth/resend-verification', { token })
    expect([early.status, early.body.code, early.body.message]).toEqual([
      429,
      'too_many_requests',
      'Too many attempts. Please wait a little and try again.',
    ])
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThan(35)
    expect(Number(early.headers.get('retry-after'))).toBeLessThanOrEqual(40)
    await roz.pass(40)
    expect((await roz.ask('POST /auth/resend-verification', { token })).status).toBe(200)
    expect(await roz.mailsTo('resend@x.test')).toHaveLength(3)
  })

  test('reaches one address at most five times a day', async () => {
    const { token } = await roz.register('daily@x.test')
    const resend = () => roz.ask('POST /auth/resend-verification', { token })
    for (let i = 0; i < 5; i++) {
      expect((await resend()).status).toBe(200)
      await roz.pass(61)
    }
    const sixth = await resend()
    expect([sixth.status, sixth.body.code]).toEqual([429, 'too_many_requests'])
    expect(Number(sixth.headers.get('retry-after'))).toBeGreaterThan(23 * 3600)
    await roz.runJobs()
    await roz.pass(23 * 3600)
    await roz.runJobs()
    expect((await resend()).status).toBe(429)
    await roz.pass(3600)
    expect((await resend()).status).toBe(200)
  })

  test('sends one mail for several requests at once', async () => {
    const { token } = await roz.register('resend2@x.test')
    const answers = await Promise.all([1, 2, 3].map(() => roz.ask('POST /auth/resend-verification', { token })))
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 429, 429])
    expect(await roz.mailsTo('resend2@x.test')).toHaveLength(2)
  })

  test('every link that was sent works, and a confirmed address gets no other', async () => {
    const { token } = await roz.register('links@x.test')
    const oldest = await roz.tokenFrom('links@x.test', '/verify-email')
    await roz.ask('POST /auth/resend-verification', { token })
    const newest = await roz.tokenFrom('links@x.test', '/verify-email')
    expect(newest).not.toBe(oldest)
    expect((await roz.ask(`GET /auth/verify-email?token=${oldest}`)).status).toBe(200)
    expect((await roz.ask(`GET /auth/verify-email?token=${newest}`)).status).toBe(200)
    const done = await roz.ask('POST /auth/resend-verification', { token })
    expect([done.status, done.body.code]).toEqual([409, 'already_verified'])
  })
})

test('the log contains no password, token or address', () => {
  const log = roz.logLines.join('')
  expect(log.length).toBeGreaterThan(1000)
  for (const secret of [PASSWORD, 'Bearer', '@x.test', 'argon2id', '9876543210', 'token=', 'अ', 'Asha']) expect(log).not.toContain(secret)
})

test('two confirmed addresses of a mailbox are flagged to staff and refuse nobody; an unconfirmed address is not flagged', async () => {
  const used = async () => (await roz.db.one<{ n: number }>(sql`select count(*)::int as n from signal_use where kind = 'mailbox'`)).n
  const before = await used()
  for (const email of ['one.box@gmail.com', 'onebox+2@googlemail.com']) {
    expect((await roz.register(email)).email).toBe(email)
    await roz.login(email, PASSWORD)
  }
  expect(await used()).toBe(before)
  for (const email of ['one.box@gmail.com', 'onebox+2@googlemail.com'])
    await roz.ask(`GET /auth/verify-email?token=${await roz.tokenFrom(email, '/verify-email')}`)
  expect(await used()).toBe(before + 2)
  expect(await roz.db.one(sql`select members, is_shared as shared from signal where kind = 'mailbox' order by id desc limit 1`)).toEqual({
    members: 2,
    shared: true,
  })
})

test('an address without a dot in its domain is refused', async () => {
  const answer = await roz.ask('POST /auth/register', {
    body: { name: 'Asha Verma', email: 'asha@x', phone: '9876543210', password: PASSWORD },
  })
  expect([answer.status, answer.body.fields]).toEqual([400, { email: 'Please enter a valid email address' }])
})
