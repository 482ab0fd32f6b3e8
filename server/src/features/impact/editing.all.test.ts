/** The editor's calls: schedule, picture, and the link to a disbursement. */
import path from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { listParked, runAgain } from '../../jobs/parking.ts'
import { makeMember } from '../../testing/calls.ts'
import { breakRows } from '../../testing/database.ts'
import { insertOutlay, insertStory, revokeConsent } from '../../testing/help.ts'
import { jpeg, NOON, useStoriesWorld, SIX_PM } from '../../testing/stories-world.ts'

const world = useStoriesWorld()

test('the staff log has the words of a published story before and after a change, and none of a draft or of a revoked consent', async () => {
  const { id: outlayId, beneficiaryId } = await insertOutlay(world.db, { askedBy: world.finance, decidedBy: world.editor })
  const id = await world.newDraft({ title: 'Shoes', outlayId })
  const newest = async () => {
    const { action, before, after } = (await world.auditOf(id)).at(-1) ?? {}
    return { action, before, after }
  }
  const [draft, shown] = [
    { outlayId, isActive: false, publishAt: null },
    { outlayId, isActive: true, publishAt: null },
  ]
  await world.edit(id, { title: 'New shoes', isActive: true })
  expect(await newest()).toEqual({ action: 'story.publish', before: draft, after: { ...shown, changed: ['title'] } })
  await world.edit(id, { title: 'Two shoes', videoUrl: 'https://youtu.be/dQw4w9WgXcQ' })
  const [old, now] = [
    { title: 'New shoes', videoUrl: null },
    { title: 'Two shoes', videoUrl: 'https://youtu.be/dQw4w9WgXcQ' },
  ]
  expect(await newest()).toEqual({
    action: 'story.update',
    before: { ...shown, ...old },
    after: { ...shown, ...now, changed: ['title', 'videoUrl'] },
  })
  await world.edit(id, { isActive: false })
  await world.edit(id, { title: 'Shoes again' })
  const later = { ...draft, title: 'Shoes again', changed: ['title'] }
  expect(await newest()).toEqual({ action: 'story.update', before: { ...draft, title: 'Two shoes' }, after: later })
  await revokeConsent(world.db, beneficiaryId)
  await world.edit(id, { title: 'A story' })
  expect(await newest()).toEqual({ action: 'story.update', before: draft, after: { ...draft, changed: ['title'] } })
})

