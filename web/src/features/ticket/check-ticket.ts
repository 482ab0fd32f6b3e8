/**
 * A member's own entry of a day, checked on this device by the verifier's code. Loaded on demand: it
 * brings signatures along. Invariants: the ticket key leaves the device in no evidence; what is
 * remembered of the log is replaced only by what was found sound.
 */
import type { Api, Output } from '@roz/contract/api.ts'
import { fromHex } from '@roz/verifier/bytes.ts'
import { canonicalText } from '@roz/verifier/canonical.ts'
import { checkOwnParts, type Liabilities } from '@roz/verifier/liabilities.ts'
import { checkMyTicket, type MyTicket } from '@roz/verifier/my-ticket.ts'
import { UnavailableError, urlSource } from '@roz/verifier/sources.ts'
import { ApiError, call } from '../../api.ts'
import { type KnownLog, knownLog, rememberLog } from '../../log-memory.ts'
import { ownTicketKey } from '../../ticket-key.ts'
import { checkDay, publicBase } from '../../verify-day.ts'
import { serverNowMs } from '../clock.ts'
import { keepReceipt, keptReceipt, type KeptReceipt } from './kept-receipts.ts'

export type Finding = {
  /**
   * As the verifier has them, and two of our own: `not-joined`: no entry, and none that this device
   * remembers · `dropped`: this device holds a receipt, and the server knows no such entry.
   */
  readonly state: MyTicket['state'] | 'not-joined' | 'dropped'
  readonly day: string
  readonly ticket?: string
  readonly position?: number
  readonly count?: number
  readonly root?: string
  readonly hasReceipt: boolean
  /** Whether an earlier look was remembered, with which this one was compared. */
  readonly isCompared?: boolean
  /** The receipt as a file to keep (protocol, chapter 11). */
  readonly receiptFile?: string
  /** All that a stranger needs to judge what went wrong. */
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

async function readText(path: string): Promise<string> {
  const response = await fetch(publicBase() + path)
  if (!response.ok) throw new UnavailableError(`${path}: the site answered ${response.status}`)
  return response.text()
}

export async function checkTicket(memberId: string, day: string): Promise<Finding> {
  const finding = await look(memberId, day)
  // The list may have been sealed between the two questions: what is missing has to be missing twice.
  return finding.state === 'missing' ? look(memberId, day) : finding
}

async function look(memberId: string, day: string): Promise<Finding> {
  const kept = keptReceipt(memberId, day)
  const answer = await ask(day)
  const known = knownLog(memberId)
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
  if (ticketKey === undefined) throw new Error('the server gave no ticket key')
  const { found, log } = await judge(memberId, day, fromHex(ticketKey), answer, known)
  if (found.state === 'included' && found.keep !== undefined) rememberLog(memberId, { logKey: log, checkpoint: found.keep })
  if (found.hasReceipt) keepReceipt(memberId, answer)
  const own = kept ?? answer
  const { state, hasReceipt, position, count, root } = found
  return {
    state,
    day,
    ticket: answer.ticket,
    hasReceipt,
    isCompared: known !== undefined,
    ...(position === undefined ? {} : { position }),
    ...(count === undefined ? {} : { count }),
    ...(root === undefined ? {} : { root }),
    ...(hasReceipt || kept !== undefined ? { receiptFile: fileOf(own) } : {}),
    evidence: evidenceOf(state, found.words, own, answer, known, found.evidence),
  }
}

/** When the log is not the one this device knows, the whole log says whether its key was rightly replaced. */
async function judge(memberId: string, day: string, ticketKey: Uint8Array, answer: Answer, known: KnownLog | undefined) {
  const source = urlSource(publicBase())
  const compare = async (logKey: string, kept: KnownLog['checkpoint'] | undefined) => ({
    found: await checkMyTicket({ day, ticketKey, answer, logKey, source, nowMs: serverNowMs(), ...(kept === undefined ? {} : { kept }) }),
    log: logKey,
  })
  const first = await compare(known?.logKey ?? (await readText('log/key')).trim(), known?.checkpoint)
  if (first.found.state !== 'unknown-log' || known === undefined) return first
  const { keep } = await checkDay({ day, logKey: known.logKey, kept: known.checkpoint })
  if (keep === undefined) return first
  rememberLog(memberId, keep)
  return compare(keep.logKey, undefined)
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

export type Owed = {
  readonly isOwed: boolean
  /** False where the server shows no parts at all, though the day's books are out. */
  readonly isShown: boolean
  readonly words: string
  readonly parts: number
  readonly balancePaise: number
  readonly heldPaise: number
}

const askOwed = (day: string): Promise<Output<Api['userLiabilities']> | undefined> =>
  call('userLiabilities', { params: { day } }).catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  })

/** The member's own parts of what was owed at the day's end; undefined while its books are not made. */
export async function checkOwed(memberId: string, day: string): Promise<Owed | undefined> {
  let answer = await askOwed(day)
  if (answer === undefined) {
    const { status } = await fetch(`${publicBase()}books/${day}`)
    if (status === 404) return undefined
    if (status !== 200) throw new UnavailableError(`books/${day}: the site answered ${status}`)
    // The books may have come out between the two questions.
    answer = await askOwed(day)
  }
  if (answer === undefined) {
    const words = 'the books of the day are published, and the site shows none of your parts'
    return { isOwed: false, isShown: false, words, parts: 0, balancePaise: 0, heldPaise: 0 }
  }
  const ticketKey = await ownTicketKey(memberId)
  if (ticketKey === undefined) return undefined
  const { liabilities } = JSON.parse(await readText(`books/${day}`)) as { readonly liabilities: Liabilities }
  const { isOwed, words } = checkOwnParts(answer, fromHex(ticketKey), { day, books: liabilities })
  return { isOwed, isShown: true, words, parts: answer.parts.length, balancePaise: answer.balance, heldPaise: answer.held }
}
