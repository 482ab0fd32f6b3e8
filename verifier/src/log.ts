/** Parses the log's files: records with their leaves, checkpoints, the key chain and the records of each day. */
import { ascii, concat, equal, fromHex, MalformedError, utf8 } from './bytes.ts'
import { type Json, parseCanonical } from './canonical.ts'
import { leafHash } from './merkle.ts'
import { isSignature, readVerifierKey, type VerifierKey } from './note.ts'
import { type LogRecord, type RecordOf, readRecord } from './records.ts'
import { readFile, type Source } from './sources.ts'

export const RECORDS_PER_FILE = 256

export type Entry = {
  readonly index: number
  readonly leaf: Uint8Array
  readonly json: Json
  /** Undefined if the record is malformed; `problem` then names the fault. */
  readonly record: LogRecord | undefined
  readonly problem: string | undefined
}

export async function readEntries(source: Source, size: number, onProgress: (done: number) => void): Promise<readonly Entry[] | undefined> {
  const entries: Entry[] = []
  for (let file = 0; file * RECORDS_PER_FILE < size; file += 1) {
    const path = `log/entries/${file}`
    const bytes = await readFile(source, path)
    if (bytes === undefined) return undefined
    const lines = linesOf(bytes, path)
    const wanted = Math.min(RECORDS_PER_FILE, size - file * RECORDS_PER_FILE)
    for (const line of lines.slice(0, wanted)) entries.push(entryOf(line, entries.length))
    if (lines.length < wanted) return undefined
    onProgress(entries.length)
  }
  return entries
}

/** Splits one file into records and refuses more than a file may have. */
export function linesOf(bytes: Uint8Array, path: string): readonly Uint8Array[] {
  const lines: Uint8Array[] = []
  let start = 0
  for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
    if (lines.length === RECORDS_PER_FILE) throw new MalformedError(`${path} contains more than ${RECORDS_PER_FILE} records`)
    lines.push(bytes.subarray(start, end))
    start = end + 1
  }
  if (start !== bytes.length) throw new MalformedError(`the last record of ${path} does not end`)
  return lines
}

function entryOf(bytes: Uint8Array, index: number): Entry {
  const where = `record ${index}`
  const json = parseCanonical(bytes, where)
  const plain = { index, leaf: leafHash(bytes), json }
  try {
    return { ...plain, record: readRecord(json, where), problem: undefined }
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error
    return { ...plain, record: undefined, problem: error.message }
  }
}

export type Placed<K extends keyof RecordOf> = { readonly index: number; readonly record: RecordOf[K] }
export type DayInLog = { readonly [K in 'open' | 'close' | 'result' | 'void' | 'books']: Placed<K> | undefined }

const NOTHING: DayInLog = { open: undefined, close: undefined, result: undefined, void: undefined, books: undefined }

/** Finds the records of a day. Of duplicates it returns the first; the step `log-order` reports the other. */
export function daysOf(entries: readonly Entry[]): (day: string) => DayInLog {
  const days = new Map<string, DayInLog>()
  for (const { index, record } of entries) {
    if (record === undefined || record.kind === 'key' || record.kind === 'verifier') continue
    const day = days.get(record.day) ?? NOTHING
    if (day[record.kind] === undefined) days.set(record.day, { ...day, [record.kind]: { index, record } })
  }
  return (day) => days.get(day) ?? NOTHING
}

export const ofKind = <K extends keyof RecordOf>(entries: readonly Entry[], kind: K): readonly Placed<K>[] =>
  entries.flatMap(({ index, record }) => (record?.kind === kind ? [{ index, record: record as RecordOf[K] }] : []))

/**
 * The keys of the log, oldest first. A key is in force from the size `fromSize` on.
 * `fromDay` is the day of the key's record; undefined for the first key.
 */
export type KeyChain = {
  readonly keys: readonly { readonly key: VerifierKey; readonly fromSize: number; readonly fromDay?: string }[]
  /** True if each key record names the previous key and is signed by it. */
  readonly isSound: boolean
}

/** `first` is the first key if the log has no key record. */
export function keyChain(entries: readonly Entry[], first: string): KeyChain {
  const records = ofKind(entries, 'key')
  let before = readVerifierKey(records[0]?.record.old ?? first)
  let isSound = true
  const keys: KeyChain['keys'][number][] = [{ key: before, fromSize: 0 }]
  for (const { index, record } of records) {
    const next = readVerifierKey(record.new)
    const message = concat(ascii(`roz/v1/key\n${record.day}`), next.publicKey)
    const isSigned = isSignature(fromHex(record.signature), message, before.publicKey)
    isSound = isSound && isSigned && record.old === before.text && next.name === before.name
    keys.push({ key: next, fromSize: index + 1, fromDay: record.day })
    before = next
  }
  return { keys, isSound }
}

export const keyInForce = ({ keys }: KeyChain, size: number): VerifierKey | undefined =>
  keys.findLast(({ fromSize }) => fromSize <= size)?.key

/** Parses `log/key`: the key and one line end. */
export function readKeyFile(bytes: Uint8Array): VerifierKey {
  const text = utf8(bytes)
  if (!text.endsWith('\n')) throw new MalformedError('log/key does not end in a line end')
  const key = readVerifierKey(text.slice(0, -1))
  if (key.algorithm !== 1 || !equal(ascii(`${key.text}\n`), bytes)) throw new MalformedError('log/key is not a key of a log')
  return key
}
