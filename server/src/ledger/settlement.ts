/**
 * Ends a round: pays it out, or gives it back. Invariants: prizes + tax + platform + need = pool and
 * the pool's account ends at zero, or nothing happens; each is booked once, on the day it is paid;
 * wallets are locked ascending.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Paise, paise, ZERO } from '@roz/core/money.ts'
import { type Outcome, accepted, refused } from '@roz/core/outcome.ts'
import { one, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { ACCOUNTS, poolAccount } from './accounts.ts'
import { listWinners, sharesOf, type Winner } from './draw.ts'
import { lockRound } from './rounds.ts'
import { moveSystem } from './transfer.ts'

export type Settlement = {
  readonly winners: readonly Winner[]
  readonly need: Paise
  /** The whole reward share, tax included. */
  readonly reward: Paise
  readonly platform: Paise
  readonly tax: Paise
  /** It had been settled before; nothing changed now. */
  readonly already: boolean
}

export async function settleRound(tx: Tx, day: IstDay): Promise<Outcome<Settlement, 'round_not_found' | 'not_drawn'>> {
  const round = await lockRound(tx, day)
  if (round === undefined) return refused('round_not_found')
  if (round.status !== 'drawn' && round.status !== 'settled') return refused('not_drawn')
  const winners = await listWinners(tx, day)
  const { need, reward, platform } = sharesOf(round, winners.length)
  const tax = sum(winners.map((winner) => winner.tax))
  const settlement: Settlement = { winners, need, reward, platform, tax, already: round.status === 'settled' }
  if (settlement.already) return accepted(settlement)
  const prizes = sum(winners.map((winner) => winner.amount))
  if (prizes + tax !== reward || prizes + tax + platform + need !== round.pool) {
    throw new Error(`round ${day}: prizes ${prizes}, tax ${tax}, platform ${platform} and need ${need} are not the pool ${round.pool}`)
  }
  await payWinners(tx, day, winners)
  await payShares(tx, day, { tax, platform, need })
  await expectEmptyPool(tx, day)
  await tx.query(
    sql`update round set status = 'settled', settled_at = roz_now(), need_paise = ${need}::bigint, reward_paise = ${reward}::bigint,
               platform_paise = ${platform}::bigint, tax_paise = ${tax}::bigint
         where day = ${day}::date`,
  )
  return accepted(settlement)
}

const sum = (amounts: readonly Paise[]): Paise => paise(amounts.reduce((total, amount) => total + amount, 0n))

/** Locked in one statement, ascending; paid in a later one, which therefore sees the newest balances. */
async function payWinners(tx: Tx, day: IstDay, winners: readonly Winner[]): Promise<void> {
  if (winners.length === 0) return
  await tx.query(
    sql`select w.member_id from wallet w join draw_winner d using (member_id) where d.day = ${day}::date order by w.member_id for no key update of w`,
  )
  const paid = await tx.query(
    sql`with fence as materialized (select posting_day() as day),
          moved as (
            update wallet w set balance = w.balance + d.amount, seq = w.seq + 1
              from draw_winner d where d.day = ${day}::date and d.member_id = w.member_id
            returning w.member_id, w.seq, w.balance, d.rank, d.amount)
        insert into transfer (kind, ref, debit, credit, amount, wallet_seq, balance_after, day)
        select 'prize', ${day}::text || ':' || moved.rank, ${poolAccount(day)}::bigint, moved.member_id, moved.amount, moved.seq, moved.balance, fence.day
          from moved cross join fence order by moved.member_id
        returning transfer_id`,
  )
  if (paid.length !== winners.length) throw new Error(`round ${day}: ${paid.length} prizes for ${winners.length} winners`)
}

async function payShares(tx: Tx, day: IstDay, cut: { tax: Paise; platform: Paise; need: Paise }): Promise<void> {
  const debit = poolAccount(day)
  const parts = [
    { kind: 'tax', credit: ACCOUNTS.TAX_WITHHELD, amount: cut.tax },
    { kind: 'platform', credit: ACCOUNTS.PLATFORM, amount: cut.platform },
    { kind: 'need', credit: ACCOUNTS.HELP_FUND, amount: cut.need },
  ] as const
  for (const part of parts) {
    if (part.amount === ZERO) continue
    if (!(await moveSystem(tx, { ...part, ref: day, debit }))) throw new Error(`round ${day}: ${part.kind} was booked before`)
  }
}

async function expectEmptyPool(tx: Tx, day: IstDay): Promise<void> {
  const { rest } = await one<{ rest: bigint }>(
    tx,
    sql`select (select coalesce(sum(amount), 0) from join_batch where day = ${day}::date)::bigint
             - (select coalesce(sum(amount), 0) from transfer where debit = ${poolAccount(day)}::bigint)::bigint as rest`,
  )
  if (rest !== 0n) throw new Error(`round ${day}: ${rest} paise are left in the pool`)
}

/**
 * Ends a closed round that has no draw: nobody joined, the day was missed, or no beacon for 30 days.
 * Every rupee goes back to its member. The joins stay, and count towards the year.
 */
export async function voidRound(
  tx: Tx,
  day: IstDay,
): Promise<Outcome<{ readonly returned: number; readonly already: boolean }, 'round_not_found' | 'not_closed'>> {
  const round = await lockRound(tx, day)
  if (round === undefined) return refused('round_not_found')
  if (round.status === 'void') return accepted({ returned: round.entries ?? 0, already: true })
  if (round.status !== 'closed') return refused('not_closed')
  const returned = round.entries === 0 ? 0 : await giveBack(tx, day)
  if (returned !== round.entries) throw new Error(`round ${day}: ${returned} rupees given back of ${round.entries}`)
  await expectEmptyPool(tx, day)
  await tx.query(sql`update round set status = 'void', voided_at = roz_now() where day = ${day}::date`)
  return accepted({ returned, already: false })
}

async function giveBack(tx: Tx, day: IstDay): Promise<number> {
  await tx.query(
    sql`select count(*) from (
          select w.member_id from wallet w join round_join j using (member_id) where j.day = ${day}::date order by w.member_id for no key update of w) locked`,
  )
  const { returned } = await one<{ returned: number }>(
    tx,
    sql`with fence as materialized (select posting_day() as day),
          moved as (
            update wallet w set balance = w.balance + entry_fee(), seq = w.seq + 1
              from round_join j where j.day = ${day}::date and j.member_id = w.member_id
            returning w.member_id, w.seq, w.balance),
          written as (
            insert into transfer (kind, ref, debit, credit, amount, wallet_seq, balance_after, day)
            select 'round_refund', ${day}::text || ':' || moved.member_id, ${poolAccount(day)}::bigint, moved.member_id, entry_fee(),
                   moved.seq, moved.balance, fence.day
              from moved cross join fence order by moved.member_id
            returning 1)
        select count(*)::int as returned from written`,
  )
  return returned
}
