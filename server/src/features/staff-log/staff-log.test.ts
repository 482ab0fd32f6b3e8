/** The search in the staff log. */
import { beforeAll, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { logStaff } from '../../staff/staff-log.ts'
import { type Asked, makeMember, makeStaff, useCalls, publicIdOf } from '../../testing/calls.ts'
import { useTestDatabase } from '../../testing/database.ts'
import { createStaffLog } from './staff-log.ts'

const PHONE = 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.0.0 Mobile Safari/537.36'
const database = useTestDatabase()
const calls = useCalls(database, (db) => createStaffLog({ db }).handlers)
let owner: bigint
let editor: bigint
let member: bigint

beforeAll(async () => {
  const { db } = database
  owner = await makeStaff(db)
  editor = await makeStaff(db, 'editor')
  member = await makeMember(db, { name: 'Asha Verma' })
  const write = (at: string, entry: Parameters<typeof logStaff>[1]) =>
    database.setClock(new Date(at)).then(() => inTransaction(db, (tx) => logStaff(tx, entry)))
  const from = { ip: '::ffff:203.0.113.9', userAgent: PHONE }
  await write('2026-11-20T23:59:00+05:30', {
    actorId: editor,
    action: 'story.edit',
    subject: 'story:17',
    before: { a: 1 },
    after: { a: 2 },
    from,
  })
  await write('2026-11-21T00:01:00+05:30', {
    actorId: owner,
    action: 'member.release',
    subject: `member:${member}`,
    after: { reason: 'Called.' },
  })
  await db.query(sql`
    insert into audit_log (at, actor_id, action, subject)
    select '2026-11-21T12:00:00+05:30', ${owner}::bigint, 'story.edit', 'story:' || n from generate_series(0, 2) n order by n`)
  await write('2026-11-22T00:00:00+05:30', { actorId: undefined, action: 'books.cover', subject: 'day:2026-11-21', from })
})

const search = async (query: Record<string, string> = {}, asked: Asked = { as: owner }) =>
  (await calls.ask(`GET /admin/audit?${new URLSearchParams(query).toString()}`, asked)).body
const subjects = async (query: Record<string, string>): Promise<string[]> =>
  (await search(query)).audit.map(({ subject }: { subject: string }) => subject)

test('an entry shows actor, values and where it came from; the system and its jobs have no origin', async () => {
  const { audit: entries, actions } = await search()
  expect(entries.at(-1)).toMatchObject({
    actor: { name: 'Staff' },
    action: 'story.edit',
    subject: 'story:17',
    subjectName: null,
    before: { a: 1 },
    after: { a: 2 },
    from: { address: '203.0.113.9', browser: 'Chrome', system: 'Android' },
  })
  expect(entries[0]).toMatchObject({ actor: null, action: 'books.cover', from: null, before: null, after: null })
  expect(actions).toEqual(['books.cover', 'member.release', 'story.edit'])
})

test('entries are found by actor, action, subject, address and days, alone and together', async () => {
  expect(await subjects({ actor: await publicIdOf(database.db, editor) })).toEqual(['story:17'])
  expect(await subjects({ actor: 'system' })).toEqual(['day:2026-11-21'])
  expect(await subjects({ actor: 'nobody' })).toEqual([])
  expect(await subjects({ action: 'story.edit' })).toEqual(['story:2', 'story:1', 'story:0', 'story:17'])
  expect(await subjects({ subject: ' story:1 ' })).toEqual(['story:1'])
  const { email } = await database.db.one<{ email: string }>(sql`select email from member where id = ${member}::bigint`)
  expect((await search({ subject: email.toUpperCase() })).audit).toMatchObject([{ subject: `member:${member}`, subjectName: 'Asha Verma' }])
  expect(await subjects({ subject: 'nobody@x.test' })).toEqual([])
  expect(await subjects({ from: '2026-11-21', to: '2026-11-21' })).toEqual(['story:2', 'story:1', 'story:0', `member:${member}`])
  expect(await subjects({ to: '2026-11-20' })).toEqual(['story:17'])
  expect(await subjects({ action: 'story.edit', from: '2026-11-21', actor: await publicIdOf(database.db, editor) })).toEqual([])
})

test('pages follow each other without a gap or a repeat, also within one instant', async () => {
  const seen: string[] = []
  let cursor: string | null = null
  do {
    const page: { audit: { id: string }[]; nextCursor: string | null } = await search({
      limit: '1',
      ...(cursor === null ? {} : { cursor }),
    })
    seen.push(...page.audit.map(({ id }) => id))
    cursor = page.nextCursor
  } while (cursor !== null)
  expect(seen).toEqual((await search()).audit.map(({ id }: { id: string }) => id))
  expect(new Set(seen).size).toBe(6)
})

test('a payment is found with its request and its decision, also one from when they had two subjects', async () => {
  const logged = [
    ['platform_out.ask', 'outlay:0a1b'],
    ['entry.approve', 'entry:0a1b'],
    ['disbursement.ask', 'outlay:2c3d'],
    ['disbursement.reject', 'disbursement:2c3d'],
    ['disbursement.ask', 'outlay:4e5f'],
  ] as const
  for (const [action, subject] of logged) await inTransaction(database.db, (tx) => logStaff(tx, { actorId: owner, action, subject }))
  const found = async (subject: string) => (await subjects({ subject })).sort()
  for (const subject of ['outlay:0a1b', 'entry:0a1b']) expect(await found(subject)).toEqual(['entry:0a1b', 'outlay:0a1b'])
  for (const subject of ['outlay:2c3d', 'disbursement:2c3d']) expect(await found(subject)).toEqual(['disbursement:2c3d', 'outlay:2c3d'])
})

test('a day that does not exist and an altered cursor are refused', async () => {
  expect((await search({ from: '2026-02-30' })).fields).toEqual({ from: 'A day is written YYYY-MM-DD' })
  expect((await search({ cursor: 'x' })).code).toBe('invalid_input')
})

test('the table has the same entries and filters, defuses formulas, and records who fetched it', async () => {
  await database.setClock(new Date('2026-11-23T12:00:00+05:30'))
  await inTransaction(database.db, (tx) =>
    logStaff(tx, { actorId: owner, action: 'story.edit', subject: '=1+1', after: { title: 'a "b", c' } }),
  )
  const fetched = await calls.ask('GET /admin/audit.csv?action=story.edit&from=2026-11-23', { as: owner })
  expect(fetched.headers.get('content-type')).toContain('text/csv')
  expect(fetched.text.replace('\ufeff', '').split('\r\n')).toEqual([
    'at,actor,action,subject,subjectName,before,after,address,browser,system',
    expect.stringMatching(/^2026-11-23T12:00:0\d(\.\d+)?\+05:30,Staff,story.edit,'=1\+1,,,"\{""title"":""a \\""b\\"", c""\}",,,$/),
    '',
  ])
  expect((await search()).audit[0]).toMatchObject({ action: 'audit.export', after: { action: 'story.edit', from: '2026-11-23' } })
  expect((await calls.ask('GET /admin/audit.csv?from=2026-02-30', { as: owner })).status).toBe(400)
  // The day after the last day of a four-digit year.
  expect((await calls.ask('GET /admin/audit?from=0001-01-01&to=9999-12-31', { as: owner })).status).toBe(200)
  expect((await calls.ask('GET /admin/audit?to=0000-01-01', { as: owner })).status).toBeLessThan(500)
})
