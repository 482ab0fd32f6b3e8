/** The editor's calls: schedule, picture, and the link to a disbursement. */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFileStorage } from '../../adapters/storage/files.ts'
import { sql } from '../../db/sql.ts'
import { type Attempt, createAttempt, listParked, runAgain } from '../../jobs/parking.ts'
import { type Answered, makeMember, makeStaff, type ServedCalls, serveCalls } from '../../testing/calls.ts'
import { breakRows, createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { insertOutlay, revokeConsent } from '../../testing/help.ts'
import { publishDue } from './editing.ts'
import { createImpact } from './impact.ts'

let database: TestDatabase
let calls: ServedCalls
let editor: bigint
let finance: bigint
let folder: string

const STORY = { title: 'Shoes', description: 'For the new school year.', charity: { name: 'Meera', description: 'School shoes' } }
const NOON = new Date('2026-11-21T12:00:00+05:30')
const SIX_PM = '2026-11-21T18:00:00.000+05:30'

beforeAll(async () => {
  database = await createTestDatabase()
  folder = await mkdtemp(path.join(tmpdir(), 'roz-posters-'))
  const impact = createImpact({ db: database.db, storage: createFileStorage({ folder }), pictureHosts: [], attempt })
  calls = await serveCalls(database.db, impact.handlers)
  editor = await makeStaff(database.db, 'editor')
  finance = await makeStaff(database.db, 'finance')
})
afterAll(async () => {
  await calls.close()
  await rm(folder, { recursive: true, force: true })
  await database.drop()
})

/** Parked drafts. */
const alarms: object[] = []
const attempt: Attempt = (...asked) =>
  createAttempt({ db: database.db, log: { warn: () => undefined, error: (told) => void alarms.push(told) } })(...asked)
const publish = (): Promise<boolean> => publishDue(database.db, attempt)
const create = (more: object = {}): Promise<Answered> => calls.ask('POST /impact/stories', { as: editor, body: { ...STORY, ...more } })
const newDraft = async (more: object = {}): Promise<string> => (await create(more)).body.story.id
const edit = (id: string, body: unknown): Promise<Answered> => calls.ask(`PUT /impact/stories/${id}`, { as: editor, body })
const stored = async (id: string) =>
  (await calls.ask('GET /impact/stories-admin?limit=100', { as: editor })).body.stories.find((story: { id: string }) => story.id === id)
const isPublic = async (id: string): Promise<boolean> =>
  (await calls.ask('GET /impact/stories?limit=100')).body.stories.some((story: { id: string }) => story.id === id)
const actionsOf = async (id: string): Promise<string[]> =>
  (await database.db.query<{ action: string }>(sql`select action from audit_log where subject = ${`story:${id}`}::text order by id`)).map(
    (row) => row.action,
  )

describe('a schedule', () => {
  test('publishes the draft at its time by the product’s clock, once, also after a pause', async () => {
    await database.setClock(NOON)
    const id = await newDraft()
    const scheduled = await edit(id, { publishAt: SIX_PM })
    expect(scheduled.body.story).toMatchObject({ isActive: false, publishAt: SIX_PM })
    expect(await publish()).toBe(false)
    expect(await isPublic(id)).toBe(false)
    await database.setClock(new Date('2026-11-22T07:00:00+05:30'))
    const runs = await Promise.all([publish(), publish(), publish()])
    expect(runs.filter(Boolean)).toHaveLength(1)
    expect(await stored(id)).toMatchObject({ isActive: true, publishAt: null })
    expect(await actionsOf(id)).toEqual(['story.create', 'story.schedule', 'story.publish'])
    // Taken back by an editor, it stays back.
    await edit(id, { isActive: false })
    expect(await publish()).toBe(false)
    expect(await isPublic(id)).toBe(false)
  })

  test('that is ended publishes nothing; a second time replaces the first', async () => {
    await database.setClock(NOON)
    const id = await newDraft()
    await edit(id, { publishAt: SIX_PM })
    expect((await edit(id, { publishAt: '2026-11-23T18:00:00.000+05:30' })).body.story.publishAt).toBe('2026-11-23T18:00:00.000+05:30')
    expect((await edit(id, { publishAt: null })).body.story.publishAt).toBeNull()
    await database.setClock(new Date('2026-11-24T07:00:00+05:30'))
    expect(await publish()).toBe(false)
    expect(await actionsOf(id)).toEqual(['story.create', 'story.schedule', 'story.schedule', 'story.unschedule'])
  })

  test('two drafts of one time are published in the order of their times', async () => {
    await database.setClock(NOON)
    const [late, early] = [await newDraft({ title: 'late' }), await newDraft({ title: 'early' })]
    await edit(late, { publishAt: '2026-11-21T18:00:02+05:30' })
    await edit(early, { publishAt: SIX_PM })
    await database.setClock(new Date('2026-11-21T19:00:00+05:30'))
    while (await publish());
    const { stories } = (await calls.ask('GET /impact/stories?limit=2')).body
    expect(stories.map((story: { title: string }) => story.title)).toEqual(['late', 'early'])
  })

  test('of a draft that cannot be published blocks no later one; after five tries it is parked with an alarm', async () => {
    await database.setClock(NOON)
    const [broken, later] = [await newDraft({ title: 'broken' }), await newDraft({ title: 'later' })]
    await edit(broken, { publishAt: SIX_PM })
    await edit(later, { publishAt: '2026-11-21T18:00:02+05:30' })
    const mend = await breakRows(database, 'story', "new.title = 'broken' and new.is_active")
    for (let minute = 1; minute <= 5; minute++) {
      await database.setClock(new Date(`2026-11-21T18:0${minute}:00+05:30`))
      expect(await publish()).toBe(minute === 1)
      expect(alarms).toHaveLength(minute === 5 ? 1 : 0)
    }
    expect([await isPublic(broken), await isPublic(later)]).toEqual([false, true])
    expect(alarms).toMatchObject([{ work: 'story', item: broken, tries: 5 }])
    expect(await listParked(database.db)).toMatchObject([{ work: 'story', item: broken }])
    // It rests until its next try is due.
    expect(await publish()).toBe(false)
    await mend()
    expect(await runAgain(database.db, 'story', broken)).toBe(true)
    expect(await publish()).toBe(true)
    expect(await isPublic(broken)).toBe(true)
    expect(await listParked(database.db)).toEqual([])
  })

  test('is over once the editor publishes, and an edit may send the schedule back', async () => {
    await database.setClock(NOON)
    const id = await newDraft()
    const { story } = (await edit(id, { publishAt: SIX_PM })).body
    expect((await edit(id, { ...story, title: 'Other' })).body.story).toMatchObject({ title: 'Other', publishAt: SIX_PM })
    expect((await edit(id, { isActive: true })).body.story).toMatchObject({ isActive: true, publishAt: null })
  })

  test.each([
    ['2026-11-21T11:59:59+05:30', 'Choose a time in the future'],
    ['tomorrow', 'Choose a day and a time'],
    ['2026-11-21', 'Choose a day and a time'],
  ])('at %s is refused: %s', async (publishAt, words) => {
    await database.setClock(NOON)
    const id = await newDraft()
    expect(await edit(id, { publishAt })).toMatchObject({ status: 400, body: { fields: { publishAt: words } } })
    expect((await stored(id)).publishAt).toBeNull()
  })

  test('of a published story is refused', async () => {
    await database.setClock(NOON)
    const id = await newDraft()
    await edit(id, { isActive: true })
    const refused = { status: 400, body: { fields: { publishAt: 'This story is already published' } } }
    expect(await edit(id, { publishAt: SIX_PM })).toMatchObject(refused)
    const other = await newDraft()
    expect(await edit(other, { publishAt: SIX_PM, isActive: true })).toMatchObject(refused)
  })
})

describe('the picture', () => {
  const upload = (id: string, bytes: Buffer, as = editor): Promise<Answered> => {
    const form = new FormData()
    form.set('file', new Blob([new Uint8Array(bytes)], { type: 'image/jpeg' }), 'poster.jpg')
    return calls.ask(`POST /impact/stories/${id}/poster`, { as, form })
  }
  const jpeg = (width: number, height: number): Promise<Buffer> =>
    sharp({ create: { width, height, channels: 3, background: '#0b5d4a' } })
      .withExif({ IFD0: { Copyright: 'a secret place' } })
      .jpeg()
      .toBuffer()
  const files = (): Promise<string[]> => readdir(path.join(folder, 'posters'))

  test('is stored anew without metadata, at most 1280 px wide, and replaces the one before', async () => {
    const id = await newDraft()
    const first = (await upload(id, await jpeg(2000, 1000))).body.story.imageUrl
    expect(first).toMatch(/^\/uploads\/posters\/[0-9a-f]{32}\.webp$/)
    const file = path.join(folder, first.slice('/uploads/'.length))
    const meta = await sharp(file).metadata()
    expect(meta).toMatchObject({ format: 'webp', width: 1280, height: 640 })
    expect(meta.exif).toBeUndefined()
    const second = (await upload(id, await jpeg(300, 200))).body.story.imageUrl
    expect(second).not.toBe(first)
    expect(await files()).toEqual([path.basename(second)])
    // An edit sends the whole story back; an empty link removes the picture.
    expect((await edit(id, (await stored(id)) as object)).body.story.imageUrl).toBe(second)
    expect((await edit(id, { imageUrl: '' })).body.story.imageUrl).toBeNull()
    expect(await files()).toEqual([])
    // For a process that ends before it has removed them.
    const given = await database.db.query<{ key: string }>(sql`select key from job where kind = 'remove_file' order by due_at`)
    expect(given.map(({ key }) => `/uploads/${key}`)).toEqual([first, second])
    expect(await actionsOf(id)).toEqual(['story.create', 'story.picture', 'story.picture', 'story.update', 'story.update'])
  })

  test('of two uploads at once one is kept, and no file is left over', async () => {
    const id = await newDraft()
    const bytes = await jpeg(30, 20)
    await Promise.all([upload(id, bytes), upload(id, bytes), upload(id, bytes)])
    expect(await files()).toEqual([path.basename((await stored(id)).imageUrl)])
    await edit(id, { imageUrl: null })
  })

  test('whose transaction fails leaves no file, and the story as it was', async () => {
    const id = await newDraft()
    const { imageUrl } = (await upload(id, await jpeg(30, 20))).body.story
    const mend = await breakRows(database, 'audit_log', "new.action = 'story.picture'")
    const { status } = await upload(id, await jpeg(50, 20))
    await mend()
    expect([status, await files(), (await stored(id)).imageUrl]).toEqual([500, [path.basename(imageUrl)], imageUrl])
    await edit(id, { imageUrl: null })
  })

  test('is never the upload of another story', async () => {
    const [mine, other] = [await newDraft(), await newDraft()]
    const { imageUrl } = (await upload(mine, await jpeg(30, 20))).body.story
    expect(await edit(other, { imageUrl })).toMatchObject({ status: 400, body: { fields: { imageUrl: expect.any(String) } } })
    await edit(mine, { imageUrl: null })
  })

  test('that is no picture, too large, of an unknown story or by another role is refused', async () => {
    const id = await newDraft()
    expect(await upload(id, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))).toMatchObject({
      status: 400,
      body: { code: 'avatar_not_image' },
    })
    expect((await upload(id, await jpeg(6000, 5000))).body.code).toBe('avatar_too_large')
    const small = await jpeg(3, 2)
    expect((await upload(crypto.randomUUID(), small)).status).toBe(404)
    expect((await upload('nothing', small)).status).toBe(404)
    expect((await upload(id, small, finance)).status).toBe(403)
    expect(await files()).toEqual([])
  })
})

