/** The state kept between two checks: the log's key, its newest checkpoint, the days seen and a witness's pending cosignature. */
import { fromHex, MalformedError, toHex } from './bytes.ts'
import { canonicalText, day, hash, hex, type Json, list, literal, readCanonical, record, type Shape, text, whole } from './canonical.ts'
import { readVerifierKey } from './note.ts'
import type { Kept } from './steps-log.ts'

const anyHex: Shape<string> = (value, where) => hex(text(value, where).length / 2)(value, where)
const shape = record({
  v: literal(1),
  logKey: text,
  origin: text,
  size: whole,
  root: hash,
  note: anyHex,
  pending: anyHex,
  seenTo: (value, where) => (value === '' ? undefined : day(value, where)),
  waiting: list(day),
})

export type State = {
  readonly logKey: string
  readonly checkpoint: Kept
  /** The checkpoint as the log signed it: half of the proof if the log ever signs a fork. */
  readonly note: Uint8Array
  /** A cosignature that the log has not accepted yet; it is submitted again. */
  readonly pending: Uint8Array | undefined
  /** Days up to this one were checked, except those in `waiting`. */
  readonly seenTo: string | undefined
  readonly waiting: readonly string[]
}

export function writeState({ logKey, checkpoint: { origin, size, root }, note, pending, seenTo, waiting }: State): string {
  const handed = pending === undefined ? '' : toHex(pending)
  const plain: Json = { v: 1, logKey, origin, size, root: toHex(root), note: toHex(note), pending: handed, seenTo: seenTo ?? '', waiting }
  return canonicalText(plain)
}

export function readState(bytes: Uint8Array): State {
  const { logKey, origin, size, root, note, pending, seenTo, waiting } = readCanonical(bytes, shape, 'the state')
  if (readVerifierKey(logKey).algorithm !== 1) throw new MalformedError('the state names no key of a log')
  const checkpoint = { origin, size, root: fromHex(root) }
  return { logKey, checkpoint, note: fromHex(note), pending: pending === '' ? undefined : fromHex(pending), seenTo, waiting }
}
