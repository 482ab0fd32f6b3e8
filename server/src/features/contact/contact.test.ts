/** The contact form. */
import { expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { usePeople } from '../../testing/people.ts'

const roz = usePeople()

const send = (change: object = {}, headers: Record<string, string> = {}) =>
  roz.ask('POST /contact', { headers, body: { name: 'Asha Verma', email: 'asha@x.test', message: 'Where is my <b>money</b>?', ...change } })

test('a message is acknowledged with a ticket, stored, and mailed to support with the sender as reply address', async () => {
  const answer = await send()
  expect([answer.status, answer.body]).toEqual([201, { ticket: expect.stringMatching(/^ROZ-[0-9A-HJKMNP-TV-Z]{6}$/) }])
  const { ticket } = answer.body
  expect(await roz.db.one(sql`select name, email, message, status from contact_message where ticket = ${ticket}::text`)).toEqual({
    name: 'Asha Verma',
    email: 'asha@x.test',
    message: 'Where is my <b>money</b>?',
    status: 'new',
  })
  const [mail] = await roz.mailsTo('support@roz.example')
  expect(mail?.subject).toBe(`[${ticket}] Message from Asha Verma`)
  expect(mail?.html).toContain('Where is my &lt;b&gt;money&lt;/b&gt;?')
  expect(
    await roz.db.one(sql`select reply_to from caught_mail where recipient = 'support@roz.example' and subject like ${`%${ticket}%`}::text`),
  ).toEqual({
    reply_to: 'asha@x.test',
  })
})

test('the writer gets the ticket by mail, in the language of the page, and no word that the form was given', async () => {
  const { ticket } = (await send({ email: 'ravi@x.test' }, { 'accept-language': 'hi' })).body
  const [mail] = await roz.mailsTo('ravi@x.test')
  expect(mail?.subject).toBe(`[${ticket}] आपका संदेश मिल गया`)
  expect(mail?.text).toContain(`आपके संदेश का नंबर ${ticket} है।`)
  expect(mail?.text).not.toMatch(/Asha|money/)
  await send({ email: 'mala@x.test' })
  expect((await roz.mailsTo('mala@x.test')).map(({ text }) => text)).toEqual([expect.stringContaining('We got your message.')])
})

test('acknowledgements reach one address at most five times a day; every message is stored and mailed to support', async () => {
  const email = 'typed-by-a-stranger@x.test'
  for (let i = 0; i < 7; i++) expect((await send({ email: i % 2 ? email : email.toUpperCase() })).status).toBe(201)
  const received = async () => (await roz.mailsTo(email)).length
  expect(await received()).toBe(5)
  const stored = await roz.db.query<{ ticket: string }>(sql`select ticket from contact_message where lower(email) = ${email}::text`)
  const toSupport = (await roz.mailsTo('support@roz.example')).map(({ subject }) => subject)
  for (const { ticket } of stored) expect(toSupport).toContain(`[${ticket}] Message from Asha Verma`)
  expect(stored).toHaveLength(7)
  await roz.pass(86_400)
  await send({ email })
  expect(await received()).toBe(6)
})

test('line breaks in a name do not break the subject line', async () => {
  const { ticket } = (await send({ name: 'Asha\r\nBcc: other@x.test' })).body
  const mails = await roz.mailsTo('support@roz.example')
  expect(mails[0]?.subject).toBe(`[${ticket}] Message from Asha Bcc: other@x.test`)
})

test.each([
  ['name, address and message are required', { message: undefined }, 'Please fill in all fields'],
  ['a name has at least 2 characters', { name: 'A' }, 'Name must be 2 to 100 characters'],
  ['a malformed address is refused', { email: 'nowhere' }, 'Please enter a valid email address'],
  ['a message has at least 10 characters', { message: 'too short' }, 'Message must be 10 to 4,000 characters'],
  ['a message has at most 4,000 characters', { message: 'x'.repeat(4001) }, 'Message must be 10 to 4,000 characters'],
])('%s', async (_rule, change, message) => {
  const answer = await send(change)
  expect([answer.status, answer.body.message]).toEqual([400, message])
})

test('a message is deleted after two years', async () => {
  const { ticket } = (await send({ email: 'old@x.test' })).body
  await roz.pass(2 * 366 * 86_400)
  await roz.runJobs()
  expect(await roz.db.query(sql`select 1 from contact_message where ticket = ${ticket}::text`)).toEqual([])
})
