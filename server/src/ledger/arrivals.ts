/**
 * Whether help arrived, of a disbursement `o`: conditions of lists, alarms and figures.
 * - The newest record counts: received, or not received.
 * - Help whose whole amount came back needs no confirmation.
 */
import { CONFIRMED_WITHIN_DAYS } from '@roz/core/arrival-fields.ts'
import { type Queryable, type Sql, sql } from '../db/sql.ts'

/** Booked, and not the whole amount came back. */
export const IS_GIVEN: Sql = sql`(o.kind = 'disbursement' and o.status = 'booked'
  and o.amount_paise > (select coalesce(sum(back.amount_paise), 0) from outlay back where back.corrects = o.id and back.status = 'booked'))`
const NEWEST = sql`(select a.received from arrival a where a.outlay_id = o.id order by a.id desc limit 1)`
const WITHIN = sql`(${CONFIRMED_WITHIN_DAYS}::int * interval '1 day')`

/** The newest record says that it arrived. */
export const IS_RECEIVED: Sql = sql`(${NEWEST} and ${IS_GIVEN})`
/** Somebody said that it did not arrive. */
export const NOT_RECEIVED: Sql = sql`(${NEWEST} = false and ${IS_GIVEN})`
/** Nobody confirmed it in seven days. */
export const UNCONFIRMED: Sql = sql`
  (o.decided_at < (select roz_now()) - ${WITHIN} and not exists (select from arrival a where a.outlay_id = o.id) and ${IS_GIVEN})`
/** Since when it waits for a confirmation. */
export const UNCONFIRMED_SINCE: Sql = sql`o.decided_at + ${WITHIN}`
/** When its newest record was made. */
export const RECORDED_AT: Sql = sql`(select max(a.recorded_at) from arrival a where a.outlay_id = o.id)`

/** Of the payments sent 7 to 37 days ago: how many, and how many were confirmed in seven days. */
export const readArrivals = (from: Queryable): Promise<{ readonly due: number; readonly inTime: number }> =>
  from.one(sql`
    select count(*)::int as due, count(*) filter (where ${NEWEST} and exists (
             select from arrival a where a.outlay_id = o.id and a.received and a.recorded_at <= o.decided_at + ${WITHIN}))::int as "inTime"
      from outlay o where o.decided_at between roz_now() - ${WITHIN} - interval '30 days' and roz_now() - ${WITHIN} and ${IS_GIVEN}`)
