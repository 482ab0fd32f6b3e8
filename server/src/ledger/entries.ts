/**
 * SQL fragments that find a member's entries of any age. An entry of an archived month is not a row of `round_join`.
 * - Queries about the last twelve months (archive/months.ts) read only `round_join`.
 * - The view `entry` has every entry, `entry_in_archive` the entries of archived months. Neither is in the order of days.
 */
import { type Sql, sql } from '../db/sql.ts'

/**
 * Whether the member has an entry on that day. While a month is being archived, both sources have the entry.
 * - Columns are named with their table, which is neither `j` nor `a`: an unqualified `day` would be the entry's own.
 */
export const hasEntry = (memberId: Sql, day: Sql): Sql => sql`
  (exists (select from round_join j where j.day = ${day} and j.member_id = ${memberId})
   or exists (select from archived_entry a
               where a.month = month_of(${day}) and a.member_id = ${memberId} and extract(day from ${day})::smallint = any(a.days)))`

/** A row `j` of `round_join` whose month is not archived: the table still has it until its partition has left. */
export const NOT_ARCHIVED: Sql = sql`month_of(j.day) not in (select month from archived_month where restored_at is null)`

/** Members with an entry on that day, by id, at most `limit`. While its month is being archived: at most twice that, with duplicates. */
export const entrantsAfter = (day: Sql, after: Sql, limit: Sql): Sql => sql`
  ((select member_id from round_join where day = ${day} and member_id > ${after} order by member_id limit ${limit})
   union all
   (select member_id from archived_entry a
     where a.month = month_of(${day}) and a.member_id > ${after} and extract(day from ${day})::smallint = any(a.days)
     order by member_id limit ${limit}))`

/** The balance after an archived entry: every movement since the last transfer before it is an entry. */
export const balanceAfter = (entry: Sql): Sql => sql`
  (select t.balance_after - entry_fee() * (${entry}.wallet_seq - t.wallet_seq) from (
     (select balance_after, wallet_seq from transfer
       where credit = ${entry}.member_id and credit > 1000 and wallet_seq < ${entry}.wallet_seq order by wallet_seq desc limit 1)
     union all
     (select balance_after, wallet_seq from transfer
       where debit = ${entry}.member_id and debit > 1000 and wallet_seq < ${entry}.wallet_seq order by wallet_seq desc limit 1)) t
    order by t.wallet_seq desc limit 1)`
