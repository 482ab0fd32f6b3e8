/** Lists by the instant of a row and its id, newest first: the key of a row, and the rows beyond one. */
import { type Sql, sql } from '../db/sql.ts'
import type { Cursor } from './cursor.ts'

/** PostgreSQL's microseconds since 1970, as a cursor has them. */
export const microsOf = (instant: Sql): Sql => sql`(extract(epoch from ${instant}) * 1000000)::bigint::text`

/** Rows beyond a cursor; `at` and `id` are the list's own. */
export function olderThan(
  { at, id }: { readonly at: Sql; readonly id: Sql },
  after: Cursor | undefined,
  ids: 'uuid' | 'text' = 'uuid',
): Sql {
  const [micros, last] = after ?? []
  if (micros === undefined) return sql`true`
  const lastId = ids === 'uuid' ? sql`${last}::uuid` : sql`${last}::text`
  return sql`(${at}, ${id}) < ('epoch'::timestamptz + ${micros}::bigint * interval '1 microsecond', ${lastId})`
}
