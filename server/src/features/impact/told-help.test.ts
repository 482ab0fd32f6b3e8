/** Help of stories whose givers were told, and of stories that are about to tell them. */
import { expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { insertOutlay } from '../../testing/help.ts'
import { useStoriesWorld } from '../../testing/stories-world.ts'

const world = useStoriesWorld()

const newHelp = async (): Promise<string> => (await insertOutlay(world.db, { askedBy: world.finance, decidedBy: world.editor })).id

test('a story whose givers were told keeps their help, also unpublished; its words stay free', async () => {
  const [shoes, rice] = [await newHelp(), await newHelp()]
  const id = await world.newDraft({ outlayId: shoes })
  await world.edit(id, { isActive: true })
  await world.edit(id, { isActive: false })
  for (const change of [{ outlayId: rice }, { outlayId: null }, { outlayId: rice, isActive: true }])
    expect(await world.edit(id, change)).toMatchObject({
      status: 409,
      body: {
        code: 'story_told',
        message: 'This story was published with its help, which cannot change. Write a new story for other help.',
      },
    })
  // An edit may send the link back.
  expect((await world.edit(id, { outlayId: shoes, title: 'New shoes' })).body.story).toMatchObject({ outlayId: shoes, title: 'New shoes' })
  expect((await world.create({ outlayId: rice })).status).toBe(200)
  for (const link of [rice, null])
    await expect(world.db.query(sql`update story set outlay_id = ${link}::uuid where id = ${id}::uuid`)).rejects.toThrow('were told')
})

test('a story that was published without help tells nobody, and can be linked later', async () => {
  const id = await world.newDraft()
  await world.edit(id, { isActive: true })
  await world.edit(id, { isActive: false })
  const shoes = await newHelp()
  expect((await world.edit(id, { outlayId: shoes })).body.story).toMatchObject({ outlayId: shoes, isTold: false })
})

test('another link at the same time as the publication comes before it, or is refused', async () => {
  for (let round = 0; round < 8; round++) {
    const [shoes, rice] = [await newHelp(), await newHelp()]
    const id = await world.newDraft({ outlayId: shoes })
    const [published, linked] = await Promise.all([world.edit(id, { isActive: true }), world.edit(id, { outlayId: rice })])
    expect(published.status).toBe(200)
    const outlayId = linked.status === 200 ? rice : shoes
    expect([linked.body.code ?? 'linked', await world.stored(id)]).toMatchObject([
      linked.status === 200 ? 'linked' : 'story_told',
      { outlayId, isTold: true },
    ])
  }
})

const UNSEEN = { outlayId: null, isActive: false, isTold: false }

test('a publication or a schedule by another link than was seen is refused, and by the present one done', async () => {
  const id = await world.newDraft()
  const shoes = await newHelp()
  await world.edit(id, { outlayId: shoes })
  const changed = {
    status: 409,
    body: { code: 'changed_since_seen', message: 'This changed while you had it open. Look at it again, then decide.' },
  }
  for (const deed of [{ isActive: true }, { publishAt: '2099-01-01T18:00:00+05:30' }])
    expect(await world.edit(id, { ...deed, seen: UNSEEN })).toMatchObject(changed)
  expect(await world.stored(id)).toMatchObject({ isActive: false, publishAt: null, isTold: false })
  const seen = { ...UNSEEN, outlayId: shoes }
  expect((await world.edit(id, { isActive: true, seen })).body.story).toMatchObject({ isActive: true, isTold: true })
  await world.edit(id, { isActive: false })
  expect(await world.edit(id, { isActive: true, seen })).toMatchObject(changed)
  expect((await world.edit(id, { isActive: true, seen: { ...seen, isTold: true } })).status).toBe(200)
})

test('of a publication that saw no link and a link that saw a draft, at once, one takes effect, and nobody is told', async () => {
  for (let round = 0; round < 8; round++) {
    const shoes = await newHelp()
    const id = await world.newDraft()
    const answers = await Promise.all([world.edit(id, { isActive: true, seen: UNSEEN }), world.edit(id, { outlayId: shoes, seen: UNSEEN })])
    expect(answers.map(({ body }) => body.code ?? 'done').sort()).toEqual(['changed_since_seen', 'done'])
    expect(await world.stored(id)).toMatchObject({ isTold: false })
  }
})
