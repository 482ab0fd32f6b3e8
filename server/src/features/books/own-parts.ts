/**
 * Answers a member's own parts of a day's liabilities, with their proof up to the newest checkpoint (spec/protocol.md, chapters 13 and 14).
 *
 * - Parts are found by the member's ticket key, so another member's parts are never shown, whatever the pages contain.
 * - Of a page only the groups of 128 leaves that contain a part are read.
 * - A large balance takes several answers.
 */
import type { Api, Input } from '@roz/contract/api.ts'
import type { BooksRecord } from '@roz/core/draw-records.ts'
import { type IstDay, parseDay } from '@roz/core/ist-day.ts'
import { type Db, sql } from '../../db/sql.ts'
import type { Answer } from '../../http/route.ts'
import { findMemberState } from '../../ledger/member-state.ts'
import { FILE_NOT_FOUND } from '../../transparency-log/published-file.ts'
import type { LogProofs } from '../../transparency-log/log-tree.ts'
import {
  ID_BYTES,
  idOf,
  LEAF_BYTES,
  leafNode,
  leavesOf,
  nodeBytes,
  nodeOf,
  type SumNode,
  sumProof,
  sumRoot,
} from '../../transparency-log/sum-tree.ts'
import type { TicketKeys } from '../../tickets/ticket-keys.ts'
import { partId } from './cutting.ts'
import { findBooks } from './day-file.ts'
import { type DayNodes, PART_GROUP_BYTES, LEAVES_GROUP, readDayNodes } from './liabilities.ts'

type Deps = { readonly db: Db; readonly ticketKeys: TicketKeys; readonly proofs: LogProofs }
type Call = Pick<Input<Api['userLiabilities']>, 'params' | 'query'>
/** How many parts the first look-up asks for. */
const FIRST_LOOK = 8
/** A page without its leaves: its number, its first position, and the nodes of its groups. */
type Page = { readonly page: number; readonly from: number; readonly nodes: readonly SumNode[] }
/** A part and its place: its page, its group in the page, and all leaves of that group. */
type Found = { readonly page: Page; readonly group: number; readonly leaves: readonly Buffer[]; readonly index: number }

export async function findOwnParts(deps: Deps, memberId: bigint, { params, query }: Call): Promise<Answer<Api['userLiabilities']>> {
  const { db } = deps
  const day = parseDay(params.day)
  const books = day === undefined ? undefined : await findBooks(db, day)
  if (day === undefined || books === undefined) return FILE_NOT_FOUND
  const state = await findMemberState(db, day, memberId)
  if (state === undefined) return FILE_NOT_FOUND
  // A wallet below zero is covered by the platform (`cover`): the member is owed nothing.
  const { balance, held } = state.balance + state.held < 0n ? { balance: 0n, held: 0n } : state
  const { count, root, total } = books.liabilities
  // One part more than is shown tells whether more exist.
  const found = await findParts(deps, memberId, day, { from: query.from, limit: query.limit + 1 })
  const shown = found.slice(0, query.limit)
  const nodes = shown.length === 0 ? [] : proofOf(shown, await readDayNodes(db, day, count), count)
  const logged = await deps.proofs.ofRecord<BooksRecord>(day, 'books')
  return {
    ok: true,
    value: {
      balance: Number(balance),
      count,
      day,
      held: Number(held),
      next: found.length > shown.length ? query.from + shown.length : null,
      nodes: Buffer.concat(nodes.map(nodeBytes)).toString('base64'),
      parts: shown.map((part) => ({ amount: leafNode(part.leaves[part.index] as Buffer).sum, position: positionOf(part) })),
      proof: logged === undefined ? null : { books: logged.proven, checkpoint: logged.checkpoint },
      root,
      total,
    },
  }
}

const positionOf = ({ page, group, index }: Found): number => page.from + group * LEAVES_GROUP + index

