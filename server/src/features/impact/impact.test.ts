import type { IstDay } from '@roz/core/ist-day.ts'
import { wholeRupees } from '@roz/core/money.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Attempt } from '../../jobs/parking.ts'
import { giveRest } from '../../ledger/closing.ts'
import { createJoinBatcher } from '../../ledger/join-batcher.ts'
import { addMoney, endDay, giveRoundBack, openDay } from '../../ledger/testing/fixtures.ts'
import { type Answered, makeMember, makeStaff, type ServedCalls, serveCalls } from '../../testing/calls.ts'
import { useTestDatabase } from '../../testing/database.ts'
import { payHelp } from '../../testing/help.ts'
import { insertSettledRound } from '../../testing/settled-round.ts'
import { createImpact } from './impact.ts'

// This file writes rounds without their joins, which the audit would report.
const database = useTestDatabase({ isAudited: false })
let impact: ReturnType<typeof createImpact>
let calls: ServedCalls
let editor: bigint

// The pictures of stories are tested in editing.all.test.ts.
const NO_FILES = { put: async () => '', find: async () => undefined, remove: async () => undefined }

const RUNS: Attempt = async (_work, _item, run) => ({ ok: true, value: await run() })
const STORY = {
  title: 'School books for Pune',
  description: 'Forty children got their books.',
  charity: { name: 'Asha Trust', description: 'Books for children' },
}

beforeAll(async () => {
  impact = createImpact({ db: database.db, storage: NO_FILES, pictureHosts: ['pictures.example.org'], attempt: RUNS })
  calls = await serveCalls(database.db, impact.handlers)
  editor = await makeStaff(database.db, 'editor')
})
afterAll(() => calls.close())

const create = (body: unknown = STORY): Promise<Answered> => calls.ask('POST /impact/stories', { as: editor, body })
const edit = (id: string, body: unknown): Promise<Answered> => calls.ask(`PUT /impact/stories/${id}`, { as: editor, body })
const published = async (query = ''): Promise<{ stories: { id: string; title: string }[]; nextCursor: string | null }> =>
  (await calls.ask(`GET /impact/stories${query}`)).body
const listed = async (
  query = '',
): Promise<{ stories: { id: string; isActive: boolean; help: { days: number; givers: number } | null }[]; nextCursor: string | null }> =>
  (await calls.ask(`GET /impact/stories-admin${query}`, { as: editor })).body
const view = (id: string, from: { ip?: string; userAgent?: string } = {}): Promise<Answered> =>
  calls.ask(`POST /impact/stories/${id}/view`, from)
async function live(title: string): Promise<string> {
  const { body } = await create({ ...STORY, title })
  await edit(body.story.id, { isActive: true })
  return body.story.id
}

test('with nothing published the lists are empty', async () => {
  expect(await published()).toEqual({ stories: [], nextCursor: null })
  expect(await impact.recentStories('en')).toEqual([])
})

test('of stories by their ids the public ones are known: not a draft, nor one that was taken back', async () => {
  const [draft, open, back] = [(await create()).body.story.id, await live('Open'), await live('Taken back')]
  await edit(back, { isActive: false })
  expect(await impact.publishedAmong([draft, open, back, crypto.randomUUID()])).toEqual(new Set([open]))
  await edit(open, { isActive: false })
})

test('a story made by hand is a draft dated today, and the public cannot see it', async () => {
  const { status, body } = await create({ ...STORY, videoUrl: 'https://youtu.be/dQw4w9WgXcQ' })
  expect(status).toBe(200)
  expect(body.story).toEqual({
    id: expect.any(String),
    _id: body.story.id,
    ...STORY,
    date: (await database.db.query<{ day: string }>(sql`select ist_day(roz_now()) as day`))[0]?.day,
    amount: 0,
    views: 0,
    isActive: false,
    videoUrl: 'https://youtu.be/dQw4w9WgXcQ',
    imageUrl: null,
    winnerInfo: null,
    sent: false,
    languages: { title: 'en', description: 'en', charityName: 'en', charityDescription: 'en' },
    followUps: [],
    language: 'en',
    translations: { en: {}, hi: {} },
    publishAt: null,
    outlayId: null,
    help: null,
    isTold: false,
    wasPublished: false,
  })
  expect((await published()).stories).toEqual([])
  expect((await view(body.story.id)).status).toBe(404)
})

