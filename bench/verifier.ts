/**
 * How long checking a large day takes: makes a folder of published files with so many entries and
 * parts, runs roz-verify on it, and prints seconds and the most memory it held.
 *
 *   node bench/verifier.ts [entries = 1000000] [folder to keep]
 */
import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import os from 'node:os'
import path from 'node:path'
import { writeProgram } from '../verifier/build.ts'
import { ascii, concat, toHex } from '../verifier/src/bytes.ts'
import { canonicalBytes, type Json } from '../verifier/src/canonical.ts'
import { listTree, ticketTree } from '../verifier/src/list-tree.ts'
import { cosign, verifierKeyOf } from '../verifier/src/note.ts'
import { sha256 } from '../verifier/src/sha256.ts'
import { makeBooks } from '../verifier/test/books-maker.ts'
import {
  BEACON,
  checkpointOf,
  closeRecord,
  DAY,
  LOG,
  openRecord,
  resultRecord,
  RULES,
  type SealedList,
  utf,
  WITNESSES,
} from '../verifier/test/site-maker.ts'

const entries = Number(process.argv[2] ?? 1_000_000)
const folder = process.argv[3] ?? (await mkdtemp(path.join(os.tmpdir(), 'roz-bench-verifier-')))
const PIECE = 8192
const PARTS_EACH = 2

/** So many 32-byte values in ascending order that look like hashes: place first, noise after it. */
function* ascendingValues(count: number): Generator<Uint8Array> {
  const step = 2n ** 64n / BigInt(count)
  for (let first = 0; first < count; first += PIECE) {
    const piece = Buffer.alloc(32 * Math.min(PIECE, count - first))
    const noise = sha256(ascii(`piece ${first}`))
    for (let i = 0; i * 32 < piece.length; i += 1) {
      piece.set(noise, 32 * i)
      piece.writeBigUInt64BE(BigInt(first + i) * step, 32 * i)
      piece.writeUInt32LE(((first + i) * 2_654_435_761) % 2 ** 32, 32 * i + 20)
    }
    yield piece
  }
}

async function fill(name: string, pieces: Iterable<Uint8Array>): Promise<void> {
  const file = createWriteStream(path.join(folder, name))
  for (const piece of pieces) if (!file.write(piece)) await once(file, 'drain')
  file.end()
  await once(file, 'finish')
}

/** Writes the list; afterwards it is known by count, root and the few tickets that win. */
async function writeTickets(): Promise<SealedList> {
  const tree = await ticketTree(entries)
  await fill(
    `draws/${DAY}/tickets`,
    (function* () {
      for (const piece of ascendingValues(entries)) {
        tree.add(piece)
        yield piece
      }
    })(),
  )
  const ticketAt = (position: number): string => {
    let first = 0
    for (const piece of ascendingValues(entries)) {
      if (position < first + PIECE) return toHex(piece.subarray(32 * (position - first), 32 * (position - first) + 32))
      first += PIECE
    }
    throw new Error('no such position')
  }
  return { count: entries, root: toHex(tree.root().hash), at: ticketAt }
}

/** Two parts for each entry, adding up to what the accounts owe. */
async function writeParts(owedPaise: number): Promise<{ count: number; root: string; total: number }> {
  const count = PARTS_EACH * entries
  const each = Math.floor(owedPaise / count)
  if (each < 1 || each + (owedPaise - each * count) > 5000 * count) throw new Error('what is owed cannot be cut into so many parts')
  let rest = owedPaise - each * count
  const tree = await listTree(
    { leafPrefix: ascii('roz/v1/part\n'), nodePrefix: ascii('roz/v1/sum\n'), entryBytes: 40, withSums: true },
    count,
  )
  await fill(
    `liabilities/${DAY}`,
    (function* () {
      for (const piece of ascendingValues(count)) {
        const parts = Buffer.alloc((piece.length / 32) * 40)
        for (let i = 0; i * 32 < piece.length; i += 1) {
          const more = Math.min(rest, 5000 - each)
          rest -= more
          parts.set(piece.subarray(32 * i, 32 * i + 32), 40 * i)
          parts.writeBigUInt64BE(BigInt(each + more), 40 * i + 32)
        }
        tree.add(parts)
        yield parts
      }
    })(),
  )
  const { hash, sum } = tree.root()
  return { count, root: toHex(hash), total: sum }
}

