/** "This was not me": the mails that contain its link, and the effects of the link. */
import { randomUUID } from 'node:crypto'
import { paise } from '@roz/core/money.ts'
import { describe, expect, test } from 'vitest'
import { createCatcher } from '../../adapters/mail/catcher.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { mailAlert } from '../../mail/safety-mails.ts'
import { hashPassword } from '../../members/passwords.ts'
import { makeMember, makeStaff, testSecrets } from '../../testing/calls.ts'
import { PASSWORD, type Person, usePeople } from '../../testing/people.ts'
import { addStaff, openPortal, STAFF_PASSWORD } from '../../testing/staff.ts'
import { useServicesWorld, type ServicesWorld } from '../../testing/services-world.ts'
import { BANK } from '../../testing/wallet-world.ts'
import { addMoney } from '../../ledger/testing/fixtures.ts'

const DONE =
  'All devices are logged out, the old password no longer works, and the link with Google is removed. Withdrawals and refunds are stopped until we have checked your account. You need a new password: we have sent you an email with a link to choose one.'

describe('the link', () => {
  const roz = usePeople()

  const press = (token: string) => roz.ask('POST /auth/not-me', { body: { token } })
  const isIn = async (token: string): Promise<boolean> => (await roz.ask('GET /auth/me', { token })).status === 200
  async function confirmed(email: string): Promise<Person> {
    const person = await roz.register(email)
    await roz.ask(`GET /auth/verify-email?token=${await roz.tokenFrom(email, '/verify-email')}`)
    return person
  }
  const heldAbout = async (person: Person) =>
    (
      await roz.db.one<{ about: string | null }>(
        sql`select held_about as about from member where id = ${await roz.memberId(person)}::bigint`,
      )
    ).about
  const loginElsewhere = (email: string) => roz.login(email, PASSWORD, { ip: '198.51.100.7', userAgent: 'another browser' })
  const subjects = async (email: string) => (await roz.mailsTo(email)).map((mail) => mail.subject)

  test('a login from an unknown device is mailed once, in the member’s language', async () => {
    await confirmed('device@x.test')
    await roz.login('device@x.test', PASSWORD)
    expect(await subjects('device@x.test')).not.toContain('New login to your Roz account')
    await roz.db.query(sql`update member set language = 'hi' where email = 'device@x.test'`)
    await loginElsewhere('device@x.test')
    await loginElsewhere('device@x.test')
    const mails = (await roz.mailsTo('device@x.test')).filter((mail) => mail.links.some((link) => link.includes('/not-me?token=')))
    expect(mails.map((mail) => mail.subject)).toEqual(['Roz खाते में नया लॉग इन'])
    expect(mails[0]?.text).toMatch(/\d\d:\d\d बजे/)
    expect(mails[0]?.text).toContain('support@roz.example')
  })

  test('a new phone number is mailed: the team calls it before it releases money. The same number again is no change', async () => {
    const { token } = await confirmed('called@x.test')
    const setPhone = (phone: string) => roz.ask('PUT /user', { token, body: { phone } })
    for (const phone of ['9876543210', '9123456789', '9123456789']) expect((await setPhone(phone)).status).toBe(200)
    const [mail, ...others] = (await roz.mailsTo('called@x.test')).filter(({ subject }) => subject.includes('phone number'))
    expect([mail?.subject, others]).toEqual(['Your Roz phone number was changed', []])
    expect(mail?.text).toContain('ends in 6789')
    expect(mail?.text).not.toContain('9123456789')
    expect((await press(await roz.tokenFrom('called@x.test', '/not-me'))).status).toBe(200)
    expect(await roz.db.one(sql`select held_about as about from member where email = 'called@x.test'`)).toEqual({ about: 'phone_changed' })
  })

  const ANDROID = 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36'
  test.each([
    ['browser and system', ANDROID, 'Chrome on Android', 'Android पर Chrome'],
    ['only the browser', 'Firefox/142.0', 'Firefox', 'Firefox'],
    ['only the system', 'a reader for Linux', 'Linux', 'Linux'],
    ['no device when the user agent names none, and never its own text', 'Free money at evil.example', 'unknown', 'पता नहीं चला'],
  ])('the mail about a new login names %s', async (_, userAgent, english, hindi) => {
    for (const [language, line] of [
      ['en', `Device: ${english}`],
      ['hi', `डिवाइस: ${hindi}`],
    ] as const) {
      const email = `${crypto.randomUUID()}@x.test`
      await confirmed(email)
      await roz.db.query(sql`update member set language = ${language}::text where email = ${email}::text`)
      await roz.login(email, PASSWORD, { ip: '198.51.100.9', userAgent })
      const mail = (await roz.mailsTo(email)).find((one) => one.links.some((link) => link.includes('/not-me?token=')))
      expect(mail?.text.split('\n')).toContain(line)
    }
  })

  test('a press tells why also where the staff holds the account already', async () => {
    const person = await confirmed('held@x.test')
    await loginElsewhere('held@x.test')
    await roz.db.query(sql`update member set held_at = '2026-01-02', held_about = 'staff' where email = 'held@x.test'`)
    expect((await press(await roz.tokenFrom('held@x.test', '/not-me'))).status).toBe(200)
    expect(await heldAbout(person)).toBe('new_device')
    const { since } = await roz.db.one<{ since: string }>(sql`select held_at::date::text as since from member where email = 'held@x.test'`)
    expect(since).toBe('2026-01-02')
  })

  test('one press ends sessions, password, Google and links, holds withdrawals and mails a link for a new password', async () => {
    const person = await confirmed('taken@x.test')
    const thief = (await loginElsewhere('taken@x.test')).body.token
    await roz.db.query(sql`update member set google_sub = 'a thief’s' where email = 'taken@x.test'`)
    await roz.ask('POST /auth/forgot-password', { body: { email: 'taken@x.test' } })
    const asked = await roz.tokenFrom('taken@x.test', '/reset-password')
    const answer = await press(await roz.tokenFrom('taken@x.test', '/not-me'))
    expect([answer.status, answer.body]).toEqual([200, { message: DONE }])
    expect([await isIn(person.token), await isIn(thief)]).toEqual([false, false])
    expect((await roz.login('taken@x.test', PASSWORD)).status).toBe(401)
    expect(await heldAbout(person)).toBe('new_device')
    const row = await roz.db.one(sql`select google_sub as sub, password_hash as hash from member where email = 'taken@x.test'`)
    expect(row).toEqual({ sub: null, hash: null })
    const reset = (token: string) => roz.ask('POST /auth/reset-password', { body: { token, password: 'a new password' } })
    expect((await reset(asked)).body.code).toBe('reset_token_invalid')
    expect((await reset(await roz.tokenFrom('taken@x.test', '/reset-password'))).status).toBe(200)
    expect((await roz.login('taken@x.test', 'a new password')).status).toBe(200)
  })

  test('a second press, at once or later, or of an earlier mail’s link, answers the same and changes nothing', async () => {
    const person = await confirmed('again@x.test')
    await loginElsewhere('again@x.test')
    const older = await roz.tokenFrom('again@x.test', '/not-me')
    const body = { currentPassword: PASSWORD, newPassword: 'a new password' }
    const changed = await roz.ask('POST /user/password', { token: person.token, body })
    expect(changed.status).toBe(200)
    const newer = await roz.tokenFrom('again@x.test', '/not-me')
    expect(newer).not.toBe(older)
    const answers = await Promise.all(Array.from({ length: 5 }, () => press(newer)))
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200])
    expect((await subjects('again@x.test')).filter((subject) => subject.includes('is secured'))).toHaveLength(1)
    expect(await heldAbout(person)).toBe('password_changed')
    const token = await roz.tokenFrom('again@x.test', '/reset-password')
    await roz.ask('POST /auth/reset-password', { body: { token, password: 'the owner’s own' } })
    const mine = (await roz.login('again@x.test', 'the owner’s own')).body.token
    for (const link of [older, newer]) expect((await press(link)).body).toEqual({ message: DONE })
    expect(await isIn(mine)).toBe(true)
    // A later mail's link works: the new password may be a thief's.
    expect((await press(await roz.tokenFrom('again@x.test', '/not-me'))).status).toBe(200)
    expect(await isIn(mine)).toBe(false)
  })

  test.each([
    [
      'en',
      'Your Roz account is secured: choose a new password',
      [
        /^On \d{1,2} \w+ \d{4} at \d\d:\d\d IST, someone pressed the button/m,
        /old password no longer works/,
        /Withdrawals and refunds are stopped/,
      ],
    ],
    ['hi', 'आपका Roz खाता सुरक्षित है: नया पासवर्ड चुनें', [/\d\d:\d\d बजे/, /पुराना पासवर्ड/, /निकासी और रिफ़ंड रुके रहेंगे/]],
  ] as const)(
    'the mail after it says in %s what was ended, when, and that a new password must be set',
    async (language, subject, words) => {
      const email = `secured-${language}@x.test`
      await confirmed(email)
      await roz.db.query(sql`update member set language = ${language}::text where email = ${email}::text`)
      await loginElsewhere(email)
      await press(await roz.tokenFrom(email, '/not-me'))
      const [mail] = await roz.mailsTo(email)
      expect(mail?.subject).toBe(subject)
      for (const word of words) expect(mail?.text).toMatch(word)
      expect(mail?.text).not.toMatch(/stays as it is|ignore this email|अनदेखा/)
      expect(mail?.links.some((link) => link.includes('/reset-password?token='))).toBe(true)
    },
  )

  test('the link lasts seven days; opening it, another kind of link or an unknown one does nothing', async () => {
    const person = await confirmed('late@x.test')
    await loginElsewhere('late@x.test')
    const token = await roz.tokenFrom('late@x.test', '/not-me')
    expect((await roz.ask(`GET /auth/not-me?token=${token}`)).status).toBe(405)
    const refused = [
      400,
      {
        code: 'alert_link_invalid',
        message: 'This link is invalid or has expired. If something is wrong with your account, set a new password and contact us.',
      },
    ]
    for (const wrong of ['nothing', 'a\0b', await roz.tokenFrom('late@x.test', '/verify-email')]) {
      const answer = await press(wrong)
      expect([answer.status, answer.body]).toEqual(refused)
    }
    expect(await roz.db.query(sql`select 1 from mail_token t where t::text like ${`%${token}%`}::text`)).toEqual([])
    expect(await isIn(person.token)).toBe(true)
    await roz.pass(7 * 86_400 + 1)
    const late = await press(token)
    expect([late.status, late.body]).toEqual(refused)
    expect(await heldAbout(person)).toBeNull()
  })

  test('an administrator’s sessions end too, and no money is held', async () => {
    await roz.db.query(sql`
      insert into member (name, email, role, staff_role, email_verified_at, password_hash)
      values ('Owner', 'staff@x.test', 'admin', 'owner', roz_now(), ${await hashPassword(PASSWORD)}::text)`)
    const body = { email: 'staff@x.test', password: PASSWORD }
    const admin = await roz.ask('POST /admin/login', { ip: '198.51.100.9', body })
    expect(admin.status).toBe(200)
    expect((await press(await roz.tokenFrom('staff@x.test', '/not-me'))).status).toBe(200)
    expect(await isIn(admin.body.token)).toBe(false)
    const row = await roz.db.one(
      sql`select held_at, (select action from audit_log order by id desc limit 1) from member where email = 'staff@x.test'`,
    )
    expect(row).toEqual({ held_at: null, action: 'staff.not_me' })
  })

  test('an owner’s press ends the invitations that a thief has sent: none of them makes an owner of somebody else', async () => {
    await roz.db.query(sql`
      insert into member (name, email, role, staff_role, email_verified_at, password_hash)
      values ('Owner', 'robbed@x.test', 'admin', 'owner', roz_now(), ${await hashPassword(PASSWORD)}::text)`)
    const thief = (await roz.ask('POST /admin/login', { ip: '198.51.100.9', body: { email: 'robbed@x.test', password: PASSWORD } })).body
    const invited = { name: 'A Friend', email: 'friend@x.test', role: 'owner' }
    expect((await roz.ask('POST /admin/staff', { token: thief.token, body: invited })).status).toBe(201)
    const invitation = await roz.tokenFrom('friend@x.test', '/admin/invitation')
    expect((await press(await roz.tokenFrom('robbed@x.test', '/not-me'))).status).toBe(200)
    const accepted = await roz.ask('POST /admin/invitations/accept', {
      body: { token: invitation, password: 'a long password of a friend' },
    })
    expect([accepted.status, accepted.body.code]).toEqual([400, 'invitation_invalid'])
  })

  test('a change of an owner that a thief has asked for with another owner’s account is asked no more', async () => {
    const [asha, binu, third] = await Promise.all(['asha', 'binu', 'third'].map((name) => addStaff(roz, `${name}@x.test`, 'owner')))
    const remove = async (by: string) => {
      const token = await openPortal(roz, by)
      return (await roz.ask(`POST /admin/staff/${third?.publicId}/remove`, { token, body: { reason: 'He has left us.' } })).body.staff
    }
    expect((await remove(asha?.email ?? '')).asked).toHaveLength(1)
    await roz.ask('POST /admin/login', { ip: '198.51.100.9', body: { email: asha?.email, password: STAFF_PASSWORD } })
    expect((await press(await roz.tokenFrom('asha@x.test', '/not-me'))).status).toBe(200)
    expect(await remove(binu?.email ?? '')).toMatchObject({ asked: [{ by: 'Meera Nair' }], removedAt: null })
  })
})

