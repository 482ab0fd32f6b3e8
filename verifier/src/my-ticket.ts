/**
 * Checks a member's own entry on the member's device, with a few hashes and one signature.
 *
 * - The ticket belongs to the member's key.
 * - An inclusion proof shows the ticket in the sealed list.
 * - The close record of that list is in the signed log that others see.
 */
import { fromHex, MalformedError, toHex, utf8 } from './bytes.ts'
import { day, hash, type Json, list, record, text, whole } from './canonical.ts'
import { shiftDay, startOfDayMs } from './day.ts'
import { ticketOf } from './draw.ts'
import { isIncluded, leafHash } from './merkle.ts'
import { readCheckpoint, readVerifierKey } from './note.ts'
import { hashes, judgeLog, shownRecord } from './own-log.ts'
import { receiptProblem, receiptShape } from './receipt.ts'
import { readDraws, readRecord } from './records.ts'
import { readFile, type Source } from './sources.ts'
import type { Kept } from './steps-log.ts'

const proof = record({ checkpoint: text, close: shownRecord, path: list(hash), position: whole })
const anything = (value: unknown): unknown => value
const answerShape = record({
  day,
  proof: (value, where) => (value === null ? undefined : proof(value, where)),
  receipt: anything,
  ticket: hash,
})
type Proof = ReturnType<typeof proof>

export type MyTicket = {
  /**
   * - `included`: the ticket is in the list.
   * - `waiting`: the list is not sealed yet. Nothing is wrong.
   * - `missing`: the answer does not prove inclusion. Raise an alarm and keep the receipt.
   * - `not-mine`: the ticket is not this key's.
   * - `unknown-log`: the log's key or history does not match the kept one.
   */
  readonly state: 'included' | 'waiting' | 'missing' | 'not-mine' | 'unknown-log'
  readonly words: string
  readonly position?: number
  readonly count?: number
  readonly root?: string
  /** True if the receipt alone proves the entry. */
  readonly hasReceipt: boolean
  /** The checkpoint to keep for the next check; only if the log is sound. */
  readonly keep?: Kept
  /** For a list that is sealed while no proof is shown: the day's published draw file and the checkpoint. */
  readonly evidence?: readonly string[]
}
export type MyTicketInput = {
  readonly day: string
  readonly ticketKey: Uint8Array
  /** The decoded answer of GET /api/user/tickets/{day}. */
  readonly answer: unknown
  /** The verifier key that this device knows. */
  readonly logKey: string
  readonly kept?: Kept
  /** Read for a consistency proof if the log has grown, and for the day's draw file if no proof of an ended day is given. */
  readonly source: Source
  /** Default: this device's clock. */
  readonly nowMs?: number
}

export async function checkMyTicket(input: MyTicketInput): Promise<MyTicket> {
  try {
    return await judge(input)
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error
    return { state: 'missing', words: `the record of your entry is incomplete or unreadable: ${error.message}`, hasReceipt: false }
  }
}

async function judge({ day: today, ticketKey, answer, logKey, kept, source, nowMs = Date.now() }: MyTicketInput): Promise<MyTicket> {
  const given = answerShape(answer, 'the answer')
  const ticket = toHex(ticketOf(ticketKey, today))
  const hasReceipt = holdsReceipt(given.receipt, today, ticket, logKey)
  const say = (state: MyTicket['state'], words: string): MyTicket => ({ state, words, hasReceipt })
  if (given.day !== today || given.ticket !== ticket) return say('not-mine', 'this is another ticket than the one of your key')
  if (given.proof === undefined) {
    const sealed = nowMs < startOfDayMs(shiftDay(today, 1)) ? undefined : await findSealed(today, source)
    return sealed === undefined
      ? say('waiting', 'the list of the day is not sealed yet')
      : { ...say('missing', sealed.words), evidence: sealed.evidence }
  }
  const close = readClose(given.proof)
  if (close.day !== today) return say('missing', 'the list shown is that of another day')
  const { position, path } = given.proof
  if (!isIncluded(leafHash(fromHex(ticket)), position, close.count, hashes(path), fromHex(close.root)))
    return say('missing', 'your ticket is not in the sealed list')
  const keep = await judgeLog({ checkpoint: given.proof.checkpoint, record: given.proof.close, logKey, kept, source })
  if ('step' in keep) return say('unknown-log', keep.words)
  return {
    state: 'included',
    words: `your ticket is number ${position + 1} of ${close.count}`,
    position,
    count: close.count,
    root: close.root,
    hasReceipt,
    keep,
  }
}

/**
 * Looks for a public close or void record of the day, although this member is shown no proof.
 * The record counts only under the checkpoint: before that the server cannot give a proof.
 */
async function findSealed(today: string, source: Source): Promise<{ words: string; evidence: readonly string[] } | undefined> {
  const draws = await readFile(source, `draws/${today}`)
  if (draws === undefined) return undefined
  const ends = readDraws(draws, today).records.flatMap(({ index, record: one }) => {
    const found = readRecord(one as Json, `record ${index}`)
    return found.day === today && (found.kind === 'close' || found.kind === 'void') ? [{ index, kind: found.kind }] : []
  })
  const [end] = ends
  const note = await readFile(source, 'log/checkpoint')
  if (end === undefined || note === undefined || readCheckpoint(note).size <= end.index) return undefined
  const words =
    end.kind === 'close'
      ? 'the list of the day is sealed, and your ticket is not shown in it'
      : 'the day was declared empty, and you have a ticket'
  return { words, evidence: [utf8(draws), utf8(note)] }
}

function readClose({ close }: Proof) {
  const found = readRecord(close.record as Json, 'the close record')
  if (found.kind !== 'close') throw new MalformedError('the record shown is no close record')
  return found
}

function holdsReceipt(given: unknown, today: string, ticket: string, logKey: string): boolean {
  if (given === null || given === undefined) return false
  const receipt = receiptShape(given, 'the receipt')
  return (
    receiptProblem({ day: today, ticket, receipt }, { keys: [{ key: readVerifierKey(logKey), fromSize: 0 }], isSound: true }) === undefined
  )
}
