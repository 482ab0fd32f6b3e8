/** The portal's day: the to-do list, figures over time, and every round. */
import type { Db } from '../../db/sql.ts'
import { CURSOR_PARTS, cutPage, readPage } from '../../lists/cursor.ts'
import type { Handlers } from '../../http/route.ts'
import { countDays } from '../../members/member-days.ts'
import { exportList } from '../../staff/exported-list.ts'
import { readDeskFigures } from './figures.ts'
import { listRounds, ROUND_COLUMNS_CSV, roundOf } from './round-list.ts'
import { readTodo } from './todo.ts'

type Names = 'adminTodo' | 'adminFigures' | 'adminRounds' | 'adminRoundsCsv'

type DeskDeps = { readonly db: Db; readonly payoutsByHand: boolean; readonly byTransfer?: boolean }

export function createDesk({ db, payoutsByHand, byTransfer = false }: DeskDeps) {
  const handlers: Handlers<Names> = {
    adminTodo: async ({ session }) => ({ ok: true, value: { todo: await readTodo(db, { viewer: session, payoutsByHand, byTransfer }) } }),
    adminFigures: async ({ query }) => ({ ok: true, value: { figures: await readDeskFigures(db, Number(query.days)) } }),
    adminRounds: async ({ query }) => {
      const page = readPage(query, [CURSOR_PARTS.day])
      if (!page.ok) return page
      const { rows, nextCursor } = cutPage(await listRounds(db, { ...query, ...page }), page.limit, (row) => [row.day])
      return { ok: true, value: { rounds: rows.map(roundOf), nextCursor } }
    },
    adminRoundsCsv: (call) =>
      exportList(db, call, {
        name: 'rounds',
        read: async (page) => (await listRounds(db, { ...call.query, ...page })).map((row) => ({ shown: roundOf(row), key: [row.day] })),
        columns: ROUND_COLUMNS_CSV,
      }),
  }
  return { handlers, due: (): Promise<boolean> => countDays(db) }
}
