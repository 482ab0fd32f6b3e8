/**
 * The number of members' accounts by day. Each ended day is counted once and stored, so that no page counts a million rows.
 * - Confirmed and unconfirmed accounts count. Deleted accounts and staff do not.
 * - A day is counted an hour after its end at the earliest: a registration that began before midnight may commit after it.
 */
import { type Db, type Sql, sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'

/** Accounts made on the day `d.day`. */
const made = sql`
  (select count(*) from member m where m.role = 'member' and m.created_at >= start_of_ist_day(d.day) and m.created_at < start_of_ist_day(d.day + 1))`
/** Accounts deleted on the day `d.day`. */
const gone = sql`
  (select count(*) from member m where m.role = 'member' and m.deleted_at >= start_of_ist_day(d.day) and m.deleted_at < start_of_ist_day(d.day + 1))`
const firstUncounted = sql`coalesce((select max(day) + 1 from member_day), (select ist_day(min(created_at)) from member))`

/** A row of each day up to today, with the accounts made (`joined`) and deleted (`gone`) on it. Days not counted yet are counted now. */
export const memberDays: Sql = sql`
  select day, joined, gone from member_day
  union all
  select d.day, ${made}, ${gone} from (
    select n::date as day from generate_series(${firstUncounted}, ist_day((select roz_now())), interval '1 day') n) d`

/** Counts up to 400 ended days that are not counted yet, the oldest first; returns whether there were any. */
export const countDays = (db: Db): Promise<boolean> =>
  inTransaction(db, async (tx) => {
    const counted = await tx.query(sql`
      insert into member_day (day, joined, gone)
      select d.day, ${made}, ${gone}
        from (select n::date as day from generate_series(${firstUncounted}, ist_day((select roz_now()) - interval '1 hour') - 1, interval '1 day') n
               order by n limit 400) d
      on conflict do nothing returning 1`)
    return counted.length > 0
  })
