/** Tests every storage by one suite. */
import { createHash, createHmac } from 'node:crypto'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { REFUSALS } from '@roz/core/refusals.ts'
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { registerFaults, UnavailableError } from '../../http/faults.ts'
import { namesIn, type S3Server, startS3Server } from '../../testing/s3-server.ts'
import { createFileStorage } from './files.ts'
import type { MovableStorage } from './port.ts'
import { createS3Storage } from './s3.ts'
import { registerUploads } from './uploads.ts'

let folder: string
let s3: S3Server
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'roz storage '))
  s3 = await startS3Server()
})
afterAll(async () => {
  await s3.stop()
  await rm(folder, { recursive: true, force: true })
})

const storages: [string, () => MovableStorage][] = [
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

  test('keeps a file under a name that another storage made, and lists each name once', async () => {
    const storage = create()
    const names = Array.from({ length: 3 }, (_, index) => `posters/${String(index).repeat(32)}.webp`)
    for (const name of names) await storage.keep(name, Buffer.from(name))
    await storage.keep(names[0] as string, Buffer.from('again'))
    expect((await storage.find(names[0] as string))?.bytes.toString()).toBe('again')
    expect((await namesIn(storage)).filter((name) => name.startsWith('posters/'))).toEqual(names)
    await expect(storage.keep('posters/../../secret', Buffer.from('x'))).rejects.toThrow('not the name of a stored file')
  })

  test('lists nothing where nothing was stored', async () => {
    const empty = [createFileStorage({ folder: path.join(folder, 'empty') }), createS3Storage({ ...s3.place, prefix: 'empty/' })]
    for (const storage of empty) expect(await namesIn(storage)).toEqual([])
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

/** The signature of a request by the text of AWS Signature Version 4, written without the library that signs. */
function signatureOf(request: IncomingMessage, secret: string): string {
  const [, date = '', scope = '', names = ''] =
    /Credential=[^/]+\/(\d{8})(\/[^,]+), SignedHeaders=([^,]+)/.exec(request.headers.authorization ?? '') ?? []
  const [place = '', query = ''] = (request.url ?? '').split('?')
  const headers = names.split(';').map((name) => `${name}:${String(request.headers[name])}\n`)
  const hash = String(request.headers['x-amz-content-sha256'])
  const canonical = [request.method, place, query.split('&').toSorted().join('&'), headers.join(''), names, hash].join('\n')
  const digest = createHash('sha256').update(canonical).digest('hex')
  const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()
  const key = ['us-east-1', 's3', 'aws4_request'].reduce((last: Buffer, part) => hmac(last, part), hmac(`AWS4${secret}`, date))
  return hmac(key, `AWS4-HMAC-SHA256\n${String(request.headers['x-amz-date'])}\n${date}${scope}\n${digest}`).toString('hex')
}

test('s3: a list is read page by page, and every request is signed with the secret key and the hash of its body', async () => {
  const names = Array.from({ length: 4 }, (_, index) => `avatars/${String(index).repeat(32)}.webp`)
  const pageOf = (keys: readonly string[], next: string): string =>
    `<ListBucketResult>${keys.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('')}${next}</ListBucketResult>`
  const seen: { readonly method: string | undefined; readonly isSigned: boolean; readonly hash: unknown }[] = []
  const store = createServer((request, response) => {
    const isSigned = request.headers.authorization?.endsWith(`Signature=${signatureOf(request, 'the secret')}`) === true
    seen.push({ method: request.method, isSigned, hash: request.headers['x-amz-content-sha256'] })
    const { searchParams } = new URL(request.url ?? '', 'http://store')
    const isSecond = searchParams.get('continuation-token') === 'next/page+='
    const keys = names.map((name) => `up/${name}`).slice(isSecond ? 2 : 0, isSecond ? 4 : 2)
    request.resume()
    response.end(pageOf([...keys, 'up/not-ours.txt'], isSecond ? '' : '<NextContinuationToken>next/page+=</NextContinuationToken>'))
  })
  await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://127.0.0.1:${(store.address() as AddressInfo).port}`
  const storage = createS3Storage({ ...s3.place, endpoint, prefix: 'up/', secretAccessKey: 'the secret' })
  expect(await namesIn(storage)).toEqual(names)
  const bytes = Buffer.from('some bytes')
  await storage.put('avatars', 'webp', bytes)
  const nothing = createHash('sha256').digest('hex')
  expect(seen).toEqual([
    { method: 'GET', isSigned: true, hash: nothing },
    { method: 'GET', isSigned: true, hash: nothing },
    { method: 'PUT', isSigned: true, hash: createHash('sha256').update(bytes).digest('hex') },
  ])
  await new Promise((resolve) => {
    store.close(resolve)
    store.closeAllConnections()
  })
})

test.each([
  ['breaks off its list', '<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>', 'the file store broke off its list'],
  ['answers no list', '<html>Welcome</html>', 'the file store answered no list'],
])('s3: a store that %s is unavailable, not empty', async (_what, page, message) => {
  const store = createServer((_request, response) => response.end(page))
  await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://127.0.0.1:${(store.address() as AddressInfo).port}`
  await expect(namesIn(createS3Storage({ ...s3.place, endpoint }))).rejects.toMatchObject({ name: 'UnavailableError', message })
  await new Promise((resolve) => {
    store.close(resolve)
    store.closeAllConnections()
  })
})

test.each([
  ['an unknown key', { accessKeyId: 'NOBODY' }, 'the file store answered 403 InvalidAccessKeyId'],
  ['no such bucket', { bucket: 'elsewhere' }, 'the file store answered 404 NoSuchBucket'],
  ['a store that is down', { endpoint: 'http://127.0.0.1:1' }, 'the file store does not answer'],
])('s3: with %s each call fails as unavailable, and says so without a key', async (_what, wrong, message) => {
  const storage = createS3Storage({ ...s3.place, ...wrong })
  const name = `avatars/${'0'.repeat(32)}.webp`
  const calls = [storage.put('avatars', 'webp', Buffer.from('x')), storage.find(name), storage.remove(name), namesIn(storage)]
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

test('s3: a store that does not answer in time is unavailable', async () => {
  const silent = createServer(() => undefined)
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as AddressInfo
  const storage = createS3Storage({ ...s3.place, endpoint: `http://127.0.0.1:${port}` }, { timeoutMs: 100, findMs: 100 })
  await expect(storage.put('avatars', 'webp', Buffer.from('x'))).rejects.toBeInstanceOf(UnavailableError)
  await expect(storage.find(`avatars/${'0'.repeat(32)}.webp`)).rejects.toBeInstanceOf(UnavailableError)
  await new Promise((resolve) => {
    silent.close(resolve)
    silent.closeAllConnections()
  })
})
