/** How long help waits: from the day of a rupee to the day it was disbursed, and the oldest day with an open share. */
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Queryable, sql } from '../db/sql.ts'

/** A share that is still open after this many days raises an alarm, and the public pages name its day. */
const HELP_LATE_DAYS = 14

/** Of `help_day`: the days whose share waits too long. */
export const LATE_HELP = sql`(open > 0 and day < ist_day(roz_now()) - ${HELP_LATE_DAYS}::int)`

type HelpWaits = {
  /** The median wait of a disbursed paisa, without money that came back; null before the first disbursement. */
  readonly medianDays: number | null
  readonly oldest: { readonly day: IstDay; readonly days: number } | null
}

export async function readHelpWaits(from: Queryable): Promise<HelpWaits> {
  const [median, oldest] = await Promise.all([
    from.maybeOne<{ days: number }>(sql`with kept as (
            select day, max(posted_on) filter (where paise > 0) - day as days, sum(paise) as paise
              from help_allotment group by disbursement_id, day having sum(paise) > 0),
          ranked as (select days, sum(paise) over (order by days) as upto, sum(paise) over () as total from kept)
          select days from ranked where upto * 2 >= total order by days limit 1`),
    from.maybeOne<{ day: IstDay; days: number }>(
      sql`select day, ist_day(roz_now()) - day as days from help_day where open > 0 order by day limit 1`,
    ),
  ])
  return { medianDays: median?.days ?? null, oldest: oldest ?? null }
}

/** The oldest day that waits too long, and the number of further ones. */
export async function findLateHelp(from: Queryable): Promise<{ readonly day: IstDay; readonly waiting: number } | undefined> {
  const late = await from.maybeOne<{ day: IstDay | null; count: number }>(
    sql`select min(day) as day, count(*)::int as count from help_day where ${LATE_HELP}`,
  )
  return late === undefined || late.day === null ? undefined : { day: late.day, waiting: late.count - 1 }
}