describe('a schedule', () => {
  test('publishes the draft at its time by the product’s clock, once, also after a pause', async () => {
    await world.database.setClock(NOON)
    const id = await world.newDraft()
    const scheduled = await world.edit(id, { publishAt: SIX_PM })
    expect(scheduled.body.story).toMatchObject({ isActive: false, publishAt: SIX_PM })
    expect(await world.publish()).toBe(false)
    expect(await world.isPublic(id)).toBe(false)
    await world.database.setClock(new Date('2026-11-22T07:00:00+05:30'))
    const runs = await Promise.all([world.publish(), world.publish(), world.publish()])
    expect(runs.filter(Boolean)).toHaveLength(1)
    expect(await world.stored(id)).toMatchObject({ isActive: true, publishAt: null })
    expect((await world.auditOf(id)).map(({ action }) => action)).toEqual(['story.create', 'story.schedule', 'story.publish'])
    // Taken back by an editor, it stays back.
    await world.edit(id, { isActive: false })
    expect(await world.publish()).toBe(false)
    expect(await world.isPublic(id)).toBe(false)
  })

  test('that is ended publishes nothing; a second time replaces the first', async () => {
    await world.database.setClock(NOON)
    const id = await world.newDraft()
    await world.edit(id, { publishAt: SIX_PM })
    expect((await world.edit(id, { publishAt: '2026-11-23T18:00:00.000+05:30' })).body.story.publishAt).toBe(
      '2026-11-23T18:00:00.000+05:30',
    )
    expect((await world.edit(id, { publishAt: null })).body.story.publishAt).toBeNull()
    await world.database.setClock(new Date('2026-11-24T07:00:00+05:30'))
    expect(await world.publish()).toBe(false)
    expect((await world.auditOf(id)).map(({ action }) => action)).toEqual([
      'story.create',
      'story.schedule',
      'story.schedule',
      'story.unschedule',
    ])
  })

  test('two due drafts are published in the order of their times', async () => {
    await world.database.setClock(NOON)
    const [late, early] = [await world.newDraft({ title: 'late' }), await world.newDraft({ title: 'early' })]
    await world.edit(late, { publishAt: '2026-11-21T18:00:02+05:30' })
    await world.edit(early, { publishAt: SIX_PM })
    await world.database.setClock(new Date('2026-11-21T19:00:00+05:30'))
    while (await world.publish());
    const { stories } = (await world.calls.ask('GET /impact/stories?limit=2')).body
    expect(stories.map((story: { title: string }) => story.title)).toEqual(['late', 'early'])
  })

  test('of a draft that cannot be published blocks no later one; after five tries it is parked with an alarm', async () => {
    await world.database.setClock(NOON)
    const [broken, later] = [await world.newDraft({ title: 'broken' }), await world.newDraft({ title: 'later' })]
    await world.edit(broken, { publishAt: SIX_PM })
    await world.edit(later, { publishAt: '2026-11-21T18:00:02+05:30' })
    const mend = await breakRows(world.database, 'story', "new.title = 'broken' and new.is_active")
    for (let minute = 1; minute <= 5; minute++) {
      await world.database.setClock(new Date(`2026-11-21T18:0${minute}:00+05:30`))
      expect(await world.publish()).toBe(minute === 1)
      expect(world.alarms).toHaveLength(minute === 5 ? 1 : 0)
    }
    expect([await world.isPublic(broken), await world.isPublic(later)]).toEqual([false, true])
    expect(world.alarms).toMatchObject([{ work: 'story', item: broken, tries: 5 }])
    expect(await listParked(world.db)).toMatchObject([{ work: 'story', item: broken }])
    // It rests until its next try is due.
    expect(await world.publish()).toBe(false)
    await mend()
    expect(await runAgain(world.db, 'story', broken)).toBe(true)
    expect(await world.publish()).toBe(true)
    expect(await world.isPublic(broken)).toBe(true)
    expect(await listParked(world.db)).toEqual([])
  })

  test('is over once the editor publishes, and an edit may send the schedule back', async () => {
    await world.database.setClock(NOON)
    const id = await world.newDraft()
    const { story } = (await world.edit(id, { publishAt: SIX_PM })).body
    expect((await world.edit(id, { ...story, title: 'Other' })).body.story).toMatchObject({ title: 'Other', publishAt: SIX_PM })
    expect((await world.edit(id, { isActive: true })).body.story).toMatchObject({ isActive: true, publishAt: null })
  })

  test.each([
    ['2026-11-21T11:59:59+05:30', 'Choose a time in the future'],
    ['tomorrow', 'Choose a day and a time'],
    ['2026-11-21', 'Choose a day and a time'],
  ])('at %s is refused: %s', async (publishAt, words) => {
    await world.database.setClock(NOON)
    const id = await world.newDraft()
    expect(await world.edit(id, { publishAt })).toMatchObject({ status: 400, body: { fields: { publishAt: words } } })
    expect((await world.stored(id)).publishAt).toBeNull()
  })

  test('of a published story is refused', async () => {
    await world.database.setClock(NOON)
    const id = await world.newDraft()
    await world.edit(id, { isActive: true })
    const refused = { status: 400, body: { fields: { publishAt: 'This story is already published' } } }
    expect(await world.edit(id, { publishAt: SIX_PM })).toMatchObject(refused)
    const other = await world.newDraft()
    expect(await world.edit(other, { publishAt: SIX_PM, isActive: true })).toMatchObject(refused)
  })
})

