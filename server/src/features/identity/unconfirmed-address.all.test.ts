/** Correcting a mail address that nobody confirmed. */
import { describe, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { PASSWORD, type Person, usePeople } from '../../testing/people.ts'

const roz = usePeople()

type Change = { readonly currentPassword?: unknown; readonly language?: string; readonly ip?: string }
const change = ({ token }: Pick<Person, 'token'>, email: unknown, { currentPassword = PASSWORD, ...ask }: Change = {}) =>
  roz.ask('POST /user/email', { token, ...ask, body: { email, currentPassword } })
const verify = (token: string) => roz.ask(`GET /auth/verify-email?token=${token}`)
const addressOf = async (person: Person) => (await roz.ask('GET /auth/me', { token: person.token })).body.user.email
const seen = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]

describe('a member who mistyped the address', () => {
  test('corrects it with the password: the new address gets the link, and the account stays unconfirmed until it is opened', async () => {
    const person = await roz.register('asha@wrong.test')
    const answer = await change(person, ' Asha@right.test ')
    expect([answer.status, answer.body.user.email, answer.body.user.emailVerified]).toEqual([200, 'Asha@right.test', false])
    expect(await addressOf(person)).toBe('Asha@right.test')
    expect((await verify(await roz.tokenFrom('asha@right.test', '/verify-email'))).status).toBe(200)
    expect((await roz.login('asha@right.test', PASSWORD)).body.user.emailVerified).toBe(true)
    expect((await roz.login('asha@wrong.test', PASSWORD)).status).toBe(401)
    // The former address is free.
    await roz.register('asha@wrong.test')
  })

  test('leaves the stranger no link: neither the confirmation nor the new password works', async () => {
    const person = await roz.register('stranger@wrong.test')
    const confirmation = await roz.tokenFrom('stranger@wrong.test', '/verify-email')
    await roz.ask('POST /auth/forgot-password', { body: { email: 'stranger@wrong.test' } })
    const reset = await roz.tokenFrom('stranger@wrong.test', '/reset-password')
    expect((await change(person, 'mine@right.test')).status).toBe(200)
    expect((await verify(confirmation)).status).toBe(400)
    const stolen = await roz.ask('POST /auth/reset-password', { body: { token: reset, password: 'a thief was here' } })
    expect(seen(stolen)).toEqual([400, 'reset_token_invalid'])
    expect((await roz.login('mine@right.test', PASSWORD)).body.user.emailVerified).toBe(false)
  })

  test('may ask for the mail again at once', async () => {
    const person = await roz.register('again@wrong.test')
    expect((await roz.ask('POST /auth/resend-verification', { token: person.token })).status).toBe(200)
    await change(person, 'again@right.test')
    expect((await roz.ask('POST /auth/resend-verification', { token: person.token })).status).toBe(200)
    expect(await roz.mailsTo('again@right.test')).toHaveLength(2)
  })
})

