/**
 * Figures of the home page: how many people were helped, and how often our promises about help were kept.
 * - A beneficiary counts once, with booked help that did not all come back; also after a revoked consent, because it names nobody.
 * - A day's story is due at 6 PM of the day after (members/late-stories.ts). A story of its help counts like its own.
 */
import type { Output } from '@roz/contract/api.ts'
import type { communityCalls } from '@roz/contract/community.ts'
import { type Db, sql } from '../../db/sql.ts'
import { IS_GIVEN, readArrivals } from '../../ledger/arrivals.ts'
import { storyDue } from '../../members/late-stories.ts'

type Helped = Output<typeof communityCalls.home>['data']['helped']

export const readHelped = async (db: Db): Promise<Helped> => {
  const arrivals = await readArrivals(db)
  type Counts = Record<'people' | 'due' | 'inTime' | 'payments' | 'withVideo', number>
  const { people, due, inTime, payments, withVideo } = await db.one<Counts>(sql`
    with given as (
      select o.beneficiary_id, sum(case when o.kind = 'disbursement' then o.amount_paise else -o.amount_paise end) as paise
        from outlay o where o.status = 'booked' and o.beneficiary_id is not null group by 1),
    promised as (
      select round.day, ${storyDue(sql`round`)} as due
        from (select day, day as round_day from round where status = 'settled' and day >= ist_day(roz_now()) - 31) round),
    over as (
      select exists (select from story s where s.published_at <= p.due and (s.round_day = p.day or exists (
               select from help_allotment a where a.day = p.day and a.disbursement_id = s.outlay_id::text))) as kept
        from promised p where p.due between roz_now() - interval '30 days' and roz_now()),
    recent as (
      select exists (select from story s where s.outlay_id = o.id and s.is_active and s.video_url is not null) as has_video
        from outlay o where ${IS_GIVEN} and o.decided_at > roz_now() - interval '30 days')
    select (select count(*) from given where paise > 0)::int as people,
           (select count(*) from over)::int as due, (select count(*) from over where kept)::int as "inTime",
           (select count(*) from recent)::int as payments, (select count(*) from recent where has_video)::int as "withVideo"`)
  return { people, stories: { due, inTime }, payments: { count: payments, withVideo }, arrivals }
}
