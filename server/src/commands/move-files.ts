/**
 * `npm run move-files -- --to s3://…`: copies all uploads to another storage, also while the server runs.
 * - Each file is read back and compared by its SHA-256. One that is there already is only compared, so a run can be repeated.
 * - Nothing is deleted without --remove, which is refused while the server uses the old storage.
 * - With --remove, after all were copied: each identical file is deleted from the old storage. Files that no row names are
 *   deleted from the new one: an account or story may have been deleted since an earlier run.
 * - Exit code: 0 if every file is in the new storage, 1 otherwise, 2 for wrong arguments.
 */
import { createHash } from 'node:crypto'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openStorage, type StoragePlace } from '../adapters/storage/open-storage.ts'
import { type MovableStorage, UPLOADS_PATH } from '../adapters/storage/port.ts'
import { auditSettings, ConfigError, type Environment } from '../config/config.ts'
import { Settings } from '../config/settings.ts'
import { s3Place, storageSettings, uploadsIn } from '../config/storage-settings.ts'
import { connect, sql } from '../db/sql.ts'
import { onDatabase } from './command-database.ts'

const AT_ONCE = 8
/** Nobody waits for one file, and the line may be slow. */
const TIMES = { timeoutMs: 60_000, findMs: 60_000 }
const TOLD_EVERY = 1000
/** The server stores a file before it writes its row: a file without a row for so long has none. */
const ROW_WAIT_MS = 60_000
const USAGE =
  'npm run move-files -- [--from files|s3://…] --to files|s3://bucket/prefix?endpoint=https://…&region=… [--remove] (--from is STORAGE_URL unless named)'
type Say = (line: string) => void
type Words = { readonly from?: string; readonly to: string; readonly isRemoving: boolean }

export async function moveFilesNow(env: Environment, given: readonly string[], say: Say, rowWaitMs = ROW_WAIT_MS): Promise<0 | 1 | 2> {
  const words = understood(given)
  if (words === undefined) {
    say(USAGE)
    return 2
  }
  try {
    const { source, target } = placesOf(env, words)
    const move = { from: openStorage(source, TIMES), to: openStorage(target, TIMES), say }
    if (!words.isRemoving) return await moveFiles(move)
    return (
      (await onDatabase({ ...auditSettings(env), say }, (url) =>
        moveFiles({ ...move, removal: { named: () => namedIn(url), rowWaitMs } }),
      )) ?? 1
    )
  } catch (error) {
    say(error instanceof ConfigError ? error.complaints.join('\n') : `The move was cut off: ${String(error)}. Run it again: it continues.`)
    return error instanceof ConfigError ? 2 : 1
  }
}

function understood(given: readonly string[]): Words | undefined {
  const words = given.filter((word) => word !== '--remove')
  const pairs = new Map<string | undefined, string | undefined>()
  for (let at = 0; at < words.length; at += 2) pairs.set(words[at], words[at + 1])
  const [from, to] = [pairs.get('--from'), pairs.get('--to')]
  if (to === undefined || pairs.size * 2 !== words.length || pairs.size !== (from === undefined ? 1 : 2)) return undefined
  return { ...(from === undefined ? {} : { from }), to, isRemoving: given.includes('--remove') }
}

function placesOf(env: Environment, { from, to, isRemoving }: Words): { readonly source: StoragePlace; readonly target: StoragePlace } {
  const settings = new Settings(env)
  const dataDir = path.resolve(settings.text('DATA_DIR') ?? '.data')
  const inUse = storageSettings(settings, dataDir, () => true)
  const placeOf = (name: string, word: string): StoragePlace =>
    (word === 'files' ? uploadsIn(dataDir) : s3Place(settings, name, word, () => true)) ?? inUse
  const [source, target] = [from === undefined ? inUse : placeOf('--from', from), placeOf('--to', to)]
  settings.finish((complaints) => new ConfigError(complaints))
  const isOne = (one: StoragePlace, other: StoragePlace): boolean => JSON.stringify(one) === JSON.stringify(other)
  if (isOne(source, target)) settings.complain('--to: the files are there already; name the old storage by --from')
  else if (isRemoving && !isOne(target, inUse))
    settings.complain('--remove: start the server with the new STORAGE_URL first, and run this with the same; --from names the old storage')
  settings.finish((complaints) => new ConfigError(complaints))
  return { source, target }
}

/** The files that a row names. */
export async function namedIn(url: string): Promise<ReadonlySet<string>> {
  const db = connect({ url, max: 1, named: false, applicationName: 'roz-move-files' })
  try {
    const rows = await db.query<{ name: string }>(sql`
      select substr(avatar, ${UPLOADS_PATH.length + 1}::int) as name from member where starts_with(avatar, ${UPLOADS_PATH}::text)
      union all select substr(image_url, ${UPLOADS_PATH.length + 1}::int) from story where starts_with(image_url, ${UPLOADS_PATH}::text)
      union all select file from receipt`)
    return new Set(rows.map(({ name }) => name))
  } finally {
    await db.close()
  }
}

type Removal = { readonly named: () => Promise<ReadonlySet<string>>; readonly rowWaitMs: number }
export type Move = { readonly from: MovableStorage; readonly to: MovableStorage; readonly say: Say; readonly removal?: Removal }

export async function moveFiles({ from, to, say, removal }: Move): Promise<0 | 1> {
  const count = { copied: 0, same: 0, failed: 0 }
  const met = new Set<string>()
  if (removal !== undefined) await forEach(to.list(), async (name) => void met.add(name))
  await forEach(from.list(), async (name) => {
    met.add(name)
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
  return removal === undefined ? 0 : removeFiles({ from, to, say, removal, met })
}

async function removeFiles({ from, to, say, removal, met }: Required<Move> & { readonly met: ReadonlySet<string> }): Promise<0 | 1> {
  if (met.size > 0 && met.isDisjointFrom(await removal.named())) {
    say('Nothing was deleted: the database names none of these files. Is it the one of the server (DATABASE_URL, DATA_DIR)?')
    return 1
  }
  let removed = 0
  await forEach(from.list(), async (name) => {
    if ((await copy(from, to, name)) !== 'same') return
    await from.remove(name)
    removed++
  })
  say(`${removed} files deleted from the old storage.`)
  if (!met.isSubsetOf(await removal.named())) {
    await wait(removal.rowWaitMs)
    const erased = met.difference(await removal.named())
    for (const name of erased) await to.remove(name)
    say(`${erased.size} files that no account, story or receipt names deleted from the new storage.`)
  }
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

/** Runs a few at once, and throws the first failure that `work` does not catch. */
async function forEach(names: AsyncIterable<string>, work: (name: string) => Promise<void>): Promise<void> {
  const iterator = names[Symbol.asyncIterator]()
  const run = async (): Promise<void> => {
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) await work(next.value)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, run))
}
