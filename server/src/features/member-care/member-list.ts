/**
 * The list of members: searched, sorted and paged by keys, at a million members within 50 ms.
 *
 * - A search first looks through the members next in order. If many members match, these fill the page at once; if few do,
 *   the index of three-letter pieces finds all of them.
 * - `q` matches as in members/member-search.ts.
 * - Sorted by figures, the order is the one of `member_sort`; the figures shown are the present ones.
 */
import type { Output } from '@roz/contract/api.ts'
import type { memberAdminCalls } from '@roz/contract/members-admin.ts'
import { isoIst } from '@roz/core/ist-day.ts'
import { type Paise, rupeesFromPaise } from '@roz/core/money.ts'
import { type Db, type Queryable, type Sql, sql } from '../../db/sql.ts'
import { CURSOR_PARTS, type Cursor, type CursorPart } from '../../lists/cursor.ts'
import { isFound, matches, MEMBER_WORDS, needleOf } from '../../members/member-search.ts'
import { fingerprintOf } from '../../staff/decision.ts'
import type { Columns } from '../../staff/exported-list.ts'
import { userColumns, userOf, type UserRow, userSource } from '../../members/user-row.ts'

type ListedMember = Output<(typeof memberAdminCalls)['adminUsers']>['users'][number]
type MemberSort = 'newest' | 'balance' | 'joins' | 'won'
type MemberSearch = {
  readonly q: string | undefined
  readonly sort: MemberSort
  readonly status: 'held' | 'suspended' | undefined
  readonly after: Cursor | undefined
  readonly limit: number
}

type MemberRow = UserRow & {
  readonly joins: number
  readonly won: Paise
  readonly heldAt: Date | null
  readonly heldAbout: string | null
  readonly suspendedAt: Date | null
  /** The value that the list is sorted by. */
  readonly sortedBy: bigint
}

/** The columns of a MemberRow but `sortedBy`, selected from `userSource`. */
const memberColumns = sql`${userColumns}, coalesce(w.joins, 0) as joins, m.held_at as "heldAt", m.held_about as "heldAbout",
  m.suspended_at as "suspendedAt", coalesce((select sum(d.amount) from draw_winner d where d.member_id = m.id), 0)::bigint as won`

/** Members who are listed: neither staff nor erased. */
const IS_LISTED = sql`m.role = 'member' and m.deleted_at is null`
/** This many members next in order are looked through before the index is asked. */
const WALK = 5_000

type Order = { readonly from: Sql; readonly id: Sql; readonly value: Sql }
const figures = (value: Sql): Order => ({ from: sql`member_sort o join member m on m.id = o.member_id`, id: sql`o.member_id`, value })
const ORDERS: Readonly<Record<MemberSort, Order>> = {
  newest: { from: sql`member m`, id: sql`m.id`, value: sql`m.id` },
  balance: figures(sql`o.balance`),
  joins: figures(sql`o.joins`),
  won: figures(sql`o.won`),
}

export const cursorShapeOf = (sort: MemberSort): readonly CursorPart[] =>
  sort === 'newest' ? [CURSOR_PARTS.id] : [CURSOR_PARTS.id, CURSOR_PARTS.id]
export const cursorOf = (sort: MemberSort, row: MemberRow): Cursor =>
  sort === 'newest' ? [String(row.id)] : [String(row.sortedBy), String(row.id)]

/** The rows after a cursor, and their order. */
function orderOf(sort: MemberSort, after: Cursor | undefined) {
  const { from, id, value } = ORDERS[sort]
  const [first, last] = after ?? []
  if (sort === 'newest')
    return { from, id, value, by: sql`${id} desc`, rest: first === undefined ? sql`true` : sql`${id} < ${first}::bigint` }
  const rest = first === undefined ? sql`true` : sql`(${value}, ${id}) < (${first}::bigint, ${last}::bigint)`
  return { from, id, value, by: sql`${value} desc, ${id} desc`, rest }
}

/** One row more than `limit` when there is a next page. */
export async function listMembers(db: Queryable, search: MemberSearch): Promise<readonly MemberRow[]> {
  const needle = needleOf(search.q)
  if (search.status !== undefined) return readRows(db, search, chosenFrom(search, needle, statusOf(search.status)))
  if (needle === undefined) return readRows(db, search, inOrder(search, search.limit + 1))
  const { ids, values, seen } = await walk(db, search, needle)
  if (ids.length > search.limit || seen < WALK)
    return readRows(db, search, sql`select * from unnest(${ids}::bigint[], ${values}::bigint[]) as near (id, value)`)
  return readRows(db, search, chosenFrom(search, needle, sql`true`))
}

