/**
 * The notices and mails of rounds.
 *
 * - A fact is told once, even if its portion runs again.
 * - One statement serves a page of members.
 * - A join by Auto Participate needs no notice here: lists read it from the join itself.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import { formatPaise } from '@roz/core/money.ts'
import { debtData, passedOnData, taxData } from '@roz/core/notices.ts'
import { type Db, type Sql, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { enqueue } from '../../jobs/queue.ts'
import { debtPaidFrom, readDebtPaid } from '../../ledger/debts.ts'
import type { Winner } from '../../ledger/draw.ts'
import { readPrizeGift } from '../../ledger/pass-on.ts'
import type { MemberRange } from '../../ledger/settlement.ts'
import { mailMember, mailMembers } from '../../mail/mails.ts'
import { tellMember, tellMembers } from '../../members/notices.ts'

/** Members told in a transaction. */
const TOLD_AT_ONCE = 5_000

/** Runs `tell` for one page of members after the other, each in a transaction of its own. `idsAfter` yields the ids of all that follow. */
async function inPages(db: Db, size: number, idsAfter: (last: bigint) => Sql, tell: (tx: Tx, page: Sql) => Promise<void>): Promise<void> {
  for (let last = 0n; ; ) {
    const after = last
    const page = await db.one<{ last: bigint | null; count: number }>(
      sql`select max(member_id) as last, count(*)::int as count from (${idsAfter(after)} order by member_id limit ${size}::int) page`,
    )
    if (page.last === null) return
    last = page.last
    await inTransaction(db, (tx) => tell(tx, sql`member_id > ${after}::bigint and member_id <= ${last}::bigint`))
    if (page.count < size) return
  }
}

/** Members skipped at midnight: without ₹1, told once until the next join; at the yearly maximum, told once a year. */
export const tellSkipped = (db: Db, day: IstDay, size = TOLD_AT_ONCE): Promise<void> =>
  inPages(
    db,
    size,
    (last) => sql`select member_id from auto_skip where day = ${day}::date and member_id > ${last}::bigint`,
    async (tx, page) => {
      const skipped = sql`
        select member_id, member_id || ':' || w.joins as key, jsonb_build_object('day', ${day}::text) as data
          from auto_skip s join wallet w using (member_id)
         where s.day = ${day}::date and s.reason = 'insufficient_balance' and ${page}`
      await tellMembers(tx, 'auto_join_skipped', skipped)
      await mailMembers(tx, 'auto_join_skipped', skipped)
      await tellMembers(
        tx,
        'yearly_maximum',
        sql`select member_id, member_id || ':' || left(${day}::text, 4) as key, jsonb_build_object('year', left(${day}::text, 4)) as data
              from auto_skip where day = ${day}::date and reason = 'yearly_maximum' and ${page}`,
      )
    },
  )

/** Members with Auto Participate whose entry of the day left them with ₹2.01 to ₹3.00. */
export const tellLowBalance = (db: Db, day: IstDay, size = TOLD_AT_ONCE): Promise<void> =>
  inPages(
    db,
    size,
    (last) => sql`select member_id from round_join where day = ${day}::date and member_id > ${last}::bigint`,
    (tx, page) =>
      tellMembers(
        tx,
        'low_balance',
        sql`select member_id, member_id || ':' || day as key,
                   jsonb_build_object('balance', '₹' || to_char(balance_after / 100.0, 'FM0.00')) as data
              from round_join join wallet using (member_id)
             where day = ${day}::date and balance_after between 201 and 300 and auto_join and ${page}`,
      ),
  )

/** Some members of a round that ended void because its beacon number was missing. */
export async function tellReturned(tx: Tx, day: IstDay, { after, upTo }: MemberRange): Promise<void> {
  const returned = sql`
    select member_id, member_id || ':' || day as key,
           jsonb_strip_nulls(jsonb_build_object('day', day::text, 'paid', case when paid > 0 then '₹' || to_char(paid / 100.0, 'FM0.00') end)) as data
      from (select j.member_id, j.day, ${debtPaidFrom(sql`c`)} as paid
              from round_join j left join transfer c on c.kind = 'round_refund' and c.ref = j.day || ':' || j.member_id
             where j.day = ${day}::date and j.member_id > ${after}::bigint and j.member_id <= ${upTo}::bigint) returned`
  await tellMembers(tx, 'round_returned', returned)
  await mailMembers(tx, 'round_returned', returned)
}

/** Each winner, in the app and by mail. */
export async function tellWinners(tx: Tx, day: IstDay, winners: readonly Winner[]): Promise<void> {
  for (const { memberId, amount, tax, rank } of winners) {
    const paid = await readDebtPaid(tx, ['prize'], `${day}:${rank}`)
    const passed = await readPrizeGift(tx, day, rank)
    const data = { amount: formatPaise(amount), day, ...taxData(tax), ...debtData(paid), ...passedOnData(passed) }
    await tellMember(tx, { memberId, kind: 'won', key: `won:${memberId}:${day}`, data })
    await mailMember(tx, { memberId, template: 'draw_won', key: `draw_won:${memberId}:${day}`, data })
  }
}

/** Queues the members' pushes, if any device is subscribed. */
export async function tellDevices(tx: Tx, day: IstDay): Promise<void> {
  const asked = await tx.query(sql`select 1 from push_device limit 1`)
  if (asked.length > 0) await enqueue(tx, { kind: 'push_round', key: day, payload: { day } })
}
