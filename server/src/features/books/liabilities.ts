/**
 * Cuts, sorts and seals a day's liabilities to members, page by page.
 *
 * - A run that was stopped continues where it was: a page of members and its parts are written together, and so are
 *   a page of leaves and its position.
 * - Memory holds no more than a page.
 * - The caller compares the sum with the books.
 */
import { u64 } from '@roz/core/draw.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { maybeOne, one, type Queryable, sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import { listMemberStates, type MemberState, readForeignRefunds } from '../../ledger/day-books.ts'
import { BooksHeldError, writeCover } from '../../ledger/held-books.ts'
import {
  idOf,
  LEAF_BYTES,
  leafNode,
  leavesOf,
  NODE_BYTES,
  nodeBytes,
  nodeOf,
  type SumNode,
  sumRoot,
} from '../../transparency-log/sum-tree.ts'
import type { TicketKeys } from '../../tickets/ticket-keys.ts'
import { type Part, partsOf } from './cutting.ts'

/** Leaves of a page: a power of two, so that a page is a complete subtree. */
export const LEAVES_PAGE = 4_096
/** Leaves of a group within a page, also a power of two: the unit that is read and hashed to prove one leaf. */
export const LEAVES_GROUP = 128
/** A group's entry: its first id and its node. */
export const GROUP_BYTES = 32 + NODE_BYTES
const MEMBERS_PAGE = 2_000

type Run = {
  /** The run has no row in the database yet. */
  readonly isNew: boolean
  readonly lastMember: bigint
  readonly isCut: boolean
  readonly pages: number
  readonly lastId: Buffer
  readonly count: number
}
const NEW_RUN: Run = { isNew: true, lastMember: 0n, isCut: false, pages: 0, lastId: Buffer.alloc(0), count: 0 }
export type Liabilities = { readonly count: number; readonly root: Uint8Array; readonly total: number }
export type RunOptions = { readonly membersPage?: number; readonly leavesPage?: number; readonly portionMs?: number }
type Work = { readonly ticketKeys: TicketKeys; readonly day: IstDay; readonly options: RunOptions; readonly covers: boolean }

/** Does one portion in this transaction; returns the liabilities once all of them are sealed. */
export async function stepLiabilities(tx: Tx, work: Work): Promise<Liabilities | undefined> {
  const { day, options } = work
  const run =
    (await maybeOne<Run>(
      tx,
      sql`select false as "isNew", last_member as "lastMember", is_cut as "isCut", pages, last_id as "lastId", count::float8 as count
            from liability_run where day = ${day}::date for update`,
    )) ?? NEW_RUN
  const leavesPage = options.leavesPage ?? LEAVES_PAGE
  if (run.isCut) {
    const isSealed = await sealPage(tx, day, run, leavesPage)
    return isSealed ? readSealed(tx, day) : undefined
  }
  const limit = options.membersPage ?? MEMBERS_PAGE
  const { parts, last, isLast } = await cutMembers(tx, work, run.lastMember, limit)
  // A community that fits in one page is sorted here, not in the database.
  if (isLast && run.isNew) return sealAtOnce(tx, day, parts, leavesPage)
  await keep(tx, day, parts)
  await tx.query(sql`
    insert into liability_run (day, last_member, is_cut) values (${day}::date, ${last}::bigint, ${isLast}::boolean)
    on conflict (day) do update set last_member = excluded.last_member, is_cut = excluded.is_cut`)
  return undefined
}

async function cutMembers(tx: Tx, { ticketKeys, day, covers }: Work, after: bigint, limit: number) {
  const states = await listMemberStates(tx, day, after, limit)
  const short = states.filter(({ balance, held }) => balance + held < 0n)
  if (short[0] !== undefined && !covers) throw belowNothing(day, short[0])
  for (const { memberId, balance, held } of short) await writeCover(tx, day, { account: 'MEMBERS', memberId, amount: -(balance + held) })
  const owed = states.filter(({ balance, held }) => balance + held > 0n)
  const members = owed.map(({ memberId }) => memberId)
  const found = members.length === 0 ? [] : await ticketKeys.listFor(tx, members, day)
  const keys = new Map(found.map(({ memberId, key }) => [memberId, key]))
  const isLast = states.length < limit
  const foreign = isLast ? await readForeignRefunds(tx, day) : 0n
  const parts = [
    ...owed.flatMap(({ memberId, balance, held }) => partsOf(Number(balance + held), day, keys.get(memberId))),
    ...partsOf(Number(foreign), day, undefined),
  ]
  return { parts, isLast, last: states.at(-1)?.memberId ?? after }
}

const belowNothing = (day: IstDay, { memberId, balance, held }: MemberState): BooksHeldError =>
  new BooksHeldError(`member ${memberId} has ${balance + held} paise at the end of ${day}`, memberId)

