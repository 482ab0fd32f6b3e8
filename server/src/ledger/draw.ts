/**
 * Keeps the result of a draw before any money moves.
 * - The winners are members of the round, each once.
 * - Their number follows from the policy and the entries, or is zero if the draw is switched off.
 * - Each amount is computed here from the frozen pool; no caller passes one.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Paise, paise, ZERO } from '@roz/core/money.ts'
import { type Shares, shares } from '@roz/core/split.ts'
import { type Queryable, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { isGivenUp, lockRound, type Round } from './rounds.ts'

export type Winner = {
  readonly rank: number
  readonly memberId: bigint
  /** The amount paid: the prize less the withheld tax. */
  readonly amount: Paise
  readonly tax: Paise
}

type Draw = {
  readonly day: IstDay
  readonly randomness: Buffer
  readonly seed: Buffer
  /** In the order of their picks; empty if the draw is switched off. */
  readonly winners: readonly bigint[]
  /** The tax withheld from a prize of this size; zero by default. */
  readonly taxOn?: (prize: Paise) => Paise
}

/** Splits a closed round's pool. Without winners need receives the reward share. */
export function sharesOf(round: Round, winners: number): Shares {
  if (round.pool === null || round.entries === null) throw new Error(`round ${round.day} is not closed`)
  const cut = shares(round.pool, round.entries, round.policy)
  if (winners === cut.winners) return cut
  if (winners !== 0) throw new Error(`round ${round.day}: ${winners} winners where ${cut.winners} are due`)
  return { ...cut, need: paise(cut.need + cut.reward), reward: ZERO, prize: ZERO, winners: 0 }
}

/** Keeps the draw of a closed and sealed round. A second call changes nothing. */
export async function recordDraw(tx: Tx, draw: Draw): Promise<void> {
  const round = await lockRound(tx, draw.day)
  if (round?.status === 'drawn' || round?.status === 'settled') return
  if (round?.status !== 'closed' || isGivenUp(round)) throw new Error(`round ${draw.day} is not closed, or is given back`)
  const cut = sharesOf(round, draw.winners.length)
  const tax = draw.taxOn?.(cut.prize) ?? ZERO
  const written = await tx.query(sql`insert into draw_winner (day, rank, member_id, amount, tax)
        select j.day, w.rank, j.member_id, ${cut.prize - tax}::bigint, ${tax}::bigint
          from unnest(${draw.winners}::bigint[]) with ordinality as w(member_id, rank)
          join round_join j on j.day = ${draw.day}::date and j.member_id = w.member_id
        returning rank`)
  if (written.length !== draw.winners.length) throw new Error(`round ${draw.day}: a winner has not joined it`)
  await tx.query(sql`
    update round set status = 'drawn', randomness = ${draw.randomness}::bytea, seed = ${draw.seed}::bytea, drawn_at = roz_now()
         where day = ${draw.day}::date`)
}

export const listWinners = (from: Queryable, day: IstDay): Promise<Winner[]> =>
  from.query<Winner>(sql`select rank, member_id as "memberId", amount, tax from draw_winner where day = ${day}::date order by rank`)
