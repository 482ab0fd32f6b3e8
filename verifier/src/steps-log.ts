/** The steps about the log: its signatures, its growth, its records and their order. */
import { ascii, compare, equal, toHex } from './bytes.ts'
import type { Bundle } from './bundle.ts'
import { canonicalText, type Json } from './canonical.ts'
import { shiftDay, startOfDayMs } from './day.ts'
import { type Entry, type KeyChain, keyInForce, ofKind } from './log.ts'
import { rootsAt, type Tree } from './merkle.ts'
import { type Checkpoint, cosignedAt, isLogSignature, readVerifierKey, type VerifierKey } from './note.ts'
import type { LogRecord, OpenRecord } from './records.ts'
import { fail, incomplete, need } from './steps.ts'

export type Kept = Tree & { readonly origin: string }

export function checkSignatures(bundle: Bundle, trustedKey: string | undefined): string {
  const entries = need(bundle.entries, 'the log')
  const checkpoint = need(bundle.checkpoint, 'log/checkpoint')
  const chain = need(bundle.chain, 'log/key')
  if (!chain.isSound) fail('the records that replace the log’s key are not linked and signed')
  if (trustedKey !== undefined && !chain.keys.some(({ key }) => key.text === trustedKey))
    fail('the key that you trust is not one of this log')
  const current = chain.keys.at(-1)?.key
  if (bundle.key !== undefined && bundle.key.text !== current?.text) fail('log/key is not the key in force')
  const policies = ofKind(entries, 'open').map(({ record }) => record)
  checkCheckpoint(checkpoint, chain, witnessesOf(policies))
  const { open } = bundle.inLog(bundle.day)
  for (const sealed of bundle.sealed ?? []) {
    if (sealed.origin !== checkpoint.origin) fail(`log/sealed/${bundle.day} is of another log`)
    // The key in force there depends on records beyond this checkpoint.
    if (sealed.size > checkpoint.size) incomplete(beyond(sealed, checkpoint))
    checkCheckpoint(sealed, chain, witnessesOf(open === undefined ? [] : [open.record]))
  }
  const trust = trustedKey === undefined ? ' (the site’s own word: no key of yours was given)' : ''
  return `${checkpoint.origin} signed ${checkpoint.size} records with ${toHex(current?.id ?? new Uint8Array())}${trust}`
}

const beyond = (signed: Tree, shown: Tree): string => `the log shows ${shown.size} of the ${signed.size} records it had signed`

export const witnessesOf = (policies: readonly OpenRecord[]): readonly VerifierKey[] =>
  [...new Set(policies.flatMap(({ witnesses }) => witnesses.keys))].map(readVerifierKey)

export function checkCheckpoint(checkpoint: Checkpoint, chain: KeyChain, witnesses: readonly VerifierKey[]): void {
  const { origin, size, note } = checkpoint
  const [own, ...others] = note.signatures
  const key = keyInForce(chain, size)
  if (key === undefined || key.name !== origin) fail(`the key of this log is not named ${origin}`)
  else if (own === undefined || !isLogSignature(own, note.text, key))
    fail(`the checkpoint of ${size} records is not signed by the key in force`)
  for (const [index, line] of others.entries()) {
    const before = index === 0 ? undefined : others[index - 1]
    if (before !== undefined && compare(ascii(before.name), ascii(line.name)) >= 0)
      fail('cosignatures are not in order, or two are of one name')
    if (!witnesses.some((witness) => cosignedAt(line, note.text, witness) !== undefined))
      fail(`${line.name} is not a witness of this log, or its cosignature under ${size} records is false`)
  }
}

export function checkConsistency(bundle: Bundle, kept: Kept | undefined): string {
  const entries = need(bundle.entries, 'the log')
  const checkpoint = need(bundle.checkpoint, 'log/checkpoint')
  const sizes = [checkpoint, ...(bundle.sealed ?? []), ...(kept === undefined ? [] : [kept])].map(({ size }) => size)
  const leaves = entries.map(({ leaf }) => leaf)
  const roots = rootsAt(leaves, new Set(sizes))
  const gives = ({ size, root }: Tree): boolean => equal(roots.get(size) ?? new Uint8Array(), root)
  if (!gives(checkpoint)) fail(`the ${checkpoint.size} records do not give the root that the log signed`)
  for (const sealed of bundle.sealed ?? []) {
    if (sealed.size > checkpoint.size) incomplete(beyond(sealed, checkpoint))
    if (!gives(sealed)) fail(`the first ${sealed.size} records are not those that were signed and cosigned`)
  }
  if (kept === undefined) return `${checkpoint.size} records give the signed root`
  if (kept.origin !== checkpoint.origin) fail(`this is the log ${checkpoint.origin}, you kept a checkpoint of ${kept.origin}`)
  if (kept.size > checkpoint.size) fail(`the log has ${checkpoint.size} records and had ${kept.size} when you looked before`)
  if (!gives(kept)) fail(`the first ${kept.size} records are others than when you looked before: the log was rewritten`)
  return `${checkpoint.size} records give the signed root and begin with the ${kept.size} that you saw before`
}

/** Tracks the phase of each day, and the time, while the records are read in order. */
class Order {
  readonly #phase = new Map<string, 'open' | 'closed' | 'ended'>()
  readonly #noted = { key: '', verifier: '' }
  #sealedAt = 0
  #ended = ''
  #first: string | undefined
  #nextOpen: string | undefined
  #nextClose: string | undefined
  #nextBooks: string | undefined