test('publishing shows a story, newest publication first, and unpublishing hides it', async () => {
  const [first, second] = [await live('first'), await live('second')]
  expect((await published()).stories.map((story) => story.id)).toEqual([second, first])
  await edit(second, { isActive: false })
  expect((await published()).stories.map((story) => story.id)).toEqual([first])
  // An edit of a published story does not move it; publishing it again does.
  await edit(second, { isActive: true })
  await edit(first, { title: 'first, corrected' })
  expect((await published()).stories.map((story) => story.title)).toEqual(['second', 'first, corrected'])
  await edit(first, { isActive: false })
  await edit(first, { isActive: true })
  expect((await published()).stories.map((story) => story.id)).toEqual([first, second])
  expect((await impact.recentStories('en')).map((story) => story.id)).toEqual([first, second])
})

test('an edit changes words, links and charity; the story’s other fields are ignored, unknown fields refused', async () => {
  const { body } = await create()
  const { id } = body.story
  const edited = await edit(id, {
    ...body.story,
    title: 'New title',
    amount: 999,
    views: 999,
    date: '2000-01-01',
    winnerInfo: { name: 'Nobody' },
    charity: { name: 'Seva', description: 'Meals' },
    videoUrl: 'https://www.youtube.com/shorts/dQw4w9WgXcQ',
  })
  expect(edited.status).toBe(200)
  expect(edited.body.story).toMatchObject({ title: 'New title', amount: 0, views: 0, winnerInfo: null, charity: { name: 'Seva' } })
  expect(edited.body.story.date).toBe(body.story.date)
  expect((await edit(id, { videoUrl: '' })).body.story.videoUrl).toBeNull()
  expect(await edit(id, { more: 1 })).toMatchObject({ status: 400, body: { fields: { more: 'This field is not known.' } } })
})

test.each([
  [{ title: '' }, 'title', 'Title is required'],
  [{ description: '' }, 'description', 'Description is required'],
  [{ charity: { name: '', description: 'x' } }, 'charity.name', 'Charity name is required'],
  [{ charity: { name: 'x', description: '' } }, 'charity.description', 'Charity description is required'],
  [{ videoUrl: 'not a link' }, 'videoUrl', 'Please enter a valid URL'],
  [{ videoUrl: 'https://vimeo.com/1' }, 'videoUrl', 'Invalid YouTube URL'],
  [{ imageUrl: 'javascript:alert(1)' }, 'imageUrl', 'Please enter a valid URL'],
  [{ imageUrl: 'http://pictures.example.org/a.png' }, 'imageUrl', 'Please enter a valid URL'],
  [{ imageUrl: 'https://tracker.example.org/a.png' }, 'imageUrl', 'Pictures may only come from sites that are set up for them'],
  [{ imageUrl: 'https://pictures.example.org:444/a.png' }, 'imageUrl', 'Pictures may only come from sites that are set up for them'],
  [{ isActive: 'yes' }, 'isActive', 'This value has the wrong type.'],
])('an edit to %j is refused: %s: %s', async (change, field, words) => {
  const { body } = await create()
  expect(await edit(body.story.id, change)).toMatchObject({ status: 400, body: { code: 'invalid_input', fields: { [field]: words } } })
})

test('a picture of a named host is taken', async () => {
  const { body } = await create()
  const imageUrl = 'https://pictures.example.org/a.png'
  expect((await edit(body.story.id, { imageUrl })).body.story.imageUrl).toBe(imageUrl)
})

test('the portal finds stories by their state; a scheduled draft is also unpublished', async () => {
  const draft: string = (await create({ ...STORY, title: 'draft' })).body.story.id
  const scheduled: string = (await create({ ...STORY, title: 'scheduled' })).body.story.id
  expect((await edit(scheduled, { publishAt: new Date(Date.now() + 3_600_000).toISOString() })).status).toBe(200)
  const shown = await live('shown')
  const found = async (status: string) => {
    const ids = (await listed(`?limit=100&status=${status}`)).stories.map(({ id }) => id)
    return [draft, scheduled, shown].filter((id) => ids.includes(id))
  }
  expect(await found('unpublished')).toEqual([draft, scheduled])
  expect(await found('scheduled')).toEqual([scheduled])
  expect(await found('published')).toEqual([shown])
  expect((await calls.ask('GET /impact/stories-admin?status=old', { as: editor })).status).toBe(400)
  await edit(scheduled, { publishAt: null })
})

