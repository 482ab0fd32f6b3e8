/**
 * The review list: signals that accounts belong together, or that money only passes through an account.
 *
 * - A review names the number of accounts that the reviewer saw. It is refused if another account was added since.
 * - A review is recorded with a note, and can be undone.
 */
import type { Input, Output } from '@roz/contract/api.ts'
import type { reviewCalls } from '@roz/contract/review.ts'
import { type Db, type Queryable, type Sql, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { CURSOR_PARTS, type Cursor } from '../../lists/cursor.ts'
import { instantOf, instantOrNull, pageOf } from '../../lists/listing.ts'
import { microsOf, olderThan } from '../../lists/newest-first.ts'
import type { Handlers } from '../../http/route.ts'
import { isFound, matches, MEMBER_WORDS, needleOf } from '../../members/member-search.ts'
import { isSuspect, type SignalKind } from '../../members/signals.ts'
import { logStaff, nameAt } from '../../staff/staff-log.ts'
import { type Columns, exportList } from '../../staff/exported-list.ts'

type Flag = Output<(typeof reviewCalls)['flags']>['flags'][number]
type Filter = Input<(typeof reviewCalls)['flagsCsv']>['query']
type Row = {
  readonly id: bigint
  readonly kind: SignalKind
  readonly key: Buffer
  readonly count: number
  readonly isReviewed: boolean
  readonly note: string | null
  readonly reviewedBy: string | null
  readonly reviewedAt: Date | null
  readonly changedAt: Date
  readonly sortedAt: string
}

/** A row names only its newest accounts, because a whole town may share a network address. `count` is the number of all. */
const NAMED = sql`10`
const columns = sql`
  s.id, s.kind, s.key, s.members as count, s.is_reviewed as "isReviewed", s.note, ${nameAt(sql`a`, sql`s.reviewed_at`)} as "reviewedBy", s.reviewed_at as "reviewedAt",
  s.changed_at as "changedAt", ${microsOf(sql`s.changed_at`)} as "sortedAt"`
const source = sql`signal s left join member a on a.id = s.reviewed_by`

const CSV_COLUMNS = {
  id: (flag) => Number(flag.id),
  kind: (flag) => flag.kind,
  changed: (flag) => flag.changedAt,
  accounts: (flag) => flag.count,
  newest_accounts: (flag) => flag.members.map(({ name }) => name).join('; '),
  newest_account_ids: (flag) => flag.members.map(({ id }) => id).join(' '),
  reviewed: (flag) => (flag.isReviewed ? 'yes' : 'no'),
  reviewed_by: (flag) => flag.reviewedBy,
  reviewed_at: (flag) => flag.reviewedAt,
  note: (flag) => flag.note,
  newest_accounts_since: (flag) => flag.members.map(({ since }) => since ?? '').join(' '),
} satisfies Columns<Flag>

export function reviewHandlers(db: Db): Handlers<'flags' | 'flagsCsv' | 'reviewFlag'> {
  return {
    flags: async ({ query }) => {
      const found = await pageOf(query, (page) => listFlags(db, query, page), [CURSOR_PARTS.micros, CURSOR_PARTS.id])
      return found.ok ? { ok: true, value: { flags: [...found.rows], nextCursor: found.nextCursor } } : found
    },
    flagsCsv: (call) => exportList(db, call, { name: 'flags', read: (page) => listFlags(db, call.query, page), columns: CSV_COLUMNS }),
    reviewFlag: ({ session, params, body }) =>
      inTransaction(db, async (tx) => {
        const { isReviewed, note = null, count } = body
        const seen = CURSOR_PARTS.id(params.id)
          ? await tx.maybeOne<{ id: bigint; members: number; isReviewed: boolean }>(
              sql`select id, members, is_reviewed as "isReviewed" from signal where id = ${params.id}::bigint and is_shared for update`,
            )
          : undefined
        if (seen === undefined) return { ok: false, code: 'flag_not_found' } as const
        if (seen.members !== count) return { ok: false, code: 'changed_since_seen' } as const
        await tx.query(sql`
          update signal set is_reviewed = ${isReviewed}::boolean, note = ${note}::text, reviewed_members = ${count}::int,
            reviewed_by = ${session.memberId}::bigint, reviewed_at = roz_now() where id = ${seen.id}::bigint`)
        await logStaff(tx, {
          actorId: session.memberId,
          action: 'flag.review',
          subject: `flag:${seen.id}`,
          before: { isReviewed: seen.isReviewed },
          after: { isReviewed, note },
        })
        const row = await tx.one<Row>(sql`select ${columns} from ${source} where s.id = ${seen.id}::bigint`)
        return { ok: true, value: { flag: (await withMembers(tx, [row]))[0] as Flag } } as const
      }),
  }
}

type Page = { readonly after: Cursor | undefined; readonly limit: number }

/** A search that finds more members than this looks through the signals in order; a rarer one starts from its members. */
const COMMON = 5_000

/** Whether the search finds one of the signal's accounts. */
async function hasAccount(db: Queryable, q: string | undefined, common: number): Promise<Sql> {
  const needle = needleOf(q)
  if (needle === undefined) return sql`true`
  const accounts = (isNamed: Sql): Sql => sql`
    select true from signal_use u join member m on m.id = u.member_id where u.kind = s.kind and u.key = s.key and u.ended_at is null and ${isNamed}`
  const beyond = await db.maybeOne(sql`select 1 from member m where ${isFound(needle, MEMBER_WORDS)} offset ${common}::int limit 1`)
  // The planner makes no join of a part with a limit.
  return beyond === undefined
    ? sql`exists (${accounts(isFound(needle, MEMBER_WORDS))})`
    : sql`(${accounts(matches(needle, MEMBER_WORDS))} limit 1)`
}

export async function listFlags(db: Queryable, { status, q }: Filter, { after, limit }: Page, common = COMMON) {
  const older = olderThan({ at: sql`s.changed_at`, id: sql`s.id` }, after, 'bigint')
  const narrowed = status === undefined ? sql`true` : status === 'reviewed' ? sql`s.is_reviewed` : sql`not s.is_reviewed`
  const rows = await db.query<Row>(sql`
    select ${columns} from ${source} where s.is_shared and ${narrowed} and ${await hasAccount(db, q, common)} and ${older}
     order by s.changed_at desc, s.id desc limit ${limit + 1}::int`)
  const shown = await withMembers(db, rows)
  return rows.map((row, index) => ({ shown: shown[index] as Flag, key: [row.sortedAt, String(row.id)] }))
}

async function withMembers(from: Queryable, rows: readonly Row[]): Promise<Flag[]> {
  const members = await from.query<{ flag: bigint; id: string; name: string; createdAt: Date; since: Date | null; isLater: boolean }>(sql`
    select s.id as flag, m.public_id as id, m.name, m.created_at as "createdAt", u.since, u."isLater"
      from signal s cross join lateral (
        select u.member_id, u.since, ${isSuspect} as "isLater" from signal_use u where u.kind = s.kind and u.key = s.key and u.ended_at is null order by u.member_id desc limit ${NAMED}) u
      join member m on m.id = u.member_id where s.id = any (${rows.map(({ id }) => id)}::bigint[]) order by s.id, m.id`)
  const membersOf = Map.groupBy(members, ({ flag }) => flag)
  return rows.map((row) => ({
    id: String(row.id),
    kind: row.kind,
    count: row.count,
    isReviewed: row.isReviewed,
    note: row.note,
    reviewedBy: row.reviewedBy,
    reviewedAt: instantOrNull(row.reviewedAt),
    changedAt: instantOf(row.changedAt),
    members: (membersOf.get(row.id) ?? []).map(({ id, name, createdAt, since, isLater }) => ({
      id,
      name,
      createdAt: instantOf(createdAt),
      since: instantOrNull(since),
      isLater,
    })),
  }))
}
