/**
 * Makes whole sites for tests, following spec/protocol.md: log, keys, witnesses, a beacon, tickets, books and liabilities.
 *
 * - A tamper may change any piece. All later pieces are computed from the changed one, as a cheating operator would do.
 */
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { beaconMessage, beaconRound, chainHashOf } from '../src/beacon.ts'
import { ascii, compare, concat, fromHex, toHex, u64 } from '../src/bytes.ts'
import { canonicalBytes, type Json } from '../src/canonical.ts'
import { shiftDay, startOfDayMs } from '../src/day.ts'
import { picks, seedOf, sharesOf, type Split, ticketOf } from '../src/draw.ts'
import { partId } from '../src/liabilities.ts'
import { joinNodes } from '../src/list-tree.ts'
import { inclusionPath, leafHash, rootOf, splitOf } from '../src/merkle.ts'
import { checkpointText, cosign, keyId, type NoteSignature, type Signer, signNote, verifierKeyOf, writeNote } from '../src/note.ts'
import type { ReceiptFile } from '../src/receipt.ts'
import type { RecordOf } from '../src/records.ts'
import { sha256 } from '../src/sha256.ts'
import { ed25519 } from '@noble/curves/ed25519.js'
import type { Books } from '../src/books.ts'
import { type Flows, makeBooks } from './books-maker.ts'

export const secretOf = (name: string): Uint8Array => sha256(ascii(`secret of ${name}`))
export const ORIGIN = 'test.example/log'
const signerOf = (name: string, algorithm: 1 | 4, secret = name): Signer => ({ name, algorithm, secret: secretOf(secret) })
export const LOG = signerOf(ORIGIN, 1)
export const NEXT_LOG = signerOf(ORIGIN, 1, 'the next key')
export const WITNESSES = ['witness-a.example', 'witness-b.example', 'witness-c.example'].map((name) => signerOf(name, 4))

const { shortSignatures } = bls12_381
const DOMAIN = 'BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_'

/** A beacon with a key of the tests. */
export function beaconOf(name: string) {
  const secret = bls12_381.utils.randomSecretKey(concat(sha256(ascii(name)), sha256(ascii(name)).slice(0, 16)))
  const signed = new Map<number, string>()
  const parameters = {
    publicKey: toHex(shortSignatures.getPublicKey(secret).toBytes()),
    genesis: 1_700_000_000,
    period: 3,
    groupHash: toHex(sha256(ascii(`group of ${name}`))),
    beaconId: name,
  }
  return {
    draw: { ...parameters, chainHash: chainHashOf(parameters) ?? '', mode: 'beacon', scheme: 'bls-unchained-g1-rfc9380' } as const,
    sign(round: number): string {
      const signature =
        signed.get(round) ?? toHex(shortSignatures.sign(shortSignatures.hash(beaconMessage(round), DOMAIN), secret).toBytes())
      signed.set(round, signature)
      return signature
    },
  }
}
type Beacon = ReturnType<typeof beaconOf>
export const BEACON = beaconOf('beacon of the tests')

const SPLIT: Split = { need: 70, platform: 0, policy: 'B', reward: 30, winners: 2 }
export const SPLIT_A: Split = { need: 60, platform: 10, policy: 'A', reward: 30, winners: 1 }
export const RULES = ascii('Rules of the tests.\n')
export const memberKey = (member: number): Uint8Array => sha256(ascii(`ticket key ${member}`))
export const ticketsOf = (members: number, day: string): Uint8Array[] =>
  Array.from({ length: members }, (_, i) => ticketOf(memberKey(i), day)).sort(compare)

/** The facts about a list that records need: its count, its root and the ticket at a position. */
export type SealedList = { readonly count: number; readonly root: string; readonly at: (position: number) => string }
export const listOf = (tickets: readonly Uint8Array[]): SealedList => ({
  count: tickets.length,
  root: toHex(rootOf(tickets.map(leafHash))),
  at: (position) => toHex(tickets[position] ?? new Uint8Array(32)),
})