test('only staff may write, and every edit is in the staff log', async () => {
  const member = await makeMember(database.db)
  expect((await calls.ask('POST /impact/stories', { as: member, body: STORY })).status).toBe(403)
  expect((await calls.ask('GET /impact/stories-admin', { as: member })).status).toBe(403)
  expect((await calls.ask('GET /impact/stories-admin')).status).toBe(401)
  const { body } = await create()
  const { id } = body.story
  await edit(id, { title: 'Other' })
  await edit(id, { isActive: true })
  await edit(id, { isActive: false })
  const log = await database.db.query<{ action: string; actor_id: bigint }>(sql`
    select action, actor_id from audit_log where subject = ${`story:${id}`}::text order by id`)
  expect(log.map((row) => row.action)).toEqual(['story.create', 'story.update', 'story.publish', 'story.unpublish'])
  expect(log.every((row) => row.actor_id === editor)).toBe(true)
})

test('an unknown story answers 404', async () => {
  expect((await edit('nothing', { isActive: true })).body).toMatchObject({ code: 'story_not_found', message: 'There is no such story.' })
  expect((await edit(crypto.randomUUID(), { isActive: true })).status).toBe(404)
  expect((await view('nothing')).status).toBe(404)
})

test('a view counts once per address and day, whatever the user agent; an IPv6 view once per /64', async () => {
  const id = await live('watched by many')
  for (const userAgent of ['one', 'another', '']) expect((await view(id, { ip: '9.9.8.1', userAgent })).body).toEqual({ views: 1 })
  expect((await view(id, { ip: '::ffff:9.9.8.1' })).body).toEqual({ views: 1 })
  expect((await view(id, { ip: '9.9.8.2' })).body).toEqual({ views: 2 })
  for (const ip of ['2001:db8::1', '2001:db8:0:0:9::2', '2001:DB8::ffff'])
    expect((await view(id, { ip, userAgent: ip })).body, ip).toEqual({ views: 3 })
  expect((await view(id, { ip: '2001:db8:0:1::1' })).body).toEqual({ views: 4 })
})

test('a view counts once per visitor and day, and the key that identifies visitors is erased the next day', async () => {
  const id = await live('watched')
  expect((await view(id, { ip: '9.9.9.1' })).body).toEqual({ views: 1 })
  expect((await view(id, { ip: '9.9.9.1' })).body).toEqual({ views: 1 })
  expect((await view(id, { ip: '9.9.9.2' })).body).toEqual({ views: 2 })
  await Promise.all(Array.from({ length: 8 }, () => view(id, { ip: '9.9.9.3' })))
  expect((await view(id, { ip: '9.9.9.3' })).body).toEqual({ views: 3 })
  const [before] = await database.db.query<{ key: Buffer }>(sql`select key from visitor_key`)
  await database.setClock(new Date(Date.now() + 86_400_000))
  expect((await view(id, { ip: '9.9.9.1' })).body).toEqual({ views: 4 })
  const sweep = async (): Promise<boolean> => (await Promise.all(impact.sweeps.map((due) => due()))).includes(true)
  expect(await sweep()).toBe(true)
  expect(await sweep()).toBe(false)
  const keys = await database.db.query<{ key: Buffer }>(sql`select key from visitor_key`)
  expect(keys).toHaveLength(1)
  expect(keys[0]?.key.equals(before?.key ?? Buffer.alloc(0))).toBe(false)
  expect(await database.db.query(sql`select day from story_view`)).toHaveLength(1)
})

test('pages neither repeat nor skip a story while others are published', async () => {
  const before = new Set((await published('?limit=100')).stories.map((story) => story.id))
  for (let index = 0; index < 5; index++) await live(`page ${index}`)
  const seen: string[] = []
  let query = '?limit=2'
  for (;;) {
    const page = await published(query)
    seen.push(...page.stories.filter((story) => !before.has(story.id)).map((story) => story.title))
    await live('meanwhile')
    if (page.nextCursor === null) break
    query = `?limit=2&cursor=${page.nextCursor}`
  }
  expect(seen).toEqual(['page 4', 'page 3', 'page 2', 'page 1', 'page 0'])
  const all = await listed('?limit=100')
  expect(all.stories.filter((story) => !story.isActive).length).toBeGreaterThan(0)
  expect(await calls.ask('GET /impact/stories?cursor=x')).toMatchObject({ status: 400, body: { fields: { cursor: expect.any(String) } } })
})

