/** Shared by the administrators' lists: search for plain text, instants, and pages of rows with their keys. */
import { isoIst } from '@roz/core/ist-day.ts'
import type { Sql } from '../db/sql.ts'
import { CURSOR_PARTS, type Cursor, type CursorPart, cutPage, readPage } from './cursor.ts'
import type { Refusal } from '../http/route.ts'

/** The filter of a list, and the page of it. */
export type Search = {
  readonly order?: 'newest' | 'oldest' | undefined
  readonly status: string | undefined
  /** Instead of a state, the condition of what waits for the team. */
  readonly work?: Sql | undefined
  readonly q: string | undefined
  readonly after: Cursor | undefined
  readonly limit: number
}

/** Matches everything that contains the text, and everything when the text is empty. */
export const likePattern = (q: string | undefined): string => `%${(q ?? '').trim().replace(/[\\%_]/g, '\\$&')}%`

export const instantOf = (at: Date): string => isoIst(at.getTime())
export const instantOrNull = (at: Date | null): string | null => (at === null ? null : instantOf(at))

type Shown<T> = { readonly ok: true; readonly rows: readonly T[]; readonly nextCursor: string | null } | Refusal<'invalid_input'>
type Read<T> = (page: {
  readonly after: Cursor | undefined
  readonly limit: number
}) => Promise<readonly { readonly shown: T; readonly key: Cursor }[]>

/** One page of a list; `read` returns one row more than `limit`. */
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
