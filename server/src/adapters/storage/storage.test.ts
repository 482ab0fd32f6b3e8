/** Tests every storage by one suite. */
import dns from 'node:dns'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { REFUSALS } from '@roz/core/refusals.ts'
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { registerFaults, UnavailableError } from '../../http/faults.ts'
import { startS3Server } from '../../testing/s3-server.ts'
import { createFileStorage } from './files.ts'
import type { KeepingStorage } from './port.ts'
import { createS3Storage } from './s3.ts'
import { registerUploads } from './uploads.ts'
import { perFile } from '../../testing/fixture.ts'
import { closeServer, listen } from '../../testing/listening.ts'

let folder: string
const s3 = perFile(startS3Server)
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'roz storage '))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const storages: [string, () => KeepingStorage][] = [
  ['files', () => createFileStorage({ folder: path.join(folder, 'not yet there', 'uploads') })],
  ['s3', () => createS3Storage(s3.place)],
]

describe.each(storages)('a storage: %s', (_name, create) => {
  test('returns the stored bytes, under a new unguessable name each time', async () => {
    const storage = create()
    const bytes = Buffer.from('some bytes')
    const [first, second] = await Promise.all([storage.put('avatars', 'webp', bytes), storage.put('avatars', 'webp', bytes)])
    expect(first).toMatch(/^avatars\/[0-9a-f]{32}\.webp$/)
    expect(second).not.toBe(first)
    expect(await storage.find(first)).toEqual({ bytes, contentType: 'image/webp' })
  })

  test('finds nothing under an unknown name', async () => {
    expect(await create().find(`avatars/${'0'.repeat(32)}.webp`)).toBeUndefined()
  })

  test('removes a file, and removing it again is no error', async () => {
    const storage = create()
    const name = await storage.put('avatars', 'webp', Buffer.from('x'))
    await storage.remove(name)
    await storage.remove(name)
    expect(await storage.find(name)).toBeUndefined()
  })

  test('keeps a file under a given name, and refuses a name that it would not make', async () => {
    const storage = create()
    const name = `posters/${'7'.repeat(32)}.webp`
    await storage.keep(name, Buffer.from('first'))
    await storage.keep(name, Buffer.from('again'))
    expect((await storage.find(name))?.bytes.toString()).toBe('again')
    await expect(storage.keep('posters/../../secret', Buffer.from('x'))).rejects.toThrow('not the name of a stored file')
  })

  test.each([
    '../secret',
    'avatars/../../secret',
    '/etc/passwd',
    'avatars/x.webp',
    'avatars/.part',
    '',
    `avatars/${'0'.repeat(32)}.webp\n`,
  ])('neither reads nor removes a file by the malformed name %j', async (name) => {
    const storage = create()
    await writeFile(path.join(folder, 'secret'), 'secret')
    expect(await storage.find(name)).toBeUndefined()
    await storage.remove(name)
    expect((await stat(path.join(folder, 'secret'))).isFile()).toBe(true)
  })
})

test('files: no temporary file is left, and only this user can read the files', async () => {
  const root = path.join(folder, 'whole')
  const storage = createFileStorage({ folder: root })
  const names = await Promise.all(Array.from({ length: 10 }, (_, i) => storage.put('avatars', 'webp', Buffer.alloc(100_000, i))))
  expect((await readdir(path.join(root, 'avatars'))).sort()).toEqual(names.map((name) => path.basename(name)).sort())
  expect((await stat(path.join(root, names[0] as string))).mode & 0o777).toBe(0o600)
})

test('files: a put that cannot write fails', async () => {
  const blocked = path.join(folder, 'blocked')
  await writeFile(blocked, 'a file where the folder should be')
  await expect(createFileStorage({ folder: blocked }).put('avatars', 'webp', Buffer.from('x'))).rejects.toBeInstanceOf(UnavailableError)
})