test('a settled day gets one draft, with its need share and the winner’s present name', async () => {
  const winner = await makeMember(database.db, { name: 'Ravi Kumar' })
  await insertSettledRound(database, { day: '2026-03-04', entries: 10n, winner })
  await Promise.all([impact.jobs.draft_story({ day: '2026-03-04' }), impact.jobs.draft_story({ day: '2026-03-04' })])
  const draft = async (language = 'en') =>
    (await calls.ask('GET /impact/stories-admin?limit=100', { as: editor, language })).body.stories.filter(
      (story: { date: string }) => story.date === '2026-03-04',
    )
  expect(await draft()).toMatchObject([
    {
      title: 'Daily impact of 4 March 2026',
      isActive: false,
      amount: 6,
      charity: { name: 'Pending Charity Selection' },
      winnerInfo: { name: 'Ravi K.', amount: 3, totalParticipants: 10, assurance: 'weak', isDemo: true, others: 0, tax: 0 },
    },
  ])
  await database.db.query(sql`update member set public_name = 'anonymous' where id = ${winner}::bigint`)
  expect((await draft())[0].winnerInfo.name).toBe('A member')
  expect((await draft('hi'))[0].winnerInfo.name).toBe('एक सदस्य')
})

test('a member’s impact counts rupees put in, named charities of published stories of their rounds, and rounds joined', async () => {
  const member = await makeMember(database.db)
  const stats = async () => (await calls.ask('GET /impact/stats', { as: member })).body
  expect(await stats()).toEqual({ totalDonated: 0, charitiesSupported: 0, daysActive: 0 })
  for (const day of ['2026-03-05', '2026-03-06', '2026-03-07']) {
    await insertSettledRound(database, { day, entries: 1n, winner: member, joins: [member] })
    await impact.jobs.draft_story({ day })
  }
  expect(await stats()).toEqual({ totalDonated: 3, charitiesSupported: 0, daysActive: 3 })
  await database.db.query(sql`update story set charity_name = 'Seva' where round_day in ('2026-03-05', '2026-03-06')`)
  expect(await stats()).toEqual({ totalDonated: 3, charitiesSupported: 0, daysActive: 3 })
  await database.db.query(sql`
    update story set is_active = true, published_at = roz_now() where round_day in ('2026-03-05', '2026-03-06', '2026-03-07')`)
  expect(await stats()).toEqual({ totalDonated: 3, charitiesSupported: 1, daysActive: 3 })
  await database.db.query(sql`update story set charity_name = 'Annapurna' where round_day = '2026-03-06'`)
  expect((await stats()).charitiesSupported).toBe(2)
})

test('a rupee that came back from a round without a draw is none that a member put in', async () => {
  const memberId = await makeMember(database.db)
  await addMoney(database.db, memberId, wholeRupees(10))
  const day = '2026-04-01' as IstDay
  await openDay(database, day)
  expect(await createJoinBatcher({ db: database.db }).join({ memberId })).toMatchObject({ ok: true })
  const stats = async () => (await calls.ask('GET /impact/stats', { as: memberId })).body
  expect(await stats()).toMatchObject({ totalDonated: 1, daysActive: 1 })
  await endDay(database, day)
  await inTransaction(database.db, (tx) => giveRoundBack(tx, day))
  expect(await stats()).toMatchObject({ totalDonated: 0, daysActive: 1 })
})

test('help from a gift is of no rupee of its day while the round is open, nor after the rupees came back', async () => {
  const [memberId, giver] = [await makeMember(database.db), await makeMember(database.db)]
  for (const id of [memberId, giver]) await addMoney(database.db, id, wholeRupees(10))
  const day = '2026-04-02' as IstDay
  await openDay(database, day)
  expect(await createJoinBatcher({ db: database.db }).join({ memberId })).toMatchObject({ ok: true })
  await inTransaction(database.db, (tx) => giveRest(tx, { memberId: giver, ref: 'a gift' }))
  const { id: outlayId } = await payHelp(database.db, { amount: 1000, askedBy: editor, decidedBy: editor })
  const { id } = (await create({ ...STORY, outlayId })).body.story
  await edit(id, { isActive: true })
  const told = async () => {
    const { charitiesSupported } = (await calls.ask('GET /impact/stats', { as: memberId })).body
    const { isGiver } = (await calls.ask(`GET /impact/stories/${id}/mute`, { as: memberId })).body
    const { days, givers } = (await listed(`?id=${id}`)).stories[0]?.help ?? {}
    return { charitiesSupported, isGiver, days, givers }
  }
  const NOBODY = { charitiesSupported: 0, isGiver: false, days: 0, givers: 0 }
  expect(await told()).toEqual(NOBODY)
  await endDay(database, day)
  await inTransaction(database.db, (tx) => giveRoundBack(tx, day))
  expect(await told()).toEqual(NOBODY)
})
