/**
 * What administrators see of members and decide about them.
 *
 * - Every decision is written to the audit log in its own transaction, with its reason.
 * - A hold ends once.
 * - Whoever fetches the list of members as a table is recorded.
 */
import { isoIst } from '@roz/core/ist-day.ts'
import { type Db, maybeOne, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { csvRows } from '../../http/csv-rows.ts'
import { CURSOR_PARTS, cutPage, readPage } from '../../http/cursor.ts'
import type { Handlers } from '../../http/route.ts'
import { audit } from '../../staff/audit-log.ts'
import { CSV_COLUMNS, csvCellsOf, cursorOf, cursorShapeOf, listedOf, listMembers, readSortedAt } from './member-list.ts'
import { createSortFigures } from './sort-figures.ts'

export type MemberCareDeps = { readonly db: Db }

export function createMemberCare({ db }: MemberCareDeps) {
  const handlers: Handlers<'adminUsers' | 'adminUsersCsv' | 'releaseUser'> = {
    adminUsers: async ({ query }) => {
      const { q, sort, status } = query
      const page = readPage(query, cursorShapeOf(sort))
      if (!page.ok) return page
      const found = await listMembers(db, { q, sort, status, after: page.after, limit: page.limit })
      const { rows, nextCursor } = cutPage(found, page.limit, (row) => cursorOf(sort, row))
      const sortedAt = sort === 'newest' ? null : await readSortedAt(db)
      return { ok: true, value: { users: rows.map(listedOf), sortedAt, nextCursor } }
    },
    adminUsersCsv: async ({ session, query }) => {
      const { q, sort, status } = query
      await inTransaction(db, (tx) =>
        audit(tx, { actorId: session.memberId, action: 'member.export_list', subject: 'members', after: { q, sort, status } }),
      )
      const rows = csvRows(
        (page) => listMembers(db, { q, sort, status, ...page }),
        (row) => cursorOf(sort, row),
        (row) => csvCellsOf(listedOf(row)),
      )
      return { ok: true, value: { columns: CSV_COLUMNS, rows } }
    },
    releaseUser: ({ session, params: { id }, body }) =>
      inTransaction(db, (tx) => release(tx, { actorId: session.memberId, id, reason: body.reason })),
  }
  return { handlers, due: createSortFigures({ db }) }
}

async function release(tx: Tx, asked: { readonly actorId: bigint; readonly id: string; readonly reason: string }) {
  const { actorId, id, reason } = asked
  const held = CURSOR_PARTS.uuid(id)
    ? await maybeOne<{ id: bigint; at: Date | null; about: string | null }>(
        tx,
        sql`select id, held_at as at, held_about as about from member
            where public_id = ${id}::uuid and role = 'member' and deleted_at is null for no key update`,
      )
    : undefined
  if (held === undefined) return { ok: false, code: 'member_not_found' } as const
  if (held.at === null) return { ok: false, code: 'not_held' } as const
  await tx.query(sql`update member set held_at = null, held_about = null where id = ${held.id}::bigint`)
  const before = { heldAt: isoIst(held.at.getTime()), about: held.about }
  await audit(tx, { actorId, action: 'member.release', subject: `member:${held.id}`, before, after: { reason } })
  return { ok: true, value: { id } } as const
}
