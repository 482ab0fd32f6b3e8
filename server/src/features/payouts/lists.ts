/** What the administrator's lists share: paging by instant and id, and searching plain text. */
import { type Sql, sql } from '../../db/sql.ts'
import { CURSOR_PARTS, type Cursor, type CursorPart, cutPage, readPage } from '../../http/cursor.ts'
import type { Refusal } from '../../http/route.ts'

/** What a list is narrowed to, and which page of it. */
export type Search = {
  readonly status: string | undefined
  readonly q: string | undefined
  readonly after: Cursor | undefined
  readonly limit: number
}

/** Matches anything that contains the text, and everything without one. */
export const likePattern = (q: string | undefined): string => `%${(q ?? '').trim().replace(/[\\%_]/g, '\\$&')}%`

/** Rows beyond a cursor of microseconds and uuid; `key` is the list's own sort key. */
export function olderThan(key: Sql, after: Cursor | undefined): Sql {
  const [at, id] = after ?? []
  return at === undefined ? sql`true` : sql`${key} < ('epoch'::timestamptz + ${at}::bigint * interval '1 microsecond', ${id}::uuid)`
}

type Shown<T> = { readonly ok: true; readonly rows: readonly T[]; readonly nextCursor: string | null } | Refusal<'invalid_input'>
type Read<T> = (page: {
  readonly after: Cursor | undefined
  readonly limit: number
}) => Promise<readonly { readonly shown: T; readonly key: Cursor }[]>

/** One page of a list that is read with one row more than asked. */
export async function pageOf<T>(
  query: { readonly cursor?: string | undefined; readonly limit: number },
  read: Read<T>,
  shapes: readonly CursorPart[] = [CURSOR_PARTS.micros, CURSOR_PARTS.uuid],
): Promise<Shown<T>> {
  const asked = readPage(query, shapes)
  if (!asked.ok) return asked
  const { rows, nextCursor } = cutPage(await read(asked), asked.limit, (row) => row.key)
  return { ok: true, rows: rows.map((row) => row.shown), nextCursor }
}
