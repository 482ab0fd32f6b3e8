/**
 * Ends a round: pays the pool out, or gives the rupees back.
 * - Prizes + tax + platform + need = pool, and the pool's account ends at zero; otherwise nothing is booked.
 * - Each transfer is booked once, on the day it is paid.
 * - Wallets are locked in ascending id.
 * - A prize or a returned rupee pays its member's debt first. Then a winner may pass the prize on (pass-on.ts).
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Paise, paise, ZERO } from '@roz/core/money.ts'
import { type Outcome, accepted, refused } from '@roz/core/outcome.ts'
import { type Failing, inHalves } from '../db/in-halves.ts'
import { sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { ACCOUNTS, poolAccount } from './accounts.ts'
import { payDebtsAmong } from './debts.ts'
import { listWinners, sharesOf, type Winner } from './draw.ts'
import { passOnAhead } from './pass-on.ts'
import { isGivenUp, lockRound } from './rounds.ts'
import { moveSystem } from './transfer.ts'

export type Settlement = {
  readonly winners: readonly Winner[]
  readonly need: Paise
  /** The whole reward share, tax included. */
  readonly reward: Paise
  readonly platform: Paise
  readonly tax: Paise
  /** The round was settled before; this call changed nothing. */
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
  await tx.query(sql`
    update round set status = 'settled', settled_at = roz_now(), need_paise = ${need}::bigint, reward_paise = ${reward}::bigint,
               platform_paise = ${platform}::bigint, tax_paise = ${tax}::bigint
         where day = ${day}::date`)
  return accepted(settlement)
}

const sum = (amounts: readonly Paise[]): Paise => paise(amounts.reduce((total, amount) => total + amount, 0n))

/** Locks the wallets in one statement, in ascending id. Pays in a later statement, which sees the newest balances. */
async function payWinners(tx: Tx, day: IstDay, winners: readonly Winner[]): Promise<void> {
  if (winners.length === 0) return
  await tx.query(
    sql`select w.member_id from wallet w join draw_winner d using (member_id) where d.day = ${day}::date order by w.member_id for no key update of w`,
  )
  const paid = await tx.query(sql`with fence as materialized (select posting_day() as day),
          moved as (
            update wallet w set balance = w.balance + d.amount, seq = w.seq + 1
              from draw_winner d where d.day = ${day}::date and d.member_id = w.member_id
            returning w.member_id, w.seq, w.balance, d.rank, d.amount)
        insert into transfer (kind, ref, debit, credit, amount, wallet_seq, balance_after, day)
        select 'prize', ${day}::text || ':' || moved.rank, ${poolAccount(day)}::bigint, moved.member_id, moved.amount, moved.seq, moved.balance, fence.day
          from moved cross join fence order by moved.member_id
        returning transfer_id`)
  if (paid.length !== winners.length) throw new Error(`round ${day}: ${paid.length} prizes for ${winners.length} winners`)
  await payDebtsAmong(tx, sql`select member_id, amount from draw_winner where day = ${day}::date`)
  await passOnAhead(tx, day)
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
  const { rest } = await tx.one<{ rest: bigint }>(sql`
    select (select coalesce(sum(amount), 0) from join_batch where day = ${day}::date)::bigint
             - (select coalesce(sum(amount), 0) from transfer where debit = ${poolAccount(day)}::bigint)::bigint as rest`)
  if (rest !== 0n) throw new Error(`round ${day}: ${rest} paise are left in the pool`)
}

/** Members of a page: a page is a transaction and keeps their wallets locked until it ends. */
const RETURNED_AT_ONCE = 5_000

type Voided = {
  /** No rupee is left to give back. */
  readonly isOver: boolean
  /** The round was given up before; this call changed nothing. */
  readonly already: boolean
}

/**
 * Gives up a closed round: nobody joined, the day was missed, or no beacon came for 30 days.
 * - From then on the round cannot be drawn. If it has entries, `returnRupees` must follow.
 * - The joins stay, and count towards the year.
 */
export async function voidRound(tx: Tx, day: IstDay): Promise<Outcome<Voided, 'round_not_found' | 'not_closed'>> {
  const round = await lockRound(tx, day)
  if (round === undefined) return refused('round_not_found')
  if (isGivenUp(round)) return accepted({ isOver: round.status === 'void', already: true })
  if (round.status !== 'closed') return refused('not_closed')
  const isOver = round.entries === 0
  if (isOver) await endVoid(tx, day)
  else await tx.query(sql`update round set return_day = posting_day(), returned_to = 0, returned_entries = 0 where day = ${day}::date`)
  return accepted({ isOver, already: false })
}

async function endVoid(tx: Tx, day: IstDay): Promise<void> {
  if (!(await isAllReturned(tx, day))) await expectEmptyPool(tx, day)
  await tx.query(sql`update round set status = 'void', voided_at = roz_now() where day = ${day}::date`)
}

/**
 * Whether the pages have given back each entry of the round, and nothing else has left its pool.
 * - Reads only a few rows: a sum over millions of refunds could exceed the time limit at every try.
 * - False for a round whose first pages were written before pages were counted: the caller then adds up the pool.
 */
async function isAllReturned(tx: Tx, day: IstDay): Promise<boolean> {
  const { all } = await tx.one<{ all: boolean }>(sql`select returned_entries is not distinct from entries
           and not exists (select from transfer where kind in ('need', 'platform', 'tax') and ref = ${day}::text)
           and not exists (select from transfer where kind = 'prize' and ref = ${day}::text || ':1') as all
          from round where day = ${day}::date`)
  return all
}