async function makeFolder(): Promise<void> {
  for (const name of [`draws/${DAY}`, 'books', 'liabilities', 'log/entries', 'log/sealed', 'rules'])
    await mkdir(path.join(folder, name), { recursive: true })
  const put = (name: string, bytes: Uint8Array): Promise<void> => writeFile(path.join(folder, name), bytes)
  const plan = { day: DAY, tickets: [], list: await writeTickets() }
  const open = openRecord(plan)
  const close = closeRecord(plan, open)
  const result = resultRecord(plan, open, close)
  const books = makeBooks({ day: DAY, entries, members: entries, before: undefined, settled: undefined })
  const bytes = canonicalBytes({ ...books, liabilities: await writeParts(books.liabilities.total) })
  const records = [open, close, result, { v: 1, kind: 'books', day: DAY, books: toHex(sha256(bytes)) }] as unknown as Json[]
  const lines = records.map(canonicalBytes)
  const seconds = Math.floor(close.sealedAt / 1000) + 60
  await put(`books/${DAY}.json`, bytes)
  await put('log/entries/0', concat(...lines.flatMap((line) => [line, ascii('\n')])))
  await put('log/key', ascii(`${verifierKeyOf(LOG)}\n`))
  await put('log/checkpoint', utf(checkpointOf(lines, LOG, () => [])))
  await put(
    `log/sealed/${DAY}`,
    utf(checkpointOf(lines.slice(0, 2), LOG, (text) => WITNESSES.map((witness) => cosign(text, witness, seconds)))),
  )
  await put(`rules/${open.rules}`, RULES)
  const shown = records.slice(0, 3).map((record, index) => ({ index, record }))
  await put(`draws/${DAY}.json`, canonicalBytes({ v: 1, day: DAY, assurance: 'sealed', records: shown }))
}

/** The peak of the resident set as the system tells it at the end, in MB. */
const WATCHED = `
process.on('exit', () => process.stderr.write('peak ' + process.resourceUsage().maxRSS / 1024 + ' cpu ' + (process.cpuUsage().user + process.cpuUsage().system) / 1e6))
`

async function measure(program: string): Promise<void> {
  const options = [folder, DAY, '--key', verifierKeyOf(LOG), '--chain', BEACON.draw.chainHash]
  const began = performance.now()
  const watched = `data:text/javascript,${encodeURIComponent(WATCHED)}`
  const child = spawn(process.execPath, ['--import', watched, program, ...options], { stdio: ['ignore', 'pipe', 'pipe'] })
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  const seconds = (performance.now() - began) / 1000
  const [, peak = '?', cpu = '?'] = /peak ([\d.]+) cpu ([\d.]+)/.exec(err) ?? []
  const verdict = out.trim().split('\n').at(-1) ?? ''
  process.stdout.write(
    `${path.basename(program)}: ${entries} entries, ${PARTS_EACH * entries} parts: ${seconds.toFixed(2)} s, ${Number(cpu).toFixed(2)} s of processor, ${Number(peak).toFixed(0)} MB at most, exit ${code}, ${verdict}\n`,
  )
}

process.stdout.write(`writing ${entries} entries to ${folder} …\n`)
await makeFolder()
const program = path.join(folder, 'program')
await writeProgram(program)
await measure(path.join(import.meta.dirname, '../verifier/src/cli.ts'))
await measure(path.join(program, 'roz-verify.mjs'))
if (process.argv[3] === undefined) await rm(folder, { recursive: true })