async function keep(tx: Tx, day: IstDay, parts: readonly Part[]): Promise<void> {
  if (parts.length === 0) return
  await tx.query(sql`
    insert into liability_part (day, id, amount)
    select ${day}::date, id, amount from unnest(${parts.map(({ id }) => id)}::bytea[], ${parts.map(({ amount }) => amount)}::bigint[]) as p(id, amount)`)
}

/** Sorts, seals and writes all parts of a small community. */
async function sealAtOnce(tx: Tx, day: IstDay, parts: readonly Part[], limit: number): Promise<Liabilities> {
  const leaves = parts.toSorted((left, right) => left.id.compare(right.id)).map(({ id, amount }) => Buffer.concat([id, u64(amount)]))
  const nodes: SumNode[] = []
  for (let from = 0; from < leaves.length; from += limit) {
    nodes.push(await writePage(tx, day, { page: nodes.length, from }, Buffer.concat(leaves.slice(from, from + limit))))
  }
  const { hash, sum } = sumRoot(nodes)
  return { count: leaves.length, root: hash, total: sum }
}

type Place = { readonly page: number; readonly from: number }

async function writePage(tx: Tx, day: IstDay, { page, from }: Place, leaves: Buffer): Promise<SumNode> {
  const nodes = leavesOf(leaves).map(leafNode)
  const roots: SumNode[] = []
  const groups: Uint8Array[] = []
  for (let at = 0; at < nodes.length; at += LEAVES_GROUP) {
    const root = sumRoot(nodes.slice(at, at + LEAVES_GROUP))
    roots.push(root)
    groups.push(idOf(leaves.subarray(at * LEAF_BYTES)), nodeBytes(root))
  }
  const node = sumRoot(roots)
  await tx.query(sql`
    insert into liability_page (day, page, first_id, first_position, leaves, groups, hash, total)
    values (${day}::date, ${page}::int, ${Buffer.from(idOf(leaves))}::bytea, ${from}::bigint, ${leaves}::bytea, ${Buffer.concat(groups)}::bytea,
            ${Buffer.from(node.hash)}::bytea, ${node.sum}::bigint)`)
  return node
}

/** Writes the next page of leaves, ascending by id; true when no parts remain. */
async function sealPage(tx: Tx, day: IstDay, run: Run, limit: number): Promise<boolean> {
  const { leaves } = await one<{ leaves: Buffer | null }>(
    tx,
    sql`select string_agg(id || int8send(amount), '' order by id) as leaves
          from (select id, amount from liability_part where day = ${day}::date and id > ${run.lastId}::bytea order by id limit ${limit}::int) page`,
  )
  if (leaves === null) return true
  await writePage(tx, day, { page: run.pages, from: run.count }, leaves)
  const lastId = Buffer.from(idOf(leaves.subarray(leaves.length - LEAF_BYTES)))
  await tx.query(sql`
    update liability_run set pages = pages + 1, last_id = ${lastId}::bytea, count = count + ${leaves.length / LEAF_BYTES}::bigint where day = ${day}::date`)
  return leaves.length / LEAF_BYTES < limit
}

/** The nodes of a day's pages in order, and the number of leaves in each page but the last. */
export type DayNodes = { readonly nodes: readonly SumNode[]; readonly pageLeaves: number }

export async function readDayNodes(from: Queryable, day: IstDay, count: number): Promise<DayNodes> {
  const { bytes, pageLeaves } = await one<{ bytes: Buffer; pageLeaves: number | null }>(
    from,
    sql`select coalesce(string_agg(hash || int8send(total), ''::bytea order by page), '') as bytes,
               (max(first_position) filter (where page = 1))::float8 as "pageLeaves"
          from liability_page where day = ${day}::date`,
  )
  const nodes = Array.from({ length: bytes.length / NODE_BYTES }, (_, page) => nodeOf(bytes.subarray(page * NODE_BYTES)))
  return { nodes, pageLeaves: pageLeaves ?? count }
}

async function readSealed(tx: Tx, day: IstDay): Promise<Liabilities> {
  const { count } = await one<{ count: number }>(tx, sql`select count::float8 as count from liability_run where day = ${day}::date`)
  const { hash, sum } = sumRoot((await readDayNodes(tx, day, count)).nodes)
  return { count, root: hash, total: sum }
}

/** Deletes the working rows of finished days, at most 20,000 a call; false when none is left. */
export async function forgetParts(from: Queryable): Promise<boolean> {
  const finished = await maybeOne<{ day: IstDay }>(
    from,
    sql`select r.day from liability_run r join books_day b using (day) order by r.day limit 1`,
  )
  if (finished === undefined) return false
  const gone = await from.query(sql`
    delete from liability_part where (day, id) in (
      select day, id from liability_part where day = ${finished.day}::date limit 20000) returning day`)
  if (gone.length === 0) await from.query(sql`delete from liability_run where day = ${finished.day}::date`)
  return true
}
