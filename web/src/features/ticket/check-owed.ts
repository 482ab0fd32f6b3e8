/**
 * Checks the money owed to the member on this device, with the verifier's code.
 * - The check follows the member's parts to the signed log that this device remembers.
 * - It compares their sum with the balance that the member sees.
 * - The evidence never contains the ticket key.
 */
import type { Api, Output } from '@roz/contract/api.ts'
import { fromHex } from '@roz/verifier/bytes.ts'
import { checkOwed as verifyOwed, type Owed as Verified } from '@roz/verifier/own-parts.ts'
import { type Source, UnavailableError, urlSource } from '@roz/verifier/sources.ts'
import { ApiError, call } from '../../app/api.ts'
import { knownLog, rememberLog } from '../../verify/log-memory.ts'
import { fetchPublished, publicBase } from '../../verify/published.ts'
import { earlierTicketKey, ownTicketKey } from '../../verify/known-key.ts'
import { newTicketKey } from '../../verify/ticket-key.ts'
import { againstLog, type TrustedLog } from './against-log.ts'
import { seenMoneyAt } from './own-balance.ts'

export type Owed = Omit<Verified, 'keep'> & {
  /** False if the server shows no parts although the day's books are published. */
  readonly isShown: boolean
  /** Whether the balance was compared with the member's own transactions. */
  readonly isSeen: boolean
  /** Everything that a stranger needs to judge what went wrong. */
  readonly evidence: string
}

type Answer = Output<Api['userLiabilities']>
const PARTS_AT_ONCE = 128

/** All parts, page by page, or undefined if the day has none. */
async function askAll(day: string): Promise<readonly Answer[] | undefined> {
  const pages: Answer[] = []
  for (let from: number | null = 0; from !== null; ) {
    try {
      const page: Answer = await call('userLiabilities', { params: { day }, query: { from: String(from), limit: String(PARTS_AT_ONCE) } })
      pages.push(page)
      if (page.next !== null && page.next <= from)
        throw new UnavailableError('the server’s next page of parts does not follow the last one')
      from = page.next
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined
      throw error
    }
  }
  return pages
}

/** Whether the day's books are published: an answer without parts is then wrong, and not only early. */
async function areBooksOut(day: string): Promise<boolean> {
  const { status } = await fetchPublished(`books/${day}`)
  if (status !== 200 && status !== 404) throw new UnavailableError(`books/${day}: the site answered ${status}`)
  return status === 200
}

/** Undefined while the day's books are not made. */
export async function checkOwed(memberId: string, day: string): Promise<Owed | undefined> {
  const source = urlSource(publicBase())
  const found = await look(memberId, day, source)
  // The books may have been published, or money moved, between two requests. So a finding counts as wrong only if a second look,
  // past every cache, finds it wrong too.
  return found?.state === 'wrong' ? look(memberId, day, source.again?.() ?? source) : found
}

async function look(memberId: string, day: string, source: Source): Promise<Owed | undefined> {
  const known = knownLog()
  const [pages, seen] = await Promise.all([askAll(day), seenMoneyAt(day)])
  if (pages === undefined) {
    if (!(await areBooksOut(day))) return undefined
    const words = 'the books of the day are published, and the site shows none of your parts'
    const none = { state: 'wrong', step: 'answer', words, parts: 0, balance: 0, held: 0 } as const
    return { ...none, isShown: false, isSeen: false, evidence: evidenceOf(day, none, []) }
  }
  const judge = (key: string) =>
    againstLog(
      day,
      known,
      (log: TrustedLog) => verifyOwed({ day, ticketKey: fromHex(key), pages, source, seen, ...log }),
      ({ step }) => step === 'log' || step === 'growth',
    )
  // A member without a key has no parts yet. A random key then makes every part a stranger's.
  let judged = await judge((await ownTicketKey(memberId)) ?? newTicketKey())
  const earlier = judged.found.step === 'parts' ? await earlierTicketKey(memberId, day) : undefined
  if (earlier !== undefined) judged = await judge(earlier)
  const { keep, ...found } = judged.found
  if (keep !== undefined) rememberLog({ logKey: judged.log, checkpoint: keep })
  return { ...found, isShown: true, isSeen: seen.balance !== undefined, evidence: evidenceOf(day, found, pages) }
}

/** Does not contain the ticket key. */
const evidenceOf = (day: string, { step, words }: Pick<Verified, 'step' | 'words'>, pages: readonly Answer[]): string =>
  JSON.stringify({ site: location.origin, at: new Date().toISOString(), day, step, words, answers: pages }, null, 2)
