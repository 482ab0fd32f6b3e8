/**
 * Checks a member's own share of the liabilities on the member's device (spec/protocol.md, chapters 13 and 14).
 *
 * - The member's parts lead to the day's total, the total is in the day's books, and the books are in the signed log.
 * - The sum of the parts equals the balance that the member sees.
 * - The result names the first failed step and claims nothing about later steps.
 */
import { equal, concat, fromBase64, fromHex, MalformedError, toHex, u64 } from './bytes.ts'
import { day as dayShape, hash, type Json, list, parseCanonical, record, text, whole } from './canonical.ts'
import { joinParts, MOST_PAISE, partId, partNode } from './liabilities.ts'
import { linesOf, RECORDS_PER_FILE } from './log.ts'
import { splitOf } from './merkle.ts'
import { readCheckpoint } from './note.ts'
import { judgeLog, shownRecord } from './own-log.ts'
import { readRecord } from './records.ts'
import { sha256 } from './sha256.ts'
import { readFile, type Source } from './sources.ts'
import type { Kept } from './steps-log.ts'

const NODE_BYTES = 40

/** One answer of GET /api/user/liabilities/{day}. */
const pageShape = record({
  balance: whole,
  count: whole,
  day: dayShape,
  held: whole,
  next: (value, where) => (value === null ? undefined : whole(value, where)),
  nodes: text,
  parts: list(record({ amount: whole, position: whole })),
  proof: (value, where) => (value === null ? undefined : record({ books: shownRecord, checkpoint: text })(value, where)),
  root: hash,
  total: whole,
})
type Page = ReturnType<typeof pageShape>
const liabilitiesShape = record({ count: whole, root: hash, total: whole })

/**
 * The steps, in this order:
 *
 * - `answer`: the answer is well-formed and of this day.
 * - `parts`: the parts of the member's key lead to the total.
 * - `books`: the total is in the day's published books.
 * - `log`: the books are in the signed log.
 * - `growth`: the log only grew since the last check.
 * - `sum`: the parts add up to balance and holds.
 * - `view`: balance and holds as the member sees them.
 */
export const OWED_STEPS = ['answer', 'parts', 'books', 'log', 'growth', 'sum', 'view'] as const
export type OwedStep = (typeof OWED_STEPS)[number]
export type Owed = {
  /** `waiting`: the books are not in a signed checkpoint yet. Nothing is wrong. */
  readonly state: 'owed' | 'waiting' | 'wrong'
  /** The failed step. */
  readonly step?: OwedStep
  readonly words: string
  readonly parts: number
  readonly balance: number
  readonly held: number
  readonly keep?: Kept
}
export type OwedInput = {
  readonly day: string
  /** The member's ticket key in force on this day. */
  readonly ticketKey: Uint8Array
  /** The decoded answers from part 0 on. Each starts at the `next` of the one before. */
  readonly pages: readonly unknown[]
  readonly logKey: string
  readonly kept?: Kept
  readonly source: Source
  /** From the member's own transactions, in paise: balance at the day's end, and the minimum on hold. */
  readonly seen?: { readonly balance?: number; readonly heldAtLeast?: number }
}

/** A failed step. */
class Wrong extends Error {
  readonly step: OwedStep
  constructor(step: OwedStep, words: string) {
    super(words)
    this.step = step
  }
}

export async function checkOwed(input: OwedInput): Promise<Owed> {
  let step: OwedStep = 'answer'
  let told = { parts: 0, balance: 0, held: 0 }
  try {
    const pages = readPages(input)
    const [first] = pages
    told = { parts: pages.reduce((sum, { parts }) => sum + parts.length, 0), balance: first.balance, held: first.held }
    step = 'parts'
    checkParts(input, pages)
    if (first.proof === undefined) {
      step = 'log'
      if (await areBooksLogged(input)) throw new Wrong('log', 'the day’s books are in the log, and you are not shown that they are')
      return { state: 'waiting', words: 'the day’s books are not in the signed log yet', ...told }
    }
    step = 'books'
    await checkBooks(input, first, first.proof.books.record)
    step = 'log'
    const { checkpoint, books } = first.proof
    const keep = await judgeLog({ ...input, checkpoint, record: books, kept: input.kept })
    if ('step' in keep) throw new Wrong(keep.step === 'growth' ? 'growth' : 'log', keep.words)
    checkSum(input, pages, first)
    return { state: 'owed', words: `all ${first.balance + first.held} paise of your money are in the published total`, ...told, keep }
  } catch (error) {
    if (error instanceof Wrong) return { state: 'wrong', step: error.step, words: error.message, ...told }
    if (error instanceof MalformedError) return { state: 'wrong', step, words: error.message, ...told }
    throw error
  }
}

/** Merges the pages: each must have the same figures, and no part may be missing between pages. */
function readPages({ pages: given, day }: OwedInput): readonly [Page, ...Page[]] {
  const [first, ...rest] = given.map((one) => pageShape(one, 'the answer'))
  if (first === undefined) throw new MalformedError('there is no answer')
  const pages = [first, ...rest] as const
  let from = 0
  for (const [at, page] of pages.entries()) {
    from += page.parts.length
    const isLast = at === pages.length - 1
    if (page.next !== (isLast ? undefined : from)) throw new MalformedError('parts are left out between the answers')
    const figures = ['balance', 'held', 'count', 'root', 'total', 'day'] as const
    if (figures.some((name) => page[name] !== first[name])) throw new MalformedError('the answers are of different books')
  }
  if (first.day !== day) throw new MalformedError('the parts are of another day')
  return pages
}

