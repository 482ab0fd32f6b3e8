/**
 * How the givers hear of follow-ups: what a helped person said weeks after the help arrived.
 *
 * - A follow-up is told with its story, or later. In the app its notice is read (features/notifications/queries.ts), never written.
 * - A withheld one is not told, nor one of a story that the member has muted. The end of its consent has deleted it.
 * - Mails and messages that wait hold no name: the name is read when they are sent.
 */
import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import { type Queryable, type Sql, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { enqueue } from '../jobs/queue.ts'
import { hasPart, isMuted, TOLD } from './own-stories.ts'

/** The public follow-ups `f` of told stories. */
export const TOLD_FOLLOW_UPS: Sql = sql`${TOLD} join follow_up f on f.outlay_id = s.outlay_id and f.withheld is null`
export const TOLD_AT: Sql = sql`greatest(f.recorded_at, t.told_at)`

/** Follow-ups of the member's stories, told since the account was made, with the read mark `r`. */
export const ownFollowUps = (memberId: bigint): Sql => sql`
  ${TOLD_FOLLOW_UPS} left join follow_up_notice_read r on r.member_id = ${memberId}::bigint and r.follow_up_id = f.id
  where ${hasPart(sql`${memberId}::bigint`)} and ${TOLD_AT} >= (select created_at from member where id = ${memberId}::bigint)
    and (r.follow_up_id is not null or not ${isMuted(sql`${memberId}::bigint`)})`

/** Marks those that `which` names as read. */
export async function readFollowUps(tx: Tx, memberId: bigint, which: Sql): Promise<void> {
  await tx.query(sql`
    insert into follow_up_notice_read (member_id, follow_up_id)
    select ${memberId}::bigint, f.id from ${ownFollowUps(memberId)} and r.follow_up_id is null and ${which}
    on conflict do nothing`)
}

/** Orders the push messages about the follow-ups of an outlay. Called after each record of one and each change of its story. */
export async function pushFollowUps(tx: Tx, outlayId: Sql): Promise<void> {
  // The lock makes a publication of the story at the same moment wait: one of the two sees the other.
  await tx.query(sql`select from story where outlay_id = ${outlayId} for share`)
  const told = await tx.query<{ id: string }>(sql`
    select f.id from ${TOLD_FOLLOW_UPS} where f.outlay_id = ${outlayId} and exists (select from push_device) order by f.weeks`)
  for (const { id } of told) await enqueue(tx, { kind: 'push_follow_up', key: id, payload: { followUpId: id } })
}

/** The newest follow-up of a week, and how many were told in it. */
type WeeksNews = { readonly helped: string; readonly weeks: string; readonly told: string }

/** The follow-ups of a week that this member may hear of now: the newest, and how many there are. */
export async function followUpsOfWeek(from: Queryable, publicId: string, week: IstDay): Promise<WeeksNews | undefined> {
  const member = await from.maybeOne<{ id: bigint }>(sql`select id from member where public_id = ${publicId}::uuid`)
  return member === undefined
    ? undefined
    : from.maybeOne<WeeksNews>(sql`
    select o.public_name as helped, f.weeks::text as weeks, (count(*) over ())::text as told from ${TOLD_FOLLOW_UPS}
     where ${TOLD_AT} >= start_of_ist_day(${week}::date) and ${TOLD_AT} < start_of_ist_day(${addDays(week, 7)}::date)
       and ${hasPart(sql`${member.id}::bigint`)} and not ${isMuted(sql`${member.id}::bigint`)}
     order by ${TOLD_AT} desc, f.id desc limit 1`)
}
