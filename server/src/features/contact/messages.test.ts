/** Messages of the contact form in the portal. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { makeMember, makeStaff } from '../../testing/calls.ts'
import { useServicesWorld } from '../../testing/services-world.ts'

const world = useServicesWorld()
let admin: bigint
beforeAll(async () => {
  admin = await makeStaff(world.database.db, 'support')
})
let id: string
let ticket: string
beforeEach(async () => {
  ;({ ticket } = (await write({})).body)
  const row = await world.database.db.one<{ id: bigint }>(sql`select id from contact_message where ticket = ${ticket}::text`)
  id = String(row.id)
})

let writers = 0
const write = (given: object, language = 'en') =>
  world.calls.ask('POST /contact', {
    language,
    body: { name: 'Gita Rao', email: `gita${++writers}@x.test`, message: 'How do I change my number?', ...given },
  })
const ask = (call: string, body?: object) => world.calls.ask(call, { as: admin, ...(body === undefined ? {} : { body }) })
const list = async (query = '') =>
  (await ask(`GET /admin/messages${query}`)).body.messages as { id: string; ticket: string; status: string; seen: string }[]
const reply = (message = 'You change it on your profile page.') => ask(`POST /admin/messages/${id}/reply`, { message })
const jobs = () =>
  world.database.db.query<{ payload: { to: string; language: string; data: { text: string } } }>(
    sql`select payload from job where kind = 'mail' and payload ->> 'template' = 'contact_reply' and payload -> 'data' ->> 'ticket' = ${ticket}::text`,
  )

test('a message arrives as new, and is found by ticket, name and mail', async () => {
  expect((await list())[0]).toMatchObject({ id, ticket, status: 'new', replies: [], memberId: null, language: 'en' })
  expect((await list(`?q=${ticket.toLowerCase()}`)).map((message) => message.ticket)).toEqual([ticket])
  expect((await list(`?q=gita${writers}@`)).map((message) => message.ticket)).toEqual([ticket])
  expect(await list('?q=nobody')).toEqual([])
  expect((await list('?status=new&q=gita r')).length).toBeGreaterThan(0)
  expect(await list('?status=closed')).toEqual([])
  const found = async (query: string) => (await list(query)).map((message) => message.id)
  expect(await found('?status=unanswered&limit=100')).toContain(id)
  await ask(`PUT /admin/messages/${id}`, { status: 'open' })
  expect(await found('?status=unanswered&limit=100')).toContain(id)
  await reply()
  expect(await found('?status=unanswered&limit=100')).not.toContain(id)
  expect((await ask('GET /admin/messages?status=old')).status).toBe(400)
})

test('the list can be read oldest first, page by page', async () => {
  await write({})
  await write({})
  const open = (await list('?status=new&limit=50')).map((message) => message.id)
  const read: string[] = []
  for (let cursor = ''; ; ) {
    const { messages, nextCursor } = (await ask(`GET /admin/messages?status=new&order=oldest&limit=2${cursor}`)).body
    read.push(...messages.map((message: { id: string }) => message.id))
    if (nextCursor === null) break
    cursor = `&cursor=${nextCursor}`
  }
  expect(read.length).toBeGreaterThan(2)
  expect(read).toEqual(open.toReversed())
})

test('a reply is mailed in the language of the writer, kept in the thread, and recorded without its text', async () => {
  const hindi = (await write({ email: 'hindi@x.test' }, 'hi')).body.ticket
  ticket = hindi
  id = (await list(`?q=${hindi}`))[0]?.id ?? ''
  const { status, body } = await reply()
  expect([status, body.message]).toMatchObject([
    200,
    { status: 'answered', replies: [{ text: 'You change it on your profile page.', author: 'Staff' }] },
  ])
  expect(await jobs()).toMatchObject([
    { payload: { to: 'hindi@x.test', language: 'hi', data: { text: 'You change it on your profile page.' } } },
  ])
  await world.services.worker.runDue()
  const [acknowledged, answered] = await world.database.db.query<{
    subject: string
    thread: string
    body: string
    replyTo: string | null
  }>(sql`
    select subject, thread, body_text as body, reply_to as "replyTo" from caught_mail where recipient = 'hindi@x.test' order by subject like 'Re:%'`)
  expect(answered?.subject).toBe(`Re: ${acknowledged?.subject}`)
  expect(answered?.thread).toBe(acknowledged?.thread)
  expect(answered?.thread).toContain(hindi.toLowerCase())
  expect(answered?.body).toContain('You change it on your profile page.')
  expect(answered?.replyTo).not.toBeNull()
  const entry = await world.database.db.one(sql`select action, before, after from audit_log where subject = ${`message:${id}`}::text`)
  expect(entry).toEqual({ action: 'message.reply', before: { status: 'new' }, after: { status: 'answered', reply: expect.any(String) } })
})

test('the same reply sent twice at the same moment, or again, is one reply and one mail', async () => {
  await Promise.all([reply(), reply()])
  await reply()
  expect(await jobs()).toHaveLength(1)
  await reply('And your address under the same heading.')
  expect(await jobs()).toHaveLength(2)
})

test('of two people who answer one message at once the later one is refused, and may answer after another look', async () => {
  const { seen } = (await list(`?q=${ticket}`))[0] ?? {}
  const answer = (message: string, shown = seen) => ask(`POST /admin/messages/${id}/reply`, { message, seen: shown })
  const answers = await Promise.all([answer('You change it on your profile.'), answer('Please call us about it.')])
  expect(answers.map(({ status, body }) => [status, body.code]).toSorted()).toEqual([
    [200, undefined],
    [409, 'changed_since_seen'],
  ])
  expect(await jobs()).toHaveLength(1)
  // The answer to the first one was lost: the same reply again is no other reply.
  const sent = answers[0]?.status === 200 ? 'You change it on your profile.' : 'Please call us about it.'
  expect((await answer(sent)).status).toBe(200)
  expect(await jobs()).toHaveLength(1)
  const now = (await list(`?q=${ticket}`))[0]?.seen
  expect((await answer('Both of us are right.', now)).body.message.replies).toHaveLength(2)
})

test('the status is changed and recorded; setting it again records nothing', async () => {
  const set = (status: string) => ask(`PUT /admin/messages/${id}`, { status })
  expect((await set('closed')).body.message.status).toBe('closed')
  expect((await set('closed')).body.message.status).toBe('closed')
  const entries = await world.database.db.query(sql`select action, after from audit_log where subject = ${`message:${id}`}::text`)
  expect(entries).toEqual([{ action: 'message.status', after: { status: 'closed' } }])
  expect((await reply()).body.message.status).toBe('answered')
})

test('a message of a member leads to the page of the member', async () => {
  const member = await makeMember(world.database.db)
  const { email, publicId } = await world.database.db.one<{ email: string; publicId: string }>(
    sql`select email, public_id as "publicId" from member where id = ${member}::bigint`,
  )
  await write({ email: email.toUpperCase() })
  expect((await list())[0]).toMatchObject({ memberId: publicId })
})

test('the list downloads as a table with its filters, to the roles that read it, and no cell runs as a formula', async () => {
  const written = (await write({ message: '=SUM(A1), please' })).body.ticket
  const table = async (query: string) => (await ask(`GET /admin/messages.csv${query}`)).text.trimEnd().split('\r\n')
  const [head, row, ...rest] = await table(`?status=new&q=${written}`)
  expect(head).toBe('ticket,created,status,name,email,member_id,language,message,replies,last_reply,last_reply_by')
  expect(row).toMatch(new RegExp(`^${written},[^,]+,new,Gita Rao,gita${writers}@x.test,,en,"'=SUM\\(A1\\), please",0,,$`))
  expect(rest).toEqual([])
  await reply()
  expect((await table(`?q=${ticket}`))[1]).toMatch(/,answered,.*,1,[^,]+,Staff$/)
  const editor = await makeStaff(world.database.db, 'editor')
  expect((await world.calls.ask('GET /admin/messages.csv', { as: editor })).body.code).toBe('forbidden')
})

test('a message that is not there, and a reply or status that cannot be, are refused', async () => {
  for (const unknown of ['unknown', '999999']) {
    expect((await ask(`POST /admin/messages/${unknown}/reply`, { message: 'You change it there.' })).body.code).toBe('message_not_found')
    expect((await ask(`PUT /admin/messages/${unknown}`, { status: 'open' })).body.code).toBe('message_not_found')
  }
  expect((await reply('short')).body.fields).toEqual({ message: 'Please write a reply of 10 to 4,000 characters' })
  expect((await ask(`PUT /admin/messages/${id}`, { status: 'lost' })).status).toBe(400)
})

test('pages neither repeat nor skip a message while others arrive', async () => {
  const all = (await list('?limit=100')).map((message) => message.id)
  const seen: string[] = []
  for (let query = '?limit=2'; ; ) {
    const { messages, nextCursor } = (await ask(`GET /admin/messages${query}`)).body
    seen.push(...messages.map((message: { id: string }) => message.id))
    await write({})
    if (nextCursor === null) break
    query = `?limit=2&cursor=${nextCursor}`
  }
  expect(seen).toEqual(all)
})

test('a message is deleted after two years, with its replies', async () => {
  await reply()
  await world.database.db.query(sql`update contact_message set created_at = roz_now() - interval '25 months' where id = ${id}::bigint`)
  await world.database.db.query(sql`delete from contact_message where created_at < roz_now() - interval '2 years'`)
  expect(await world.database.db.query(sql`select 1 from contact_reply where message_id = ${id}::bigint`)).toEqual([])
})