describe('the hold', () => {
  const world = useServicesWorld()

  const ask = (...given: Parameters<ServicesWorld['calls']['ask']>) => world.calls.ask(...given)
  async function funded(): Promise<{ id: bigint; email: string; publicId: string; orderId: string }> {
    const { db } = world.database
    const id = await makeMember(db)
    const orderId = await addMoney(db, id, paise(3000n))
    const row = await db.one<{ email: string; publicId: string }>(
      sql`select email, public_id as "publicId" from member where id = ${id}::bigint`,
    )
    return { id, orderId, ...row }
  }
  const withdraw = (as: bigint) => ask('POST /wallet/withdraw', { as, body: { amount: 10, bankDetail: BANK } })
  async function linksTo(email: string): Promise<{ subject: string; token: string }[]> {
    await world.services.worker.runDue()
    const mails = await createCatcher(world.database.db).listCaught(email)
    return mails.flatMap(({ subject, links }) =>
      links.filter((link) => link.includes('/not-me?')).map((link) => ({ subject, token: new URL(link).searchParams.get('token') ?? '' })),
    )
  }

  test('a ticket key that a thief has read or set serves no later day, and the tickets of today keep it', async () => {
    const { id, email } = await funded()
    const stolen = 'ab'.repeat(32)
    const keyOn = async (query: string) => (await ask(`GET /user/ticket-key${query}`, { as: id })).body
    expect((await ask('PUT /user/ticket-key', { as: id, body: { ticketKey: stolen } })).status).toBe(200)
    expect((await ask('POST /rounds/join', { as: id, body: {} })).status).toBe(200)
    expect((await ask('PUT /user/ticket-key', { as: id, body: { ticketKey: 'cd'.repeat(32) } })).status).toBe(200)
    await withdraw(id)
    expect((await ask('POST /auth/not-me', { body: { token: (await linksTo(email))[0]?.token } })).status).toBe(200)
    expect(await keyOn('')).toEqual({ key: stolen, custodial: false })
    const later = await keyOn('?day=2030-01-01')
    expect(later.custodial).toBe(true)
    expect([stolen, 'cd'.repeat(32)]).not.toContain(later.key)
  })

  test('a first approval of a thief ends with the press of its staff member, whose own next one counts', async () => {
    const { db } = world.database
    const [robbed, other] = [await makeStaff(db, 'finance'), await makeStaff(db, 'finance')]
    const member = await makeMember(db)
    await addMoney(db, member, paise(200_000n))
    const { withdrawal } = (await ask('POST /wallet/withdraw', { as: member, body: { amount: 1500, bankDetail: BANK } })).body
    const approve = async (as: bigint, seen: string): Promise<string> =>
      (await ask(`POST /admin/withdrawals/${withdrawal.id}/approve`, { as, body: { status: seen } })).body.withdrawal.status
    expect(await approve(robbed, 'requested')).toBe('awaiting_second')
    await inTransaction(db, (tx) =>
      mailAlert(tx, testSecrets, {
        memberId: robbed,
        template: 'new_device',
        key: 'new_device:thief',
        data: { day: '2026-01-02', time: '03:04', browser: '', system: '' },
      }),
    )
    const { email } = await db.one<{ email: string }>(sql`select email from member where id = ${robbed}::bigint`)
    expect((await ask('POST /auth/not-me', { body: { token: (await linksTo(email))[0]?.token } })).status).toBe(200)
    expect(await approve(other, 'requested')).toBe('awaiting_second')
    expect(await approve(robbed, 'awaiting_second')).toBe('approved')
  })

  test('a held member’s withdrawal and refund wait until an administrator has released the member', async () => {
    const { id, email, publicId, orderId } = await funded()
    const { withdrawal } = (await withdraw(id)).body
    const [link, ...more] = await linksTo(email)
    expect([link?.subject, more]).toEqual(['Withdrawal of ₹10.00 to a new bank account requested', []])
    expect((await ask('POST /auth/not-me', { body: { token: link?.token } })).status).toBe(200)
    const { refund } = (await ask('POST /wallet/refunds', { as: id, body: { order_id: orderId, amount: 5, reason: 'I added it twice.' } }))
      .body

    const [finance, support, editor] = [
      await makeStaff(world.database.db, 'finance'),
      await makeStaff(world.database.db, 'support'),
      await makeStaff(world.database.db, 'editor'),
    ]
    const approve = async (): Promise<string[]> => {
      const answers = [
        await ask(`POST /admin/withdrawals/${withdrawal.id}/approve`, { as: finance, body: { status: 'requested' } }),
        await ask(`POST /admin/refunds/${refund.id}/approve`, { as: finance, body: { status: 'requested' } }),
      ]
      return answers.map(({ status, body }) => (status === 200 ? 'approved' : body.code))
    }
    expect(await approve()).toEqual(['member_on_hold', 'member_on_hold'])
    const listed = async () =>
      (await ask('GET /admin/users', { as: finance })).body.users.find((user: { id: string }) => user.id === publicId)
    expect((await listed()).hold).toEqual({ at: expect.stringMatching(/\+05:30$/), about: 'new_bank_account', seen: expect.any(String) })
    // Everything else continues.
    expect((await ask('POST /rounds/join', { as: id, body: {} })).status).toBe(200)

    const release = (as: bigint, body: object = { reason: 'Spoke to her by phone.' }, isStale = false) =>
      ask(`POST /admin/users/${publicId}/release`, { as, isStale, body })
    expect((await release(editor)).body.code).toBe('forbidden')
    expect((await release(support, undefined, true)).body.code).toBe('step_up_required')
    expect((await release(support, {})).status).toBe(400)
    const answers = await Promise.all([release(support), release(finance)])
    expect(answers.map(({ status, body }) => (status === 200 ? 'released' : body.code)).sort()).toEqual(['not_held', 'released'])
    const log = await world.database.db.query<{ before: object; after: object }>(
      sql`select before, after from audit_log where action = 'member.release' and subject = ${`member:${id}`}::text`,
    )
    expect(log).toEqual([
      {
        before: { heldAt: expect.any(String), heldAbout: 'new_bank_account', suspendedAt: null },
        after: { reason: 'Spoke to her by phone.' },
      },
    ])
    expect((await listed()).hold).toBeNull()
    expect(await approve()).toEqual(['approved', 'approved'])
    for (const nobody of ['nobody', randomUUID()])
      expect((await ask(`POST /admin/users/${nobody}/release`, { as: finance, body: { reason: 'Why not.' } })).status).toBe(404)
  })
})