type Mutable<T> = T extends readonly (infer U)[] ? Mutable<U>[] : T extends object ? { -readonly [K in keyof T]: Mutable<T[K]> } : T
type MutableBooks = Mutable<Books>
export type AnyRecord = Mutable<RecordOf[keyof RecordOf]>
type OpenRecord = Mutable<RecordOf['open']>
export type CloseRecord = Mutable<RecordOf['close']>
export type ResultRecord = Mutable<RecordOf['result']>

/** The pieces that a cheat can change. Each hook changes its argument or returns a replacement. */
export type Tamper = {
  readonly open?: (record: OpenRecord) => void
  /** The split of the day before. */
  readonly splitBefore?: Split
  readonly close?: (record: CloseRecord) => void
  readonly result?: (record: ResultRecord) => void
  readonly key?: (record: Mutable<RecordOf['key']>) => void
  readonly books?: (books: MutableBooks) => void
  readonly flows?: (flows: Flows) => void
  /** Flows of the day before. */
  readonly flowsBefore?: (flows: Flows) => void
  /** Changes the books of the day before. */
  readonly booksBefore?: (books: MutableBooks) => void
  readonly parts?: (parts: Uint8Array[]) => Uint8Array[]
  /** Records and their order, before the log is signed. */
  readonly log?: (records: Json[]) => void
  /** Time in seconds at which each witness signs the checkpoint after the close. */
  readonly cosignedAt?: (seconds: number, witness: number) => number | undefined
  readonly signer?: Signer
  readonly files?: (files: Map<string, Uint8Array>) => void
}

export type DayPlan = {
  readonly day: string
  readonly tickets: readonly Uint8Array[]
  readonly list?: SealedList
  readonly split?: Split
  readonly sealedAt?: number
  readonly beacon?: Beacon
}

export const openRecord = ({ day, split = SPLIT, beacon = BEACON }: Omit<DayPlan, 'tickets'>): OpenRecord => ({
  v: 1,
  kind: 'open',
  day,
  stake: 100,
  split: { ...split },
  tax: { above: 50, percent: 30 },
  rules: toHex(sha256(RULES)),
  draw: { ...beacon.draw },
  witnesses: { keys: WITNESSES.map(verifierKeyOf).sort(), quorum: 2 },
})

export function closeRecord(plan: DayPlan, open: OpenRecord): CloseRecord {
  const { day, tickets, list = listOf(tickets), sealedAt = startOfDayMs(day) + 86_400_000 } = plan
  const { draw } = open
  const round = draw.mode === 'beacon' ? beaconRound(sealedAt, draw.genesis, draw.period) : 0
  return { v: 1, kind: 'close', day, count: list.count, root: list.root, round, sealedAt }
}

export function resultRecord(plan: DayPlan, open: OpenRecord, close: CloseRecord): ResultRecord {
  const { day, tickets, list = listOf(tickets), beacon = BEACON } = plan
  const signature = beacon.sign(close.round)
  const randomness = toHex(sha256(fromHex(signature)))
  const result: ResultRecord = {
    v: 1,
    kind: 'result',
    day,
    randomness,
    seed: seedOf(close, open.draw.chainHash, close.round, randomness),
    shares: { need: 0, platform: 0, pool: 0 },
    winners: [],
    signature,
  }
  drawAgain(result, open, close, list)
  return result
}

/** Recomputes winners and shares from the record's seed. */
export function drawAgain(result: ResultRecord, open: OpenRecord, close: CloseRecord, list: SealedList): void {
  const { pool, need, platform, prize, tax } = sharesOf(close.count, open.stake, open.split, open.tax)
  result.shares = { need, platform, pool }
  const positions = picks(result.seed, close.count, open.split.winners)
  result.winners = positions.map((position) => ({ amount: prize, position, tax, ticket: list.at(position) }))
}

