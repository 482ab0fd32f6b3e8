/** Tests that nobody floods a mailbox: an address has one allowance, for any cause of mails and any state of its account. */
import { describe, expect, test } from 'vitest'
import { sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { enqueue } from '../jobs/queue.ts'
import { LOGINS_MAX } from '../protection/limits.ts'
import { makeMember } from '../testing/calls.ts'
import { PASSWORD, type Person, usePeople } from '../testing/people.ts'
import { KIND_MAX, MONEY_MAX, STRANGERS_MAX } from './allowance.ts'
import { mailMember } from './mails.ts'

const roz = usePeople()

const subjects = async (email: string) => (await roz.mailsTo(email)).map(({ subject }) => subject)
const times = async (count: number, work: (n: number) => Promise<unknown>) => {
  for (let n = 0; n < count; n++) await work(n)
}
const confirmed = async (email: string): Promise<Person> => {
  const person = await roz.register(email)
  await roz.ask(`GET /auth/verify-email?token=${await roz.tokenFrom(email, '/verify-email')}`)
  return person
}
const rowsOf = (person: Person, table: 'session' | 'known_browser' | 'mail_token') =>
  roz.memberId(person).then((id) => {
    const from = { session: sql`session`, known_browser: sql`known_browser`, mail_token: sql`mail_token` }[table]
    return roz.db.one<{ count: number }>(sql`select count(*)::int as count from ${from} where member_id = ${id}::bigint`)
  })
const elsewhere = (n: number) => ({ ip: `198.51.${Math.floor(n / 200)}.${n % 200}`, userAgent: `browser ${n}` })

describe('an address that nobody confirmed', () => {
  test('gets no mail about 25 logins from 25 browsers or about 12 new passwords, and no link is made for them', async () => {
    const person = await roz.register('victim@x.test')
    await times(25, (n) => roz.login('victim@x.test', PASSWORD, elsewhere(n)))
    let { token } = (await roz.login('victim@x.test', PASSWORD)).body
    let currentPassword = PASSWORD
    await times(12, async (n) => {
      const newPassword = `another password ${n}`
      const answer = await roz.ask('POST /user/password', { token, body: { currentPassword, newPassword } })
      expect(answer.status).toBe(200)
      ;[token, currentPassword] = [answer.body.token, newPassword]
    })
    expect(await subjects('victim@x.test')).toEqual(['Verify your email for Roz'])
    expect(await rowsOf(person, 'mail_token')).toEqual({ count: 1 })
  })

  test('shares one allowance among links, acknowledgements and the accounts that were deleted in between', async () => {
    await times(4, async () => {
      const { token } = await roz.register('again@x.test')
      expect((await roz.ask('DELETE /user', { token })).status).toBe(404)
      await roz.db.query(sql`update member set email = null, deleted_at = roz_now() where email = 'again@x.test'`)
    })
    await roz.register('again@x.test')
    await times(4, () => roz.ask('POST /auth/forgot-password', { body: { email: 'again@x.test' } }))
    await times(4, () => roz.ask('POST /contact', { body: { name: 'Somebody', email: 'again@x.test', message: 'A long enough message.' } }))
    expect(await subjects('again@x.test')).toHaveLength(STRANGERS_MAX)
    await roz.pass(86_400)
    await roz.ask('POST /auth/forgot-password', { body: { email: 'again@x.test' } })
    expect(await subjects('again@x.test')).toHaveLength(STRANGERS_MAX + 1)
  })

  test('shares it with the mails about requests for help, asked and withdrawn', async () => {
    const data = { name: '', origin: '', number: 'K7Q2' }
    for (const template of ['help_asked', 'help_withdrawn'] as const)
      await times(KIND_MAX, (n) =>
        inTransaction(roz.db, (tx) =>
          enqueue(tx, {
            kind: 'mail',
            key: `${template}:${n}`,
            payload: { to: 'needy@x.test', template, language: 'en', data },
          }),
        ),
      )
    expect(await subjects('needy@x.test')).toHaveLength(STRANGERS_MAX)
  })

  test('is one mailbox with its tags, and at Gmail with its dots', async () => {
    const addresses = ['flood@gmail.com', 'f.lood@gmail.com', 'flood+1@gmail.com', 'FLOOD+2@googlemail.com', 'fl.o.od@gmail.com']
    for (const email of [...addresses, 'flo.od@gmail.com', 'floo.d@gmail.com', 'flood+9@gmail.com']) await roz.register(email)
    const sent = await Promise.all([...addresses, 'flo.od@gmail.com', 'floo.d@gmail.com', 'flood+9@gmail.com'].map(subjects))
    expect(sent.flat()).toHaveLength(KIND_MAX)
  })
})

describe('a confirmed address', () => {
  test('gets five mails of a kind, then a mail that more happened, with the button “This wasn’t me”', async () => {
    const person = await confirmed('many@x.test')
    await times(12, (n) => roz.login('many@x.test', PASSWORD, elsewhere(n)))
    const news = await subjects('many@x.test')
    expect(news.filter((subject) => subject === 'New login to your Roz account')).toHaveLength(KIND_MAX)
    expect(news.filter((subject) => subject === 'More happened in your Roz account today')).toHaveLength(1)
    // Ten links of a kind, one of the summary, and the link that confirmed the address.
    expect(await rowsOf(person, 'mail_token')).toEqual({ count: 12 })
    // Another kind still has its own mails.
    const { token } = (await roz.login('many@x.test', PASSWORD)).body
    await roz.ask('POST /user/password', { token, body: { currentPassword: PASSWORD, newPassword: 'another password' } })
    expect(await subjects('many@x.test')).toContain('Your Roz password was changed')
    // Every link works, the one of the summary too.
    const summary = (await roz.mailsTo('many@x.test')).find(({ subject }) => subject.startsWith('More happened'))
    const link = new URL(summary?.links.find((one) => one.includes('/not-me?token=')) ?? '')
    expect((await roz.ask('POST /auth/not-me', { body: { token: link.searchParams.get('token') } })).status).toBe(200)
    expect(await subjects('many@x.test')).toContain('Your Roz account is secured: choose a new password')
  })

  test('loses no mail about money: the thirty-first of a kind waits for the next day', async () => {
    const id = await makeMember(roz.db)
    const { email } = await roz.db.one<{ email: string }>(sql`select email from member where id = ${id}::bigint`)
    const add = (n: number) =>
      inTransaction(roz.db, (tx) =>
        mailMember(tx, {
          memberId: id,
          template: 'money_added',
          key: `money_added:${id}:${n}`,
          data: { amount: '₹10.00', orderId: `o${n}` },
        }),
      )
    await times(MONEY_MAX + 2, add)
    expect(await subjects(email)).toHaveLength(MONEY_MAX)
    await roz.pass(86_400)
    expect(await subjects(email)).toHaveLength(MONEY_MAX + 2)
  })

  test('is told nothing of links and acknowledgements that strangers asked for beyond five of a kind', async () => {
    await confirmed('asked@x.test')
    await times(9, () => roz.ask('POST /auth/forgot-password', { body: { email: 'asked@x.test' } }))
    await times(9, () => roz.ask('POST /contact', { body: { name: 'Somebody', email: 'asked@x.test', message: 'A long enough message.' } }))
    const news = await subjects('asked@x.test')
    expect(news.filter((subject) => subject.startsWith('Reset'))).toHaveLength(KIND_MAX)
    expect(news.filter((subject) => subject.includes('We got your message'))).toHaveLength(KIND_MAX)
    expect(news).not.toContain('More happened in your Roz account today')
  })
})

describe('logins of one account', () => {
  test('leave at most 25 sessions and 100 digests of browsers; the oldest session ends, the member’s own browser stays known', async () => {
    const person = await confirmed('busy@x.test')
    let newest = ''
    await times(70, async (n) => {
      const answer = await roz.login('busy@x.test', PASSWORD, elsewhere(n))
      expect(answer.status).toBe(200)
      newest = answer.body.token
      await roz.pass(130)
    })
    expect(await rowsOf(person, 'session')).toEqual({ count: 25 })
    expect(await rowsOf(person, 'known_browser')).toEqual({ count: 100 })
    expect((await roz.ask('GET /auth/me', { token: person.token })).status).toBe(401)
    expect((await roz.ask('GET /auth/me', { token: newest })).status).toBe(200)
    const news = async () => (await subjects('busy@x.test')).length
    const before = await news()
    await roz.pass(86_400)
    await roz.login('busy@x.test', PASSWORD)
    expect(await news()).toBe(before)
    await roz.pass(31 * 86_400)
    await roz.login('busy@x.test', PASSWORD, elsewhere(90))
    await roz.login('busy@x.test', PASSWORD, elsewhere(90))
    expect([await news(), await rowsOf(person, 'known_browser')]).toEqual([before + 1, { count: 100 }])
  })

  test('are a hundred in an hour from new browsers; a known browser still logs in', async () => {
    await confirmed('known@x.test')
    const answers: number[] = []
    for (let from = 0; from < 105; from += 15) {
      const some = Array.from({ length: 15 }, (_, n) => roz.login('known@x.test', PASSWORD, elsewhere(from + n)))
      answers.push(...(await Promise.all(some)).map(({ status }) => status))
    }
    const ofStatus = (status: number) => answers.filter((one) => one === status).length
    expect([ofStatus(200), ofStatus(429)]).toEqual([LOGINS_MAX, 105 - LOGINS_MAX])
    expect((await roz.login('known@x.test', PASSWORD)).status).toBe(200)
    await roz.pass(3600)
    expect((await roz.login('known@x.test', PASSWORD, elsewhere(150))).status).toBe(200)
  })
})