  /** Returns why this record is wrong at this position; undefined if it is right. */
  add(record: LogRecord): string | undefined {
    const { day } = record
    const phase = this.#phase.get(day)
    switch (record.kind) {
      case 'open':
        return this.#open(day)
      case 'close':
        return this.#seal(day, record.sealedAt) ?? this.#close(day, 'closed')
      case 'result':
        return this.#end(day, phase)
      case 'void':
        return record.reason === 'empty' ? this.#empty(day, record.returned) : this.#end(day, phase)
      case 'books':
        return this.#books(day)
      case 'key':
      case 'verifier':
        return this.#note(record.kind, day)
    }
  }

  #open(day: string): string | undefined {
    if (day !== (this.#nextOpen ?? day)) return `${this.#nextOpen} should be opened next`
    if (this.#first === undefined) [this.#first, this.#nextClose, this.#nextBooks] = [day, day, day]
    this.#nextOpen = shiftDay(day, 1)
    this.#phase.set(day, 'open')
    return undefined
  }

  #close(day: string, phase: 'closed' | 'ended'): string | undefined {
    if (this.#phase.get(day) !== 'open') return 'the day is not open'
    if (day !== this.#nextClose) return `${this.#nextClose} should be closed before it`
    this.#nextClose = shiftDay(day, 1)
    this.#ended = day
    this.#phase.set(day, phase)
    return undefined
  }

  /** Time only goes forward: no list is sealed before its day begins, or before the list of an earlier day. */
  #seal(day: string, sealedAt: number): string | undefined {
    if (sealedAt < startOfDayMs(day)) return 'it was sealed before its day began'
    if (sealedAt < this.#sealedAt) return 'it was sealed before the list of an earlier day'
    this.#sealedAt = sealedAt
    return undefined
  }

  /** A record that is not of a round: at most one of its kind a day, and none of a day in the past. */
  #note(kind: 'key' | 'verifier', day: string): string | undefined {
    if (day === this.#noted[kind]) return 'there is one of this kind a day'
    if (day < this.#noted[kind] || day < this.#ended) return 'its day was over when it was written'
    this.#noted[kind] = day
    return undefined
  }

  #empty(day: string, returned: number): string | undefined {
    return returned === 0 ? this.#close(day, 'ended') : 'an empty day returns nothing'
  }

  #end(day: string, phase: string | undefined): string | undefined {
    if (phase !== 'closed') return 'the day is not closed, or has ended before'
    this.#phase.set(day, 'ended')
    return undefined
  }

  #books(day: string): string | undefined {
    if (day !== this.#nextBooks) return `the books of ${this.#nextBooks ?? 'an opened day'} come next`
    if (this.#nextClose === undefined || day >= this.#nextClose) return 'its round is not closed yet'
    this.#nextBooks = shiftDay(day, 1)
    return undefined
  }
}

export function checkOrder(bundle: Bundle): string {
  const entries = need(bundle.entries, 'the log')
  const logKeys = bundle.chain?.keys.map(({ key }) => key) ?? []
  const order = new Order()
  for (const { index, record, problem } of entries) {
    if (record === undefined) return fail(problem ?? `record ${index} lacks fields of its kind, or has unknown ones`)
    const wrong = order.add(record) ?? (record.kind === 'open' ? policyProblem(record, logKeys) : undefined)
    if (wrong !== undefined) fail(`record ${index} (${record.kind} of ${record.day}): ${wrong}`)
  }
  const { open, result, void: ended, books } = bundle.inLog(bundle.day)
  if (open === undefined) incomplete(`the log has no round of ${bundle.day}`)
  if (result === undefined && ended === undefined) incomplete(`the round of ${bundle.day} has not ended`)
  if (books === undefined) incomplete(`the books of ${bundle.day} are not in the log yet`)
  return `${entries.length} records from ${bundle.firstDay} on, each in its place`
}

function policyProblem({ witnesses: { keys, quorum } }: OpenRecord, logKeys: readonly VerifierKey[]): string | undefined {
  const witnesses = keys.map(readVerifierKey)
  if (keys.some((key, index) => index > 0 && key <= (keys[index - 1] as string))) return 'the witnesses are not in order'
  if (new Set(witnesses.map(({ name }) => name)).size !== keys.length) return 'two witnesses have one name'
  const publicKeys = new Set(witnesses.map(({ publicKey }) => toHex(publicKey)))
  if (publicKeys.size !== keys.length) return 'two witnesses have one key'
  if (logKeys.some(({ publicKey }) => publicKeys.has(toHex(publicKey)))) return 'the log is its own witness'
  return quorum < 1 || 2 * quorum <= keys.length ? 'the quorum is not more than half of the witnesses' : undefined
}

export function checkInclusion(bundle: Bundle): string {
  const entries = need(bundle.entries, 'the log')
  const today = bundle.inLog(bundle.day)
  const draws = need(bundle.draws, `draws/${bundle.day}`)
  const own = [today.open, today.close, today.result, today.void].filter((placed) => placed !== undefined)
  const expected = own.map(({ index }) => index).sort((a, b) => a - b)
  // During a day the file may have records that the checkpoint does not cover yet. After the day's end all must be covered.
  const isFinal = today.result !== undefined || today.void !== undefined
  const shown = isFinal ? draws.records : draws.records.filter(({ index }) => index < entries.length)
  if (shown.map(({ index }) => index).join() !== expected.join())
    fail(`draws/${bundle.day} shows other records than the log has of that day`)
  for (const { index, record } of shown) {
    if (canonicalText(record as Json) !== canonicalText((entries[index] as Entry).json))
      fail(`record ${index} is not what draws/${bundle.day} shows`)
  }
  if (today.books === undefined) return `${shown.length} records are in the log`
  const books = need(bundle.books, `books/${bundle.day}`)
  if (books.hash !== today.books.record.books) fail(`books/${bundle.day} is not the file whose hash is in the log`)
  return `${shown.length} records and the hash of the books are in the log`
}
