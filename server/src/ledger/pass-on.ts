/**
 * A winner passes a prize on to the help fund: a gift under the prize's own reference.
 * - Once per prize: the row of `prize_gift` is written under the wallet's lock, in the transaction of the gift.
 * - Never more than the prize, less what it paid of a debt, and never more than the balance.
 * - A member who owes passes nothing on.
 * - Ahead: a wallet with `passes_on` gives at the settlement, after the debts.
 */
import { type IstDay, parseDay } from '@roz/core/ist-day.ts'
import { type Paise, paise, ZERO } from '@roz/core/money.ts'
import { type Outcome, accepted, refused } from '@roz/core/outcome.ts'
import { type Queryable, type Sql, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { debtPaidFrom, readDebt } from './debts.ts'
import { debitMember, lockWallet } from './transfer.ts'

/** Days after the settlement. */
const PASS_ON_DAYS = 30

type OwnPrize = {
  readonly day: IstDay
  readonly rank: number
  /** Paid out, after tax. */
  readonly amount: Paise
  /** The most that a gift may take of it; the balance may allow less. */
  readonly kept: Paise
  /** The last day on which it can be passed on. */
  readonly until: IstDay
  readonly isOver: boolean
  readonly given: Paise | null
}

/** Settled prizes of a member that fulfil the condition, the newest first. */
const prizesOf = (memberId: bigint, condition: Sql): Sql => sql`
  select d.day::text as day, d.rank, d.amount, (d.amount - ${debtPaidFrom(sql`c`)})::bigint as kept,
         last.day::text as until, last.day < ist_day(roz_now()) as "isOver", g.amount as given
    from draw_winner d join round r on r.day = d.day and r.status = 'settled'
   cross join lateral (select ist_day(r.settled_at) + ${PASS_ON_DAYS}::int as day) last
    left join transfer c on c.kind = 'prize' and c.ref = d.day || ':' || d.rank
    left join prize_gift g on g.day = d.day and g.rank = d.rank
   where d.member_id = ${memberId}::bigint and ${condition} order by d.day desc`

/** The prizes of a member that can still be passed on, or were in these days. */
export const listRecentPrizes = (from: Queryable, memberId: bigint): Promise<OwnPrize[]> =>
  from.query<OwnPrize>(prizesOf(memberId, sql`last.day >= ist_day(roz_now())`))

type PassOnRefusal = 'may_not_move' | 'not_found' | 'prize_passed_on' | 'prize_too_old' | 'debt_first' | 'nothing_left'

/** Passes on the prize of a day, or what is left of it. `atMost`: what the member saw and confirmed; money added since stays. */
export async function passOn(
  tx: Tx,
  { memberId, day, atMost }: { readonly memberId: bigint; readonly day: string; readonly atMost?: Paise },
): Promise<Outcome<{ readonly given: Paise; readonly balance: Paise }, PassOnRefusal>> {
  const wallet = await lockWallet(tx, memberId)
  const won = parseDay(day)
  const prize = won === undefined ? undefined : await tx.maybeOne<OwnPrize>(prizesOf(memberId, sql`d.day = ${won}::date`))
  if (wallet === undefined || prize === undefined) return refused('not_found')
  if (!wallet.mayMove) return refused('may_not_move')
  if (prize.given !== null) return refused('prize_passed_on')
  if (prize.isOver) return refused('prize_too_old')
  if ((await readDebt(tx, memberId)) > ZERO) return refused('debt_first')
  const left = leftOf(prize, wallet.balance)
  const given = atMost !== undefined && atMost < left ? atMost : left
  if (given <= ZERO) return refused('nothing_left')
  return accepted({ given, balance: await give(tx, { memberId, ...prize, amount: given }) })
}

/** The part of a prize that a gift takes: without the part that paid a debt, and at most the balance. */
export const leftOf = ({ kept }: Pick<OwnPrize, 'kept'>, balance: Paise): Paise => (kept < balance ? kept : balance)

type Gift = { readonly memberId: bigint; readonly day: IstDay; readonly rank: number; readonly amount: Paise }

/** Books the gift from a locked wallet, and returns its balance. */
async function give(tx: Tx, { memberId, day, rank, amount }: Gift): Promise<Paise> {
  await tx.query(sql`insert into prize_gift (day, rank, amount) values (${day}::date, ${rank}::int, ${amount}::bigint)`)
  const moved = await debitMember(tx, { kind: 'gift', ref: `${day}:${rank}`, memberId, amount, to: 'HELP_FUND' })
  return moved.balance
}

/** At the settlement of a round, whose winners are locked and paid: those with the switch on give what paid no debt. */
export async function passOnAhead(tx: Tx, day: IstDay): Promise<void> {
  const gifts = await tx.query<Omit<Gift, 'day'>>(sql`
    select d.member_id as "memberId", d.rank, (d.amount - ${debtPaidFrom(sql`c`)})::bigint as amount
      from draw_winner d join wallet w on w.member_id = d.member_id and w.passes_on and w.may_move
      join transfer c on c.kind = 'prize' and c.ref = d.day || ':' || d.rank
     where d.day = ${day}::date order by d.member_id`)
  for (const gift of gifts) if (gift.amount > ZERO) await give(tx, { ...gift, day })
}

/** Zero: the prize was not passed on. */
export const readPrizeGift = async (from: Queryable, day: IstDay, rank: number): Promise<Paise> =>
  paise(
    (await from.maybeOne<{ amount: bigint }>(sql`select amount from prize_gift where day = ${day}::date and rank = ${rank}::int`))
      ?.amount ?? 0n,
  )