describe('the picture', () => {
  test('is stored again without metadata, at most 1280 px wide, and replaces the one before', async () => {
    const id = await world.newDraft()
    const first = (await world.upload(id, await jpeg(2000, 1000))).body.story.imageUrl
    expect(first).toMatch(/^\/uploads\/posters\/[0-9a-f]{32}\.webp$/)
    const file = path.join(world.folder, first.slice('/uploads/'.length))
    const meta = await sharp(file).metadata()
    expect(meta).toMatchObject({ format: 'webp', width: 1280, height: 640 })
    expect(meta.exif).toBeUndefined()
    const second = (await world.upload(id, await jpeg(300, 200))).body.story.imageUrl
    expect(second).not.toBe(first)
    expect(await world.files()).toEqual([path.basename(second)])
    // An edit sends the whole story back; an empty link removes the picture.
    expect((await world.edit(id, (await world.stored(id)) as object)).body.story.imageUrl).toBe(second)
    expect((await world.edit(id, { imageUrl: '' })).body.story.imageUrl).toBeNull()
    expect(await world.files()).toEqual([])
    // For a process that ends before it has removed them.
    const given = await world.db.query<{ key: string }>(sql`select key from job where kind = 'remove_file' order by due_at`)
    expect(given.map(({ key }) => `/uploads/${key}`)).toEqual([first, second])
    expect((await world.auditOf(id)).map(({ action }) => action)).toEqual([
      'story.create',
      'story.picture',
      'story.picture',
      'story.update',
      'story.update',
    ])
  })

  test('of two uploads at once one is kept, and no file is left over', async () => {
    const id = await world.newDraft()
    const bytes = await jpeg(30, 20)
    await Promise.all([world.upload(id, bytes), world.upload(id, bytes), world.upload(id, bytes)])
    expect(await world.files()).toEqual([path.basename((await world.stored(id)).imageUrl)])
    await world.edit(id, { imageUrl: null })
  })

  test('whose transaction fails leaves no file, and the story as it was', async () => {
    const id = await world.newDraft()
    const { imageUrl } = (await world.upload(id, await jpeg(30, 20))).body.story
    const mend = await breakRows(world.database, 'audit_log', "new.action = 'story.picture'")
    const { status } = await world.upload(id, await jpeg(50, 20))
    await mend()
    expect([status, await world.files(), (await world.stored(id)).imageUrl]).toEqual([500, [path.basename(imageUrl)], imageUrl])
    await world.edit(id, { imageUrl: null })
  })

  test('is never the upload of another story', async () => {
    const [mine, other] = [await world.newDraft(), await world.newDraft()]
    const { imageUrl } = (await world.upload(mine, await jpeg(30, 20))).body.story
    expect(await world.edit(other, { imageUrl })).toMatchObject({ status: 400, body: { fields: { imageUrl: expect.any(String) } } })
    await world.edit(mine, { imageUrl: null })
  })

  test('that is no picture, too large, of an unknown story or by another role is refused', async () => {
    const id = await world.newDraft()
    expect(await world.upload(id, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))).toMatchObject({
      status: 400,
      body: { code: 'avatar_not_image' },
    })
    expect((await world.upload(id, await jpeg(6000, 5000))).body.code).toBe('picture_pixels')
    const small = await jpeg(3, 2)
    expect((await world.upload(crypto.randomUUID(), small)).status).toBe(404)
    expect((await world.upload('nothing', small)).status).toBe(404)
    expect((await world.upload(id, small, world.finance)).status).toBe(403)
    expect(await world.files()).toEqual([])
  })
})