export function checkpointOf(
  entries: readonly Uint8Array[],
  signer: Signer,
  cosignatures: (text: string) => readonly NoteSignature[],
): string {
  const text = checkpointText(signer.name, { size: entries.length, root: rootOf(entries.map(leafHash)) })
  return writeNote({ text, signatures: [signNote(text, signer), ...cosignatures(text)] })
}

export const utf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Cuts a sum into parts as chapter 13 of the protocol requires. The first two parts of each member have the member's ids. */
export function partsFor(members: number, paise: number, day: string): Uint8Array[] {
  const parts: Uint8Array[] = []
  for (let member = 0, rest = paise; member < members; member += 1) {
    const own = member === members - 1 ? rest : Math.floor(paise / members)
    rest -= own
    for (let j = 0, left = own; left > 0; j += 1) {
      const amount = Math.min(left, j === 0 ? Math.max(1, Math.floor(Math.min(own, 5000) / 2)) : 4999)
      parts.push(concat(partId(memberKey(member), day, j), u64(amount)))
      left -= amount
    }
  }
  return parts.sort(compare)
}

/** Root node (hash and sum) over the parts; empty without parts. */
export function partsRoot(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts
  if (only === undefined) return concat(sha256(ascii('roz/v1/sum\n')), u64(0))
  if (parts.length === 1) return concat(sha256(ascii('roz/v1/part\n'), only), only.subarray(32))
  const split = splitOf(parts.length)
  return joinNodes(ascii('roz/v1/sum\n'), partsRoot(parts.slice(0, split)), partsRoot(parts.slice(split)))
}

export function receiptFor(ticket: Uint8Array, batch: readonly Uint8Array[], day: string, signer = LOG): ReceiptFile {
  const sorted = [...batch].sort(compare)
  const leaves = sorted.map(leafHash)
  const index = sorted.findIndex((one) => compare(one, ticket) === 0)
  const time = startOfDayMs(day) + 3_600_000
  const message = concat(ascii(`roz/v1/receipt\n${day}`), rootOf(leaves), u64(time))
  const signature = toHex(ed25519.sign(message, signer.secret))
  const id = toHex(keyId(signer.name, 1, ed25519.getPublicKey(signer.secret)))
  const receipt = { count: batch.length, index, keyId: id, path: inclusionPath(leaves, index).map(toHex), signature, time }
  return { day, receipt, ticket: toHex(ticket), v: 1 }
}

export const DAY = '2026-08-02'
export const DAY_BEFORE = shiftDay(DAY, -1)
export const MEMBERS = 8

