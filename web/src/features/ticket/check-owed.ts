/**
 * The member's own money in what is owed, checked on this device by the verifier's code: from their parts
 * to the signed log that it remembers, and against the balance that they see. Loaded on demand.
 */
import type { Api, Output } from '@roz/contract/api.ts'
import { fromHex } from '@roz/verifier/bytes.ts'
import { checkOwed as verifyOwed, type Owed as Verified } from '@roz/verifier/own-parts.ts'
import { type Source, UnavailableError, urlSource } from '@roz/verifier/sources.ts'
import { ApiError, call } from '../../app/api.ts'
import { knownLog, rememberLog } from '../../verify/log-memory.ts'
import { earlierTicketKey, newTicketKey, ownTicketKey } from '../../verify/ticket-key.ts'
import { publicBase } from '../../verify/verify-day.ts'
import { againstLog, type TrustedLog } from './against-log.ts'
import { seenMoneyAt } from './own-balance.ts'

export type Owed = Omit<Verified, 'keep'> & {
  /** False where the server shows no parts at all, though the day's books are out. */
  readonly isShown: boolean
  /** Whether the balance was held against the member's own movements. */
  readonly isSeen: boolean
  /** All that a stranger needs to judge what went wrong. */
  readonly evidence: string
}

type Answer = Output<Api['userLiabilities']>
const PARTS_AT_ONCE = 128

/** All parts, in as many answers as it takes; undefined where there are none of this day. */
async function askAll(day: string): Promise<readonly Answer[] | undefined> {
  const pages: Answer[] = []
  for (let from: number | null = 0; from !== null; ) {
    try {
      const page: Answer = await call('userLiabilities', { params: { day }, query: { from: String(from), limit: String(PARTS_AT_ONCE) } })
      pages.push(page)
      if (page.next !== null && page.next <= from) throw new UnavailableError('the parts do not go on')
      from = page.next
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined
      throw error
    }
  }
  return pages
}

/** Whether the day's books are published: then to be shown no parts is no matter of waiting. */
async function areBooksOut(day: string): Promise<boolean> {
  const { status } = await fetch(`${publicBase()}books/${day}`)
  if (status !== 200 && status !== 404) throw new UnavailableError(`books/${day}: the site answered ${status}`)
  return status === 200
}

/** Undefined while the day's books are not made. */
export async function checkOwed(memberId: string, day: string): Promise<Owed | undefined> {
  const source = urlSource(publicBase())
  const found = await look(memberId, day, source)
  // The books may have come out, or money moved, between two questions: what is wrong has to be wrong twice, and past every cache.
  return found?.state === 'wrong' ? look(memberId, day, source.again?.() ?? source) : found
}

async function look(memberId: string, day: string, source: Source): Promise<Owed | undefined> {
  const known = knownLog(memberId)
  const [pages, seen] = await Promise.all([askAll(day), seenMoneyAt(day)])
  if (pages === undefined) {
    if (!(await areBooksOut(day))) return undefined
    const words = 'the books of the day are published, and the site shows none of your parts'
    const none = { state: 'wrong', step: 'answer', words, parts: 0, balance: 0, held: 0 } as const
    return { ...none, isShown: false, isSeen: false, evidence: evidenceOf(day, none, []) }
  }
  const judge = (key: string) =>
    againstLog(
      memberId,
      day,
      known,
      (log: TrustedLog) => verifyOwed({ day, ticketKey: fromHex(key), pages, source, seen, ...log }),
      ({ step }) => step === 'log' || step === 'growth',
    )
  // Who has no key has no part yet: under one of nobody, every part would be a stranger's.
  let judged = await judge((await ownTicketKey(memberId)) ?? newTicketKey())
  const earlier = judged.found.step === 'parts' ? await earlierTicketKey(memberId, day) : undefined
  if (earlier !== undefined) judged = await judge(earlier)
  const { keep, ...found } = judged.found
  if (keep !== undefined) rememberLog(memberId, { logKey: judged.log, checkpoint: keep })
  return { ...found, isShown: true, isSeen: seen.balance !== undefined, evidence: evidenceOf(day, found, pages) }
}

/** The ticket key is in none of it. */
const evidenceOf = (day: string, { step, words }: Pick<Verified, 'step' | 'words'>, pages: readonly Answer[]): string =>
  JSON.stringify({ site: location.origin, at: new Date().toISOString(), day, step, words, answers: pages }, null, 2)
