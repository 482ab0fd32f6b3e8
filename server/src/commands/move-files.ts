/**
 * `npm run move-files -- --to s3://…`: copies all uploads to another storage, also while the server runs.
 * - Each file is read back and compared by its SHA-256. One that is there already is only compared, so a run can be repeated.
 * - Nothing is deleted, unless --remove says so: then each file is removed that is the same in both, after all were copied.
 * - Exit code: 0 where every file is in the new storage, 1 otherwise, 2 where the words are not understood.
 */
import { createHash } from 'node:crypto'
import path from 'node:path'
import { openStorage, type StoragePlace } from '../adapters/storage/open-storage.ts'
import type { MovableStorage } from '../adapters/storage/port.ts'
import { ConfigError, type Environment } from '../config/config.ts'
import { Settings } from '../config/settings.ts'
import { s3Place, storageSettings, uploadsIn } from '../config/storage-settings.ts'

const AT_ONCE = 8
const TOLD_EVERY = 1000
const USAGE = 'npm run move-files -- --to s3://bucket/prefix?endpoint=https://…&region=… (or: --to files) [--remove]'
type Say = (line: string) => void

export async function moveFilesNow(env: Environment, words: readonly string[], say: Say): Promise<0 | 1 | 2> {
  const to = words[words.indexOf('--to') + 1]
  const known = new Set(['--to', '--remove', to])
  if (!words.includes('--to') || to === undefined || words.some((word) => !known.has(word))) {
    say(USAGE)
    return 2
  }
  try {
    const { source, target } = placesOf(env, to)
    return await moveFiles({ from: openStorage(source), to: openStorage(target), isRemoving: words.includes('--remove'), say })
  } catch (error) {
    say(
      error instanceof ConfigError
        ? error.complaints.join('\n')
        : `The files could not be listed: ${String(error)}. Run it again: it continues.`,
    )
    return error instanceof ConfigError ? 2 : 1
  }
}

function placesOf(env: Environment, to: string): { readonly source: StoragePlace; readonly target: StoragePlace } {
  const settings = new Settings(env)
  const dataDir = path.resolve(settings.text('DATA_DIR') ?? '.data')
  const source = storageSettings(settings, dataDir, () => true)
  const target = to === 'files' ? uploadsIn(dataDir) : s3Place(settings, '--to', to, () => true)
  if (JSON.stringify(source) === JSON.stringify(target)) settings.complain('--to: the files are there already (STORAGE_URL)')
  settings.finish((complaints) => new ConfigError(complaints))
  return { source, target: target ?? source }
}

export type Move = { readonly from: MovableStorage; readonly to: MovableStorage; readonly isRemoving: boolean; readonly say: Say }

export async function moveFiles({ from, to, isRemoving, say }: Move): Promise<0 | 1> {
  const count = { copied: 0, same: 0, failed: 0, removed: 0 }
  await forEach(from.list(), async (name) => {
    try {
      const end = await copy(from, to, name)
      if (end !== 'gone') count[end]++
    } catch (error) {
      count.failed++
      say(`${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
    const done = count.copied + count.same + count.failed
    if (done % TOLD_EVERY === 0) say(`${done} files…`)
  })
  say(`${count.copied} files copied and verified, ${count.same} were there already, ${count.failed} failed.`)
  if (count.failed > 0) {
    say('Nothing was deleted. Run it again: it continues.')
    return 1
  }
  if (!isRemoving) return 0
  await forEach(from.list(), async (name) => {
    if ((await copy(from, to, name)) === 'same') {
      await from.remove(name)
      count.removed++
    }
  })
  say(`${count.removed} files deleted from the old storage.`)
  return 0
}

/** `gone`: somebody removed the file meanwhile. */
async function copy(from: MovableStorage, to: MovableStorage, name: string): Promise<'copied' | 'same' | 'gone'> {
  const [file, there] = await Promise.all([from.find(name), to.find(name)])
  if (file === undefined) return 'gone'
  if (there !== undefined && isSame(file.bytes, there.bytes)) return 'same'
  await to.keep(name, file.bytes)
  const back = await to.find(name)
  if (back === undefined || !isSame(file.bytes, back.bytes)) throw new Error('the copy differs from the file')
  return 'copied'
}

const hashOf = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest()
const isSame = (one: Buffer, other: Buffer): boolean => hashOf(one).equals(hashOf(other))

/** Some at once; the first failure that `work` does not catch ends all. */
async function forEach(names: AsyncIterable<string>, work: (name: string) => Promise<void>): Promise<void> {
  const iterator = names[Symbol.asyncIterator]()
  const run = async (): Promise<void> => {
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) await work(next.value)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, run))
}
