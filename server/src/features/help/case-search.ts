/**
 * The search of requests for help `c`, by number and district, in the list's order.
 * - The words of a request take 20 µs to fold: of 100,000 that is two seconds.
 * - A common word fills a page from the first requests. Any other word's requests are named by the index of pieces, sorted, and folded
 *   until the page is full.
 */
import { line } from '@roz/core/written.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { hasPieces, matches, plainNeedle } from '../../members/member-search.ts'

const WORDS = sql`folded_words(c.number, '', c.district)`
/** The number of requests that are searched for a word before its index is. */
const FIRST_LOOK = 300

/** One row more than `limit` when there is a next page. `listOf` reads the list `among` some requests, and of these what was `found`. */
export async function searchCases<R>(q: string | undefined, limit: number, listOf: (among: Sql, found: Sql) => Promise<R[]>): Promise<R[]> {
  const text = line((q ?? '').replace(/^#/, ''))
  if (text === '') return listOf(sql``, sql`true`)
  const needle = plainNeedle(text)
  const found = matches(needle, WORDS)
  const first = await listOf(sql`order by rank, c.asked_at, c.number limit ${FIRST_LOOK}::int`, found)
  if (first.length > limit) return first
  return listOf(sql`and ${hasPieces(needle, WORDS)} order by rank, c.asked_at, c.number offset 0`, found)
}
