/**
 * A member's own parts of what was owed at a day's end, with their proofs (spec/protocol.md, chapters 13
 * and 14). Answered to the member alone. Invariant: found by the member's key; what is not theirs is
 * never shown, whatever stands in the pages.
 */
import type { Api } from '@roz/contract/api.ts'
import { hex } from '@roz/core/draw.ts'
import { type IstDay, parseDay } from '@roz/core/ist-day.ts'
import { type Db, maybeOne, sql } from '../../db/sql.ts'
import type { Answer } from '../../http/route.ts'
import { listMemberStates } from '../../ledger/day-books.ts'
import { NOT_FOUND } from '../../log-of-days/files.ts'
import { idOf, leafNode, leavesOf, type SumNode, sumPath } from '../../log-of-days/sum-tree.ts'
import type { TicketKeys } from '../../tickets/ticket-keys.ts'
import { partId } from './cutting.ts'
import { findBooks } from './day-file.ts'
import { listPageNodes } from './liabilities.ts'

type Own = {
  readonly amount: number
  readonly id: string
  readonly path: { readonly hash: string; readonly sum: number }[]
  readonly position: number
}
type Page = { readonly page: number; readonly leaves: Buffer; readonly before: number }

export async function findOwnParts(
  { db, ticketKeys }: { readonly db: Db; readonly ticketKeys: TicketKeys },
  memberId: bigint,
  dayText: string,
): Promise<Answer<Api['userLiabilities']>> {
  const day = parseDay(dayText)
  const books = day === undefined ? undefined : await findBooks(db, day)
  if (day === undefined || books === undefined) return NOT_FOUND
  const [state] = await listMemberStates(db, day, memberId - 1n, 1)
  if (state === undefined || state.memberId !== memberId) return NOT_FOUND
  const [balance, held] = [Number(state.balance), Number(state.held)]
  const parts = await findParts({ db, ticketKeys }, memberId, day, balance + held)
  return { ok: true, value: { ...books.liabilities, balance, count: books.liabilities.count, day, held, parts } }
}

async function findParts(
  { db, ticketKeys }: { readonly db: Db; readonly ticketKeys: TicketKeys },
  memberId: bigint,
  day: IstDay,
  owed: number,
): Promise<Own[]> {
  const [own] = await ticketKeys.listFor(db, [memberId], day)
  if (own === undefined || owed === 0) return []
  const pages = await listPageNodes(db, day)
  const parts: Own[] = []
  // How many there are was left to chance: what is owed ends the search, or the first id that is nowhere.
  for (let rest = owed; rest > 0; ) {
    const part = await findPart(db, day, partId(own.key, day, parts.length), pages)
    if (part === undefined) break
    parts.push(part)
    rest -= part.amount
  }
  return parts
}

async function findPart(db: Db, day: IstDay, id: Buffer, pages: readonly SumNode[]): Promise<Own | undefined> {
  const page = await maybeOne<Page>(
    db,
    sql`select p.page, p.leaves, (select coalesce(sum(octet_length(leaves) / 40), 0)::float8 from liability_page b where b.day = p.day and b.page < p.page) as before
          from liability_page p where p.day = ${day}::date and p.first_id <= ${id}::bytea order by p.first_id desc limit 1`,
  )
  if (page === undefined) return undefined
  const leaves = leavesOf(page.leaves)
  const index = leaves.findIndex((leaf) => id.equals(idOf(leaf)))
  if (index < 0) return undefined
  const nodes = leaves.map(leafNode)
  const path = [...sumPath(nodes, index), ...sumPath(pages, page.page)].map(({ hash, sum }) => ({ hash: hex(hash), sum }))
  return { amount: (nodes[index] as SumNode).sum, id: id.toString('hex'), path, position: page.before + index }
}
