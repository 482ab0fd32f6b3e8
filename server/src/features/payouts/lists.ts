/** Shared by the administrator's lists: pages, search for plain text, and the member of a row. */
import { isoIst } from '@roz/core/ist-day.ts'
import { type Paise, rupeesFromPaise } from '@roz/core/money.ts'
import { sql } from '../../db/sql.ts'
import { CURSOR_PARTS, type Cursor, type CursorPart, cutPage, readPage } from '../../http/cursor.ts'
import type { Refusal } from '../../http/route.ts'
import { owedOf } from '../../ledger/debts.ts'

/** The filter of a list, and the page of it. */
export type Search = {
  readonly status: string | undefined
  readonly q: string | undefined
  readonly after: Cursor | undefined
  readonly limit: number
}

/** Matches everything that contains the text, and everything when the text is empty. */
export const likePattern = (q: string | undefined): string => `%${(q ?? '').trim().replace(/[\\%_]/g, '\\$&')}%`

/** The member of a row, if it has one, joined as `m`. */
export const payeeColumns = sql`m.public_id as "memberPublicId", m.name as "memberName", m.email as "memberEmail"`
export type PayeeRow = {
  readonly memberPublicId: string | null
  readonly memberName: string | null
  readonly memberEmail: string | null
}
export const payeeOf = ({ memberPublicId, memberName, memberEmail }: PayeeRow) =>
  memberPublicId === null ? null : { id: memberPublicId, name: memberName ?? '', email: memberEmail }
/** The flags and debt of the member joined as `m`, to inform a decision. */
export const suspectColumns = sql`
  array(select distinct f.kind from member_flag f where f.member_id = m.id order by f.kind) as "memberFlags", ${owedOf(sql`m.id`)} as owed`
export type SuspectRow = { readonly memberFlags: readonly string[]; readonly owed: Paise }
export const suspectOf = ({ memberFlags, owed }: SuspectRow) => ({
  memberFlags: owed > 0n ? ['debt', ...memberFlags] : [...memberFlags],
  owed: rupeesFromPaise(owed),
})

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