test('s3: temporary keys send their session token, and a store that expects another refuses', async () => {
  const store = await startS3Server({ sessionToken: 'of an hour' })
  const storage = createS3Storage(store.place)
  const name = await storage.put('avatars', 'webp', Buffer.from('some bytes'))
  expect(store.names()).toEqual([name])
  await expect(createS3Storage({ ...store.place, sessionToken: 'of yesterday' }).find(name)).rejects.toMatchObject({
    message: 'the file store answered 403 InvalidToken',
  })
  await store.stop()
})

test('s3: the bucket can be named by the host', async () => {
  const { lookup } = dns
  // No name server here knows the host of a bucket.
  dns.lookup = ((_host: string, _options: object, done: (error: null, found: unknown) => void) =>
    done(null, [{ address: '127.0.0.1', family: 4 }])) as typeof lookup
  const endpoint = s3.place.endpoint.replace('127.0.0.1', 'localhost.test')
  const storage = createS3Storage({ ...s3.place, endpoint, isByHost: true })
  try {
    const name = await storage.put('avatars', 'webp', Buffer.from('by host'))
    expect((await createS3Storage(s3.place).find(name))?.bytes.toString()).toBe('by host')
  } finally {
    dns.lookup = lookup
  }
})

test.each([
  ['another secret', { secretAccessKey: 'guessed' }, 'the file store answered 403 SignatureDoesNotMatch'],
  ['an unknown key', { accessKeyId: 'NOBODY' }, 'the file store answered 403 InvalidAccessKeyId'],
  ['no such bucket', { bucket: 'elsewhere' }, 'the file store answered 404 NoSuchBucket'],
  ['a store that is down', { endpoint: 'http://127.0.0.1:1' }, 'the file store does not answer'],
])('s3: with %s each call fails as unavailable, and says so without a key', async (_what, wrong, message) => {
  const storage = createS3Storage({ ...s3.place, ...wrong })
  const name = `avatars/${'0'.repeat(32)}.webp`
  const calls = [storage.put('avatars', 'webp', Buffer.from('x')), storage.find(name), storage.remove(name)]
  for (const end of await Promise.allSettled(calls))
    expect(end).toMatchObject({ status: 'rejected', reason: { name: 'UnavailableError', message } })
})

test('while the store is down a file answers 503 in plain words, with the time of the next try', async () => {
  const app = Fastify()
  registerFaults(app)
  registerUploads(app, createS3Storage({ ...s3.place, endpoint: 'http://127.0.0.1:1' }))
  const answer = await app.inject({ url: `/uploads/avatars/${'0'.repeat(32)}.webp`, headers: { 'accept-language': 'hi' } })
  expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '2'])
  expect(answer.json()).toEqual({ code: 'overloaded', message: REFUSALS.overloaded.hi })
  await app.close()
})

test('a story’s picture is asked for again each time: 304 while it is there, and 404 once it is removed', async () => {
  const storage = createFileStorage({ folder: path.join(folder, 'pictures') })
  const app = Fastify()
  registerUploads(app, storage)
  const name = await storage.put('posters', 'webp', Buffer.from('a picture'))
  const first = await app.inject(`/uploads/${name}`)
  expect([first.statusCode, first.headers['cache-control']]).toEqual([200, 'public, no-cache'])
  const again = () => app.inject({ url: `/uploads/${name}`, headers: { 'if-none-match': String(first.headers.etag) } })
  const known = await again()
  expect([known.statusCode, known.body]).toEqual([304, ''])
  await storage.remove(name)
  expect((await again()).statusCode).toBe(404)
  await app.close()
})

test('s3: a store that does not answer in time is unavailable', async () => {
  const silent = createServer(() => undefined)
  const storage = createS3Storage({ ...s3.place, endpoint: await listen(silent) }, { timeoutMs: 100, findMs: 100 })
  await expect(storage.put('avatars', 'webp', Buffer.from('x'))).rejects.toBeInstanceOf(UnavailableError)
  await expect(storage.find(`avatars/${'0'.repeat(32)}.webp`)).rejects.toBeInstanceOf(UnavailableError)
  await closeServer(silent)
})
