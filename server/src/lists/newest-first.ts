/** SQL for lists sorted by a row's instant and id, newest or oldest first: the cursor part of an instant, and the rows after a cursor. */
import { type Sql, sql } from '../db/sql.ts'
import type { Cursor } from './cursor.ts'

/** An instant as a cursor stores it: PostgreSQL's microseconds since 1970. */
export const microsOf = (instant: Sql): Sql => sql`(extract(epoch from ${instant}) * 1000000)::bigint::text`

type Ids = 'uuid' | 'text' | 'bigint'

/** Condition for the rows after a cursor; `at` and `id` are the list's sort columns. */
export function olderThan({ at, id }: { readonly at: Sql; readonly id: Sql }, after: Cursor | undefined, ids: Ids = 'uuid'): Sql {
  return after === undefined ? sql`true` : sql`(${at}, ${id}) < ${keyIn(after, ids)}`
}

function keyIn([micros, last]: Cursor, ids: Ids): Sql {
  const lastId = { uuid: sql`${last}::uuid`, text: sql`${last}::text`, bigint: sql`${last}::bigint` }[ids]
  return sql`('epoch'::timestamptz + ${micros}::bigint * interval '1 microsecond', ${lastId})`
}

type Key = { readonly at: Sql; readonly id: Sql }
type Sorted = { readonly after: Cursor | undefined; readonly order?: 'newest' | 'oldest' | undefined }

/** As `olderThan` in a list whose reader chooses the order. */
export function beyond(key: Key, { after, order }: Sorted, ids: Ids = 'uuid'): Sql {
  if (order !== 'oldest' || after === undefined) return olderThan(key, after, ids)
  return sql`(${key.at}, ${key.id}) > ${keyIn(after, ids)}`
}

export const orderOf = ({ at, id }: Key, { order }: Sorted): Sql => (order === 'oldest' ? sql`${at}, ${id}` : sql`${at} desc, ${id} desc`)