describe('a correction is refused', () => {
  test('without the right password, as a wrong login is: a stolen session alone takes no account over', async () => {
    const person = await roz.register('victim@wrong.test')
    for (let i = 0; i < 10; i++)
      expect(seen(await change(person, 'thief@x.test', { currentPassword: 'wrong password' }))).toEqual([403, 'wrong_password'])
    expect(seen(await change(person, 'thief@x.test'))).toEqual([429, 'too_many_requests'])
    expect(seen(await roz.ask('POST /user/email', { token: person.token, body: { email: 'thief@x.test' } }))).toEqual([
      400,
      'invalid_input',
    ])
    expect(seen(await roz.ask('POST /user/email', { body: { email: 'thief@x.test', currentPassword: PASSWORD } }))).toEqual([
      401,
      'unauthenticated',
    ])
    expect(await addressOf(person)).toBe('victim@wrong.test')
    expect(await roz.mailsTo('thief@x.test')).toEqual([])
  })

  test('for a confirmed address, in both languages', async () => {
    const person = await roz.register('confirmed@x.test')
    await verify(await roz.tokenFrom('confirmed@x.test', '/verify-email'))
    const answer = await change(person, 'other@x.test')
    expect([answer.status, answer.body.message]).toEqual([409, 'Your email is already verified.'])
    expect((await change(person, 'other@x.test', { language: 'hi' })).body.message).toMatch(/\p{Script=Devanagari}/u)
    expect(await addressOf(person)).toBe('confirmed@x.test')
  })

  test('for a taken address in any case, 20 times an hour from one network', async () => {
    await Promise.all(['owner@x.test', 'second@x.test'].map((email) => roz.register(email)))
    const people = await Promise.all([0, 1, 2, 3, 4].map((i) => roz.register(`late${i}@wrong.test`)))
    for (const [which, person] of people.entries()) {
      for (let i = 0; i < 5; i++) {
        const answer = await change(person, i % 2 === 0 ? 'OWNER@x.test' : 'second@x.test', { ip: '127.0.0.9' })
        expect(seen(answer)).toEqual(which < 4 ? [409, 'email_taken'] : [429, 'too_many_requests'])
      }
      expect(await addressOf(person)).toBe(person.email)
    }
  })

  test('for no address', async () => {
    const person = await roz.register('form@wrong.test')
    for (const email of ['', 'asha@x', 'no address', 7, null]) expect(seen(await change(person, email))).toEqual([400, 'invalid_input'])
  })

  test('for a suspended or held account, which stays as the staff saw it', async () => {
    const person = await roz.register('evidence@wrong.test')
    const id = await roz.memberId(person)
    await roz.db.query(sql`update member set suspended_at = roz_now() where id = ${id}::bigint`)
    expect(seen(await change(person, 'evidence@right.test'))).toEqual([403, 'on_hold'])
    await roz.db.query(sql`update member set suspended_at = null, held_at = roz_now(), held_about = 'staff' where id = ${id}::bigint`)
    expect(seen(await change(person, 'evidence@right.test'))).toEqual([409, 'account_checked'])
    expect(await addressOf(person)).toBe('evidence@wrong.test')
  })

  test('after five in a day', async () => {
    const person = await roz.register('often@wrong.test')
    for (let i = 0; i < 5; i++) expect((await change(person, `often${i}@right.test`)).status).toBe(200)
    expect(seen(await change(person, 'often5@right.test'))).toEqual([429, 'too_many_requests'])
    await roz.pass(86_400)
    expect((await change(person, 'often5@right.test')).status).toBe(200)
  })
})

test('the mailbox that several accounts name gets no more mails of a day than its allowance', async () => {
  for (const name of ['a', 'b', 'c']) {
    const person = await roz.register(`${name}@cannon.test`)
    for (const email of ['target@x.test', `${name}2@cannon.test`, 'target@x.test', `${name}@cannon.test`])
      expect((await change(person, email)).status).toBe(200)
  }
  expect(await roz.mailsTo('target@x.test')).toHaveLength(5)
})

describe('in the same moment', () => {
  test('of two corrections the later one stands, and only its link works', async () => {
    const person = await roz.register('twice@wrong.test')
    const answers = await Promise.all([change(person, 'one@twice.test'), change(person, 'two@twice.test')])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const stands = await addressOf(person)
    const other = stands === 'one@twice.test' ? 'two@twice.test' : 'one@twice.test'
    expect((await verify(await roz.tokenFrom(other, '/verify-email'))).status).toBe(400)
    expect((await verify(await roz.tokenFrom(stands, '/verify-email'))).status).toBe(200)
  })

  test('a confirmation and a correction: never a confirmed address whose link nobody opened', async () => {
    for (let i = 0; i < 6; i++) {
      const from = `race${i}@wrong.test`
      const person = await roz.register(from)
      const link = await roz.tokenFrom(from, '/verify-email')
      const [confirmed, corrected] = await Promise.all([verify(link), change(person, `race${i}@right.test`)])
      const { email, isConfirmed } = await roz.db.one<{ email: string; isConfirmed: boolean }>(
        sql`select email, email_verified_at is not null as "isConfirmed" from member where id = ${await roz.memberId(person)}::bigint`,
      )
      if (confirmed.status === 200) expect([corrected.body.code, email, isConfirmed]).toEqual(['already_verified', from, true])
      else expect([confirmed.status, corrected.status, email, isConfirmed]).toEqual([400, 200, `race${i}@right.test`, false])
    }
  })

  test('two members and a registration who want one address: one of them gets it', async () => {
    for (let i = 0; i < 4; i++) {
      const [first, second] = [await roz.register(`p${i}@wrong.test`), await roz.register(`q${i}@wrong.test`)]
      const email = `wanted${i}@right.test`
      const body = { name: 'Asha Verma', email, phone: '9876543210', password: PASSWORD }
      const answers = await Promise.all([change(first, email), change(second, email), roz.ask('POST /auth/register', { body })])
      expect(answers.filter(({ status }) => status < 300)).toHaveLength(1)
      expect(answers.filter(({ body: { code } }) => code === 'email_taken')).toHaveLength(2)
      expect(await roz.mailsTo(email)).toHaveLength(1)
    }
  })
})