describe('a disbursement', () => {
  const outlay = (more: object = {}) => insertOutlay(database.db, { askedBy: finance, decidedBy: editor, ...more })

  test('has one story: of two editors one links it', async () => {
    const { id } = await outlay()
    const made = await Promise.all([create({ outlayId: id }), create({ outlayId: id }), create({ outlayId: id })])
    expect(made.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    expect(made.find(({ status }) => status === 409)?.body.code).toBe('story_exists')
    const draft = await newDraft()
    expect((await edit(draft, { outlayId: id })).body.code).toBe('story_exists')
    const other = await outlay()
    expect((await edit(draft, { outlayId: other.id })).body.story.outlayId).toBe(other.id)
    expect((await edit(draft, { outlayId: null })).body.story.outlayId).toBeNull()
  })

  test('gives its story the amount that was sent, less what came back', async () => {
    const { id: outlayId, beneficiaryId } = await outlay({ amount: 500 })
    const id = await newDraft({ outlayId })
    expect(await stored(id)).toMatchObject({ amount: 5, sent: true })
    await database.db.query(sql`
      insert into outlay (id, kind, amount_paise, purpose, beneficiary_id, corrects, needs_second, status, asked_by, decided_by, decided_at)
      values (${crypto.randomUUID()}::uuid, 'disbursement_back', 200, 'one pair went back', ${beneficiaryId}::uuid, ${outlayId}::uuid, false,
        'booked', ${finance}::bigint, ${finance}::bigint, roz_now())`)
    expect(await stored(id)).toMatchObject({ amount: 3, sent: true })
  })

  test('that is unknown or not booked has no story', async () => {
    const requested = await outlay({ status: 'requested' })
    expect(await create({ outlayId: requested.id })).toMatchObject({ status: 404, body: { code: 'disbursement_not_found' } })
    expect((await create({ outlayId: crypto.randomUUID() })).status).toBe(404)
    expect((await create({ outlayId: 'x' })).status).toBe(400)
  })

  test('of somebody who revoked the consent is not published, neither by hand nor by its schedule', async () => {
    await database.setClock(NOON)
    const { id: outlayId, beneficiaryId } = await outlay()
    const id = await newDraft({ outlayId })
    await edit(id, { publishAt: SIX_PM })
    await revokeConsent(database.db, beneficiaryId)
    expect((await edit(id, { isActive: true })).body.code).toBe('consent_revoked')
    await database.setClock(new Date('2026-11-22T07:00:00+05:30'))
    expect(await publish()).toBe(false)
    expect(await isPublic(id)).toBe(false)
    expect((await create({ outlayId })).body.code).toBe('consent_revoked')
  })
})

test('a story that told of somebody who revoked the consent is not public again, with another link or without one', async () => {
  await database.setClock(NOON)
  const of = (publicName: string) => insertOutlay(database.db, { askedBy: finance, decidedBy: editor, publicName })
  const [meera, ravi] = [await of('Meera'), await of('Ravi')]
  const id = await newDraft({ outlayId: meera.id })
  expect((await edit(id, { outlayId: null, isActive: true })).body.story).toMatchObject({ outlayId: null, isActive: true })
  await edit(id, { isActive: false })
  await revokeConsent(database.db, meera.beneficiaryId)
  for (const change of [{ isActive: true }, { isActive: true, outlayId: ravi.id }])
    expect((await edit(id, change)).body.code).toBe('consent_revoked')
  await edit(id, { publishAt: SIX_PM })
  await database.setClock(new Date('2026-11-22T07:00:00+05:30'))
  expect(await publish()).toBe(false)
  expect(await isPublic(id)).toBe(false)
})

describe('a deletion', () => {
  const remove = (id: string, as = editor): Promise<Answered> => calls.ask(`DELETE /impact/stories/${id}`, { as })

  test('removes a draft with its picture and its link, and another story may tell of the help', async () => {
    const { id: outlayId } = await insertOutlay(database.db, { askedBy: finance, decidedBy: editor })
    const id = await newDraft({ outlayId })
    const form = new FormData()
    const picture = await sharp({ create: { width: 30, height: 20, channels: 3, background: '#0b5d4a' } })
      .jpeg()
      .toBuffer()
    form.set('file', new Blob([new Uint8Array(picture)], { type: 'image/jpeg' }), 'poster.jpg')
    const { imageUrl } = (await calls.ask(`POST /impact/stories/${id}/poster`, { as: editor, form })).body.story
    expect((await remove(id)).status).toBe(204)
    expect(await stored(id)).toBeUndefined()
    expect(await readdir(path.join(folder, 'posters'))).not.toContain(path.basename(imageUrl))
    // For a process that ends before it has removed the file.
    const name = imageUrl.slice('/uploads/'.length)
    expect(await database.db.query(sql`select 1 from job where kind = 'remove_file' and key = ${name}::text`)).toHaveLength(1)
    expect((await actionsOf(id)).at(-1)).toBe('story.delete')
    expect((await create({ outlayId })).status).toBe(200)
    expect(await remove(id)).toMatchObject({ status: 404, body: { code: 'story_not_found' } })
    expect((await remove('unknown')).status).toBe(404)
  })

  test('of a scheduled draft ends its schedule', async () => {
    await database.setClock(NOON)
    const id = await newDraft()
    await edit(id, { publishAt: SIX_PM })
    expect((await remove(id)).status).toBe(204)
    await database.setClock(new Date('2026-11-22T07:00:00+05:30'))
    expect(await publish()).toBe(false)
  })

  test('of a story that is or was published is refused, by the table too', async () => {
    const id = await newDraft()
    await edit(id, { isActive: true })
    const refused = {
      status: 409,
      body: {
        code: 'story_was_published',
        message: 'This story was published once, so it cannot be deleted. Unpublished, only the team sees it.',
      },
    }
    expect(await remove(id)).toMatchObject(refused)
    expect((await edit(id, { isActive: false })).body.story).toMatchObject({ isActive: false, wasPublished: true })
    expect(await remove(id)).toMatchObject(refused)
    await expect(database.db.query(sql`delete from story where id = ${id}::uuid`)).rejects.toThrow('it was published')
  })

  test('at the same time as a publication leaves the published story, or none', async () => {
    for (let round = 0; round < 8; round++) {
      const id = await newDraft()
      const [removed, published] = await Promise.all([remove(id), edit(id, { isActive: true })])
      expect([`${removed.status} ${published.status}`, (await stored(id))?.isActive]).toEqual(
        removed.status === 204 ? ['204 404', undefined] : ['409 200', true],
      )
    }
  })

  test('by another role is refused', async () => {
    const id = await newDraft()
    expect((await remove(id, finance)).status).toBe(403)
    expect(await stored(id)).toMatchObject({ wasPublished: false })
  })
})

test('the list shows one story alone by its id', async () => {
  const id = await newDraft({ title: 'Alone' })
  const { stories } = (await calls.ask(`GET /impact/stories-admin?id=${id}`, { as: editor })).body
  expect(stories).toMatchObject([{ id, title: 'Alone', help: null, isTold: false, wasPublished: false }])
  expect((await calls.ask('GET /impact/stories-admin?id=x', { as: editor })).status).toBe(400)
})

test('a member and the other roles edit no story', async () => {
  const id = await newDraft()
  const member = await makeMember(database.db)
  for (const as of [member, finance])
    expect((await calls.ask(`PUT /impact/stories/${id}`, { as, body: { publishAt: SIX_PM } })).status).toBe(403)
})
