/**
 * One member's balance and hold at the end of a sealed day, found by the member's own rows.
 * - The answer equals the member's row in `listMemberStates`.
 * - The state is today's wallet less the movements since, both from one snapshot.
 * - No movement of another member is read.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Queryable, sql } from '../db/sql.ts'
import type { MemberState } from './day-books.ts'
import { hasEntry } from './entries.ts'

/** Undefined if the member has no wallet. */
export const findMemberState = (from: Queryable, day: IstDay, memberId: bigint): Promise<MemberState | undefined> =>
  from.maybeOne<MemberState>(
    // Looks each day since up by its key, so that no other member's join is read.
    sql`
    with joins as (
      select count(*) * entry_fee() as paid
        from generate_series(1, (select max(day) from round) - ${day}::date) as n
       where ${hasEntry(sql`${memberId}::bigint`, sql`(${day}::date + n)`)}),
    moves as (
      select t.amount as moved, case when t.kind in ('wd_back', 'refund_failed') then -t.amount else 0 end as held
        from transfer t where t.credit > 1000 and t.credit = ${memberId}::bigint and t.day > ${day}::date
      union all
      select -t.amount, case when t.kind in ('wd_hold', 'refund_hold') then t.amount else 0 end
        from transfer t where t.debit > 1000 and t.debit = ${memberId}::bigint and t.day > ${day}::date
      union all
      select 0, -t.amount from withdrawal w join transfer t on t.kind = 'wd_paid' and t.ref = w.id::text
       where w.member_id = ${memberId}::bigint and t.day > ${day}::date
      union all
      select 0, -t.amount from refund r join transfer t on t.kind = 'refund_paid' and t.ref = r.id::text
       where r.member_id = ${memberId}::bigint and t.day > ${day}::date),
    later as (select coalesce(sum(moved), 0) as moved, coalesce(sum(held), 0) as held from moves)
    select w.member_id as "memberId", (w.balance - later.moved + joins.paid)::bigint as balance, (w.held - later.held)::bigint as held
      from wallet w, joins, later where w.member_id = ${memberId}::bigint`,
  )