/** Makes a site of three days: a finished day, the checked day and an open day. */
export function makeSite(
  tamper: Tamper = {},
  beacon: Beacon = BEACON,
  choose: (tickets: Uint8Array[]) => Uint8Array[] = (tickets) => tickets,
): Map<string, Uint8Array> {
  const records: Json[] = []
  const files = new Map<string, Uint8Array>()
  const add = (record: AnyRecord): number => records.push(record) - 1
  const entries = (size = records.length): Uint8Array[] => records.slice(0, size).map(canonicalBytes)
  const planFor = (day: string, entrants: number): DayPlan => ({ day, tickets: ticketsOf(entrants, day), beacon })
  const first = { ...planFor(DAY_BEFORE, 5), ...(tamper.splitBefore !== undefined && { split: tamper.splitBefore }) }
  const second = { ...planFor(DAY, 7), tickets: choose(ticketsOf(7, DAY)) }
  const signer = tamper.signer ?? NEXT_LOG

  const opens = [first, second, { day: shiftDay(DAY, 1), beacon }].map(openRecord) as [OpenRecord, OpenRecord, OpenRecord]
  tamper.open?.(opens[1])
  add(opens[0])
  add(opens[1])
  const firstClose = closeRecord(first, opens[0])
  add(firstClose)
  const firstResult = resultRecord(first, opens[0], firstClose)
  add(firstResult)
  const before: MutableBooks = mutable(
    makeBooks({ day: first.day, entries: 5, members: MEMBERS, before: undefined, settled: undefined }, tamper.flowsBefore),
  )
  tamper.booksBefore?.(before)
  publishBooks(files, before, partsFor(MEMBERS, before.liabilities.total, first.day))
  add({ v: 1, kind: 'books', day: first.day, books: toHex(sha256(files.get(`books/${first.day}`) as Uint8Array)) })
  add(rotation(tamper))
  add(opens[2])
  const close = closeRecord(second, opens[1])
  tamper.close?.(close)
  const closeIndex = add(close)
  const result = resultRecord(second, opens[1], close)
  tamper.result?.(result)
  const resultIndex = add(result)
  const books = mutable(
    makeBooks({ day: DAY, entries: second.tickets.length, members: MEMBERS, before, settled: firstResult }, tamper.flows),
  )
  tamper.books?.(books)
  const parts = partsFor(MEMBERS, books.liabilities.total, DAY)
  publishBooks(files, books, tamper.parts?.(parts) ?? parts, tamper.parts === undefined && tamper.books !== undefined)
  add({ v: 1, kind: 'books', day: DAY, books: toHex(sha256(files.get(`books/${DAY}`) as Uint8Array)) })
  tamper.log?.(records)

  const sealedSeconds = Math.floor(close.sealedAt / 1000) + 60
  const cosigned = (text: string): NoteSignature[] =>
    WITNESSES.flatMap((witness, index) => {
      const seconds = tamper.cosignedAt === undefined ? sealedSeconds + index : tamper.cosignedAt(sealedSeconds, index)
      return seconds === undefined ? [] : [cosign(text, witness, seconds)]
    })
  files.set(`log/sealed/${DAY}`, utf(checkpointOf(entries(closeIndex + 1), signer, cosigned)))
  files.set(
    'log/checkpoint',
    utf(checkpointOf(entries(), signer, (text) => WITNESSES.slice(1).map((one) => cosign(text, one, sealedSeconds + 9000)))),
  )
  files.set('log/key', ascii(`${verifierKeyOf(NEXT_LOG)}\n`))
  files.set('log/entries/0', concat(...entries().flatMap((bytes) => [bytes, ascii('\n')])))
  const own = [1, closeIndex, resultIndex].map((index) => ({ index, record: records[index] as Json }))
  files.set(`draws/${DAY}`, canonicalBytes({ v: 1, day: DAY, assurance: 'sealed', records: own }))
  files.set(`draws/${DAY}/tickets`, concat(...second.tickets))
  files.set(`rules/${toHex(sha256(RULES))}`, RULES)
  tamper.files?.(files)
  return files
}

const mutable = (books: Books): MutableBooks => structuredClone(books) as MutableBooks

function rotation(tamper: Tamper): AnyRecord {
  const message = concat(ascii(`roz/v1/key\n${DAY}`), ed25519.getPublicKey(NEXT_LOG.secret))
  const signature = toHex(ed25519.sign(message, LOG.secret))
  const record = { v: 1, kind: 'key', day: DAY, old: verifierKeyOf(LOG), new: verifierKeyOf(NEXT_LOG), signature } as const
  tamper.key?.(record)
  return record
}

/** Publishes parts and books that agree. `asTheyAre` leaves the books unchanged. */
function publishBooks(files: Map<string, Uint8Array>, books: MutableBooks, parts: readonly Uint8Array[], asTheyAre = false): void {
  const root = partsRoot(parts)
  const total = Number(new DataView(root.buffer, root.byteOffset + 32, 8).getBigUint64(0))
  if (!asTheyAre || books.liabilities.root === '') books.liabilities = { count: parts.length, root: toHex(root.subarray(0, 32)), total }
  files.set(`liabilities/${books.day}`, concat(...parts))
  files.set(`books/${books.day}`, canonicalBytes(books))
}
