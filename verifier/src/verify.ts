/**
 * Verifies a day from its published files, by every step of chapter 15 of spec/protocol.md, in order.
 *
 * - The same code runs in Node and in a browser's worker.
 * - Each step judges the files, not the result of another step, so one wrong value fails one step.
 */
import { type Bundle, readBundle } from './bundle.ts'
import { checkBalance, checkCarryOver, overduePools } from './books.ts'
import { canonicalText } from './canonical.ts'
import { shiftDay } from './day.ts'
import { PART_BYTES, sumParts } from './liabilities.ts'
import { readVerifierKey, writeNote } from './note.ts'
import { type ReceiptFile, receiptProblem } from './receipt.ts'
import { checkSolvency } from './solvency.ts'
import { type Source, wholeEntries } from './sources.ts'
import {
  checkHelpOrder,
  checkList,
  checkRandomness,
  checkRound,
  checkSealedInTime,
  checkSeed,
  checkSplit,
  checkWinners,
  closeOf,
  type List,
  type ListQuestions,
  readList,
  TICKET_BYTES,
} from './steps-draw.ts'
import { checkConsistency, checkInclusion, checkOrder, checkSignatures, type Kept } from './steps-log.ts'
import {
  type CheckName,
  EXIT_CODES,
  type FileReport,
  fail,
  incomplete,
  need,
  notApplicable,
  type Outcome,
  type Said,
  take,
  type Verdict,
  verdictOf,
} from './steps.ts'

export type Progress = {
  readonly phase: 'log' | 'tickets' | 'liabilities'
  readonly done: number
  /** Undefined if the total is unknown. */
  readonly total: number | undefined
}
/** Longer than a draw or a key rotation takes to reach all files. */
const SETTLE_MS = 4000

export type VerifyOptions = {
  /** The log key that the caller trusts. */
  readonly logKey?: string
  /** The checkpoint kept from an earlier check. */
  readonly kept?: Kept
  /** Witnesses that the caller trusts, instead of those in the record. */
  readonly witnesses?: readonly string[]
  /** The hash of a drand chain to trust instead of quicknet. */
  readonly chainHash?: string
  readonly receipt?: ReceiptFile
  /** For a day that is void because the beacon failed: a valid signature of its round disproves the void. */
  readonly beaconSignature?: string
  /** The numbers of requests for help in the order that the site shows for this day. */
  readonly helpOrder?: readonly string[]
  readonly onProgress?: (progress: Progress) => void
  readonly onStep?: (outcome: Outcome) => void
  /** Wait before a failure of a live site is checked again. Default: 4 s. */
  readonly settle?: () => Promise<void>
}
export type Report = {
  readonly day: string
  readonly steps: readonly Outcome[]
  readonly verdict: Verdict
  readonly exitCode: 0 | 2 | 3 | 4
  /** Notes that belong to no step. */
  readonly remarks: readonly string[]
  /** The state to keep for the next check; undefined unless the log's signature and growth are sound. */
  readonly keep: { readonly logKey: string; readonly checkpoint: Kept; readonly note: Uint8Array } | undefined
}

export async function verifyDay(source: Source, day: string, options: VerifyOptions = {}): Promise<Report> {
  let report = await attemptDay(source, day, options)
  if (source.isLive) {
    // Changing files may be read between two states or from two caches. So a failure must repeat,
    // after a wait that outlasts any update that was under way.
    const fresh = source.again?.() ?? source
    if (report.verdict === 'INCOMPLETE') report = await attemptDay(fresh, day, options)
    if (report.verdict === 'FAIL') {
      await (options.settle ?? settled)()
      report = await attemptDay(fresh, day, options)
    }
  }
  for (const outcome of report.steps) options.onStep?.(outcome)
  return report
}

const settled = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, SETTLE_MS))

