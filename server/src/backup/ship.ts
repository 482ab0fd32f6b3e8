/**
 * Ships WAL segments and uploads of the local database to its folder of backups.
 * - Uploads go before the segments: a file is stored before its row commits, so a row in the backup has its file.
 * - A segment leaves the database's folder only when the backup has it on the disk.
 * - About once a minute the database notes that everything has been shipped, also if nothing was new.
 * - One process ships at a time. The next run repeats an interrupted one.
 */
import { existsSync } from 'node:fs'
import { copyFile, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import { alone } from '../db/embedded/lock.ts'
import { spoolOf } from '../db/embedded/wal-archive.ts'
import { BackupError, idOf, listFiles, packedName, uploadsIn, walIn } from './backup-folder.ts'
import { flush, hashOf, moveInto, pack, unpack, writeWhole } from './durable-files.ts'

/** `postgres`: the folder of the local database; `uploads`: undefined where they are not in a folder. */
export type Source = { readonly postgres: string; readonly uploads: string | undefined }
export type Target = { readonly folder: string; readonly id: string }

const WAIT_MS = 60_000
const EVERY_MS = 5000
const NOTE_MS = 60_000

const targetFile = (postgres: string): string => path.join(postgres, 'backup.json')

export async function readTarget(postgres: string): Promise<Target | undefined> {
  const file = targetFile(postgres)
  return existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as Target) : undefined
}

export const writeTarget = (postgres: string, target: Target): Promise<void> =>
  writeWhole(targetFile(postgres), `${JSON.stringify(target)}\n`)

/** Ships all waiting segments, after the uploads that the folder lacks. Returns the number of segments. */
export async function ship({ postgres, uploads }: Source): Promise<number> {
  const target = await readTarget(postgres)
  if (target === undefined) return 0
  const shipped = await alone(path.join(postgres, 'ship'), WAIT_MS, async () => {
    const { folder, id } = target
    const names = (await readdir(spoolOf(postgres))).filter((name) => !name.endsWith('.part')).sort()
    if (names.length === 0) return 0
    const files = uploads === undefined ? [] : await missingIn(folder, uploads)
    if ((await idOf(folder)) !== id) throw new BackupError(`${folder} does not contain the backups of this database: is its disk mounted?`)
    for (const name of files) await copyUpload(path.join(uploads ?? '', name), path.join(uploadsIn(folder), name))
    for (const name of names) await shipSegment(path.join(spoolOf(postgres), name), path.join(walIn(folder), packedName(name)))
    return names.length
  })
  if (shipped === undefined) throw new BackupError('Another process has been shipping for a minute.')
  return shipped
}

async function shipSegment(from: string, to: string): Promise<void> {
  // PostgreSQL archives a segment again if it was killed before it recorded the first time.
  if (existsSync(to)) {
    const { size } = await stat(from)
    if ((await unpack(to, size)).sha256 !== (await hashOf(from))) throw new BackupError(`${to} has other content than the database's own.`)
  } else {
    await pack(from, to)
    await flush(path.dirname(to))
  }
  await rm(from)
}

async function missingIn(folder: string, uploads: string): Promise<string[]> {
  const there = new Set(await listFiles(uploadsIn(folder)))
  return (await listFiles(uploads)).filter((name) => !there.has(name))
}

async function copyUpload(from: string, to: string): Promise<void> {
  await mkdir(path.dirname(to), { recursive: true, mode: 0o700 })
  try {
    await copyFile(from, `${to}.part`)
  } catch (error) {
    // The upload was removed after it was listed.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  await flush(`${to}.part`)
  await moveInto(`${to}.part`, to)
}

type Surroundings = { readonly log: Pick<FastifyBaseLogger, 'error'>; readonly note: () => Promise<void> }

/** Ships every few seconds while the server runs, and once more at its stop. Does nothing before the first backup. */
export function startShipping(source: Source, { log, note }: Surroundings): { readonly stop: () => Promise<void> } {
  let told: string | undefined
  let notedAt = Number.NEGATIVE_INFINITY
  /** If this fails, as before the first migration, the next run writes the note. A missing note fires the alert. */
  const noteSometimes = async (): Promise<void> => {
    if (performance.now() - notedAt < NOTE_MS || (await readTarget(source.postgres)) === undefined) return
    const isNoted = await note().then(
      () => true,
      () => false,
    )
    if (isNoted) notedAt = performance.now()
  }
  const run = async (): Promise<boolean> => {
    try {
      await ship(source)
      told = undefined
      return true
    } catch (error) {
      // A missing disk is logged once.
      if (told !== String(error)) log.error({ err: error }, 'the backup does not get the newest commits')
      told = String(error)
      return false
    }
  }
  let running: Promise<void> = Promise.resolve()
  let isBusy = false
  const timer = setInterval(() => {
    if (isBusy) return
    isBusy = true
    running = run()
      .then((isWell) => (isWell ? noteSometimes() : undefined))
      .finally(() => {
        isBusy = false
      })
  }, EVERY_MS).unref()
  return {
    stop: async () => {
      clearInterval(timer)
      await running
      await run()
    },
  }
}
