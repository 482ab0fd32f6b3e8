/**
 * Page cursors: the sort key of the last row shown, opaque to the client. Invariant: a list pages by
 * its whole sort key, never by an offset, so that rows added or moved meanwhile neither repeat nor
 * hide others. A cursor of ours that was altered is refused as `cursor_invalid`, never a fault.
 */
import { parseDay } from '@roz/core/ist-day.ts'

export type Cursor = readonly string[]
export type CursorPart = (part: string) => boolean

export const writeCursor = (key: Cursor): string => Buffer.from(JSON.stringify(key)).toString('base64url')

/** The parts of a cursor, or undefined when it is none of this list's: `shapes` tells each part apart. */
export function readCursor(text: string, shapes: readonly CursorPart[]): Cursor | undefined {
  const key = parseKey(text)
  if (key === undefined || key.length !== shapes.length) return undefined
  return key.every((part, index) => shapes[index]?.(part)) ? key : undefined
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

/** Parts that cursors are made of. An instant is PostgreSQL's count of microseconds since 1970. */
export const CURSOR_PARTS = {
  micros: (part) => /^-?\d{1,18}$/.test(part),
  id: (part) => /^\d{1,18}$/.test(part),
  uuid: (part) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(part),
  // PostgreSQL knows no year 0.
  day: (part) => parseDay(part) !== undefined && part > '1900',
} as const satisfies Record<string, CursorPart>

/** Cuts a list that was read with one row more than asked: that row only says that a next page exists. */
export function cutPage<T>(
  rows: readonly T[],
  limit: number,
  keyOf: (row: T) => Cursor,
): { readonly rows: readonly T[]; readonly nextCursor: string | null } {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return { rows: shown, nextCursor: rows.length > limit && last !== undefined ? writeCursor(keyOf(last)) : null }
}
