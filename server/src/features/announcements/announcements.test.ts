/** Announcements over HTTP: their rules, what members see of them, and what two editors do at once. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { startOfDayMs } from '@roz/core/ist-day.ts'
import { sql } from '../../db/sql.ts'
import { DAY } from '../../ledger/testing/fixtures.ts'
import { makeMember, makeStaff } from '../../testing/calls.ts'
import { useServicesWorld } from '../../testing/services-world.ts'

const HOUR_MS = 3_600_000
/** The clock of the services under test. */
const NOON_MS = startOfDayMs(DAY) + 12 * HOUR_MS
const world = useServicesWorld()
let editor: bigint
let auditor: bigint
let member: bigint
beforeAll(async () => {
  editor = await makeStaff(world.database.db, 'editor')
  auditor = await makeStaff(world.database.db, 'auditor')
  member = await makeMember(world.database.db)
})
beforeEach(async () => {
  for (const { id, version } of [...(await list('?status=running')), ...(await list('?status=planned'))]) await end(id, version)
})

type Shown = { readonly id: string; readonly status: string; readonly version: number; readonly text: { readonly en: string } }
const later = (hours: number): string => new Date(NOON_MS + hours * HOUR_MS).toISOString()
const written = (given: object = {}) => ({
  text: { en: 'Adding money pauses tonight.', hi: 'आज रात पैसे नहीं जोड़े जा सकेंगे।' },
  link: '/wallet',
  startsAt: later(-1),
  endsAt: later(5),
  ...given,
})
const create = (given: object = {}, as = editor) => world.calls.ask('POST /admin/announcements', { as, body: written(given) })
const made = async (given: object = {}): Promise<Shown> => (await create(given)).body.announcement
const change = (id: string, version: number, given: object = {}) =>
  world.calls.ask(`PUT /admin/announcements/${id}`, { as: editor, body: { ...written(given), version } })
const end = (id: string, version: number) => world.calls.ask(`POST /admin/announcements/${id}/end`, { as: editor, body: { version } })
const list = async (query = ''): Promise<Shown[]> =>
  (await world.calls.ask(`GET /admin/announcements${query}`, { as: auditor })).body.announcements
const seen = async () => (await world.calls.ask('GET /auth/me', { as: member })).body.announcements as Shown[]
const entries = (id: string) =>
  world.database.db.query<{ action: string; before: object | null; after: object }>(
    sql`select action, before, after from audit_log where subject = ${`announcement:${id}`}::text order by id`,
  )
/** Moves the time of an announcement, as if hours had passed. */
const pass = (id: string, hours: number) =>
  world.database.db.query(sql`
    update announcement set starts_at = starts_at - ${hours}::int * interval '1 hour', ends_at = ends_at - ${hours}::int * interval '1 hour'
     where id = ${id}::bigint`)

test('a running announcement comes with the record of a member: both texts, the newest start first', async () => {
  expect(await seen()).toEqual([])
  const older = await made({ startsAt: later(-3) })
  const newer = await made({ startsAt: later(-2), link: null, text: { en: '  A new  video\nis out. ', hi: 'नया वीडियो आ गया।' } })
  expect(await seen()).toMatchObject([
    { id: newer.id, text: { en: 'A new video is out.', hi: 'नया वीडियो आ गया।' }, link: null },
    { id: older.id, link: '/wallet' },
  ])
  expect((await world.calls.ask('GET /auth/me', { as: editor })).body.announcements).toEqual([])
})

test('a planned one is seen from its start, and no longer after its end', async () => {
  const { id, status } = await made({ startsAt: later(2), endsAt: later(4) })
  expect([status, await seen()]).toEqual(['planned', []])
  await pass(id, 3)
  expect(await seen()).toMatchObject([{ id }])
  expect(await list('?status=running')).toMatchObject([{ id, status: 'running' }])
  await pass(id, 3)
  expect(await seen()).toEqual([])
  expect((await list('?status=over'))[0]).toMatchObject({ id, status: 'over' })
})

test.each([
  ['text.en', { text: { en: ' ', hi: 'पेमेंट रुके हैं।' } }, 'Please write the text in every language'],
  ['text.hi', { text: { en: 'Payments pause.' } }, 'Please write the text in every language'],
  ['text.hi', { text: { en: 'Payments pause.', hi: 'क'.repeat(201) } }, 'The text must be at most 200 characters'],
  ['endsAt', { startsAt: later(5), endsAt: later(5) }, 'The end must be after the start'],
  ['endsAt', { startsAt: later(-5), endsAt: later(-1) }, 'The end must be in the future'],
  ['startsAt', { startsAt: 'tomorrow' }, 'Please choose a day and a time'],
])('a wrong value of %s is refused beside its field: %#', async (field, given, words) => {
  const { status, body } = await create(given)
  expect([status, body.fields]).toEqual([400, { [field]: words }])
})

test.each([
  'https://evil.example/x',
  '//evil.example',
  '/\\evil.example',
  '/x//evil.example',
  'javascript:alert(1)',
  'wallet',
  '/admin/dashboard',
  '/admin?tab=1',
  '/./admin',
  '/%61dmin',
  '/api/auth/logout',
  '/wallet page',
  `/${'x'.repeat(200)}`,
])('a link to %s is refused', async (link) => {
  expect((await create({ link })).body.fields).toEqual({
    link: 'Please enter a page of this app, such as /wallet. Other sites are not possible.',
  })
})

