/** Tests the move of uploads to another storage: repeated, interrupted, damaged, and by the command itself. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createFileStorage } from '../adapters/storage/files.ts'
import { type MovableStorage, UPLOADS_PATH } from '../adapters/storage/port.ts'
import { createS3Storage } from '../adapters/storage/s3.ts'
import { sql } from '../db/sql.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { namesIn, type S3Server, startS3Server, storageUrlOf } from '../testing/s3-server.ts'
import { moveFiles, moveFilesNow } from './move-files.ts'

let database: TestDatabase
let s3: S3Server
let dataDir: string
let [from, to]: [MovableStorage, MovableStorage] = [] as never
let said: string[]
let names: readonly string[]
const say = (line: string): void => void said.push(line)
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  s3 = await startS3Server()
  dataDir = await mkdtemp(path.join(tmpdir(), 'roz-move-'))
  from = createFileStorage({ folder: path.join(dataDir, 'uploads') })
  to = createS3Storage(s3.place)
  said = []
  names = await Promise.all(
    Array.from({ length: 20 }, (_, index) => from.put(index % 2 === 0 ? 'avatars' : 'receipts', 'webp', Buffer.alloc(5000, index))),
  )
})
afterEach(async () => {
  await s3.stop()
  await rm(dataDir, { recursive: true })
})

async function expectAllIn(storage: MovableStorage): Promise<void> {
  for (const [index, name] of names.entries()) expect((await storage.find(name))?.bytes).toEqual(Buffer.alloc(5000, index))
}
const env = () => ({
  DATA_DIR: dataDir,
  DATABASE_URL: database.appUrl,
  AWS_ACCESS_KEY_ID: s3.place.accessKeyId,
  AWS_SECRET_ACCESS_KEY: s3.place.secretAccessKey,
})

/** As if a story showed each of these files. */
async function nameInStories(named: readonly string[]): Promise<void> {
  await database.db.query(sql`
    insert into story (id, day, title, description, charity_name, charity_description, image_url)
    select gen_random_uuid(), '2026-01-01', 't', 'd', 'c', 'd', url from unnest(${named.map((name) => UPLOADS_PATH + name)}::text[]) url`)
}
const removal = { named: async () => new Set(names), rowWaitMs: 0 }

test('the command copies every file to s3 and back, deletes only when told, and a repeated run copies nothing', async () => {
  const words = ['--to', storageUrlOf(s3.place)]
  expect(await moveFilesNow(env(), words, say)).toBe(0)
  expect(await moveFilesNow(env(), words, say)).toBe(0)
  expect(said).toEqual([
    '20 files copied and verified, 0 were there already, 0 failed.',
    '0 files copied and verified, 20 were there already, 0 failed.',
  ])
  await expectAllIn(to)
  await expectAllIn(from)
  const switched = { ...env(), STORAGE_URL: storageUrlOf(s3.place) }
  const last = ['--from', 'files', ...words, '--remove']
  expect(await moveFilesNow(env(), [...words, '--remove'], say)).toBe(2)
  expect(await moveFilesNow(switched, [...words, '--remove'], say)).toBe(2)
  expect(await moveFilesNow(switched, last, say, 0)).toBe(1)
  await expectAllIn(from)
  expect(said.slice(2)).toEqual([
    '--remove: start the server with the new STORAGE_URL first, and run this with the same; --from names the old storage',
    '--to: the files are there already; name the old storage by --from',
    '0 files copied and verified, 20 were there already, 0 failed.',
    'Nothing was deleted: the database names none of these files. Is it the one of the server (DATABASE_URL, DATA_DIR)?',
  ])
  await nameInStories(names)
  expect(await moveFilesNow(switched, last, say, 0)).toBe(0)
  expect(said.at(-1)).toBe('20 files deleted from the old storage.')
  expect(await namesIn(from)).toEqual([])
  expect(await moveFilesNow(switched, ['--to', 'files'], say)).toBe(0)
  await expectAllIn(from)
})

test('a file whose row is deleted during the move is in neither storage after the last run; a file whose row is being written stays', async () => {
  expect(await moveFiles({ from, to, say })).toBe(0)
  const [before, after] = names as [string, string]
  // The server still used the old storage, and then the new one.
  await from.remove(before)
  await to.remove(after)
  const uploading = await to.put('avatars', 'webp', Buffer.from('a face'))
  const named = names.slice(2)
  let asked = 0
  const rows = async (): Promise<ReadonlySet<string>> => new Set(++asked < 3 ? named : [...named, uploading])
  expect(await moveFiles({ from, to, say, removal: { named: rows, rowWaitMs: 0 } })).toBe(0)
  expect(await namesIn(from)).toEqual([])
  expect(await namesIn(to)).toEqual([...named, uploading].toSorted())
  expect(said.at(-1)).toBe('2 files that no account, story or receipt names deleted from the new storage.')
})

test('a run that was cut off by the store continues, and deletes nothing before every file is verified', async () => {
  let puts = 0
  const breaking: MovableStorage = {
    ...to,
    keep: async (name, bytes) => {
      if (++puts === 8) await s3.goAway()
      await to.keep(name, bytes)
    },
  }
  expect(await moveFiles({ from, to: breaking, say, removal })).toBe(1)
  expect(said.at(-1)).toBe('Nothing was deleted. Run it again: it continues.')
  await expectAllIn(from)
  await s3.comeBack()
  expect(await moveFiles({ from, to, say, removal })).toBe(0)
  await expectAllIn(to)
  expect(await namesIn(from)).toEqual([])
}, 60_000)

test('a copy that differs is an error, and a damaged copy of an earlier run is replaced', async () => {
  const damaging: MovableStorage = { ...to, keep: (name, bytes) => to.keep(name, Buffer.concat([Buffer.of(7), bytes])) }
  expect(await moveFiles({ from, to: damaging, say, removal })).toBe(1)
  expect(said).toContain(`${names[3]}: the copy differs from the file`)
  await expectAllIn(from)
  expect(await moveFiles({ from, to, say })).toBe(0)
  await expectAllIn(to)
})

test('words that are not understood, missing keys and the storage in use are refused before anything is read', async () => {
  expect(await moveFilesNow(env(), [], say)).toBe(2)
  for (const words of [
    ['--to', 'files', '--delete'],
    ['--to', 'files', '--from'],
    ['--from', 'files'],
    ['--to', 'files', '--to', 'files'],
  ])
    expect(await moveFilesNow(env(), words, say)).toBe(2)
  expect(await moveFilesNow({ DATA_DIR: dataDir }, ['--to', storageUrlOf(s3.place)], say)).toBe(2)
  expect(await moveFilesNow(env(), ['--to', 'http://elsewhere'], say)).toBe(2)
  expect(await moveFilesNow(env(), ['--to', 'files'], say)).toBe(2)
  expect(said.slice(5)).toEqual([
    'AWS_ACCESS_KEY_ID is not set\nAWS_SECRET_ACCESS_KEY is not set',
    '--to: an address such as s3://bucket/prefix?endpoint=https://…&region=…, without keys',
    '--to: the files are there already; name the old storage by --from',
  ])
})
