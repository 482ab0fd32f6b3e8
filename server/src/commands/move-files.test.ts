/** Tests the move of uploads to another storage: repeated, interrupted, damaged, and by the command itself. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFileStorage } from '../adapters/storage/files.ts'
import type { MovableStorage } from '../adapters/storage/port.ts'
import { createS3Storage } from '../adapters/storage/s3.ts'
import { namesIn, type S3Server, startS3Server, storageUrlOf } from '../testing/s3-server.ts'
import { moveFiles, moveFilesNow } from './move-files.ts'

let s3: S3Server
let dataDir: string
let [from, to]: [MovableStorage, MovableStorage] = [] as never
let said: string[]
let names: readonly string[]
const say = (line: string): void => void said.push(line)
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
  AWS_ACCESS_KEY_ID: s3.place.accessKeyId,
  AWS_SECRET_ACCESS_KEY: s3.place.secretAccessKey,
})

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
  expect(await moveFilesNow(env(), [...words, '--remove'], say)).toBe(0)
  expect(said.at(-1)).toBe('20 files deleted from the old storage.')
  expect(await namesIn(from)).toEqual([])
  expect(await moveFilesNow({ ...env(), STORAGE_URL: storageUrlOf(s3.place) }, ['--to', 'files'], say)).toBe(0)
  await expectAllIn(from)
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
  expect(await moveFiles({ from, to: breaking, isRemoving: true, say })).toBe(1)
  expect(said.at(-1)).toBe('Nothing was deleted. Run it again: it continues.')
  await expectAllIn(from)
  await s3.comeBack()
  expect(await moveFiles({ from, to, isRemoving: true, say })).toBe(0)
  await expectAllIn(to)
  expect(await namesIn(from)).toEqual([])
}, 60_000)

test('a copy that differs is an error, and a damaged copy of an earlier run is replaced', async () => {
  const damaging: MovableStorage = { ...to, keep: (name, bytes) => to.keep(name, Buffer.concat([Buffer.of(7), bytes])) }
  expect(await moveFiles({ from, to: damaging, isRemoving: true, say })).toBe(1)
  expect(said).toContain(`${names[3]}: the copy differs from the file`)
  await expectAllIn(from)
  expect(await moveFiles({ from, to, isRemoving: false, say })).toBe(0)
  await expectAllIn(to)
})

test('words that are not understood, missing keys and the storage in use are refused before anything is read', async () => {
  expect(await moveFilesNow(env(), [], say)).toBe(2)
  expect(await moveFilesNow(env(), ['--to', 'files', '--delete'], say)).toBe(2)
  expect(await moveFilesNow({ DATA_DIR: dataDir }, ['--to', storageUrlOf(s3.place)], say)).toBe(2)
  expect(await moveFilesNow(env(), ['--to', 'http://elsewhere'], say)).toBe(2)
  expect(await moveFilesNow(env(), ['--to', 'files'], say)).toBe(2)
  expect(said.slice(2)).toEqual([
    'AWS_ACCESS_KEY_ID is not set\nAWS_SECRET_ACCESS_KEY is not set',
    '--to: an address such as s3://bucket/prefix?endpoint=https://…&region=…, without keys',
    '--to: the files are there already (STORAGE_URL)',
  ])
})