async function attemptDay(source: Source, day: string, options: VerifyOptions): Promise<Report> {
  const [missing, malformed]: [string[], string[]] = [[], []]
  const files = { missing: (what: string) => void missing.push(what), malformed: (what: string) => void malformed.push(what) }
  const onEntries = (done: number, total: number): void => options.onProgress?.({ phase: 'log', done, total })
  const bundle = await readBundle({ source, day, trustedKey: options.logKey, files, onEntries })
  const today = bundle.inLog(day)
  const witnesses = (options.witnesses ?? []).map(readVerifierKey)
  const outcomes: Outcome[] = []
  const step = async (name: CheckName, check: () => Said | Promise<Said>): Promise<void> => {
    outcomes.push(await take(name, files, check))
  }
  await step('log-signature', () => checkSignatures(bundle, options.logKey))
  await step('log-consistency', () => checkConsistency(bundle, options.kept))
  await step('log-order', () => checkOrder(bundle))
  await step('log-inclusion', () => checkInclusion(bundle))
  let list: List | undefined
  await step('entries-root', async () => {
    const close = closeOf(today)
    list = await openList(source, day, questions(bundle, options, close.count), options)
    if (list === undefined) files.missing(`draws/${day}/tickets`)
    return checkList(list, today)
  })
  await step('sealed-in-time', () => checkSealedInTime(bundle, witnesses))
  await step('beacon-round', () => checkRound(today, options.beaconSignature))
  await step('beacon-signature', () => checkRandomness(today, options.chainHash))
  await step('seed', () => checkSeed(today))
  await step('winners', () => checkWinners(today, list))
  await step('split', () => checkSplit(today))
  await step('books-balance', () => checkBalance(booksOf(bundle), bundle.inLog))
  await step('carry-over', () => carryOver(bundle))
  await step('liabilities-total', () => checkLiabilities(source, bundle, options, files))
  await step('solvency', () => checkSolvency(booksOf(bundle)))
  await step('receipt', () => checkReceipt(bundle, list, options.receipt))
  const { helpOrder } = options
  if (helpOrder !== undefined) await step('order-of-help', () => checkHelpOrder(today, helpOrder))
  const steps = [await take('files', files, () => judgeFiles(missing, malformed)), ...outcomes]
  const verdict = verdictOf(steps)
  const overdue = (bundle.books === undefined ? [] : overduePools(bundle.books.value)).map((pool) => `${pool} is not paid out yet`)
  const remarks = [...overdue, ...changedTerms(bundle)]
  return { day, steps, verdict, exitCode: EXIT_CODES[verdict], remarks, keep: toKeep(bundle, steps) }
}

/** The terms that differ from the day before's. A change is allowed, but the report must show it. */
function changedTerms({ day, inLog }: Bundle): readonly string[] {
  const [now, before] = [inLog(day).open?.record, inLog(shiftDay(day, -1)).open?.record]
  if (now === undefined || before === undefined) return []
  const drawnBy = ({ draw }: typeof now): string => (draw.mode === 'beacon' ? draw.chainHash : draw.mode)
  const terms = (['rules', 'split', 'tax', 'witnesses'] as const).filter((name) => canonicalText(now[name]) !== canonicalText(before[name]))
  const changed = [...terms, ...(drawnBy(now) === drawnBy(before) ? [] : ['draw'])]
  return changed.map((name) => `${name} changed since the day before: compare the two open records`)
}

function judgeFiles(missing: readonly string[], malformed: readonly string[]): string {
  const shown = (all: readonly string[]): string => [...new Set(all)].slice(0, 5).join(' · ')
  if (malformed.length > 0) fail(shown(malformed))
  // The reason says more than the name of the file.
  const said = missing.filter((what) => !missing.some((other) => other.startsWith(`${what}: `)))
  if (said.length > 0) incomplete(`missing: ${shown(said)}`)
  return 'every file is there and readable'
}

const booksOf = (bundle: Bundle) => need(bundle.books, `books/${bundle.day}`).value

function questions(bundle: Bundle, { receipt }: VerifyOptions, count: number): ListQuestions {
  const winners = bundle.inLog(bundle.day).result?.record.winners ?? []
  return { positions: winners.map(({ position }) => position), tickets: receipt === undefined ? [] : [receipt.ticket], sealed: count }
}