/** Reads the rows of the members that `chosen` selects as `id` and `value`. */
const readRows = (db: Queryable, { sort }: MemberSearch, chosen: Sql): Promise<MemberRow[]> =>
  db.query<MemberRow>(sql`
    select ${memberColumns}, chosen.value::bigint as "sortedBy" from (${chosen}) chosen join ${userSource} on m.id = chosen.id
     order by ${sort === 'newest' ? sql`chosen.id desc` : sql`chosen.value desc, chosen.id desc`}`)

function inOrder({ sort, after }: MemberSearch, limit: number): Sql {
  const { from, id, value, by, rest } = orderOf(sort, after)
  return sql`
    select ${id} as id, ${value} as value, ${MEMBER_WORDS} as words from ${from} where ${rest} and ${IS_LISTED} order by ${by} limit ${limit}::int`
}

/** The members that match among the next in order, one page and one more, and how many of the next were looked through. */
function walk(db: Queryable, search: MemberSearch, needle: string) {
  const by = search.sort === 'newest' ? sql`near.id desc` : sql`near.value desc, near.id desc`
  return db.one<{ ids: bigint[]; values: bigint[]; seen: number }>(sql`
    with near as materialized (${inOrder(search, WALK)}),
    page as (select near.id, near.value from near where ${matches(needle, sql`near.words`)} order by ${by} limit ${search.limit + 1}::int)
    select array(select id from page) as ids, array(select value from page) as values, (select count(*)::int from near) as seen`)
}

const statusOf = (status: 'held' | 'suspended'): Sql => (status === 'held' ? sql`m.held_at is not null` : sql`m.suspended_at is not null`)

/** All members that a condition and the index find, then the page of them. */
function chosenFrom({ sort, after, limit }: MemberSearch, needle: string | undefined, condition: Sql): Sql {
  const found = needle === undefined ? sql`true` : isFound(needle, MEMBER_WORDS)
  const { from, id, value, by, rest } = orderOf(sort, after)
  return sql`
    with found as materialized (select m.id from member m where ${found} and ${condition} and ${IS_LISTED})
    select ${id} as id, ${value} as value from ${from} where m.id in (select id from found) and ${rest} order by ${by} limit ${limit + 1}::int`
}

/** A hold as the team sees it; its release names it. */
export function holdOf({ heldAt, heldAbout }: Pick<MemberRow, 'heldAt' | 'heldAbout'>): ListedMember['hold'] {
  if (heldAt === null) return null
  const shown = { at: isoIst(heldAt.getTime()), about: heldAbout ?? '' }
  return { ...shown, seen: fingerprintOf([shown.at, shown.about]) }
}

export const listedOf = (row: MemberRow): ListedMember => {
  const user = userOf(row)
  return {
    ...user,
    walletBalance: user.wallet.balance,
    totalParticipated: row.joins,
    totalWon: rupeesFromPaise(row.won),
    hold: holdOf(row),
    suspendedAt: row.suspendedAt === null ? null : isoIst(row.suspendedAt.getTime()),
  }
}

/** One member as the list shows them. Throws where there is none. */
export async function getListed(from: Queryable, memberId: bigint): Promise<ListedMember> {
  const row = await from.one<MemberRow>(
    sql`select ${memberColumns}, 0::bigint as "sortedBy" from ${userSource} where m.id = ${memberId}::bigint`,
  )
  return listedOf(row)
}

/** The state that the order by figures shows; null before the first pass. */
export async function readSortedAt(db: Db): Promise<string | null> {
  const { at } = await db.one<{ at: Date | null }>(sql`select sorted_at as at from member_sort_pass`)
  return at === null ? null : isoIst(at.getTime())
}

export const CSV_COLUMNS = {
  id: ({ id }) => id,
  name: ({ name }) => name,
  email: ({ email }) => email,
  phone: ({ phone }) => phone,
  registered: ({ createdAt }) => createdAt,
  email_verified: ({ emailVerified }) => (emailVerified ? 'yes' : 'no'),
  balance: ({ walletBalance }) => walletBalance,
  rounds: ({ totalParticipated }) => totalParticipated,
  won: ({ totalWon }) => totalWon,
  held_since: ({ hold }) => hold?.at,
  suspended_since: ({ suspendedAt }) => suspendedAt,
} satisfies Columns<ListedMember>
