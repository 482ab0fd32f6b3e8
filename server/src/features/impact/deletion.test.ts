/** A draft is deleted by an editor; a published story stays. */
import path from 'node:path'
import { expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { holdOpen, untilLockWaits } from '../../ledger/testing/fixtures.ts'
import { insertOutlay } from '../../testing/help.ts'
import { jpeg, NOON, openStoriesWorld, useStoriesWorld, SIX_PM } from '../../testing/stories-world.ts'

const world = useStoriesWorld()

test('a deletion removes a draft with its picture and its link, and another story may tell of the help', async () => {
  const { id: outlayId } = await insertOutlay(world.db, { askedBy: world.finance, decidedBy: world.editor })
  const id = await world.newDraft({ outlayId })
  const { imageUrl } = (await world.upload(id, await jpeg(30, 20))).body.story
  expect((await world.remove(id)).status).toBe(204)
  expect(await world.stored(id)).toBeUndefined()
  expect(await world.files()).not.toContain(path.basename(imageUrl))
  // For a process that ends before it has removed the file.
  const name = imageUrl.slice('/uploads/'.length)
  expect(await world.db.query(sql`select 1 from job where kind = 'remove_file' and key = ${name}::text`)).toHaveLength(1)
  expect((await world.auditOf(id)).at(-1)?.action).toBe('story.delete')
  expect((await world.create({ outlayId })).status).toBe(200)
  expect(await world.remove(id)).toMatchObject({ status: 404, body: { code: 'story_not_found' } })
  expect((await world.remove('unknown')).status).toBe(404)
})

test('a deletion of a scheduled draft ends its schedule', async () => {
  await world.database.setClock(NOON)
  const id = await world.newDraft()
  await world.edit(id, { publishAt: SIX_PM })
  expect((await world.remove(id)).status).toBe(204)
  await world.database.setClock(new Date('2026-11-22T07:00:00+05:30'))
  expect(await world.publish()).toBe(false)
})

test('a deletion of a story that is or was published is refused, by the table too', async () => {
  const id = await world.newDraft()
  await world.edit(id, { isActive: true })
  const refused = {
    status: 409,
    body: {
      code: 'story_was_published',
      message: 'This story was published once, so it cannot be deleted. When unpublished, only the team can see it.',
    },
  }
  expect(await world.remove(id)).toMatchObject(refused)
  expect((await world.edit(id, { isActive: false })).body.story).toMatchObject({ isActive: false, wasPublished: true })
  expect(await world.remove(id)).toMatchObject(refused)
  await expect(world.db.query(sql`delete from story where id = ${id}::uuid`)).rejects.toThrow('it was published')
})

test('a deletion at the same time as a publication leaves the published story, or none', async () => {
  for (let round = 0; round < 8; round++) {
    const id = await world.newDraft()
    const [removed, published] = await Promise.all([world.remove(id), world.edit(id, { isActive: true })])
    expect([`${removed.status} ${published.status}`, (await world.stored(id))?.isActive]).toEqual(
      removed.status === 204 ? ['204 404', undefined] : ['409 200', true],
    )
  }
})

test('a deletion by another role is refused', async () => {
  const id = await world.newDraft()
  expect((await world.remove(id, world.finance)).status).toBe(403)
  expect(await world.stored(id)).toMatchObject({ wasPublished: false })
})

test('a deleted draft leaves its link and state in the staff log, and none of its words', async () => {
  const { id: outlayId } = await insertOutlay(world.db, { askedBy: world.finance, decidedBy: world.editor })
  const words = { title: 'Tulip', description: 'Tulip', charity: { name: 'Tulip', description: 'Tulip' } }
  const id = await world.newDraft({ ...words, videoUrl: 'https://youtu.be/dQw4w9WgXcQ', outlayId })
  await world.edit(id, { description: 'Tulip, again' })
  await world.edit(id, { title: 'Tulip, again', publishAt: null, videoUrl: null })
  await world.remove(id)
  const kept = { outlayId, isActive: false, publishAt: null }
  expect(await world.auditOf(id)).toEqual([
    { action: 'story.create', before: null, after: kept },
    { action: 'story.update', before: kept, after: { ...kept, changed: ['description'] } },
    { action: 'story.update', before: kept, after: { ...kept, changed: ['title', 'videoUrl'] } },
    { action: 'story.delete', before: kept, after: null },
  ])
})

/** With one connection the deletion follows the commit of the call before at once. */
test('a deletion right behind an edit or an upload takes nothing of their answers', async () => {
  const narrow = await openStoriesWorld({ connectionsMax: 1 })
  const picture = await jpeg(30, 20)
  const first = [(id: string) => narrow.edit(id, { title: 'New shoes' }), (id: string) => narrow.upload(id, picture)]
  for (const call of first) {
    const id = await narrow.newDraft()
    const { commit } = await holdOpen(narrow.db, (tx) => tx.query(sql`select from story where id = ${id}::uuid for update`))
    const called = call(id)
    await untilLockWaits(narrow.db)
    const removed = narrow.remove(id)
    // Answered behind the deletion's session: the deletion waits for the connection by now.
    await narrow.edit('unknown', {})
    await commit()
    expect([(await called).status, (await removed).status]).toEqual([200, 204])
  }
  await narrow.close()
})