async function openList(source: Source, day: string, asked: ListQuestions, { onProgress }: VerifyOptions): Promise<List | undefined> {
  const path = `draws/${day}/tickets`
  const stream = await source.open(path)
  if (stream === undefined) return undefined
  const total = stream.bytes === undefined ? asked.sealed : stream.bytes / TICKET_BYTES
  return readList(wholeEntries(stream, TICKET_BYTES, path), asked, (done) => onProgress?.({ phase: 'tickets', done, total }))
}

function carryOver(bundle: Bundle): string {
  const books = booksOf(bundle)
  if (bundle.day === bundle.firstDay) return checkCarryOver(books, undefined)
  const yesterday = shiftDay(bundle.day, -1)
  const before = need(bundle.booksBefore, `books/${yesterday}`)
  const logged = need(bundle.inLog(yesterday).books, `the record of books/${yesterday}`)
  if (before.hash !== logged.record.books) fail(`books/${yesterday} is not the file whose hash is in the log`)
  return checkCarryOver(books, before.value)
}

async function checkLiabilities(source: Source, bundle: Bundle, { onProgress }: VerifyOptions, files: FileReport): Promise<string> {
  const books = booksOf(bundle)
  const path = `liabilities/${bundle.day}`
  const stream = await source.open(path)
  if (stream === undefined) files.missing(path)
  const about = books.liabilities.count
  const parts = await sumParts(wholeEntries(need(stream, path), PART_BYTES, path), about, (done) =>
    onProgress?.({ phase: 'liabilities', done, total: about }),
  )
  const { count, root, total } = books.liabilities
  if (parts.count > count) fail(`more parts are published than the ${count} that the books count`)
  if (parts.count < count) fail(`${parts.count} parts are published, the books count ${count}`)
  if (parts.total !== total) fail(`the parts add up to ${parts.total} paise, the books say ${total}`)
  if (parts.root !== root) fail('the parts do not give the root in the books')
  const closing = (name: string): number => books.accounts.find(({ account }) => account === name)?.closing ?? 0
  const owed = closing('MEMBERS') + closing('PAYOUTS_PENDING') + closing('REFUNDS_PENDING')
  if (total !== owed) fail(`the accounts owe members ${owed} paise, the parts add up to ${total}`)
  return `${count} parts add up to the ${total} paise that members are owed`
}

function checkReceipt(bundle: Bundle, list: List | undefined, receipt: ReceiptFile | undefined): string {
  if (receipt === undefined) return notApplicable('none was given')
  if (receipt.day !== bundle.day) return incomplete(`the receipt is of ${receipt.day}: it says nothing about this day`)
  const problem = receiptProblem(receipt, need(bundle.chain, 'the log’s key'))
  if (problem !== undefined) return fail(`this is not a receipt of this log: ${problem}`)
  const { close, void: ended } = bundle.inLog(bundle.day)
  if (close === undefined && ended !== undefined) return fail('the receipt is valid and the day was declared empty: the entry was dropped')
  const { found, isWhole } = need(list, 'the list of tickets')
  if (found.has(receipt.ticket)) return 'the ticket of the receipt is in the list'
  if (!isWhole) return incomplete('the list is longer than the sealed one: its end was not read')
  return fail('the receipt is valid and its ticket is not in the list: the entry was dropped')
}

function toKeep({ checkpoint, chain }: Bundle, steps: readonly Outcome[]): Report['keep'] {
  const isSound = steps.every(({ step, state }) => state === 'pass' || (step !== 'log-signature' && step !== 'log-consistency'))
  const key = chain?.keys.at(-1)?.key
  if (!isSound || checkpoint === undefined || key === undefined) return undefined
  const { origin, size, root, note } = checkpoint
  return { logKey: key.text, checkpoint: { origin, size, root }, note: new TextEncoder().encode(writeNote(note)) }
}
