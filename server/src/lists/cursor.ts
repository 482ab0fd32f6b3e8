/**
 * Page cursors: the sort key of the last row shown, opaque to the client.
 * - A list pages by its whole sort key, never by an offset: rows added or moved meanwhile neither repeat nor hide others.
 * - An altered cursor is refused as `cursor_invalid`; it never causes a fault.
 */
import { parseDay } from '@roz/core/ist-day.ts'
import { invalid, type Refusal } from '../http/route.ts'

export type Cursor = readonly string[]
export type CursorPart = (part: string) => boolean

export const writeCursor = (key: Cursor): string => Buffer.from(JSON.stringify(key)).toString('base64url')

type Page = { readonly ok: true; readonly after: Cursor | undefined; readonly limit: number }

/** Parses the requested page; `shapes` validates each part of this list's cursors. */
export function readPage(
  query: { readonly cursor?: string | undefined; readonly limit: number },
  shapes: readonly CursorPart[],
): Page | Refusal<'invalid_input'> {
  const { cursor, limit } = query
  if (cursor === undefined) return { ok: true, after: undefined, limit }
  const key = parseKey(cursor)
  const isOurs = key !== undefined && key.length === shapes.length && key.every((part, index) => shapes[index]?.(part))
  return isOurs ? { ok: true, after: key, limit } : invalid({ cursor: 'cursor_invalid' })
}

function parseKey(text: string): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    return Array.isArray(value) && value.every((part) => typeof part === 'string') ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Validators of the parts of cursors. `micros` is an instant in microseconds since 1970, in PostgreSQL's range. */
export const CURSOR_PARTS = {
  micros: (part) => /^\d{1,18}$/.test(part),
  id: (part) => /^\d{1,18}$/.test(part),
  uuid: (part) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(part),
  day: (part) => parseDay(part) !== undefined,
} as const satisfies Record<string, CursorPart>

const AT_ONCE = 1_000

/** Reads a list from its first row to its last; each read fetches one row more than the page, to see whether another page exists. */
export async function readWhole<Row>(
  read: (page: { readonly after: Cursor | undefined; readonly limit: number }) => Promise<readonly Row[]>,
  keyOf: (row: Row) => Cursor,
): Promise<Row[]> {
  return readPages<Row, Cursor>(async (after, limit) => {
    const rows = await read({ after, limit })
    const last = rows[limit - 1]
    return { rows: rows.slice(0, limit), next: rows.length > limit && last !== undefined ? keyOf(last) : undefined }
  })
}

/** Reads all pages; each page says where the next one starts. */
export async function readPages<Row, From>(
  read: (from: From | undefined, limit: number) => Promise<{ readonly rows: readonly Row[]; readonly next: From | undefined }>,
): Promise<Row[]> {
  const whole: Row[] = []
  for (let from: From | undefined; ; ) {
    const { rows, next } = await read(from, AT_ONCE)
    whole.push(...rows)
    if (next === undefined) return whole
    from = next
  }
}

/** Cuts a list that was read with one extra row: the extra row only shows that a next page exists. */
export function cutPage<T>(
  rows: readonly T[],
  limit: number,
  keyOf: (row: T) => Cursor,
): { readonly rows: readonly T[]; readonly nextCursor: string | null } {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return { rows: shown, nextCursor: rows.length > limit && last !== undefined ? writeCursor(keyOf(last)) : null }
}