/** Computes the part ids from the member's own key, so no other member's parts can be shown instead. */
function checkParts({ day, ticketKey }: OwedInput, pages: readonly Page[]): void {
  let j = 0
  const places = new Set<number>()
  for (const { parts, nodes, count, root, total } of pages) {
    const shown = parts.map(({ amount, position }) => ({ position, amount, node: partNode(partId(ticketKey, day, j++), amount) }))
    for (const { position, amount } of shown) {
      if (amount < 1 || amount > MOST_PAISE) throw new Wrong('parts', `a part of ${amount} paise, outside 1 to ${MOST_PAISE}`)
      if (position >= count || places.has(position)) throw new Wrong('parts', 'two of your parts have one place, or one has none')
      places.add(position)
    }
    if (shown.length === 0) continue
    const ordered = shown.toSorted((a, b) => a.position - b.position)
    const reached = rootOfShown(ordered, fromBase64(nodes), count)
    if (reached === undefined || !equal(reached, concat(fromHex(root), u64(total))))
      throw new Wrong('parts', 'a part of yours, or of another key than yours, is not in the published total')
  }
}

export type ShownPart = { readonly position: number; readonly node: Uint8Array }

/** Computes the root from the shown parts and their sibling nodes; undefined if nodes are missing or left over. */
export function rootOfShown(shown: readonly ShownPart[], nodes: Uint8Array, count: number): Uint8Array | undefined {
  let used = 0
  const reach = (from: number, to: number, inside: readonly ShownPart[]): Uint8Array | undefined => {
    const [part] = inside
    if (part === undefined) {
      used += NODE_BYTES
      return used <= nodes.length ? nodes.subarray(used - NODE_BYTES, used) : undefined
    }
    if (to - from === 1) return part.node
    const middle = from + splitOf(to - from)
    const left = reach(
      from,
      middle,
      inside.filter(({ position }) => position < middle),
    )
    const right = reach(
      middle,
      to,
      inside.filter(({ position }) => position >= middle),
    )
    return left === undefined || right === undefined ? undefined : joinParts(left, right)
  }
  const root = reach(0, count, shown)
  return used === nodes.length ? root : undefined
}

/** Reads the published books, which everybody sees, instead of trusting the answer. */
async function checkBooks({ day, source }: OwedInput, page: Page, shown: unknown): Promise<void> {
  const found = readRecord(shown as Json, 'the books record')
  if (found.kind !== 'books' || found.day !== day) throw new Wrong('books', 'the record shown is not that of the day’s books')
  const path = `books/${day}`
  const bytes = await readFile(source, path)
  if (bytes === undefined) throw new Wrong('books', 'the day’s books are in the log, and not published')
  if (toHex(sha256(bytes)) !== found.books) throw new Wrong('books', 'the published books are not those of the record')
  // The check of the day judges the rest of the file; its hash is in the log.
  const books = parseCanonical(bytes, path) as { readonly liabilities?: Json } | null
  const liabilities = liabilitiesShape(books?.liabilities, `${path}: liabilities`)
  if (liabilities.root !== page.root || liabilities.total !== page.total || liabilities.count !== page.count)
    throw new Wrong('books', 'your parts belong to another total than the published one')
}

function checkSum({ seen = {} }: OwedInput, pages: readonly Page[], { balance, held }: Page): void {
  const sum = pages.flatMap(({ parts }) => parts).reduce((all, { amount }) => all + amount, 0)
  if (sum !== balance + held) throw new Wrong('sum', `your parts add up to ${sum} paise, and you are owed ${balance + held}`)
  if (seen.balance !== undefined && seen.balance !== balance)
    throw new Wrong('view', `the books count ${balance} paise as your balance, your own movements come to ${seen.balance}`)
  if (seen.heldAtLeast !== undefined && held < seen.heldAtLeast)
    throw new Wrong('view', `the books hold ${held} paise for you, and at least ${seen.heldAtLeast} are on hold`)
}

/** True if the public log has the day's books: then a missing proof is a fault, not a delay. */
async function areBooksLogged({ day, source }: OwedInput): Promise<boolean> {
  const note = await readFile(source, 'log/checkpoint')
  if (note === undefined) return false
  const { size } = readCheckpoint(note)
  for (let file = Math.floor((size - 1) / RECORDS_PER_FILE); file >= 0; file -= 1) {
    const path = `log/entries/${file}`
    const bytes = await readFile(source, path)
    if (bytes === undefined) return false
    const lines = linesOf(bytes, path).slice(0, size - file * RECORDS_PER_FILE)
    const days = lines.flatMap((line) => /"day":"(.{10})","kind":"books"/.exec(new TextDecoder().decode(line))?.[1] ?? [])
    if (days.includes(day)) return true
    // Books are in day order: earlier files have only earlier days.
    if (days.some((one) => one < day)) return false
  }
  return false
}
