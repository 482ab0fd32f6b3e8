/**
 * Takes a backup of the local database while it runs: a copy of its files between `pg_backup_start` and `pg_backup_stop`.
 * - No request waits for it: the database only makes a checkpoint.
 * - The copied files are consistent only with the WAL written during the copy, which is shipped before the backup counts.
 * - Every file is read back and compared before the backup gets its name.
 * - If this process dies, PostgreSQL ends the backup by itself, and the next run removes the unfinished files.
 */
import { randomUUID } from 'node:crypto'
import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { giveTo } from '../db/embedded/identity.ts'
import { CAN_ARCHIVE, SEGMENT_SECONDS, spoolOf } from '../db/embedded/wal-archive.ts'
import {
  BackupError,
  findGap,
  idOf,
  listFiles,
  listSegments,
  type Manifest,
  nameAt,
  openFolder,
  packedName,
  removeOld,
  removeUnfinished,
} from './backup-folder.ts'
import { type Content, flush, forEach, moveInto, pack, unpack, writeWhole } from './durable-files.ts'
import { readTarget, ship, type Source, writeTarget } from './ship.ts'

export type TakeOptions = {
  readonly source: Source
  readonly superUrl: string
  readonly folder: string
  /** Number of backups that are kept. */
  readonly keep: number
  readonly say: (line: string) => void
}
export type Taken = { readonly name: string; readonly manifest: Manifest; readonly removed: readonly string[] }

/** The files of these folders are not copied: PostgreSQL makes them again, or another part of the backup has them. */
const EMPTY = /^(pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)\//
const LEFT_OUT = /^(postmaster\.(pid|opts)|current_logfiles|backup_label(\.old)?|tablespace_map(\.old)?|recovery\.signal)$|\.tmp$/
const LEFT_OUT_ANYWHERE = /(^|\/)(pgsql_tmp[^/]*|pg_internal\.init[^/]*)(\/|$)/
const ARCHIVE_WAIT_MS = 120_000

export async function takeBackup(options: TakeOptions): Promise<Taken> {
  const { source, superUrl, folder, keep } = options
  if (!CAN_ARCHIVE) throw new BackupError('The local database is backed up on Linux and macOS only: set DATABASE_URL.')
  const client = new pg.Client({ connectionString: superUrl, application_name: 'roz-backup', statement_timeout: ARCHIVE_WAIT_MS })
  client.on('error', () => undefined)
  await client.connect()
  try {
    await beginShipping(client, source, folder)
    await removeUnfinished(folder)
    const taken = await copyBetween(client, options)
    const { uploads } = source
    const removed = await removeOld(folder, keep, new Set(uploads === undefined ? [] : await listFiles(uploads)))
    return { ...taken, removed }
  } finally {
    await client.end()
  }
}

/** Turns on the shipping of every commit from here on. The first backup into a new folder makes that folder the target. */
async function beginShipping(client: pg.Client, source: Source, folder: string): Promise<void> {
  const { rows } = await client.query<{ archive_mode: string }>('show archive_mode')
  if (rows[0]?.archive_mode !== 'on')
    throw new BackupError('The database was started by an older version of Roz: restart the server once, and take the backup then.')
  const known = await readTarget(source.postgres)
  const id = await idOf(folder)
  if (id !== undefined && (known?.id !== id || known.folder !== folder))
    throw new BackupError(`${folder} contains the backups of another database, or of this one before a restore: choose a new folder.`)
  if (id === undefined && known?.folder === folder)
    throw new BackupError(
      `${folder} had the backups of this database and is empty now. Is its disk mounted? If they are gone, choose a new folder.`,
    )
  if (id === undefined) {
    const target = { folder, id: randomUUID() }
    await openFolder(folder, target.id)
    await writeTarget(source.postgres, target)
  }
  await openSpool(source.postgres)
  await client.query(`alter system set archive_timeout = '${SEGMENT_SECONDS}s'`)
  await client.query('select pg_reload_conf()')
}

/** Makes the folder that PostgreSQL archives WAL into. Only the database's own user can write there. */
async function openSpool(postgres: string): Promise<void> {
  const spool = spoolOf(postgres)
  const owner = await stat(path.join(postgres, 'cluster'))
  await mkdir(spool, { recursive: true, mode: 0o700 })
  await chmod(spool, 0o700)
  await giveTo(owner, spool)
}