/** Finds the member's parts from number `from` on, up to the first missing one. Look-ups double from 8: most members have few parts. */
async function findParts(
  { db, ticketKeys }: Deps,
  memberId: bigint,
  day: IstDay,
  { from, limit }: { readonly from: number; readonly limit: number },
): Promise<Found[]> {
  const [own] = await ticketKeys.listFor(db, [memberId], day)
  const found: Found[] = []
  for (let size = FIRST_LOOK; own !== undefined && found.length < limit; size *= 2) {
    const count = Math.min(size, limit - found.length)
    const ids = Array.from({ length: count }, (_, n) => partId(own.key, day, from + found.length + n))
    const some = await findSome(db, day, ids)
    found.push(...some)
    if (some.length < count) break
  }
  return found
}

async function findSome(db: Db, day: IstDay, ids: readonly Buffer[]): Promise<Found[]> {
  const places = await findGroups(db, day, ids)
  // Reads only these groups, in the order of `places`.
  const slices = await db.query<{ slice: Buffer }>(sql`
    select substring(p.leaves from w.start + 1 for ${LEAVES_GROUP * LEAF_BYTES}::int) as slice
      from unnest(${places.map(({ page }) => page.page)}::int[], ${places.map(({ group }) => group * LEAVES_GROUP * LEAF_BYTES)}::int[])
           with ordinality as w(page, start, rank)
      join liability_page p on p.day = ${day}::date and p.page = w.page order by w.rank`)
  const found: Found[] = []
  for (const [n, { id, page, group }] of places.entries()) {
    const leaves = leavesOf(slices[n]?.slice ?? Buffer.alloc(0))
    const index = leaves.findIndex((leaf) => id.equals(idOf(leaf)))
    if (index < 0) break
    found.push({ page, group, leaves, index })
  }
  return found
}

/** For each id, the page and group that would contain it; stops at the first id below all pages. */
async function findGroups(db: Db, day: IstDay, ids: readonly Buffer[]) {
  const pages = await db.query<{ page: number | null; from: number; groups: Buffer }>(sql`
    select p.page, p.first_position::float8 as from, p.groups
      from unnest(${ids}::bytea[]) with ordinality as w(id, rank) left join lateral (
        select page, first_position, groups from liability_page where day = ${day}::date and first_id <= w.id order by first_id desc limit 1) p on true
     order by w.rank`)
  const places: { readonly id: Buffer; readonly page: Page; readonly group: number }[] = []
  for (const [n, { page, from, groups }] of pages.entries()) {
    const id = ids[n] as Buffer
    if (page === null) break
    const nodes: SumNode[] = []
    let group = -1
    for (let at = 0; at < groups.length; at += PART_GROUP_BYTES) {
      if (groups.compare(id, 0, ID_BYTES, at, at + ID_BYTES) <= 0) group = nodes.length
      nodes.push(nodeOf(groups.subarray(at + ID_BYTES)))
    }
    places.push({ id, page: { page, from, nodes }, group })
  }
  return places
}

/**
 * Proves the shown parts. Nodes of whole pages are made from page nodes, nodes inside a page from its groups, nodes inside
 * a group from its leaves. `sumProof` asks only for siblings of shown parts, so their page and group have been read.
 */
function proofOf(shown: readonly Found[], { nodes, pageLeaves }: DayNodes, count: number): SumNode[] {
  const rootOf = (from: number, to: number): SumNode => {
    if (isWhole(from, to, pageLeaves, count)) return sumRoot(nodes.slice(from / pageLeaves, Math.ceil(to / pageLeaves)))
    const page = Math.floor(from / pageLeaves)
    const start = page * pageLeaves
    const beside = shown.filter((part) => part.page.page === page)
    if (isWhole(from - start, to - start, LEAVES_GROUP, Math.min(pageLeaves, count - start)))
      return sumRoot((beside[0] as Found).page.nodes.slice((from - start) / LEAVES_GROUP, Math.ceil((to - start) / LEAVES_GROUP)))
    const group = Math.floor((from - start) / LEAVES_GROUP)
    const first = start + group * LEAVES_GROUP
    const { leaves } = beside.find((part) => part.group === group) as Found
    return sumRoot(leaves.slice(from - first, to - first).map(leafNode))
  }
  return sumProof(rootOf, shown.map(positionOf), count)
}

/** Whether a range consists of whole pieces; the very last piece may be shorter. */
const isWhole = (from: number, to: number, piece: number, count: number): boolean =>
  from % piece === 0 && (to - from >= piece || to === count)
