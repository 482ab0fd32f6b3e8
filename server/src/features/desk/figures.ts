/**
 * Members, pool and help of each day, for the portal's charts.
 * - Rounds and the help fund store a row a day, and so does the number of members (member-days.ts).
 * - Members of a day: accounts that existed at its end. Set aside: the need share of the settled round; null before the settlement.
 */
import type { Output } from '@roz/contract/api.ts'
import type { deskCalls } from '@roz/contract/desk.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { ENTRY_FEE, type Paise, paise, rupeesFromPaise } from '@roz/core/money.ts'
import { type Db, sql } from '../../db/sql.ts'
import { memberDays } from '../../members/member-days.ts'

type Figure = Output<(typeof deskCalls)['adminFigures']>['figures'][number]
type Row = {
  readonly day: IstDay
  readonly members: bigint
  readonly joined: bigint
  readonly setAside: Paise | null
  readonly given: Paise
}

/** The last `days` days, the oldest first; today last. */
export async function readDeskFigures(db: Db, days: number): Promise<Figure[]> {
  const rows = await db.query<Row>(sql`
    with today as (select ist_day(roz_now()) as day),
    counted as (${memberDays}),
    shown as (select n::date as day from today cross join lateral generate_series(today.day - (${days}::int - 1), today.day, interval '1 day') n),
    running as (
      select day, (sum(sum(joined - gone)) over (order by day))::bigint as members
        from (select day, joined, gone from counted union all select day, 0, 0 from shown) days group by day)
    select shown.day, running.members,
      coalesce(r.entries, (select sum(b.n) from join_batch b where b.day = shown.day), 0)::bigint as joined,
      case when r.status in ('open', 'closed', 'drawn') then null when r.status = 'settled' then r.need_paise else 0 end::bigint as "setAside",
      coalesce((select sum(case t.kind when 'disbursement' then t.amount else -t.amount end) from transfer t
                 where t.day = shown.day and t.kind in ('disbursement', 'disbursement_back')), 0)::bigint as given
      from shown join running using (day) left join round r on r.day = shown.day order by shown.day`)
  return rows.map(({ day, members, joined, setAside, given }) => ({
    day,
    members: Number(members),
    joined: Number(joined),
    pool: rupeesFromPaise(paise(joined * ENTRY_FEE)),
    setAside: setAside === null ? null : rupeesFromPaise(setAside),
    given: rupeesFromPaise(given),
  }))
}
