/**
 * Notices in SQL.
 *
 * - A member's list combines stored notices, joins by Auto Participate, stories and follow-ups. Joins are read from the join rows,
 *   stories and follow-ups from joins and allotments.
 * - The list pages by instant and id, newest first.
 * - A read mark belongs to one member and changes nothing for others.
 */
import type { Language } from '@roz/core/language.ts'
import { type Queryable, type Sql, sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import type { Cursor } from '../../lists/cursor.ts'
import { NOT_ARCHIVED } from '../../ledger/entries.ts'
import { ownPart, TOLD } from '../../members/own-stories.ts'
import { purposeIn } from '../../members/reader-purpose.ts'
import { ownFollowUps, readFollowUps, TOLD_AT } from '../../members/told-follow-ups.ts'

export type NoticeRow = {
  /** `n17` for a stored notice, `j2026-11-21` for a join, `s` and its id for a story, `f` and its id for a follow-up. */
  readonly id: string
  readonly kind: string
  readonly data: Readonly<Record<string, string>>
  readonly createdAt: Date
  /** Microseconds since 1970. */
  readonly sortedAt: string
  readonly readAt: Date | null
  readonly storyId: string | null
  readonly isStoryMuted: boolean
}

/** The joins by Auto Participate: at midnight, or after a top-up later that day. */
const autoJoins = (memberId: bigint, entries: Sql = sql`entry`) => sql`
  ${entries} j join join_batch b on b.batch_id = j.batch_id and b.via in ('auto', 'topup')
  left join join_notice_read r on r.member_id = j.member_id and r.day = j.day
  where j.member_id = ${memberId}::bigint`

/** In two parts: entries that are not archived can be read newest first, and no further than the page. */
const autoJoinItems = (memberId: bigint, limit: number) => {
  const part = (entries: Sql, which: Sql): Sql => sql`
      (select 'j' || j.day, 'auto_joined', jsonb_build_object('day', j.day), b.created_at, r.read_at, null::uuid
       from ${autoJoins(memberId, entries)} and ${which}
         and (b.created_at, ('j' || j.day) collate "C") < (select at, id from after)
       order by j.day desc limit ${limit}::int)`
  return sql`${part(sql`round_join`, NOT_ARCHIVED)} union all ${part(sql`entry_in_archive`, sql`true`)}`
}

/** The stories that tell of the member's rupees, told since the account was made. */
const ownStories = (memberId: bigint) => sql`
  ${TOLD} cross join lateral ${ownPart(memberId)} own
  left join story_notice_read r on r.member_id = ${memberId}::bigint and r.story_id = s.id
  where own.days > 0 and t.told_at >= (select created_at from member where id = ${memberId}::bigint)`

/** Returns one row more than `limit` when there is a next page. */
export function listNotices(
  db: Queryable,
  { memberId, language }: { readonly memberId: bigint; readonly language: Language },
  page: { readonly after: Cursor | undefined; readonly limit: number },
): Promise<NoticeRow[]> {
  const [micros = null, id = null] = page.after ?? []
  const limit = page.limit + 1
  const purpose = purposeIn(sql`${language}::text`)
  return db.query<NoticeRow>(sql`
    with after as materialized (
      select coalesce('epoch'::timestamptz + ${micros}::bigint * interval '1 microsecond', 'infinity') as at, coalesce(${id}::text, '') as id),
    item as (
      (select 'n' || n.id as id, n.kind, n.data, n.created_at as at, n.read_at, null::uuid as story_id
       from notice n, after where n.member_id = ${memberId}::bigint
         and (n.created_at < after.at or n.created_at = after.at and ('n' || n.id) < after.id collate "C")
       order by n.created_at desc, ('n' || n.id) collate "C" desc limit ${limit}::int)
      union all
      ${autoJoinItems(memberId, limit)}
      union all
      (select 's' || s.id,
         case when own.days > 1 then 'help_told_days' when own.entries = 1 then 'help_told_alone' else 'help_told' end,
         jsonb_strip_nulls(jsonb_build_object('paise', own.paise::text, 'day', own.day, 'days', own.days::text, 'others', (own.entries - 1)::text,
           'purpose', ${purpose}, 'helped', o.public_name, 'received', o.received ->> 'how', 'on', o.received ->> 'on')), t.told_at, r.read_at, s.id
       from ${ownStories(memberId)}
         and (t.told_at, ('s' || s.id) collate "C") < (select at, id from after)
       order by t.told_at desc limit ${limit}::int)
      union all
      (select 'f' || f.id, 'follow_up_told', jsonb_build_object('helped', o.public_name, 'weeks', f.weeks::text, 'purpose', ${purpose}),
         ${TOLD_AT}, r.read_at, s.id
       from ${ownFollowUps(memberId)}
         and (${TOLD_AT}, ('f' || f.id) collate "C") < (select at, id from after)
       order by ${TOLD_AT} desc, f.id desc limit ${limit}::int))
    select id, kind, data, at as "createdAt", (extract(epoch from at) * 1000000)::bigint::text as "sortedAt", read_at as "readAt", story_id as "storyId",
      exists (select from story_mute mute where mute.member_id = ${memberId}::bigint and mute.story_id = item.story_id) as "isStoryMuted"
    from item order by at desc, id collate "C" desc limit ${limit}::int`)
}

export async function countUnread(from: Queryable, memberId: bigint): Promise<number> {
  const { unread } = await from.one<{ unread: number }>(sql`
    select ((select count(*) from notice where member_id = ${memberId}::bigint and read_at is null)
             + (select count(*) from ${autoJoins(memberId)} and r.day is null)
             + (select count(*) from ${ownStories(memberId)} and r.story_id is null)
             + (select count(*) from ${ownFollowUps(memberId)} and r.follow_up_id is null))::int as unread`)
  return unread
}

export async function markAllRead(tx: Tx, memberId: bigint): Promise<void> {
  await tx.query(sql`update notice set read_at = roz_now() where member_id = ${memberId}::bigint and read_at is null`)
  await tx.query(sql`
    insert into join_notice_read (member_id, day) select j.member_id, j.day from ${autoJoins(memberId)} and r.day is null
    on conflict do nothing`)
  await tx.query(sql`
    insert into story_notice_read (member_id, story_id) select ${memberId}::bigint, s.id from ${ownStories(memberId)} and r.story_id is null
    on conflict do nothing`)
  await readFollowUps(tx, memberId, sql`true`)
}

/** Marks some notices read; an unknown id or another member's id changes nothing. */
export async function markRead(
  tx: Tx,
  memberId: bigint,
  marks: {
    readonly noticeIds: readonly bigint[]
    readonly days: readonly string[]
    readonly storyIds: readonly string[]
    readonly followUpIds: readonly string[]
  },
): Promise<void> {
  await tx.query(sql`
    update notice set read_at = roz_now()
    where member_id = ${memberId}::bigint and id = any (${marks.noticeIds}::bigint[]) and read_at is null`)
  await tx.query(sql`
    insert into join_notice_read (member_id, day)
    select j.member_id, j.day from ${autoJoins(memberId)} and j.day = any (${marks.days}::date[]) and r.day is null
    on conflict do nothing`)
  await tx.query(sql`
    insert into story_notice_read (member_id, story_id)
    select ${memberId}::bigint, s.id from ${ownStories(memberId)} and s.id = any (${marks.storyIds}::uuid[]) and r.story_id is null
    on conflict do nothing`)
  await readFollowUps(tx, memberId, sql`f.id = any (${marks.followUpIds}::uuid[])`)
}
