/**
 * Announcements in the portal: written by editors, seen by members from the start to the end.
 *
 * - The database's clock decides what is planned, running or over. An announcement that is over is never changed.
 * - A change names the version that the editor saw: of two at once the first takes effect, and the other is refused.
 * - Each change is in the staff log, with the values before and after.
 */
import type { Input, Output } from '@roz/contract/api.ts'
import type { announcementCalls } from '@roz/contract/announcements.ts'
import { inEach, LANGUAGES, type StoredTexts } from '@roz/core/language.ts'
import { contains } from '../../members/member-search.ts'
import { type Db, type Queryable, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { CURSOR_PARTS, type Cursor } from '../../lists/cursor.ts'
import { instantOf, instantOrNull, pageOf } from '../../lists/listing.ts'
import { microsOf, olderThan } from '../../lists/newest-first.ts'
import { type Handlers, invalid } from '../../http/route.ts'
import { logStaff } from '../../staff/staff-log.ts'
import { type Columns, exportList } from '../../staff/exported-list.ts'

type Announcement = Output<(typeof announcementCalls)['announcements']>['announcements'][number]
type Written = Input<(typeof announcementCalls)['createAnnouncement']>['body']
type Filter = Input<(typeof announcementCalls)['announcementsCsv']>['query']
type Names = keyof typeof announcementCalls
type Row = {
  readonly id: bigint
  readonly text: StoredTexts
  readonly link: string | null
  readonly startsAt: Date
  readonly endsAt: Date
  readonly endedAt: Date | null
  readonly status: Announcement['status']
  readonly version: number
}

const NOW = sql`(select roz_now())`
const IS_OVER = sql`(ended_at is not null or ends_at <= ${NOW})`
const STATES = {
  planned: sql`not ${IS_OVER} and starts_at > ${NOW}`,
  running: sql`not ${IS_OVER} and starts_at <= ${NOW}`,
  over: IS_OVER,
} as const
const columns = sql`
  id, texts as text, link, starts_at as "startsAt", ends_at as "endsAt", ended_at as "endedAt", version,
  case when ${IS_OVER} then 'over' when starts_at > ${NOW} then 'planned' else 'running' end as status`

const viewOf = (row: Row): Announcement => ({
  id: String(row.id),
  // A language that was added later is empty until somebody edits the announcement.
  text: inEach((language) => row.text[language] ?? ''),
  link: row.link,
  startsAt: instantOf(row.startsAt),
  endsAt: instantOf(row.endsAt),
  endedAt: instantOrNull(row.endedAt),
  status: row.status,
  version: row.version,
})

export function createAnnouncements({ db }: { readonly db: Db }): { readonly handlers: Handlers<Names> } {
  const handlers: Handlers<Names> = {
    announcements: async ({ query }) => {
      const found = await pageOf(query, (page) => list(db, query, page), [CURSOR_PARTS.micros, CURSOR_PARTS.id])
      return found.ok ? { ok: true, value: { announcements: [...found.rows], nextCursor: found.nextCursor } } : found
    },
    announcementsCsv: (call) =>
      exportList(db, call, { name: 'announcements', read: (page) => list(db, call.query, page), columns: CSV_COLUMNS }),
    createAnnouncement: ({ session, body }) =>
      inTransaction(db, async (tx) => {
        const problem = await timeProblem(tx, body)
        if (problem !== undefined) return problem
        const row = await tx.one<Row>(sql`
          insert into announcement (texts, link, starts_at, ends_at) values (${JSON.stringify(body.text)}::jsonb, ${body.link}::text,
                ${new Date(body.startsAt)}::timestamptz, ${new Date(body.endsAt)}::timestamptz) returning ${columns}`)
        await record(tx, { actorId: session.memberId, action: 'create', after: row })
        return { ok: true, value: { announcement: viewOf(row) } } as const
      }),
    updateAnnouncement: ({ session, params, body }) =>
      inTransaction(db, async (tx) => {
        const before = await lockSeen(tx, params.id, body.version)
        if (!before.ok) return before
        const problem = await timeProblem(tx, body)
        if (problem !== undefined) return problem
        const row = await tx.one<Row>(sql`
          update announcement set texts = ${JSON.stringify(body.text)}::jsonb, link = ${body.link}::text, version = version + 1,
                starts_at = ${new Date(body.startsAt)}::timestamptz, ends_at = ${new Date(body.endsAt)}::timestamptz
              where id = ${before.row.id}::bigint returning ${columns}`)
        await record(tx, { actorId: session.memberId, action: 'update', before: before.row, after: row })
        return { ok: true, value: { announcement: viewOf(row) } } as const
      }),
    endAnnouncement: ({ session, params, body }) =>
      inTransaction(db, async (tx) => {
        const before = await lockSeen(tx, params.id, body.version)
        if (!before.ok) return before
        const row = await tx.one<Row>(
          sql`update announcement set ended_at = roz_now(), version = version + 1 where id = ${before.row.id}::bigint returning ${columns}`,
        )
        await record(tx, { actorId: session.memberId, action: 'end', before: before.row, after: row })
        return { ok: true, value: { announcement: viewOf(row) } } as const
      }),
  }
  return { handlers }
}

const CSV_COLUMNS: Columns<Announcement> = {
  id: (row) => Number(row.id),
  status: (row) => row.status,
  starts: (row) => row.startsAt,
  ends: (row) => row.endsAt,
  ended: (row) => row.endedAt,
  link: (row) => row.link,
  ...Object.fromEntries(LANGUAGES.map((language) => [`text_${language}`, (row: Announcement) => row.text[language]])),
}

async function list(db: Db, { status, q }: Filter, page: { readonly after: Cursor | undefined; readonly limit: number }) {
  const older = olderThan({ at: sql`created_at`, id: sql`id` }, page.after, 'bigint')
  const rows = await db.query<Row & { readonly sortedAt: string }>(sql`
    select ${columns}, ${microsOf(sql`created_at`)} as "sortedAt" from announcement
     where ${older} and ${status === undefined ? sql`true` : STATES[status]}
       and exists (select from jsonb_each_text(texts) t where ${contains(q, sql`t.value`)})
     order by created_at desc, id desc limit ${page.limit + 1}::int`)
  return rows.map((row) => ({ shown: viewOf(row), key: [row.sortedAt, String(row.id)] satisfies Cursor }))
}

/** Locks an announcement that is not over and still as the editor saw it. */
async function lockSeen(tx: Tx, id: string, version: number) {
  // Another statement after the lock: the first one's clock and row may be older than a change that it waited for.
  const locked = CURSOR_PARTS.id(id)
    ? await tx.maybeOne<{ id: bigint }>(sql`select id from announcement where id = ${id}::bigint for update`)
    : undefined
  if (locked === undefined) return { ok: false, code: 'announcement_not_found' } as const
  const row = await tx.one<Row>(sql`select ${columns} from announcement where id = ${locked.id}::bigint`)
  if (row.version !== version) return { ok: false, code: 'changed_since_seen' } as const
  return row.status === 'over' ? ({ ok: false, code: 'announcement_over' } as const) : ({ ok: true, row } as const)
}

/** The end is after the start, and in the future. */
async function timeProblem(from: Queryable, { startsAt, endsAt }: Pick<Written, 'startsAt' | 'endsAt'>) {
  if (Date.parse(endsAt) <= Date.parse(startsAt)) return invalid({ endsAt: 'announcement_end_first' })
  const { isPast } = await from.one<{ isPast: boolean }>(sql`select ${new Date(endsAt)}::timestamptz <= roz_now() as "isPast"`)
  return isPast ? invalid({ endsAt: 'announcement_end_past' }) : undefined
}

type Action = { readonly actorId: bigint; readonly action: 'create' | 'update' | 'end'; readonly before?: Row; readonly after: Row }

async function record(tx: Tx, { actorId, action, before, after }: Action): Promise<void> {
  const kept = ({ text, link, startsAt, endsAt, endedAt }: Row) => ({ text, link, startsAt, endsAt, endedAt })
  await logStaff(tx, {
    actorId,
    action: `announcement.${action}`,
    subject: `announcement:${after.id}`,
    ...(before === undefined ? {} : { before: kept(before) }),
    after: kept(after),
  })
}