test('the first year and an offset of 23 hours, which the database does not read, are understood', async () => {
  for (const given of [{ startsAt: '0000-01-01T00:00:00Z' }, { endsAt: '9000-01-01T00:00:00+23:00' }]) {
    const { status, body } = await create(given)
    expect(status).toBe(200)
    expect((await end(body.announcement.id, body.announcement.version)).status).toBe(200)
  }
})

test('a change and an end are in the staff log, with the values before and after', async () => {
  const { id, version } = await made()
  const changed = (await change(id, version, { text: { en: 'It pauses at ten.', hi: 'दस बजे रुकेगा।' } })).body.announcement
  expect(changed).toMatchObject({ id, version: version + 1, status: 'running', text: { en: 'It pauses at ten.' } })
  expect((await end(id, changed.version)).body.announcement).toMatchObject({ status: 'over', endedAt: expect.any(String) })
  expect(await seen()).toEqual([])
  expect(await entries(id)).toMatchObject([
    { action: 'announcement.create', before: null, after: { text: { en: 'Adding money pauses tonight.' }, link: '/wallet' } },
    {
      action: 'announcement.update',
      before: { text: { en: 'Adding money pauses tonight.' } },
      after: { text: { en: 'It pauses at ten.' } },
    },
    { action: 'announcement.end', before: { endedAt: null }, after: { endedAt: expect.any(String) } },
  ])
})

test('a planned announcement that is ended never starts', async () => {
  const { id, version } = await made({ startsAt: later(2), endsAt: later(4) })
  expect((await end(id, version)).body.announcement.status).toBe('over')
  await pass(id, 3)
  expect(await seen()).toEqual([])
})

test('of two changes at the same moment one takes effect, and the other is refused', async () => {
  const { id, version } = await made()
  const texts = ['First.', 'Second.'] as const
  const answers = await Promise.all(texts.map((en) => change(id, version, { text: { en, hi: 'एक।' } })))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  expect(answers.find(({ status }) => status === 409)?.body.code).toBe('changed_since_seen')
  const won = texts[answers.findIndex(({ status }) => status === 200)]
  expect((await seen())[0]?.text.en).toBe(won)
  expect(await entries(id)).toHaveLength(2)
})

test('of a change and an end at the same moment one takes effect, and the other is refused', async () => {
  const { id, version } = await made()
  const answers = await Promise.all([change(id, version), end(id, version)])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  expect(answers.find(({ status }) => status === 409)?.body.code).toBe('changed_since_seen')
})

test('an announcement that is over is neither changed nor ended again, and an unknown one is not found', async () => {
  const { id, version } = await made()
  await pass(id, 6)
  expect((await change(id, version)).body.code).toBe('announcement_over')
  expect((await end(id, version)).body.code).toBe('announcement_over')
  for (const unknown of ['unknown', '999999']) {
    expect((await change(unknown, 1)).body.code).toBe('announcement_not_found')
    expect((await end(unknown, 1)).body.code).toBe('announcement_not_found')
  }
  expect((await change(id, version, { endsAt: later(-1) })).status).toBe(409)
})

test('a change keeps the rules of time', async () => {
  const { id, version } = await made()
  expect((await change(id, version, { endsAt: later(-0.5) })).body.fields).toEqual({ endsAt: 'The end must be in the future' })
  expect((await change(id, version, { startsAt: later(9) })).body.fields).toEqual({ endsAt: 'The end must be after the start' })
  expect(await entries(id)).toHaveLength(1)
})

test('the list is searched by a word of any language', async () => {
  const { id } = await made({ text: { en: 'Diwali greetings from 100% of us.', hi: 'दिवाली की शुभकामनाएँ।' } })
  const found = async (q: string) => (await list(`?${String(new URLSearchParams({ q }))}`)).map((shown) => shown.id)
  for (const q of ['GREETINGS', '100%', 'शुभकामनाएँ']) expect([q, await found(q)]).toEqual([q, [id]])
  // Neither the name of a language nor a wildcard of SQL is a word of the text.
  for (const q of ['"en"', '100_ of', 'wallet']) expect([q, await found(q)]).toEqual([q, []])
})

test('the list downloads as a table with its filters, to every role of the staff', async () => {
  const { id } = await made({ text: { en: '=Table, please', hi: 'तालिका' }, startsAt: later(1) })
  const table = async (query: string) =>
    (await world.calls.ask(`GET /admin/announcements.csv${query}`, { as: auditor })).text.trimEnd().split('\r\n')
  const head = 'id,status,starts,ends,ended,link,text_en,text_hi'
  const row = expect.stringMatching(new RegExp(`^${id},planned,[^,]+,[^,]+,,/wallet,"'=Table, please",तालिका$`))
  expect(await table('?status=planned&q=table')).toEqual([head, row])
  expect(await table('?status=running&q=table')).toEqual([head])
  expect((await world.calls.ask('GET /admin/announcements.csv', { as: member })).body.code).toBe('forbidden')
})

test('pages neither repeat nor skip an announcement while others are made', async () => {
  for (let count = 0; count < 3; count++) await made()
  const all = (await list('?limit=100')).map(({ id }) => id)
  const found: string[] = []
  for (let query = '?limit=2'; ; ) {
    const { announcements, nextCursor } = (await world.calls.ask(`GET /admin/announcements${query}`, { as: auditor })).body
    found.push(...announcements.map(({ id }: Shown) => id))
    await made()
    if (nextCursor === null) break
    query = `?limit=2&cursor=${nextCursor}`
  }
  expect(found).toEqual(all)
})
