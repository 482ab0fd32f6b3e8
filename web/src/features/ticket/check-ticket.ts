/**
 * Checks the member's entry of one day on this device, with the verifier's code in a worker.
 * - The evidence never contains the ticket key.
 * - The remembered state of the log is replaced only after a successful check.
 */
import type { Api, Output } from '@roz/contract/api.ts'
import { fromHex } from '@roz/verifier/bytes.ts'
import { canonicalText } from '@roz/verifier/canonical.ts'
import type { MyTicket } from '@roz/verifier/my-ticket.ts'
import { ApiError, call } from '../../app/api.ts'
import { type KnownLog, knownLog, rememberLog } from '../../verify/log-memory.ts'
import { earlierTicketKey, isOthersKey, ownTicketKey } from '../../verify/known-key.ts'
import { checkOwnTicket } from '../../verify/verify-day.ts'
import { serverNowMs } from '../clock.ts'
import { againstLog, type TrustedLog } from './against-log.ts'
import { keepReceipt, keptReceipt, type KeptReceipt } from './kept-receipts.ts'

export type Finding = {
  /**
   * The verifier's states, and two of this module. `not-joined`: no entry, and this device remembers none.
   * `dropped`: this device has a receipt, and the server knows no such entry.
   */
  readonly state: MyTicket['state'] | 'not-joined' | 'dropped'
  readonly day: string
  readonly ticket?: string
  readonly position?: number
  readonly count?: number
  readonly root?: string
  readonly hasReceipt: boolean
  /** Whether this device remembered an earlier state of the log to compare with. */
  readonly isCompared?: boolean
  /** The ticket was made with a key older than this device's, which the server kept. */
  readonly isEarlierKey?: boolean
  /** The ticket was made with another device's key, which the server has in place of the one offered by this device. */
  readonly isOthersKey?: boolean
  /** The receipt as a file to keep (spec/protocol.md, chapter 11). */
  readonly receiptFile?: string
  /** Everything that a stranger needs to judge what went wrong. */
  readonly evidence: string
}

type Answer = Output<Api['userTicket']>

async function ask(day: string): Promise<Answer | undefined> {
  try {
    return await call('userTicket', { params: { day } })
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}

export async function checkTicket(memberId: string, day: string): Promise<Finding> {
  const finding = await look(memberId, day, false)
  // The list may have been sealed between two requests. So an entry counts as missing only if a second look, past every cache, misses it
  // too.
  return finding.state === 'missing' ? look(memberId, day, true) : finding
}

async function look(memberId: string, day: string, isAnew: boolean): Promise<Finding> {
  const kept = keptReceipt(memberId, day)
  // Read before the answer: another look may meanwhile remember a newer checkpoint than this answer contains.
  const known = knownLog()
  const answer = await ask(day)
  if (answer === undefined) {
    if (kept === undefined) return { state: 'not-joined', day, hasReceipt: false, evidence: '' }
    return {
      state: 'dropped',
      day,
      ticket: kept.ticket,
      hasReceipt: true,
      receiptFile: fileOf(kept),
      evidence: evidenceOf('dropped', 'the server knows no such entry', kept, answer, known),
    }
  }
  const ticketKey = await ownTicketKey(memberId)
  if (ticketKey === undefined) throw new Error('the server returned no ticket key')
  let { found, log } = await judge({ day, answer, known, isAnew }, ticketKey)
  const earlier = found.state === 'not-mine' ? await earlierTicketKey(memberId, day) : undefined
  if (earlier !== undefined) ({ found, log } = await judge({ day, answer, known, isAnew }, earlier))
  if (found.state === 'included' && found.keep !== undefined) rememberLog({ logKey: log, checkpoint: found.keep })
  if (found.hasReceipt) keepReceipt(memberId, answer)
  const own = kept ?? answer
  const { state, hasReceipt, position, count, root } = found
  return {
    state,
    day,
    ticket: answer.ticket,
    hasReceipt,
    isCompared: known !== undefined,
    isEarlierKey: earlier !== undefined && found.state !== 'not-mine',
    isOthersKey: isOthersKey(memberId, day),
    ...(position === undefined ? {} : { position }),
    ...(count === undefined ? {} : { count }),
    ...(root === undefined ? {} : { root }),
    ...(hasReceipt || kept !== undefined ? { receiptFile: fileOf(own) } : {}),
    evidence: evidenceOf(state, found.words, own, answer, known, found.evidence),
  }
}

type Shown = {
  readonly day: string
  readonly answer: Answer
  readonly known: KnownLog | undefined
  readonly isAnew: boolean
}

async function judge({ day, answer, known, isAnew }: Shown, key: string) {
  const ticketKey = fromHex(key)
  const look = (log: TrustedLog) => checkOwnTicket({ day, ticketKey, answer, isAnew, nowMs: serverNowMs(), ...log })
  return againstLog(day, known, look, ({ state }) => state === 'unknown-log')
}

const fileOf = ({ day, receipt, ticket }: KeptReceipt): string => canonicalText({ day, receipt, ticket, v: 1 })

function evidenceOf(
  state: string,
  words: string,
  receipt: KeptReceipt,
  answer: Answer | undefined,
  known: KnownLog | undefined,
  published: readonly string[] = [],
): string {
  const { day } = receipt
  const log = known && { logKey: known.logKey, size: known.checkpoint.size, root: [...known.checkpoint.root] }
  const receiptFile = { day, receipt: receipt.receipt, ticket: receipt.ticket, v: 1 }
  return JSON.stringify(
    {
      site: location.origin,
      at: new Date().toISOString(),
      day,
      state,
      words,
      receipt: receiptFile,
      answer: answer ?? null,
      published,
      knownLog: log ?? null,
    },
    null,
    2,
  )
}
