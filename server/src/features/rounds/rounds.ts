/**
 * Rounds: joining, reading, the administrator's draw, and the clockwork behind them.
 *
 * - Values of a reader (balance, participation) are never cached; a round's totals are, for a second.
 * - Concurrent readers share one query, which begins after they asked.
 * - A visitor's answer is kept by caches for a while, so it names no helped person, who may take the consent back meanwhile.
 */
import type { roundCalls } from '@roz/contract/rounds.ts'
import type { Output } from '@roz/contract/api.ts'
import { type IstDay, isoIst, parseDay } from '@roz/core/ist-day.ts'
import type { Language } from '@roz/core/language.ts'
import type { SplitPolicy } from '@roz/core/split.ts'
import { gatherReads } from '../../db/gathered-read.ts'
import { inTransaction } from '../../db/transaction.ts'
import { UnavailableError } from '../../http/faults.ts'
import { CURSOR_PARTS, cutPage, readPage, readWhole } from '../../lists/cursor.ts'
import { createIdempotency } from '../../http/idempotency.ts'
import type { Meters } from '../../operation/meters.ts'
import type { Handlers } from '../../http/route.ts'
import type { JobPayloads } from '../../jobs/queue.ts'
import { joinAfterTopup, missedAutoJoin } from '../../ledger/auto-join.ts'
import { createJoinBatcher } from '../../ledger/join-batcher.ts'
import { createRoundTotals } from '../../ledger/totals.ts'
import { trailOf } from '../../members/own-rupee.ts'
import type { Receipts } from '../../transparency-log/receipts.ts'
import { createClockwork } from './clockwork.ts'
import { createDraws, type DrawsDeps } from './draw.ts'
import { joinRound } from './join.ts'
import { tellLowBalance, tellSkipped } from './notices.ts'
import {
  findCurrent,
  findLastStory,
  findLastWinner,
  findRupee,
  historyItemOf,
  lastStoryView,
  lastWinnerView,
  listHistory,
  readStats,
  roundView,
} from './views.ts'
import { triggerDraw } from './trigger.ts'
import { readMilestones } from './milestones.ts'
import { ownWins, passOnWin } from './wins.ts'

type RoundsDeps = DrawsDeps & {
  readonly receipts: Receipts
  /** The split of rounds made from now on; without winners where DRAW is off. */
  readonly policy: SplitPolicy
  readonly joinBatch?: Meters['joinBatch'] | undefined
}

export function createRounds({ receipts, policy, joinBatch, ...deps }: RoundsDeps) {
  const { db, ticketKeys, secrets, attempt } = deps
  const draws = createDraws(deps)
  const idempotency = createIdempotency({ db, secrets })
  const clockwork = createClockwork({ db, draws, policy, attempt })
  const batcher = createJoinBatcher({
    db,
    onJoined: (batch) => receipts.begin(batch),
    onBatch: ({ joined }) => joinBatch?.(joined),
  })
  const totals = createRoundTotals(db)

  type Reader = { readonly memberId: bigint | undefined; readonly language: Language }
  type Current = Output<typeof roundCalls.currentRound>
  const currentFor = gatherReads<Reader, Current>(async (readers) => {
    const memberIds = readers.flatMap(({ memberId }) => memberId ?? [])
    const [round, story, winner] = await Promise.all([findCurrent(db, memberIds), findLastStory(db), findLastWinner(db)])
    // Rounds are made a day ahead: only before the clockwork's first run is there none.
    if (round === undefined) throw new UnavailableError("today's round is not made yet")
    const entries = round.entries ?? (await totals.of(round.day)).entries
    const entrants = new Set(round.entrants)
    return readers.map(({ memberId, language }) => {
      const hasParticipated = memberId !== undefined && entrants.has(memberId)
      return {
        ...roundView(round, entries, round.status === 'open' && !hasParticipated),
        hasParticipated,
        lastImpactStory: lastStoryView(story, language, memberId === undefined),
        lastWinner: lastWinnerView(winner, language) ?? null,
        serverTime: isoIst(round.now.getTime()),
      }
    })
  })

  /** Today's round as this member, or a visitor, sees it. */
  const readCurrent = async (memberId: bigint | undefined, language: Language): Promise<Current> =>
    (await currentFor({ memberId, language })) as Current

  const joining = { db, batcher, totals, ticketKeys, receipts }
  const handlers: Handlers<keyof typeof roundCalls> = {
    joinRound: (call) => joinRound(joining, call),

    currentRound: async ({ session, language }) => ({ ok: true, value: await readCurrent(session?.memberId, language) }),

    roundHistory: async ({ session, query, language }) => {
      const page = readPage(query, [CURSOR_PARTS.day])
      if (!page.ok) return page
      const { rows, nextCursor } = cutPage(await listHistory(db, { memberId: session.memberId, language }, page), page.limit, (row) => [
        row.day,
      ])
      return { ok: true, value: { results: rows.map((row) => historyItemOf(row, language)), nextCursor } }
    },

    userRupee: async ({ session, params, language }) => {
      const day = parseDay(params.day)
      const found = day === undefined ? undefined : await findRupee(db, { memberId: session.memberId, language }, day)
      return found === undefined ? { ok: false, code: 'not_found' } : { ok: true, value: { rupee: trailOf(found.rupee) } }
    },

    ownMilestones: async ({ session }) => ({ ok: true, value: await readMilestones(db, session.memberId) }),
    roundStats: async ({ session }) => ({ ok: true, value: await readStats(db, session.memberId) }),

    ownWins: (call) => ownWins(db, call),
    passOn: (call) => passOnWin(idempotency, call),

    triggerDraw: (call) => triggerDraw({ db, clockwork, idempotency }, call),
  }

  return {
    handlers: { ...handlers, ...draws.handlers },
    jobs: {
      /** Joins a skipped member once the wallet has a rupee again, unless the member has switched off or joined meanwhile. */
      join_after_topup: async ({ memberId }: JobPayloads['join_after_topup']): Promise<void> => {
        const id = BigInt(memberId)
        if (!(await inTransaction(db, (tx) => missedAutoJoin(tx, id)))) return
        const outcome = await joinAfterTopup(db, id)
        if (!outcome.ok && outcome.code === 'overloaded') throw new UnavailableError('the wallet was locked for too long')
      },
      tell_skipped: ({ day }: JobPayloads['tell_skipped']): Promise<void> => tellSkipped(db, day as IstDay),
      tell_low_balance: ({ day }: JobPayloads['tell_low_balance']): Promise<void> => tellLowBalance(db, day as IstDay),
    },
    exports: {
      rounds: async (memberId: bigint, language: Language) =>
        (
          await readWhole(
            (page) => listHistory(db, { memberId, language }, page),
            ({ day }) => [day],
          )
        ).map((row) => historyItemOf(row, language)),
    },
    /** For the public pages. */
    readCurrent,
    due: () => clockwork.due(),
    /** Seals lists and asks for random numbers, with a beacon. */
    askBeacon: draws.due,
    /** Waits until no join is queued or running. */
    idle: batcher.idle,
  }
}
