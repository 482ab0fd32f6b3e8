/**
 * Cuts, sorts and seals a day's liabilities to members, page by page.
 *
 * - An interrupted run resumes. A portion of members and its parts are committed together, and so are pages of leaves and their
 *   position.
 * - Until they are sealed, the parts are stored in buckets by the first byte of their id. One bucket after the other is sorted,
 *   so at most two of the 256 are in memory.
 * - The caller compares the sum with the books.
 */
import { u64 } from '@roz/core/draw.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Queryable, sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import { listMemberStates, type MemberState, readForeignRefunds } from '../../ledger/day-books.ts'
import { BooksHeldError, writeCover } from '../../ledger/held-books.ts'
import { findWalletPage } from '../../ledger/wallets.ts'
import {
  ID_BYTES,
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
import { sortLeaves } from './sorting.ts'

/** Leaves of a page: a power of two, so that a page is a complete subtree. */
export const LEAVES_PAGE = 4_096
/** Leaves of a group within a page, also a power of two: the unit that is read and hashed to prove one leaf. */
export const LEAVES_GROUP = 128
/** A group's entry: its first id and its node. */
export const PART_GROUP_BYTES = 32 + NODE_BYTES
const MEMBERS_PAGE = 2_000
/** Pages of members in a portion: about 300 parts for each bucket. */
const PAGES_AT_ONCE = 10
const LAST_BUCKET = 255

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
export type RunOptions = {
  readonly membersPage?: number
  readonly pagesAtOnce?: number
  readonly leavesPage?: number
  readonly portionMs?: number
  /** Time limit of the transaction of a portion. */
  readonly transactionTimeoutMs?: number
}
type Work = { readonly ticketKeys: TicketKeys; readonly day: IstDay; readonly options: RunOptions; readonly covers: boolean }

/** Does one portion in this transaction; returns the liabilities once all of them are sealed. */
export async function stepLiabilities(tx: Tx, work: Work): Promise<Liabilities | undefined> {
  const { day, options } = work
  const run =
    (await tx.maybeOne<Run>(sql`
    select false as "isNew", last_member as "lastMember", is_cut as "isCut", pages, last_id as "lastId", count::float8 as count
            from liability_run where day = ${day}::date for update`)) ?? NEW_RUN
  const leavesPage = options.leavesPage ?? LEAVES_PAGE
  if (run.isCut) {
    const isSealed = await sealBuckets(tx, day, run, leavesPage)
    return isSealed ? readSealed(tx, day) : undefined
  }
  const { parts, last, isLast } = await cutPortion(tx, work, run.lastMember)
  // A community that fits in one portion needs no pieces.
  if (isLast && run.isNew) return sealAtOnce(tx, day, parts, leavesPage)
  // The last portion may have no member, only refunds that belong to nobody. Its pieces still need a number that no other piece has.
  await keep(tx, day, last === run.lastMember ? last + 1n : last, parts)
  await tx.query(sql`
    insert into liability_run (day, last_member, is_cut) values (${day}::date, ${last}::bigint, ${isLast}::boolean)
    on conflict (day) do update set last_member = excluded.last_member, is_cut = excluded.is_cut`)
  return undefined
}

type Portion = { readonly parts: readonly Part[]; readonly last: bigint; readonly isLast: boolean }

async function cutPortion(tx: Tx, work: Work, after: bigint): Promise<Portion> {
  const limit = work.options.membersPage ?? MEMBERS_PAGE
  const parts: Part[] = []
  let last = after
  for (let page = 0; page < (work.options.pagesAtOnce ?? PAGES_AT_ONCE); page++) {
    const cut = await cutMembers(tx, work, last, limit)
    parts.push(...cut.parts)
    last = cut.last
    if (cut.isLast) return { parts, last, isLast: true }
  }
  return { parts, last, isLast: false }
}

async function cutMembers(tx: Tx, { ticketKeys, day, covers }: Work, after: bigint, limit: number): Promise<Portion> {
  const page = await findWalletPage(tx, after, limit)
  const states = page === undefined ? [] : await listMemberStates(tx, day, after, page.last)
  const short = states.filter(({ balance, held }) => balance + held < 0n)
  if (short[0] !== undefined && !covers) throw belowNothing(day, short[0])
  for (const { memberId, balance, held } of short) await writeCover(tx, day, { account: 'MEMBERS', memberId, amount: -(balance + held) })
  const owed = states.filter(({ balance, held }) => balance + held > 0n)
  const members = owed.map(({ memberId }) => memberId)
  const found = members.length === 0 ? [] : await ticketKeys.listFor(tx, members, day)
  const keys = new Map(found.map(({ memberId, key }) => [memberId, key]))
  const isLast = page === undefined || page.count < limit
  const foreign = isLast ? await readForeignRefunds(tx, day) : 0n
  const parts = [
    ...owed.flatMap(({ memberId, balance, held }) => partsOf(Number(balance + held), day, keys.get(memberId))),
    ...partsOf(Number(foreign), day, undefined),
  ]
  return { parts, isLast, last: page?.last ?? after }
}

const belowNothing = (day: IstDay, { memberId, balance, held }: MemberState): BooksHeldError =>
  new BooksHeldError(`member ${memberId} has ${balance + held} paise at the end of ${day}`, memberId)

/** Stores a portion's parts, one piece for each bucket. */
async function keep(tx: Tx, day: IstDay, piece: bigint, parts: readonly Part[]): Promise<void> {
  const byBucket = new Map<number, Uint8Array[]>()
  for (const { id, amount } of parts) {
    const bucket = id[0] as number
    const leaves = byBucket.get(bucket)
    if (leaves === undefined) byBucket.set(bucket, [id, u64(amount)])
    else leaves.push(id, u64(amount))
  }
  const pieces = [...byBucket].map(([bucket, leaves]) => ({ bucket, leaves: Buffer.concat(leaves) }))
  await tx.query(sql`
    insert into liability_piece (day, bucket, piece, leaves)
    select ${day}::date, bucket, ${piece}::bigint, leaves
      from unnest(${pieces.map(({ bucket }) => bucket)}::smallint[], ${pieces.map(({ leaves }) => leaves)}::bytea[]) as p(bucket, leaves)`)
}

/** Sorts, seals and writes all parts of a small community. */
async function sealAtOnce(tx: Tx, day: IstDay, parts: readonly Part[], limit: number): Promise<Liabilities> {
  const leaves = sortLeaves(Buffer.concat(parts.flatMap(({ id, amount }) => [id, u64(amount)])))
  const nodes: SumNode[] = []
  for (const page of cutLeaves(leaves, limit))
    nodes.push(await writePage(tx, day, { page: nodes.length, from: nodes.length * limit }, page))
  const { hash, sum } = sumRoot(nodes)
  return { count: parts.length, root: hash, total: sum }
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

const cutLeaves = (leaves: Buffer, limit: number): Buffer[] =>
  Array.from({ length: Math.ceil(leaves.length / (limit * LEAF_BYTES)) }, (_, page) =>
    leaves.subarray(page * limit * LEAF_BYTES, (page + 1) * limit * LEAF_BYTES),
  )

/** Writes the pages that the next buckets fill, and at the end the last one; true when no parts remain. */
async function sealBuckets(tx: Tx, day: IstDay, run: Run, limit: number): Promise<boolean> {
  const { leaves, isLast } = await readLeaves(tx, day, run.lastId, limit)
  const pages = cutLeaves(leaves, limit).filter((page) => isLast || page.length === limit * LEAF_BYTES)
  for (const [index, page] of pages.entries()) {
    await writePage(tx, day, { page: run.pages + index, from: run.count + index * limit }, page)
  }
  const sealed = Buffer.concat(pages.slice(-1))
  const lastId = sealed.length === 0 ? run.lastId : Buffer.from(idOf(sealed.subarray(-LEAF_BYTES)))
  const count = pages.reduce((sum, page) => sum + page.length / LEAF_BYTES, 0)
  await tx.query(sql`
    update liability_run set pages = pages + ${pages.length}::int, last_id = ${lastId}::bytea, count = count + ${count}::bigint where day = ${day}::date`)
  return isLast
}

/** The leaves after an id, ascending: the rest of its bucket, and as many further buckets as fill a page. */
async function readLeaves(tx: Tx, day: IstDay, after: Buffer, limit: number): Promise<{ leaves: Buffer; isLast: boolean }> {
  const from = after[0] ?? 0
  const { to, bytes } = await tx.one<{ to: number; bytes: Buffer }>(sql`with filled as materialized (
          select bucket, sum(sum(octet_length(leaves))) over (order by bucket) as fill
            from liability_piece where day = ${day}::date and bucket > ${from}::int group by bucket),
        span as materialized (
          select coalesce(min(bucket) filter (where fill >= ${limit * LEAF_BYTES}::int), ${LAST_BUCKET}::int) as until from filled)
        select (select until from span)::int as to, coalesce(string_agg(leaves, ''::bytea), '') as bytes
          from liability_piece where day = ${day}::date and bucket between ${from}::int and (select until from span)`)
  const isLast = to === LAST_BUCKET
  const sorted = sortLeaves(bytes)
  return { leaves: sorted.subarray(countUpTo(sorted, after) * LEAF_BYTES), isLast }
}

/** The number of leaves up to and including an id. */
function countUpTo(sorted: Buffer, id: Buffer): number {
  let [low, high] = [0, sorted.length / LEAF_BYTES]
  while (low < high) {
    const middle = (low + high) >> 1
    if (id.compare(sorted, middle * LEAF_BYTES, middle * LEAF_BYTES + ID_BYTES) < 0) high = middle
    else low = middle + 1
  }
  return low
}

async function readSealed(tx: Tx, day: IstDay): Promise<Liabilities> {
  const { count } = await tx.one<{ count: number }>(sql`select count::float8 as count from liability_run where day = ${day}::date`)
  const { hash, sum } = sumRoot((await readDayNodes(tx, day, count)).nodes)
  return { count, root: hash, total: sum }
}

/** The nodes of a day's pages in order, and the number of leaves in each page but the last. */
export type DayNodes = { readonly nodes: readonly SumNode[]; readonly pageLeaves: number }

export async function readDayNodes(from: Queryable, day: IstDay, count: number): Promise<DayNodes> {
  const { bytes, pageLeaves } = await from.one<{ bytes: Buffer; pageLeaves: number | null }>(sql`
    select coalesce(string_agg(hash || int8send(total), ''::bytea order by page), '') as bytes,
               (max(first_position) filter (where page = 1))::float8 as "pageLeaves"
          from liability_page where day = ${day}::date`)
  const nodes = Array.from({ length: bytes.length / NODE_BYTES }, (_, page) => nodeOf(bytes.subarray(page * NODE_BYTES)))
  return { nodes, pageLeaves: pageLeaves ?? count }
}

/** Deletes the working rows of finished days, at most 2,000 a call; false when none is left. */
export async function forgetParts(from: Queryable): Promise<boolean> {
  const finished = await from.maybeOne<{ day: IstDay }>(
    sql`select r.day from liability_run r join books_day b using (day) order by r.day limit 1`,
  )
  if (finished === undefined) return false
  const gone = await from.query(sql`
    delete from liability_piece where (day, bucket, piece) in (
      select day, bucket, piece from liability_piece where day = ${finished.day}::date limit 2000) returning day`)
  if (gone.length === 0) await from.query(sql`delete from liability_run where day = ${finished.day}::date`)
  return true
}
