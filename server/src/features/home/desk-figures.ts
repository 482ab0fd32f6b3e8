/** Public counts of requests for help: never a list of persons. */
import type { Output } from '@roz/contract/api.ts'
import type { communityCalls } from '@roz/contract/community.ts'
import { CASE_OPEN } from '@roz/core/case-fields.ts'
import { type Db, sql } from '../../db/sql.ts'

type DeskFigures = Output<typeof communityCalls.home>['data']['desk']

/** The median is of the requests helped in the last 30 days, in whole days from the request to the booked payment that did not come back. */
export const readRequestFigures = (db: Db): Promise<DeskFigures> =>
  db.one<DeskFigures>(sql`
    select count(*)::int as asked, count(*) filter (where stage = any (${[...CASE_OPEN]}::text[]))::int as open,
           count(*) filter (where stage = 'refused')::int as refused,
           count(*) filter (where stage in ('helped', 'followed_up'))::int as helped,
           (select (percentile_disc(0.5) within group (order by ist_day(s.at) - ist_day(c.asked_at)))::int
              from help_case_step s join help_case c on c.number = s.number
             where s.step = 'helped' and s.at > (select roz_now()) - interval '30 days' and c.stage in ('helped', 'followed_up')
               and not exists (select from help_case_step n where n.number = s.number and n.step = 'helped' and n.at > s.at)) as "medianDays"
      from help_case`)
