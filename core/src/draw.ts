/**
 * The draw of spec/protocol.md, chapters 2 to 6: hashes, their inputs, and the choice of positions.
 * - The code is pure: SHA-256 and secrets come from the caller.
 * - It is tested with spec/vectors, which an independent program made.
 * - After a day's round is made, nothing here may change for this day.
 */
import type { IstDay } from './ist-day.ts'

/** SHA-256 over the concatenated parts. */
export type Sha256 = (...parts: readonly Uint8Array[]) => Uint8Array

const ascii = (text: string): Uint8Array => new TextEncoder().encode(text)
const PREFIX = {
  ticket: ascii('roz/v1/ticket\n'),
  local: ascii('roz/v1/local\n'),
  draw: ascii('roz/v1/draw\n'),
  pick: ascii('roz/v1/pick\n'),
} as const
const LEAF = Uint8Array.of(0)
const NODE = Uint8Array.of(1)

/** A number as 8 bytes, most significant first. */
export function u64(value: number | bigint): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value))
  return bytes
}

/** The text whose HMAC under a member's ticket key is the member's ticket of the day. */
export function ticketText(day: IstDay): Uint8Array {
  const text = new Uint8Array(PREFIX.ticket.length + 10)
  text.set(PREFIX.ticket)
  text.set(ascii(day), PREFIX.ticket.length)
  return text
}

/** The root of RFC 6962 over entries in the given order. */
export function merkleRoot(sha256: Sha256, entries: Iterable<Uint8Array>): Uint8Array {
  return subtreesRoot(sha256, leavesOf(sha256, entries))
}

function* leavesOf(sha256: Sha256, entries: Iterable<Uint8Array>): Generator<Uint8Array> {
  for (const entry of entries) yield sha256(LEAF, entry)
}

/**
 * The root over the roots of subtrees that are full and of equal size, except the last one; single leaves are the smallest.
 * One hash per finished pair and O(log n) memory: a million tickets must not become a million arrays.
 */
export function subtreesRoot(sha256: Sha256, roots: Iterable<Uint8Array>): Uint8Array {
  // Heights of the complete subtrees so far, strictly falling: the binary digits of their number.
  const peaks: { height: number; hash: Uint8Array }[] = []
  for (const root of roots) {
    let peak = { height: 0, hash: root }
    for (let left = peaks.at(-1); left?.height === peak.height; left = peaks.at(-1)) {
      peaks.pop()
      peak = { height: peak.height + 1, hash: sha256(NODE, left.hash, peak.hash) }
    }
    peaks.push(peak)
  }
  const last = peaks.pop()
  if (last === undefined) return sha256()
  return peaks.reduceRight((right, left) => sha256(NODE, left.hash, right), last.hash)
}

export const leafHash = <Hash extends Uint8Array>(sha256: (...parts: readonly Uint8Array[]) => Hash, entry: Uint8Array): Hash =>
  sha256(LEAF, entry)

/** The values that seal a day's list of tickets. */
export type Sealed = { readonly day: IstDay; readonly count: number; readonly root: Uint8Array }

export const localRandomness = (sha256: Sha256, secret: Uint8Array, { day, count, root }: Sealed): Uint8Array =>
  sha256(PREFIX.local, secret, ascii(day), u64(count), root)

/** Time between the seal and the draw: 15 min. */
export const DRAW_DELAY_MS = 900_000

/** The beacon's first round at or after the draw time of a list that was sealed at this time. */
export function beaconRoundFor(sealedAtMs: number, { genesis, period }: { readonly genesis: number; readonly period: number }): number {
  const sinceGenesisMs = sealedAtMs + DRAW_DELAY_MS - 1000 * genesis
  return Math.floor((sinceGenesisMs + 1000 * period - 1) / (1000 * period)) + 1
}

/** In local mode `chainHash` is H(S) and `round` is 0. */
export type Randomness = { readonly chainHash: Uint8Array; readonly round: number; readonly randomness: Uint8Array }

export const drawSeed = (sha256: Sha256, { day, count, root }: Sealed, source: Randomness): Uint8Array =>
  sha256(PREFIX.draw, ascii(day), u64(count), root, source.chainHash, u64(source.round), source.randomness)

/** Positions of the winners, first winner first: sparse Fisher–Yates, without replacement. */
export function pickPositions(sha256: Sha256, seed: Uint8Array, count: number, wanted: number): number[] {
  const moved = new Map<number, number>()
  const picked: number[] = []
  for (let j = 0; j < Math.min(wanted, count); j++) {
    const r = j + Number(unsigned(sha256(PREFIX.pick, seed, u64(j))) % BigInt(count - j))
    picked.push(moved.get(r) ?? r)
    moved.set(r, moved.get(j) ?? j)
  }
  return picked
}

const unsigned = (bytes: Uint8Array): bigint => BigInt(`0x${hex(bytes)}`)
const HEX_OF_BYTE: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Uses a table for speed: every join makes a receipt, and a receipt contains about ten hashes. */
export function hex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += HEX_OF_BYTE[byte] as string
  return text
}
