/**
 * Writes a folder of published files for one large day, and the proof of one ticket.
 *
 * - The content is invented, but its form, hashes and signatures are valid.
 */
import { createWriteStream } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import path from 'node:path'
import { ascii, concat, toHex } from '../../verifier/src/bytes.ts'
import { canonicalBytes, type Json } from '../../verifier/src/canonical.ts'
import { listTree, ticketTree } from '../../verifier/src/list-tree.ts'
import { cosign, verifierKeyOf } from '../../verifier/src/note.ts'
import { sha256 } from '../../verifier/src/sha256.ts'
import { makeBooks } from '../../verifier/test/books-maker.ts'
import {
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
} from '../../verifier/test/site-maker.ts'

/** Parts of the liabilities per entry, as in a real community. */
export const PARTS_EACH = 4
const PIECE = 8192

/** Yields 32-byte values in ascending order that look like hashes: the position first, then noise. */
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

async function fill(folder: string, name: string, pieces: Iterable<Uint8Array>): Promise<void> {
  const file = createWriteStream(path.join(folder, name))
  for (const piece of pieces) if (!file.write(piece)) await once(file, 'drain')
  file.end()
  await once(file, 'finish')
}

/** Writes the ticket list. Returns its count, its root and the winning tickets. */
async function writeTickets(folder: string, entries: number): Promise<SealedList> {
  const tree = ticketTree()
  await fill(
    folder,
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

/** Writes `PARTS_EACH` parts per entry; their sum is the amount owed in the accounts. */
async function writeParts(folder: string, entries: number, owedPaise: number): Promise<{ count: number; root: string; total: number }> {
  const count = PARTS_EACH * entries
  const each = Math.floor(owedPaise / count)
  if (each < 1 || each + (owedPaise - each * count) > 5000 * count) throw new Error('the amount owed cannot be cut into so many parts')
  let rest = owedPaise - each * count
  const tree = listTree({ leafPrefix: ascii('roz/v1/part\n'), nodePrefix: ascii('roz/v1/sum\n'), entryBytes: 40, withSums: true })
  await fill(
    folder,
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

export async function makeFolder(folder: string, entries: number): Promise<void> {
  for (const name of [`draws/${DAY}`, 'books', 'liabilities', 'log/entries', 'log/sealed', 'rules'])
    await mkdir(path.join(folder, name), { recursive: true })
  const put = (name: string, bytes: Uint8Array): Promise<void> => writeFile(path.join(folder, name), bytes)
  const plan = { day: DAY, tickets: [], list: await writeTickets(folder, entries) }
  const open = openRecord(plan)
  const close = closeRecord(plan, open)
  const result = resultRecord(plan, open, close)
  const books = makeBooks({ day: DAY, entries, members: entries, before: undefined, settled: undefined })
  const bytes = canonicalBytes({ ...books, liabilities: await writeParts(folder, entries, books.liabilities.total) })
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
