/**
 * Records of the log of days (spec/protocol.md, chapter 8) and their canonical bytes.
 * - A record has exactly the keys of its kind.
 * - A record has one encoding: RFC 8785 within the protocol's subset (printable ASCII, whole numbers from 0 to 2^53 − 1).
 */
import type { IstDay } from './ist-day.ts'

export type OpenRecord = {
  readonly v: 1
  readonly kind: 'open'
  readonly day: IstDay
  readonly stake: number
  readonly split: {
    readonly policy: 'A' | 'B'
    readonly need: number
    readonly reward: number
    readonly platform: number
    readonly winners: number
  }
  readonly tax: { readonly percent: number; readonly above: number }
  /** SHA-256 of spec/protocol.md. */
  readonly rules: string
  readonly draw: LocalDraw | BeaconDraw
  readonly witnesses: { readonly keys: readonly string[]; readonly quorum: number }
}
type LocalDraw = { readonly mode: 'local'; readonly chainHash: string }
export type BeaconDraw = {
  readonly mode: 'beacon'
  readonly chainHash: string
  readonly publicKey: string
  readonly groupHash: string
  readonly genesis: number
  readonly period: number
  readonly scheme: string
  readonly beaconId: string
}

export type CloseRecord = {
  readonly v: 1
  readonly kind: 'close'
  readonly day: IstDay
  readonly count: number
  readonly root: string
  readonly round: number
  /** Milliseconds since 1970 UTC. */
  readonly sealedAt: number
}

type WinnerRecord = { readonly amount: number; readonly position: number; readonly tax: number; readonly ticket: string }
export type ResultRecord = {
  readonly v: 1
  readonly kind: 'result'
  readonly day: IstDay
  readonly randomness: string
  readonly seed: string
  readonly shares: { readonly need: number; readonly platform: number; readonly pool: number }
  readonly winners: readonly WinnerRecord[]
} & ({ readonly secret: string } | { readonly signature: string })

type VoidRecord = {
  readonly v: 1
  readonly kind: 'void'
  readonly day: IstDay
  readonly reason: 'empty' | 'beacon'
  /** Paise returned to the entrants. */
  readonly returned: number
}
export type BooksRecord = { readonly v: 1; readonly kind: 'books'; readonly day: IstDay; readonly books: string }

/** The log's key is replaced; `signature` is made with the old key. */
type KeyRecord = {
  readonly v: 1
  readonly kind: 'key'
  readonly day: IstDay
  readonly old: string
  readonly new: string
  readonly signature: string
}
/** A new version of the verifying program is served; `program` is its SHA-256. */
export type VerifierRecord = { readonly v: 1; readonly kind: 'verifier'; readonly day: IstDay; readonly program: string }

export type LogRecord = OpenRecord | CloseRecord | ResultRecord | VoidRecord | BooksRecord | KeyRecord | VerifierRecord

export const recordBytes = (record: LogRecord): Uint8Array => new TextEncoder().encode(canonicalJson(record))

/** RFC 8785 for the values of records; any other value is a bug of the caller. Only balances in books may be negative. */
export function canonicalJson(value: unknown, lowest: number = 0): string {
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value) || value < lowest || Object.is(value, -0))
      throw new RangeError(`not a number of the protocol: ${value}`)
    return String(value)
  }
  if (typeof value === 'string') {
    if (!/^[\x20-\x7e]*$/.test(value)) throw new RangeError('not a text of the protocol')
    return JSON.stringify(value)
  }
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, lowest)).join(',')}]`
  if (typeof value !== 'object' || value === null) throw new RangeError('not a value of the protocol')
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1))
  return `{${entries.map(([key, item]) => `${canonicalJson(key)}:${canonicalJson(item, lowest)}`).join(',')}}`
}
