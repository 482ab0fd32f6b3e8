/**
 * The search in the administrators' lists of withdrawals and refunds, within 50 ms at a million members.
 * - `q` matches the member's name, mail and phone, and the row's ids and bank reference, as plain text.
 * - It first looks through the rows next in order: a common name fills the page at once. A rare one is found by the indexes
 *   on three-letter pieces.
 */
import { line } from '@roz/core/written.ts'
import { type Queryable, type Sql, sql } from '../../db/sql.ts'
import type { Search } from '../../lists/listing.ts'
import { beyond, orderOf } from '../../lists/newest-first.ts'
import { isInState } from '../../ledger/approvals.ts'
import { isFound, matches, MEMBER_WORDS, needleOf, plainNeedle } from '../../members/member-search.ts'

/** This many rows next in order are looked through before the indexes are asked. */
const WALK = 2_000

/** `row`: the table's alias. `from`: the table by that alias. `words`: the row's own searched words, as their index has them. */
type MoneyTable = { readonly row: Sql; readonly from: Sql; readonly words: Sql }
export const WITHDRAWALS: MoneyTable = { row: sql`w`, from: sql`withdrawal w`, words: sql`withdrawal_words(w.id, w.reference)` }
export const REFUNDS: MoneyTable = { row: sql`r`, from: sql`refund r`, words: sql`refund_words(r.id, r.order_id, r.reference)` }

/** The ids of one page, plus one row if there is a next page. `walk`: rows to look through before the indexes are used. */
export async function findIds(db: Queryable, table: MoneyTable, search: Search, walk = WALK): Promise<readonly string[]> {
  const needle = needleOf(search.q)
  // A reference may have hyphens between its digits, a stored phone number has none.
  const own = plainNeedle(line(search.q ?? ''))
  if (needle === undefined) return idsOf(await db.query(inOrder(table, search, search.limit + 1)))
  const isMatch = sql`(${matches(own, sql`near.words`)} or ${matches(needle, sql`near."memberWords"`)})`
  const { ids, seen } = await db.one<{ ids: string[]; seen: number }>(sql`
    with near as materialized (${inOrder(table, search, walk)})
    select array(select near.id from near where ${isMatch} order by ${orderOf({ at: sql`near.at`, id: sql`near.id` }, search)}
                  limit ${search.limit + 1}::int) as ids,
      (select count(*)::int from near) as seen`)
  if (ids.length > search.limit || seen < walk) return ids
  return idsOf(await db.query(byIndex(table, search, { needle, own })))
}

const idsOf = (rows: readonly object[]): string[] => rows.map((row) => (row as { id: string }).id)
const keyOf = ({ row }: MoneyTable) => ({ at: sql`${row}.created_at`, id: sql`${row}.id` })

function inOrder(table: MoneyTable, search: Search, limit: number): Sql {
  const { row, from, words } = table
  const key = keyOf(table)
  return sql`
    select ${row}.id, ${row}.created_at as at, ${words} as words, coalesce(${MEMBER_WORDS}, '') as "memberWords"
      from ${from} left join member m on m.id = ${row}.member_id
     where ${beyond(key, search)} and ${search.work ?? isInState(row, search.status)} order by ${orderOf(key, search)} limit ${limit}::int`
}

function byIndex(table: MoneyTable, search: Search, { needle, own }: { readonly needle: string; readonly own: string }): Sql {
  const { row, from, words } = table
  const key = keyOf(table)
  return sql`
    with found as materialized (
      select ${row}.id from ${from} where ${isFound(own, words)}
      union
      select ${row}.id from member m join ${from} on ${row}.member_id = m.id where ${isFound(needle, MEMBER_WORDS)})
    select ${row}.id from ${from} where ${row}.id in (select id from found) and ${beyond(key, search)} and ${search.work ?? isInState(row, search.status)}
     order by ${orderOf(key, search)} limit ${search.limit + 1}::int`
}
