/** Tests that a file whose row is gone is removed, although the store is down at that moment. */
import { expect, test } from 'vitest'
import { createS3Storage } from '../adapters/storage/s3.ts'
import { sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { UnavailableError } from '../http/faults.ts'
import { useTestDatabase } from '../testing/database.ts'
import { startS3Server } from '../testing/s3-server.ts'
import { createSureRemoval, giveUpPicture } from './sure-removal.ts'
import { perFile } from '../testing/fixture.ts'

const database = useTestDatabase()
const s3 = perFile(startS3Server)
const jobs = () => database.db.query<{ payload: { name: string } }>(sql`select payload from job where kind = 'remove_file'`)

test('while the store is down a removal becomes one job, which removes the file later; run twice it is no error', async () => {
  const files = createSureRemoval(database.db, createS3Storage(s3.place))
  const name = await files.storage.put('avatars', 'webp', Buffer.from('a face'))
  await s3.goAway()
  await files.storage.remove(name)
  await files.storage.remove(name)
  expect(await jobs()).toEqual([{ payload: { name } }])
  await expect(files.jobs.remove_file({ name }, '1')).rejects.toBeInstanceOf(UnavailableError)
  await s3.comeBack()
  expect((await files.storage.find(name))?.bytes.toString()).toBe('a face')
  for (let time = 0; time < 2; time++) await files.jobs.remove_file({ name }, '1')
  expect(await files.storage.find(name)).toBeUndefined()
})

test('while the store answers a removal writes no job', async () => {
  const before = await jobs()
  const { storage } = createSureRemoval(database.db, createS3Storage(s3.place))
  const name = await storage.put('avatars', 'webp', Buffer.from('a face'))
  await storage.remove(name)
  expect(await storage.find(name)).toBeUndefined()
  expect(await jobs()).toEqual(before)
})

test.each([
  ['whose process ends after the commit is removed by a job a minute later', '/uploads/avatars/0a.webp', 'avatars/0a.webp'],
  ['at another host is left there', 'https://pictures.example/0a.webp', undefined],
])('a given up picture %s', async (_, address, name) => {
  const given = await inTransaction(database.db, (tx) => giveUpPicture(tx, address))
  expect(given).toBe(name)
  const waiting = await database.db.query(sql`
    select due_at > roz_now() + interval '50 seconds' as "isLater" from job where kind = 'remove_file' and key like '%0a.webp'`)
  expect(waiting).toEqual(name === undefined ? [] : [{ isLater: true }])
  await database.db.query(sql`delete from job where key like '%0a.webp'`)
})

test('a file that the store kept without answering is removed by a job, and the caller learns of no name', async () => {
  const real = createS3Storage(s3.place)
  const kept: string[] = []
  const keep = async (name: string, bytes: Buffer): Promise<void> => {
    await real.keep(name, bytes)
    kept.push(name)
    throw new UnavailableError('the file store does not answer')
  }
  const files = createSureRemoval(database.db, { ...real, keep })
  await expect(files.storage.put('receipts', 'webp', Buffer.from('a receipt'))).rejects.toBeInstanceOf(UnavailableError)
  const [name = ''] = kept
  expect(await real.find(name)).toBeDefined()
  expect((await jobs()).filter(({ payload }) => payload.name === name)).toHaveLength(1)
  await files.jobs.remove_file({ name }, '1')
  expect(await real.find(name)).toBeUndefined()
})
