/**
 * Reads all small files of a day.
 *
 * - Order: the day's files, then the checkpoint, then the records under it. So a log that grows meanwhile causes no contradiction.
 */
import { MalformedError, toHex } from './bytes.ts'
import { readCanonical } from './canonical.ts'
import { type Books, booksShape } from './books.ts'
import { shiftDay } from './day.ts'
import { type DayInLog, daysOf, type Entry, type KeyChain, keyChain, ofKind, readEntries, readKeyFile } from './log.ts'
import { type Checkpoint, readCheckpoint, readCheckpoints, type VerifierKey } from './note.ts'
import { type DrawsFile, readDraws } from './records.ts'
import { sha256 } from './sha256.ts'
import { MOST_NOTE_BYTES, readFile, type Source, UnavailableError } from './sources.ts'
import type { FileReport } from './steps.ts'

export type Bundle = {
  readonly day: string
  readonly key: VerifierKey | undefined
  readonly checkpoint: Checkpoint | undefined
  readonly entries: readonly Entry[] | undefined
  /** Undefined if neither the caller nor the log names a key. */
  readonly chain: KeyChain | undefined
  readonly sealed: readonly Checkpoint[] | undefined
  readonly draws: DrawsFile | undefined
  readonly books: Hashed<Books> | undefined
  readonly booksBefore: Hashed<Books> | undefined
  /** Finds no record if the log could not be read. */
  readonly inLog: (day: string) => DayInLog
  readonly firstDay: string | undefined
}
export type Hashed<T> = { readonly value: T; readonly hash: string }

export type BundleOptions = {
  readonly source: Source
  readonly day: string
  /** The verifier key that the caller trusts, as text. */
  readonly trustedKey: string | undefined
  readonly files: FileReport
  readonly onEntries: (done: number, total: number) => void
}

/** Opens and reads a file. On a fault it reports the fault to `files` and returns undefined. */
async function attempt<T>(
  files: FileReport,
  path: string,
  read: (bytes: Uint8Array) => T,
  open: () => Promise<Uint8Array | undefined>,
): Promise<T | undefined> {
  try {
    const bytes = await open()
    return bytes === undefined ? undefined : read(bytes)
  } catch (error) {
    if (error instanceof MalformedError) files.malformed(`${path}: ${error.message}`)
    else if (error instanceof UnavailableError) files.missing(error.message)
    else throw error
    return undefined
  }
}

export async function readBundle({ source, day: today, trustedKey, files, onEntries }: BundleOptions): Promise<Bundle> {
  const get = <T>(path: string, read: (bytes: Uint8Array) => T, mostBytes?: number): Promise<T | undefined> =>
    attempt(files, path, read, () => readFile(source, path, mostBytes))
  const hashed = (bytes: Uint8Array, name: string): Hashed<Books> => {
    const value = readCanonical(bytes, booksShape, name)
    assertDay(value.day, name)
    return { value, hash: toHex(sha256(bytes)) }
  }
  const yesterday = shiftDay(today, -1)
  const draws = await get(`draws/${today}`, (bytes) => readDraws(bytes, today))
  const books = await get(`books/${today}`, (bytes) => hashed(bytes, `books/${today}`))
  const booksBefore = await get(`books/${yesterday}`, (bytes) => hashed(bytes, `books/${yesterday}`))
  const sealed = await get(`log/sealed/${today}`, readCheckpoints, MOST_NOTE_BYTES)
  const key = await get('log/key', readKeyFile, MOST_NOTE_BYTES)
  const checkpoint = await get('log/checkpoint', readCheckpoint, MOST_NOTE_BYTES)
  const entries = checkpoint === undefined ? undefined : await readLog(source, checkpoint.size, files, onEntries)
  const known = entries ?? []
  const bundle: Bundle = {
    day: today,
    key,
    checkpoint,
    entries,
    chain: chainOf(known, trustedKey ?? key?.text),
    sealed,
    draws,
    books,
    booksBefore,
    inLog: daysOf(known),
    firstDay: ofKind(known, 'open')[0]?.record.day,
  }
  await reportMissing(source, bundle, files)
  return bundle
}

function assertDay(day: string, name: string): void {
  if (day !== name.slice(-10)) throw new MalformedError('it is the file of another day')
}

async function readLog(
  source: Source,
  size: number,
  files: FileReport,
  onEntries: (done: number, total: number) => void,
): Promise<readonly Entry[] | undefined> {
  try {
    const entries = await readEntries(source, size, (done) => onEntries(done, size))
    if (entries === undefined) files.missing(`records of the log, of which the checkpoint counts ${size}`)
    return entries
  } catch (error) {
    if (error instanceof MalformedError) files.malformed(error.message)
    else if (error instanceof UnavailableError) files.missing(error.message)
    else throw error
    return undefined
  }
}

function chainOf(entries: readonly Entry[], first: string | undefined): KeyChain | undefined {
  const hasRecord = ofKind(entries, 'key').length > 0
  return first === undefined && !hasRecord ? undefined : keyChain(entries, first ?? '')
}

/** Reports each file that chapter 14 of the protocol requires for the day's state in the log and that is missing. */
async function reportMissing(source: Source, bundle: Bundle, files: FileReport): Promise<void> {
  const { day: today, inLog, firstDay } = bundle
  const { open, close, result, void: ended, books } = inLog(today)
  const expect = (isPromised: boolean, isFound: boolean, path: string): void => {
    if (isPromised && !isFound) files.missing(path)
  }
  expect(true, bundle.key !== undefined, 'log/key')
  expect(true, bundle.checkpoint !== undefined, 'log/checkpoint')
  expect(result !== undefined || ended !== undefined, bundle.draws !== undefined, `draws/${today}`)
  expect(close !== undefined, bundle.sealed !== undefined, `log/sealed/${today}`)
  expect(books !== undefined, bundle.books !== undefined, `books/${today}`)
  const yesterday = shiftDay(today, -1)
  const isLater = firstDay !== undefined && today > firstDay
  expect(books !== undefined && isLater, bundle.booksBefore !== undefined, `books/${yesterday}`)
  if (open !== undefined) await checkRules(source, open.record.rules, files)
  if (close === undefined && ended !== undefined) await checkNoList(source, `draws/${today}/tickets`, files)
}

async function checkNoList(source: Source, path: string, files: FileReport): Promise<void> {
  const isThere = await attempt(
    files,
    path,
    () => true,
    async () => {
      const stream = await source.open(path)
      // Start reading and stop at once: this closes the stream.
      if (stream !== undefined) for await (const _piece of stream.pieces) break
      return stream && new Uint8Array()
    },
  )
  if (isThere === true) files.malformed(`${path} is there, but the day had no entries`)
}

async function checkRules(source: Source, hash: string, files: FileReport): Promise<void> {
  const path = `rules/${hash}`
  const found = await attempt(
    files,
    path,
    (bytes) => toHex(sha256(bytes)),
    () => readFile(source, path),
  )
  if (found === undefined) files.missing(path)
  else if (found !== hash) files.malformed(`${path} has another hash`)
}
