/**
 * The file of an archived month: a CSV of its entries by day and member, compressed by gzip, and a manifest beside it.
 * - It is read without Roz: `zcat entries-2025-03.csv.gz`, and `sha256sum` of that is the manifest's `sha256`.
 * - It has numbers of members and no name. Only its owner may read it.
 * - It is written under another name, read back and compared before it has its own, and the manifest follows it.
 * - Memory does not grow with the month: rows pass in pieces.
 */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { IstDay } from '@roz/core/ist-day.ts'
import { VERSION } from '@roz/core/version.ts'
import { moveInto, writeWhole } from './durable-files.ts'

/** An error that the operator can fix; the message alone must suffice. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError'
}

/** `2025-03`. */
export type Month = string & { readonly __unit: 'month' }
export const COLUMNS = ['day', 'member_id', 'batch_id', 'wallet_seq', 'balance_after', 'key_prefix'] as const
const SUMMED = ['member_id', 'batch_id', 'wallet_seq', 'balance_after'] as const

/** Whole numbers as text, because they exceed JSON's safe integers. */
export type Measure = {
  readonly entries: string
  readonly sums: Readonly<Record<(typeof SUMMED)[number], string>>
  readonly days: Readonly<Record<string, number>>
}
export type Manifest = Measure & {
  readonly v: 1
  readonly month: Month
  readonly columns: readonly string[]
  /** A rupee an entry. */
  readonly paise: string
  /** Of the rows, uncompressed. */
  readonly sha256: string
  readonly release: string
  /** The newest migration of the database that it was read from. */
  readonly schema: string
  readonly writtenAt: string
}

const csvIn = (folder: string, month: Month): string => path.join(folder, `entries-${month}.csv.gz`)
const manifestIn = (folder: string, month: Month): string => path.join(folder, `entries-${month}.json`)

/** Counts and hashes rows as they pass. */
export function measuring() {
  const hash = createHash('sha256')
  const sums = SUMMED.map(() => 0n)
  const days: Record<string, number> = {}
  let [entries, rest] = [0, `${COLUMNS.join(',')}\n`]
  let isBegun = false
  /** The heading, and whole lines. */
  function take(text: string): void {
    if (!isBegun) {
      if (!text.startsWith(rest)) throw new ArchiveError('its first line does not name the columns')
      isBegun = true
      text = text.slice(rest.length)
      rest = ''
    }
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    const own = SUMMED.map(() => 0)
    for (const line of lines) {
      const cells = line.split(',')
      if (cells.length !== COLUMNS.length) throw new ArchiveError('a line has other columns')
      const day = cells[0] ?? ''
      days[day] = (days[day] ?? 0) + 1
      for (let at = 0; at < own.length; at++) own[at] = (own[at] ?? 0) + Number(cells[at + 1])
    }
    entries += lines.length
    // Sums of one piece are exact as numbers; sums of a month may exceed a number.
    for (const [at, sum] of own.entries()) sums[at] = (sums[at] ?? 0n) + BigInt(sum)
  }
  async function* pass(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      hash.update(chunk)
      take(chunk.toString('latin1'))
      yield chunk
    }
  }
  const measure = (): Measure & { readonly sha256: string } => {
    if (rest !== '') throw new ArchiveError('its last line is cut off')
    const [member_id, batch_id, wallet_seq, balance_after] = sums.map(String) as [string, string, string, string]
    return { entries: String(entries), sums: { member_id, batch_id, wallet_seq, balance_after }, days, sha256: hash.digest('hex') }
  }
  return { pass, measure }
}

const toNowhere = async (rows: AsyncIterable<Buffer>): Promise<void> => {
  for await (const _ of rows);
}

/** Reads a file to its end. Throws where it is damaged. */
async function readBack(file: string): Promise<Measure & { readonly sha256: string }> {
  const { pass, measure } = measuring()
  await pipeline(createReadStream(file), createGunzip(), pass, toNowhere)
  return measure()
}

type Written = {
  readonly folder: string
  readonly month: Month
  readonly rows: Readable
  /** The database's counts and sums of the same rows. */
  readonly expected: () => Promise<Measure>
  readonly schema: string
  readonly reached?: (step: 'writing' | 'written' | 'named') => void
}

/** Writes a month's file, reads it back, compares it with the database, and returns its hash. */
export async function writeMonth({ folder, month, rows, expected, schema, reached }: Written): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = csvIn(folder, month)
  const { pass, measure } = measuring()
  async function* begun(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      yield chunk
      reached?.('writing')
    }
  }
  await pipeline(rows, pass, begun, createGzip(), createWriteStream(`${file}.part`, { mode: 0o600, flush: true }))
  const written = measure()
  reached?.('written')
  const { sha256, ...found } = await readBack(`${file}.part`)
  if (sha256 !== written.sha256 || !isEqual(found, await expected()))
    throw new ArchiveError(`${file} was read back and differs from the database: check the disk.`)
  await moveInto(`${file}.part`, file)
  reached?.('named')
  const manifest: Manifest = {
    v: 1,
    month,
    columns: COLUMNS,
    ...found,
    paise: String(BigInt(found.entries) * 100n),
    sha256,
    release: VERSION,
    schema,
    writtenAt: new Date().toISOString(),
  }
  await writeWhole(manifestIn(folder, month), `${JSON.stringify(manifest, undefined, 2)}\n`)
  return sha256
}

const sorted = (measure: Measure) => [measure.entries, measure.sums, Object.entries(measure.days).sort()]
export const isEqual = (one: Measure, other: Measure): boolean => JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))

/** Reads a month's file to its end. Throws in plain words unless it is the file that the database noted. */
export async function verifyMonth(
  folder: string,
  month: Month,
  noted: { readonly sha256: string; readonly entries: bigint },
): Promise<void> {
  const file = csvIn(folder, month)
  const fail = (why: string): never => {
    throw new ArchiveError(`${file} ${why}. Nothing was changed. Take the other copy of it: --from FOLDER.`)
  }
  const manifest = await readManifest(folder, month).catch((error: unknown) => fail(`cannot be used: ${wordsOf(error)}`))
  if (manifest.sha256 !== noted.sha256) fail('is not the archived file: its manifest has another hash')
  const found = await readBack(file).catch((error: unknown) => fail(`is damaged or cut off: ${wordsOf(error)}`))
  if (found.sha256 !== noted.sha256 || BigInt(found.entries) !== noted.entries || !isEqual(found, manifest))
    fail('was changed after it was archived: its rows have another hash')
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

async function readManifest(folder: string, month: Month): Promise<Manifest> {
  const manifest = JSON.parse(await readFile(manifestIn(folder, month), 'utf8')) as Manifest
  if (manifest.v !== 1 || manifest.month !== month || String(manifest.columns) !== String(COLUMNS))
    throw new ArchiveError(`its manifest is not one of ${month}`)
  return manifest
}

/** The rows of a month's file, as CSV with its heading. */
export const rowsOf = (folder: string, month: Month) => ({
  file: createReadStream(csvIn(folder, month)),
  gunzip: createGunzip(),
})

export const firstDayOf = (month: Month): IstDay => `${month}-01` as IstDay
export const fileOf = csvIn
