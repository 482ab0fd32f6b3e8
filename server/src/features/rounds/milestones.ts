/**
 * The days on which a member gave a rupee: how many, the milestones among them, and the weeks with five of them or more.
 * - Only settled rounds count. A settled round never changes, so no figure ever falls.
 * - One statement lists the days and counts them.
 */
import type { Output } from '@roz/contract/api.ts'
import type { roundCalls } from '@roz/contract/rounds.ts'
import { MILESTONES } from '@roz/core/milestones.ts'
import { type Db, sql } from '../../db/sql.ts'
import { hasEntry } from '../../ledger/entries.ts'

const WEEK_DAYS = 5

export const readMilestones = (db: Db, memberId: bigint): Promise<Output<typeof roundCalls.ownMilestones>> => {
  const member = sql`${memberId}::bigint`
  return db.one(sql`
    with given as materialized (
      select r.day, row_number() over (order by r.day)::int as nth from round r
       where r.status = 'settled' and r.day >= (select ist_day(created_at) from member where id = ${member}) and ${hasEntry(member, sql`r.day`)})
    select count(*)::int as days,
           (select count(*)::int from (select from given group by date_trunc('week', day) having count(*) >= ${WEEK_DAYS}::int) w) as weeks,
           coalesce(jsonb_agg(jsonb_build_object('days', nth, 'on', day) order by nth) filter (where nth = any(${[...MILESTONES]}::int[])), '[]') as reached
      from given`)
}