describe('a disbursement', () => {
  const outlay = (more: object = {}) => insertOutlay(world.db, { askedBy: world.finance, decidedBy: world.editor, ...more })

  test('has one story: of two editors one links it', async () => {
    const { id } = await outlay()
    const made = await Promise.all([world.create({ outlayId: id }), world.create({ outlayId: id }), world.create({ outlayId: id })])
    expect(made.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    expect(made.find(({ status }) => status === 409)?.body.code).toBe('story_exists')
    const draft = await world.newDraft()
    expect((await world.edit(draft, { outlayId: id })).body.code).toBe('story_exists')
    const other = await outlay()
    expect((await world.edit(draft, { outlayId: other.id })).body.story.outlayId).toBe(other.id)
    expect((await world.edit(draft, { outlayId: null })).body.story.outlayId).toBeNull()
  })

  test('gives its story the amount that was sent, less what came back', async () => {
    const { id: outlayId, beneficiaryId } = await outlay({ amount: 500 })
    const id = await world.newDraft({ outlayId })
    expect(await world.stored(id)).toMatchObject({ amount: 5, sent: true })
    await world.db.query(sql`
      insert into outlay (id, kind, amount_paise, purpose, beneficiary_id, corrects, needs_second, status, asked_by, decided_by, decided_at)
      values (${crypto.randomUUID()}::uuid, 'disbursement_back', 200, 'one pair went back', ${beneficiaryId}::uuid, ${outlayId}::uuid, false,
        'booked', ${world.finance}::bigint, ${world.finance}::bigint, roz_now())`)
    expect(await world.stored(id)).toMatchObject({ amount: 3, sent: true })
  })

  test('that is unknown or not booked has no story', async () => {
    const requested = await outlay({ status: 'requested' })
    expect(await world.create({ outlayId: requested.id })).toMatchObject({ status: 404, body: { code: 'disbursement_not_found' } })
    expect((await world.create({ outlayId: crypto.randomUUID() })).status).toBe(404)
    expect((await world.create({ outlayId: 'x' })).status).toBe(400)
  })

  test('of somebody who revoked the consent is not published, neither by hand nor by its schedule', async () => {
    await world.database.setClock(NOON)
    const { id: outlayId, beneficiaryId } = await outlay()
    const id = await world.newDraft({ outlayId })
    await world.edit(id, { publishAt: SIX_PM })
    await revokeConsent(world.db, beneficiaryId)
    for (const change of [{ isActive: true }, { publishAt: '2026-11-22T18:00:00+05:30' }])
      expect((await world.edit(id, change)).body.code).toBe('consent_revoked')
    expect((await world.edit(id, { publishAt: null })).status).toBe(200)
    await world.database.setClock(new Date('2026-11-22T07:00:00+05:30'))
    expect(await world.publish()).toBe(false)
    expect(await world.isPublic(id)).toBe(false)
    expect((await world.create({ outlayId })).body.code).toBe('consent_revoked')
  })

  test('of somebody who revoked the consent gives its story no picture, and no file is left over', async () => {
    const { id: outlayId, beneficiaryId } = await outlay()
    const id = await world.newDraft({ outlayId })
    const before = await world.files()
    await world.edit(id, { outlayId: null })
    await revokeConsent(world.db, beneficiaryId)
    expect((await world.upload(id, await jpeg(30, 20))).body.code).toBe('consent_revoked')
    expect([(await world.stored(id)).imageUrl, await world.files()]).toEqual([null, before])
  })
})

test('a story that told of somebody who revoked the consent is not public again, with another link or without one', async () => {
  await world.database.setClock(NOON)
  const of = (publicName: string) => insertOutlay(world.db, { askedBy: world.finance, decidedBy: world.editor, publicName })
  const [meera, ravi] = [await of('Meera'), await of('Ravi')]
  const id = await world.newDraft({ outlayId: meera.id })
  expect((await world.edit(id, { outlayId: null, isActive: true })).body.story).toMatchObject({ outlayId: null, isActive: true })
  await world.edit(id, { isActive: false })
  await revokeConsent(world.db, meera.beneficiaryId)
  for (const change of [{ isActive: true }, { isActive: true, outlayId: ravi.id }])
    expect((await world.edit(id, change)).body.code).toBe('consent_revoked')
  expect((await world.edit(id, { publishAt: SIX_PM })).body.code).toBe('consent_revoked')
  expect((await world.stored(id)).publishAt).toBeNull()
})

test('the list finds the stories that the to-do list counts as late, and no other draft', async () => {
  await world.database.setClock(new Date('2026-11-22T18:00:01+05:30'))
  await world.newDraft({ title: 'Not promised' })
  const id = await insertStory(world.db, { roundDay: '2026-11-21' })
  const late = (await world.calls.ask('GET /impact/stories-admin?status=late', { as: world.editor })).body.stories
  expect(late.map((story: { id: string }) => story.id)).toEqual([id])
})

test('the list shows one story alone by its id', async () => {
  const id = await world.newDraft({ title: 'Alone' })
  const { stories } = (await world.calls.ask(`GET /impact/stories-admin?id=${id}`, { as: world.editor })).body
  expect(stories).toMatchObject([{ id, title: 'Alone', help: null, isTold: false, wasPublished: false }])
  expect((await world.calls.ask('GET /impact/stories-admin?id=x', { as: world.editor })).status).toBe(400)
})

test('a member and the other roles edit no story', async () => {
  const id = await world.newDraft()
  const member = await makeMember(world.db)
  for (const as of [member, world.finance])
    expect((await world.calls.ask(`PUT /impact/stories/${id}`, { as, body: { publishAt: SIX_PM } })).status).toBe(403)
})
