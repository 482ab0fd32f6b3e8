/** Finds the member that an administrator's call names. Staff and erased accounts are not members. */
import { type Queryable, sql } from '../../db/sql.ts'
import { CURSOR_PARTS } from '../../lists/cursor.ts'

export const MEMBER_NOT_FOUND = { ok: false, code: 'member_not_found' } as const

/** The number of a member by the id outside; undefined if there is none. */
export async function findMemberId(from: Queryable, publicId: string): Promise<bigint | undefined> {
  if (!CURSOR_PARTS.uuid(publicId)) return undefined
  const row = await from.maybeOne<{ id: bigint }>(
    sql`select id from member where public_id = ${publicId}::uuid and role = 'member' and deleted_at is null`,
  )
  return row?.id
}
