/** A scheduled draft whose publication fails is parked until its schedule ends in any way. */
import { beforeEach, expect, test } from 'vitest'
import { listParked } from '../../jobs/parking.ts'
import { breakRows } from '../../testing/database.ts'
import { NOON, useStoriesWorld, SIX_PM } from '../../testing/stories-world.ts'

const world = useStoriesWorld()
let id: string

/** A draft that failed five times. */
beforeEach(async () => {
  await world.database.setClock(NOON)
  id = await world.newDraft({ title: 'broken' })
  await world.edit(id, { publishAt: SIX_PM })
  const mend = await breakRows(world.database, 'story', "new.title = 'broken' and new.is_active")
  for (let minute = 1; minute <= 5; minute++) {
    await world.database.setClock(new Date(`2026-11-21T18:0${minute}:00+05:30`))
    await world.publish()
  }
  expect(await listParked(world.db)).toMatchObject([{ work: 'story', item: id }])
  await mend()
})

test('a parked draft is not parked once it is deleted', async () => {
  expect((await world.remove(id)).status).toBe(204)
  expect(await listParked(world.db)).toEqual([])
})

test('a parked draft is not parked once it is not scheduled', async () => {
  await world.edit(id, { title: 'broken' })
  expect(await listParked(world.db)).toHaveLength(1)
  expect((await world.edit(id, { publishAt: null })).status).toBe(200)
  expect(await listParked(world.db)).toEqual([])
})

test('a parked draft is not parked once it is published by hand', async () => {
  expect((await world.edit(id, { isActive: true })).status).toBe(200)
  expect(await listParked(world.db)).toEqual([])
})

test('a parked draft is tried at once when its other time has come', async () => {
  expect((await world.edit(id, { publishAt: '2026-11-21T18:05:10+05:30' })).status).toBe(200)
  expect(await listParked(world.db)).toEqual([])
  await world.database.setClock(new Date('2026-11-21T18:05:11+05:30'))
  expect(await world.publish()).toBe(true)
  expect(await world.isPublic(id)).toBe(true)
})
