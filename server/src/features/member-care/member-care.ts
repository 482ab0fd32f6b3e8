/**
 * Administrators' views of members, and their decisions about them.
 *
 * - The staff log records each download of the list of members.
 */
import { cutPage, readPage } from '../../lists/cursor.ts'
import type { Handlers } from '../../http/route.ts'
import { forgetOldMails } from '../../mail/mail-log.ts'
import { exportList, noteRead } from '../../staff/exported-list.ts'
import { CSV_COLUMNS, cursorOf, cursorShapeOf, listedOf, listMembers, readSortedAt } from './member-list.ts'
import { type PageCalls, type PageDeps, pageHandlers } from './member-page.ts'
import { reviewHandlers } from './review.ts'
import { createSortFigures } from './sort-figures.ts'
import { type StandingCalls, standingHandlers } from './account-decisions.ts'

type MemberCareDeps = PageDeps
type CareCalls = 'adminUsers' | 'adminUsersCsv' | StandingCalls | PageCalls | 'flags' | 'flagsCsv' | 'reviewFlag'

const SWEEP_MS = 3_600_000

export function createMemberCare(deps: MemberCareDeps) {
  const { db } = deps
  const sortFigures = createSortFigures({ db })
  let sweptAtMs = Number.NEGATIVE_INFINITY
  const handlers: Handlers<CareCalls> = {
    adminUsers: async (call) => {
      const { query } = call
      const { q, sort, status } = query
      const page = readPage(query, cursorShapeOf(sort))
      if (!page.ok) return page
      const found = await listMembers(db, { q, sort, status, after: page.after, limit: page.limit })
      const { rows, nextCursor } = cutPage(found, page.limit, (row) => cursorOf(sort, row))
      await noteRead(db, call, { name: 'members', rows: rows.length })
      const sortedAt = sort === 'newest' ? null : await readSortedAt(db)
      return { ok: true, value: { users: rows.map(listedOf), sortedAt, nextCursor } }
    },
    adminUsersCsv: (call) => {
      const { q, sort, status } = call.query
      return exportList(db, call, {
        name: 'members',
        action: 'member.export_list',
        read: async (page) =>
          (await listMembers(db, { q, sort, status, ...page })).map((row) => ({ shown: listedOf(row), key: cursorOf(sort, row) })),
        columns: CSV_COLUMNS,
      })
    },
    ...standingHandlers(db),
    ...pageHandlers(deps),
    ...reviewHandlers(db),
  }
  return {
    handlers,
    sweeps: [
      sortFigures,
      async (now: Date): Promise<boolean> => {
        if (Math.abs(now.getTime() - sweptAtMs) < SWEEP_MS) return false
        sweptAtMs = now.getTime()
        await forgetOldMails(db)
        return false
      },
    ],
  }
}