/** Members above `after`, up to and including `upTo`. */
export type MemberRange = { readonly after: bigint; readonly upTo: bigint }
type Returned = {
  readonly isOver: boolean
  /** Members who were tried alone, after all others, in vain. */
  readonly failing: readonly Failing[]
}

/**
 * Gives a void round's rupees back, one page of members per transaction. Call until `isOver`.
 * - All pages are posted to the day of the decision, which is not sealed before the last rupee.
 * - A page passes over a member for whom it fails (`return_skip`). After the last page these members are tried alone.
 * - `tell` runs for each part of a page, in the same transaction.
 */
export async function returnRupees(
  tx: Tx,
  day: IstDay,
  pageSize: number = RETURNED_AT_ONCE,
  tell: (range: MemberRange) => Promise<void> = async () => undefined,
): Promise<Outcome<Returned, 'round_not_found' | 'not_void'>> {
  const round = await lockRound(tx, day)
  if (round === undefined) return refused('round_not_found')
  if (!isGivenUp(round)) return refused('not_void')
  if (round.status === 'void') return accepted({ isOver: true, failing: [] })
  const { after } = await tx.one<{ after: bigint }>(
    sql`select returned_to as after, set_config('roz.posting_day', return_day::text, true) from round where day = ${day}::date`,
  )
  const give = async (members: readonly bigint[]): Promise<void> => {
    const range = { after: (members[0] ?? 0n) - 1n, upTo: members.at(-1) ?? 0n }
    await giveBack(tx, day, range, members.length)
    await tell(range)
  }
  const upTo = await givePage(tx, { day, after, size: pageSize }, give)
  const failing = upTo === undefined ? await giveSkipped(tx, day, give) : []
  const isOver = !(await isLeft(tx, day, upTo ?? after))
  if (isOver) await endVoid(tx, day)
  return accepted({ isOver, failing })
}

type Give = (members: readonly bigint[]) => Promise<void>
type Page = { readonly day: IstDay; readonly after: bigint; readonly size: number }

/** Gives the next members their rupee, or passes over them. Returns the page's last member; undefined if there is no further one. */
async function givePage(tx: Tx, { day, after, size }: Page, give: Give): Promise<bigint | undefined> {
  const page = await tx.query<{ memberId: bigint }>(sql`select member_id as "memberId" from round_join
         where day = ${day}::date and member_id > ${after}::bigint order by member_id limit ${size}::int`)
  const members = page.map(({ memberId }) => memberId)
  const last = members.at(-1)
  if (last === undefined) return undefined
  const failing = await inHalves(tx, members, give)
  if (failing.length > 0)
    await tx.query(
      sql`insert into return_skip (day, member_id) select ${day}::date, unnest(${failing.map(({ memberId }) => memberId)}::bigint[])`,
    )
  await tx.query(sql`update round set returned_to = ${last}::bigint where day = ${day}::date`)
  return last
}

/** Tries each member who was passed over; returns those for whom it fails again. */
async function giveSkipped(tx: Tx, day: IstDay, give: Give): Promise<readonly Failing[]> {
  const skipped = await tx.query<{ memberId: bigint }>(
    sql`select member_id as "memberId" from return_skip where day = ${day}::date order by member_id`,
  )
  const failing: Failing[] = []
  for (const { memberId } of skipped) {
    const [failed] = await inHalves(tx, [memberId], give)
    if (failed === undefined) await tx.query(sql`delete from return_skip where day = ${day}::date and member_id = ${memberId}::bigint`)
    else failing.push(failed)
  }
  return failing
}

/** Whether an entry of the round has no rupee back. */
async function isLeft(tx: Tx, day: IstDay, after: bigint): Promise<boolean> {
  const { left } = await tx.one<{ left: boolean }>(sql`
    select exists (select from round_join where day = ${day}::date and member_id > ${after}::bigint)
            or exists (select from return_skip where day = ${day}::date) as left`)
  return left
}

/** Gives a range of members, of whom `due` have an entry, their rupees back. */
async function giveBack(tx: Tx, day: IstDay, { after, upTo }: MemberRange, due: number): Promise<void> {
  await tx.query(sql`select count(*) from (
          select w.member_id from wallet w join round_join j using (member_id)
           where j.day = ${day}::date and j.member_id > ${after}::bigint and j.member_id <= ${upTo}::bigint
           order by w.member_id for no key update of w) locked`)
  const { returned } = await tx.one<{ returned: number }>(sql`with fence as materialized (select posting_day() as day),
          moved as (
            update wallet w set balance = w.balance + entry_fee(), seq = w.seq + 1
              from round_join j
             where j.day = ${day}::date and j.member_id > ${after}::bigint and j.member_id <= ${upTo}::bigint and j.member_id = w.member_id
            returning w.member_id, w.seq, w.balance),
          written as (
            insert into transfer (kind, ref, debit, credit, amount, wallet_seq, balance_after, day)
            select 'round_refund', ${day}::text || ':' || moved.member_id, ${poolAccount(day)}::bigint, moved.member_id, entry_fee(),
                   moved.seq, moved.balance, fence.day
              from moved cross join fence order by moved.member_id
            returning 1)
        select count(*)::int as returned from written`)
  if (returned !== due) throw new Error(`round ${day}: ${returned} rupees given back of a page of ${due}`)
  await payDebtsAmong(
    tx,
    sql`select member_id, entry_fee() as amount from round_join
         where day = ${day}::date and member_id > ${after}::bigint and member_id <= ${upTo}::bigint`,
  )
  await tx.query(sql`update round set returned_entries = returned_entries + ${returned}::int where day = ${day}::date`)
}