async function copyBetween(client: pg.Client, { source, folder, say }: TakeOptions): Promise<Omit<Taken, 'removed'>> {
  const one = async (text: string): Promise<Record<string, string>> => (await client.query<Record<string, string>>(text)).rows[0] ?? {}
  const start = await one(`select pg_walfile_name(pg_backup_start('roz', true)) as segment`)
  const name = nameAt(new Date())
  const making = path.join(folder, `${name}.making`)
  const cluster = path.join(source.postgres, 'cluster')
  const { files, folders } = await copyCluster(cluster, path.join(making, 'cluster'), say)
  const stop = await one('select pg_walfile_name(lsn) as segment, labelfile from pg_backup_stop(true)')
  const endedAt = new Date().toISOString()
  const label = path.join(making, 'backup_label')
  await writeFile(label, stop.labelfile ?? '')
  files['backup_label'] = await pack(label, path.join(making, 'cluster', packedName('backup_label')))
  await flush(path.join(making, 'cluster'))
  await ship(source)
  const [firstSegment, lastSegment] = [start.segment ?? '', stop.segment ?? '']
  const segments = await listSegments(folder, firstSegment)
  const gap = findGap(segments, firstSegment)
  if (gap !== undefined || (segments.at(-1) ?? '') < lastSegment)
    throw new BackupError(`The WAL segment ${gap ?? lastSegment} did not reach ${folder}: the backup was not finished. Take it again.`)
  say('Reading back every file…')
  await readBack(path.join(making, 'cluster'), files)
  const { database = '' } = await one('select system_identifier::text as database from pg_control_system()')
  const uploads = source.uploads === undefined ? [] : await listFiles(source.uploads)
  const manifest: Manifest = { v: 1, database, endedAt, firstSegment, lastSegment, files, folders, uploads }
  await writeWhole(path.join(making, 'manifest.json'), `${JSON.stringify(manifest)}\n`)
  await moveInto(making, path.join(folder, name))
  return { name, manifest }
}

/** Copies the files while the database changes them. The replay of the WAL makes them consistent. */
async function copyCluster(from: string, to: string, say: (line: string) => void) {
  const entries = (await readdir(from, { recursive: true, withFileTypes: true })).map((entry) => ({
    name: path.relative(from, path.join(entry.parentPath, entry.name)),
    entry,
  }))
  if (entries.some(({ entry }) => entry.isSymbolicLink())) throw new BackupError('The database has tablespaces, which no backup contains.')
  const isKept = (name: string): boolean => !EMPTY.test(name) && !LEFT_OUT.test(name) && !LEFT_OUT_ANYWHERE.test(name)
  const kept = entries.filter(({ name }) => isKept(name))
  const folders = kept.flatMap(({ name, entry }) => (entry.isDirectory() ? [name] : [])).sort()
  const files: Record<string, Content> = {}
  const tell = inTenths(kept.length - folders.length, say)
  await mkdir(to, { recursive: true, mode: 0o700 })
  await forEach(
    kept.filter(({ entry }) => entry.isFile()),
    async ({ name }) => {
      const content = await packIfThere(path.join(from, name), path.join(to, packedName(name)))
      if (content !== undefined) files[name] = content
      tell()
    },
  )
  for (const place of [to, ...folders.map((name) => path.join(to, name))]) {
    await mkdir(place, { recursive: true, mode: 0o700 })
    await flush(place)
  }
  return { files, folders }
}

/** Returns undefined for a file that PostgreSQL removed during the copy: the replay of the WAL leaves it out too. */
const packIfThere = (from: string, to: string): Promise<Content | undefined> =>
  pack(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })

function inTenths(total: number, say: (line: string) => void): () => void {
  let done = 0
  return () => {
    done++
    if (Math.floor((done * 10) / total) > Math.floor(((done - 1) * 10) / total)) say(`${Math.floor((done * 10) / total) * 10} % copied`)
  }
}

/** Reads every file of a backup, and writes it into the folder `into` if that is given. Throws where one is missing or differs. */
export async function readBack(cluster: string, files: Manifest['files'], into?: string): Promise<void> {
  await forEach(Object.entries(files), async ([name, { size, sha256 }]) => {
    const to = into === undefined ? undefined : path.join(into, name)
    const read = await unpack(path.join(cluster, packedName(name)), size, to).catch((error: Error) => error.message)
    if (typeof read === 'string' || read.sha256 !== sha256)
      throw new BackupError(`The backup's file ${name} is damaged or missing${typeof read === 'string' ? ` (${read})` : ''}.`)
  })
}
