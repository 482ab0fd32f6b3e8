/** Follow-ups of help `o` that arrived: which one is due, only with the person's consent to be asked again. */
import { FOLLOW_UP_WEEKS } from '@roz/core/follow-up-fields.ts'
import { type Sql, sql } from '../db/sql.ts'
import { IS_RECEIVED, RECORDED_AT } from './arrivals.ts'

const HAS_CONSENT = sql`exists (
  select from beneficiary b where b.id = o.beneficiary_id and b.revoked_at is null and b.follow_up_on is not null)`
/** The newest of the weeks that are over since the arrival; null before the first. */
const WEEKS_OVER = sql`(
  select max(w.weeks) from unnest(${[...FOLLOW_UP_WEEKS]}::int[]) w (weeks) where ${RECORDED_AT} <= roz_now() - w.weeks * interval '7 days')`

/** The weeks of the follow-up that is due; null: none is. One that was missed is not asked for any more. */
export const DUE_FOLLOW_UP: Sql = sql`(
  select due.weeks from (select ${WEEKS_OVER} as weeks) due
   where ${IS_RECEIVED} and ${HAS_CONSENT}
     and not exists (select from follow_up f where f.outlay_id = o.id and f.weeks >= due.weeks))`
/** Help with a follow-up that is due. */
export const HAS_DUE_FOLLOW_UP: Sql = sql`(${HAS_CONSENT} and ${IS_RECEIVED} and ${DUE_FOLLOW_UP} is not null)`
export const FOLLOW_UP_DUE_SINCE: Sql = sql`(${RECORDED_AT} + ${DUE_FOLLOW_UP} * interval '7 days')`
