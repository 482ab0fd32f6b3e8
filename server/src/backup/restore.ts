/**
 * Restores a backup into a new data folder, to a chosen second.
 * - A folder with anything in it is refused. The new folder appears when everything in it is complete.
 * - Every file is compared with the manifest before PostgreSQL sees it.
 * - Only uploads that a row of the restored database names are copied, so an erased picture does not come back.
 * - The restored installation ships no WAL until a backup into a new folder is taken.
 * - No other user of the machine can read the files, neither during the restore nor after it.
 */
import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, open, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { isRoot } from '../db/embedded/identity.ts'
import { recover } from '../db/embedded/recover.ts'
import {
  type Backup,
  BackupError,
  findGap,
  idOf,
  listBackups,
  listSegments,
  type Manifest,
  packedName,
  uploadsIn,
  walIn,
} from './backup-folder.ts'
import { flush, forEach, readPackedWhole } from './durable-files.ts'
import { readBack } from './take.ts'

export type RestoreOptions = {
  readonly from: string
  readonly into: string
  /** Undefined: to the end of the WAL. */
  readonly at: Date | undefined
  readonly secretKeyFile: string | undefined
  /** The files that a row of the restored database names. */
  readonly namedIn: (dataDir: string) => Promise<ReadonlySet<string>>
  readonly say: (line: string) => void
}
export type Restored = { readonly backup: string; readonly lastCommit: string | undefined; readonly missing: readonly string[] }

export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { from, into, at, say } = options
  if (existsSync(into) && (await readdir(into)).length > 0)
    throw new BackupError(`${into} is not empty: a backup is restored into a new folder, never over another database.`)
  const backup = await chooseBackup(from, at)
  expectInside(backup.manifest)
  const segments = await expectSegments(from, backup, at)
  const making = `${into}.restoring-${randomBytes(4).toString('hex')}`
  try {
    await mkdir(making, { recursive: true, mode: 0o711 })
    await chmod(making, isRoot() ? 0o711 : 0o700)
    const postgres = path.join(making, 'postgres')
    say(`Unpacking backup ${backup.name} and comparing it with its manifest…`)
    await unpackAll(from, backup, segments, postgres)
    say(`Replaying ${segments.length} segments of the log…`)
    const lastCommit = await recover({ postgres, at, say })
    const missing = await bringUploads(options, making)
    if (options.secretKeyFile !== undefined) await bringSecretKey(options.secretKeyFile, path.join(making, 'secret-key'))
    await expectStillEmpty(into)
    await rename(making, into)
    await flush(path.dirname(into))
    return { backup: backup.name, lastCommit, missing }
  } catch (error) {
    await rm(making, { recursive: true, force: true })
    throw error
  }
}

/** The replay takes minutes: a server may have been started on the folder meanwhile. */
async function expectStillEmpty(into: string): Promise<void> {
  if (!existsSync(into)) return
  await rmdir(into).catch(() => {
    throw new BackupError(`${into} has been filled meanwhile: nothing was changed there. Stop what uses it, and restore into a new folder.`)
  })
}

/** Refuses a manifest with a path that leads out of the folder: we never write one. */
function expectInside({ files, folders, uploads }: Manifest): void {
  const wrong = [...Object.keys(files), ...folders, ...uploads].find((name) => path.isAbsolute(name) || name.split(/[/\\]/).includes('..'))
  if (wrong !== undefined) throw new BackupError(`The manifest of the backup names ${JSON.stringify(wrong)}: somebody has changed it.`)
}

/** The newest backup that was complete at the instant; without an instant, the newest backup. */
async function chooseBackup(from: string, at: Date | undefined): Promise<Backup> {
  if (!existsSync(from) || (await idOf(from)) === undefined) throw new BackupError(`${from} contains no backups of Roz.`)
  const all = await listBackups(from)
  const found = all.findLast(({ manifest }) => at === undefined || new Date(manifest.endedAt) <= at)
  if (found !== undefined) return found
  const first = all[0]?.manifest.endedAt
  throw new BackupError(first === undefined ? `${from} has no complete backup.` : `The oldest backup can be restored from ${first} on.`)
}

/** Without `at` any gap is refused, so that no commit after it is lost silently. */
async function expectSegments(from: string, { manifest }: Backup, at: Date | undefined): Promise<string[]> {
  const segments = await listSegments(from, manifest.firstSegment)
  const gap = findGap(segments, manifest.firstSegment)
  const isNeeded = gap !== undefined && (at === undefined || gap <= manifest.lastSegment)
  if (isNeeded) throw new BackupError(`The WAL segment ${gap} is missing in ${walIn(from)}: choose a time before it with --at.`)
  return gap === undefined ? segments : segments.filter((name) => name < gap)
}

async function unpackAll(from: string, { place, manifest }: Backup, segments: readonly string[], postgres: string): Promise<void> {
  const cluster = path.join(postgres, 'cluster')
  await mkdir(cluster, { recursive: true, mode: 0o700 })
  for (const name of manifest.folders) await mkdir(path.join(cluster, name), { recursive: true, mode: 0o700 })
  await readBack(path.join(place, 'cluster'), manifest.files, cluster)
  const wal = path.join(cluster, 'wal-in')
  await mkdir(wal, { mode: 0o700 })
  await forEach(segments, (name) => unpackSegment(path.join(walIn(from), packedName(name)), path.join(wal, name)), 2)
}

/** A segment that was archived before it was full ends in zeros. They become a hole in the file, which takes no disk space. */
async function unpackSegment(from: string, to: string): Promise<void> {
  const bytes = await readPackedWhole(from)
  let end = bytes.length
  while (end > 0 && bytes[end - 1] === 0) end--
  const handle = await open(to, 'wx', 0o600)
  try {
    await handle.writeFile(bytes.subarray(0, end))
    await handle.truncate(bytes.length)
  } finally {
    await handle.close()
  }
}

async function bringUploads({ from, namedIn }: RestoreOptions, dataDir: string): Promise<string[]> {
  const missing: string[] = []
  for (const name of await namedIn(dataDir)) {
    const file = path.join(uploadsIn(from), name)
    if (!existsSync(file)) {
      missing.push(name)
      continue
    }
    const to = path.join(dataDir, 'uploads', name)
    await mkdir(path.dirname(to), { recursive: true, mode: 0o700 })
    await copyFile(file, to)
    await chmod(to, 0o600)
    await flush(to)
  }
  return missing
}

async function bringSecretKey(from: string, to: string): Promise<void> {
  await copyFile(from, to)
  await chmod(to, 0o600)
  await flush(to)
}
