/** Tests every storage by one suite. */
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFileStorage } from './files.ts'
import type { Storage } from './port.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'roz storage '))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const storages: [string, () => Storage][] = [['files', () => createFileStorage({ folder: path.join(folder, 'not yet there', 'uploads') })]]

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
  await expect(createFileStorage({ folder: blocked }).put('avatars', 'webp', Buffer.from('x'))).rejects.toThrow()
})
