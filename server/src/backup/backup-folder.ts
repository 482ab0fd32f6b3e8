/**
 * Reads and tidies a folder of backups.
 * - A folder belongs to one database, whose own folder has the same id. A restored database has no id, and needs a new folder.
 * - A backup is made under a temporary name and renamed when it is complete.
 * - All backups of a folder share its WAL and uploads.
 * - A folder contains neither the secret key nor settings.
 *
 *   <folder>/backups.json                 the folder's id
 *   <folder>/wal/<segment>.zst            the log of all commits since the oldest backup
 *   <folder>/uploads/…                    pictures and receipts
 *   <folder>/2026-11-23T12-35-00Z/        one backup: manifest.json, cluster/….zst
 */
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { isSegment } from '../db/embedded/wal-archive.ts'
import { type Content, writeWhole } from './durable-files.ts'

/** An error that the operator can fix; the message alone must suffice. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}

export type Manifest = {
  readonly v: 1
  readonly database: string
  /** From this instant until the end of the WAL, every instant can be restored. */
  readonly endedAt: string
  readonly firstSegment: string
  readonly lastSegment: string
  /** Size and hash of each file, by its path in the cluster's folder. */
  readonly files: Readonly<Record<string, Content>>
  readonly folders: readonly string[]
  readonly uploads: readonly string[]
}
export type Backup = { readonly name: string; readonly place: string; readonly manifest: Manifest }

export const walIn = (folder: string): string => path.join(folder, 'wal')
export const uploadsIn = (folder: string): string => path.join(folder, 'uploads')
export const packedName = (name: string): string => `${name}.zst`
const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/
const MAKING = /\.making$/
export const nameAt = (at: Date): string => `${at.toISOString().slice(0, 19).replaceAll(':', '-')}Z`

/** The folder's id; undefined for a new or empty folder. Refuses a folder with anything else in it. */
export async function idOf(folder: string): Promise<string | undefined> {
  const file = path.join(folder, 'backups.json')
  if (existsSync(file)) return (JSON.parse(await readFile(file, 'utf8')) as { readonly id: string }).id
  if (existsSync(folder) && (await readdir(folder)).length > 0)
    throw new BackupError(`${folder} is not empty and contains no backups of Roz: choose a folder of its own.`)
  return undefined
}

export async function openFolder(folder: string, id: string): Promise<void> {
  for (const place of [folder, walIn(folder), uploadsIn(folder)]) await mkdir(place, { recursive: true, mode: 0o700 })
  await writeWhole(path.join(folder, 'backups.json'), `${JSON.stringify({ v: 1, id })}\n`)
}

/** Complete backups, oldest first. */
export async function listBackups(folder: string): Promise<Backup[]> {
  const names = (await readdir(folder)).filter((name) => NAME.test(name)).sort()
  return Promise.all(
    names.map(async (name) => {
      const place = path.join(folder, name)
      return { name, place, manifest: JSON.parse(await readFile(path.join(place, 'manifest.json'), 'utf8')) as Manifest }
    }),
  )
}

/** Removes the files of backups that were interrupted. */
export async function removeUnfinished(folder: string): Promise<void> {
  for (const name of await readdir(folder)) if (MAKING.test(name)) await rm(path.join(folder, name), { recursive: true, force: true })
}

/** The segments in the folder from `first` on, in order. */
export async function listSegments(folder: string, first: string): Promise<string[]> {
  const names = (await readdir(walIn(folder))).map((name) => name.replace(/\.zst$/, ''))
  return names.filter((name) => isSegment(name) && name >= first).sort()
}

/** The name of the next segment. A segment has 16 MB, and 256 segments share a log number. */
export function segmentAfter(name: string): string {
  const number = BigInt(`0x${name.slice(8, 16)}`) * 256n + BigInt(`0x${name.slice(16)}`) + 1n
  const hex = (value: bigint): string => value.toString(16).toUpperCase().padStart(8, '0')
  return name.slice(0, 8) + hex(number / 256n) + hex(number % 256n)
}

/** The first missing segment, after which no commit can be restored; undefined if the segments follow each other. */
export function findGap(segments: readonly string[], first: string): string | undefined {
  let expected = first
  for (const name of segments) {
    if (name !== expected) return expected
    expected = segmentAfter(name)
  }
  return segments.length === 0 ? first : undefined
}

/** Keeps the newest backups; removes older ones, the WAL before the oldest kept one, and uploads that none of them names. */
export async function removeOld(folder: string, keep: number, present: ReadonlySet<string>): Promise<string[]> {
  const all = await listBackups(folder)
  const kept = all.slice(-keep)
  const old = all.slice(0, -keep)
  for (const { place } of old) await rm(place, { recursive: true })
  const first = kept[0]?.manifest.firstSegment ?? ''
  for (const name of await readdir(walIn(folder))) if (name.slice(0, 24) < first) await rm(path.join(walIn(folder), name))
  const named = new Set([...present, ...kept.flatMap(({ manifest }) => manifest.uploads)])
  for (const name of await listFiles(uploadsIn(folder))) if (!named.has(name)) await rm(path.join(uploadsIn(folder), name))
  return old.map(({ name }) => name)
}

/** The paths of all complete files below a folder; none where it does not exist. */
export async function listFiles(folder: string): Promise<string[]> {
  if (!existsSync(folder)) return []
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.part'))
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort()
}
