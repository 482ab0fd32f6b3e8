/** Parses the records of the log. Each kind has exactly its keys (spec/protocol.md, chapter 8). */
import { MalformedError } from './bytes.ts'
import { day, hash, hex, type Json, list, literal, readCanonical, record, type Shape, text, whole } from './canonical.ts'
import { readVerifierKey } from './note.ts'

const verifierKey =
  (algorithm: 1 | 4): Shape<string> =>
  (value, where) => {
    const key = readVerifierKey(text(value, where))
    if (key.algorithm !== algorithm) throw new MalformedError(`${where} is a key of another type`)
    return key.text
  }

const local = record({ mode: literal('local'), chainHash: hash })
const beacon = record({
  mode: literal('beacon'),
  beaconId: text,
  chainHash: hash,
  genesis: whole,
  groupHash: hash,
  period: whole,
  publicKey: hex(96),
  scheme: literal('bls-unchained-g1-rfc9380'),
})
const has = (value: unknown, key: string): boolean => typeof value === 'object' && value !== null && Object.hasOwn(value, key)

type Draw = ReturnType<typeof local> | ReturnType<typeof beacon>
const draw: Shape<Draw> = (value, where) => (has(value, 'beaconId') ? beacon(value, where) : local(value, where))

const percentage: Shape<number> = (value, where) => {
  if (whole(value, where) > 100) throw new MalformedError(`${where} is more than 100`)
  return whole(value, where)
}

/** Number of entries, at least 1: a round without entries is void and has no close record. */
const entries: Shape<number> = (value, where) => {
  if (whole(value, where) === 0) throw new MalformedError(`${where} is 0`)
  return whole(value, where)
}

const common = { v: literal(1), day }
const open = record({
  ...common,
  kind: literal('open'),
  stake: literal(100),
  split: record({ need: whole, platform: whole, policy: literal('A', 'B'), reward: whole, winners: whole }),
  tax: record({ above: whole, percent: percentage }),
  rules: hash,
  draw,
  witnesses: record({ keys: list(verifierKey(4)), quorum: whole }),
})
const close = record({ ...common, kind: literal('close'), count: entries, root: hash, round: whole, sealedAt: whole })

const outcome = {
  ...common,
  kind: literal('result'),
  randomness: hash,
  seed: hash,
  shares: record({ need: whole, platform: whole, pool: whole }),
  winners: list(record({ amount: whole, position: whole, tax: whole, ticket: hash })),
}
const localResult = record({ ...outcome, secret: hash })
const beaconResult = record({ ...outcome, signature: hex(48) })
type Result = ReturnType<typeof localResult> | ReturnType<typeof beaconResult>
const result: Shape<Result> = (value, where) => (has(value, 'secret') ? localResult(value, where) : beaconResult(value, where))

const voided = record({ ...common, kind: literal('void'), reason: literal('empty', 'beacon'), returned: whole })
const books = record({ ...common, kind: literal('books'), books: hash })
const key = record({ ...common, kind: literal('key'), old: verifierKey(1), new: verifierKey(1), signature: hex(64) })
const verifier = record({ ...common, kind: literal('verifier'), program: hash })

const SHAPES = { open, close, result, void: voided, books, key, verifier }

export type RecordOf = { readonly [K in keyof typeof SHAPES]: ReturnType<(typeof SHAPES)[K]> }
export type LogRecord = RecordOf[keyof RecordOf]
export type OpenRecord = RecordOf['open']

export function readRecord(value: Json, where: string): LogRecord {
  const kind = literal(...(Object.keys(SHAPES) as (keyof RecordOf)[]))(
    has(value, 'kind') ? (value as { kind: unknown }).kind : undefined,
    where,
  )
  const shape: Shape<LogRecord> = SHAPES[kind]
  return shape(value, where)
}

const drawsShape = record({
  v: literal(1),
  day,
  assurance: literal('sealed', 'weak'),
  records: list(record({ index: whole, record: (value): unknown => value })),
})
export type DrawsFile = ReturnType<typeof drawsShape>

/** Parses `draws/{day}`. A step compares its records with the log's. */
export function readDraws(bytes: Uint8Array, today: string): DrawsFile {
  const value = readCanonical(bytes, drawsShape, `draws/${today}`)
  if (value.day !== today) throw new MalformedError('it is the file of another day')
  return value
}
