/**
 * Notices in SQL.
 *
 * - A member's list combines stored notices with the joins by Auto Participate, which are read from the join rows.
 * - The list pages by instant and id, newest first.
 * - A read mark belongs to one member and changes nothing for others.
 */
import { one, type Queryable, sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import type { Cursor } from '../../http/cursor.ts'

export type NoticeRow = {
  /** `n17` for a stored notice, `j2026-11-21` for a join. */
  readonly id: string
  readonly kind: string
  readonly data: Readonly<Record<string, string>>
  readonly createdAt: Date
  /** Microseconds since 1970. */
  readonly sortedAt: string
  readonly readAt: Date | null
}

/** The joins by Auto Participate: at midnight, or after a top-up later that day. */
const autoJoins = (memberId: bigint) => sql`
  round_join j join join_batch b on b.batch_id = j.batch_id and b.via in ('auto', 'topup')
  left join join_notice_read r on r.member_id = j.member_id and r.day = j.day
  where j.member_id = ${memberId}::bigint`

/** Returns one row more than `limit` when there is a next page. */
export function listNotices(
  db: Queryable,
  memberId: bigint,
  page: { readonly after: Cursor | undefined; readonly limit: number },
): Promise<NoticeRow[]> {
  const [micros = null, id = null] = page.after ?? []
  const limit = page.limit + 1
  return db.query<NoticeRow>(sql`
    with after as materialized (
      select coalesce('epoch'::timestamptz + ${micros}::bigint * interval '1 microsecond', 'infinity') as at, coalesce(${id}::text, '') as id),
    item as (
      (select 'n' || n.id as id, n.kind, n.data, n.created_at as at, n.read_at
       from notice n, after where n.member_id = ${memberId}::bigint
         and (n.created_at < after.at or n.created_at = after.at and ('n' || n.id) < after.id collate "C")
       order by n.created_at desc, ('n' || n.id) collate "C" desc limit ${limit}::int)
      union all
      (select 'j' || j.day, 'auto_joined', jsonb_build_object('day', j.day), b.created_at, r.read_at
       from ${autoJoins(memberId)}
         and (b.created_at, ('j' || j.day) collate "C") < (select at, id from after)
       order by j.day desc limit ${limit}::int))
    select id, kind, data, at as "createdAt", (extract(epoch from at) * 1000000)::bigint::text as "sortedAt", read_at as "readAt"
    from item order by at desc, id collate "C" desc limit ${limit}::int`)
}

export async function countUnread(from: Queryable, memberId: bigint): Promise<number> {
  const { unread } = await one<{ unread: number }>(
    from,
    sql`select ((select count(*) from notice where member_id = ${memberId}::bigint and read_at is null)
             + (select count(*) from ${autoJoins(memberId)} and r.day is null))::int as unread`,
  )
  return unread
}

export async function markAllRead(tx: Tx, memberId: bigint): Promise<void> {
  await tx.query(sql`update notice set read_at = roz_now() where member_id = ${memberId}::bigint and read_at is null`)
  await tx.query(sql`
    insert into join_notice_read (member_id, day) select j.member_id, j.day from ${autoJoins(memberId)} and r.day is null
    on conflict do nothing`)
}

/** Marks some notices read; an unknown id or another member's id changes nothing. */
export async function markRead(
  tx: Tx,
  memberId: bigint,
  marks: { readonly noticeIds: readonly bigint[]; readonly days: readonly string[] },
): Promise<void> {
  await tx.query(sql`
    update notice set read_at = roz_now()
    where member_id = ${memberId}::bigint and id = any (${marks.noticeIds}::bigint[]) and read_at is null`)
  await tx.query(sql`
    insert into join_notice_read (member_id, day)
    select j.member_id, j.day from ${autoJoins(memberId)} and j.day = any (${marks.days}::date[]) and r.day is null
    on conflict do nothing`)
}

/**
 * Adds the notice of a job, unless the account is closed. The job's key becomes the notice's source,
 * so that a repeat adds nothing, even after the job is deleted.
 */
export async function addNotice(
  from: Queryable,
  notice: { readonly memberId: bigint; readonly kind: string; readonly jobId: string; readonly data: Readonly<Record<string, string>> },
): Promise<void> {
  await from.query(sql`
    insert into notice (member_id, kind, source, data)
    select ${notice.memberId}::bigint, ${notice.kind}::text, job.key, ${JSON.stringify(notice.data)}::jsonb
    from job where job.id = ${notice.jobId}::bigint
      and exists (select from member where id = ${notice.memberId}::bigint and deleted_at is null)
    on conflict (member_id, source) do nothing`)
}
