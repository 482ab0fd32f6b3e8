/**
 * The ticket list of a day: written when the round closes, read by position when it is drawn.
 * - There are as many tickets as rupees, or the close fails.
 * - The list is written in the transaction that freezes the entries, in ascending order and in pages.
 * - The subtree roots of the pages give the published root.
 * - The owners of the tickets are deleted once the round is drawn or void.
 */
import { subtreesRoot } from '@roz/core/draw.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { asBuffer, LIST_PAGE, type ListPage, PAGES_AT_ONCE, TICKET_BYTES } from './flat-list.ts'
import type { ListMaker } from './list-maker.ts'
import { sha256 } from './sha256.ts'
import type { TicketKeys } from './ticket-keys.ts'

/** Keys per read. Their text (110 kB) stays below the size of V8's large-object space, so a minor collection frees it. */
const KEYS_PAGE = 1_250
const SWEEP_EVERY = 16

/**
 * Frees the driver's buffers. They are off the heap, and up to 30 MB of them gather before V8 collects.
 * Called where none of them is needed any more.
 */
const sweep = (): void => globalThis.gc?.({ type: 'minor', execution: 'sync' })

/** Writes the list of a day with this number of entries and returns its root. */
export async function writeDayList(tx: Tx, day: IstDay, entries: number, ticketKeys: TicketKeys): Promise<Uint8Array> {
  const maker = ticketKeys.listMaker(day, entries)
  try {
    const listed = await fill(tx, day, ticketKeys, maker)
    if (listed !== entries) throw new Error(`round ${day}: ${listed} tickets for ${entries} rupees`)
    await maker.sort()
    return subtreesRoot(sha256, await writePages(tx, day, entries, maker))
  } finally {
    await maker.close()
  }
}

/** Forces an index scan: without statistics of the day, the planner would sort all remaining entrants for each page. */
async function fill(tx: Tx, day: IstDay, ticketKeys: TicketKeys, maker: ListMaker): Promise<number> {
  await tx.query(sql`select set_config('enable_bitmapscan', 'off', true)`)
  const listed = await fillByIndex(tx, day, ticketKeys, maker)
  await tx.query(sql`select set_config('enable_bitmapscan', 'on', true)`)
  return listed
}

async function fillByIndex(tx: Tx, day: IstDay, ticketKeys: TicketKeys, maker: ListMaker): Promise<number> {
  let listed = 0
  for (let [after, pages] = [0n, 1]; ; pages++) {
    const page = await ticketKeys.listSealedKeys(tx, day, after, KEYS_PAGE)
    if (page === undefined) return listed
    listed += page.count
    after = page.last
    await maker.fill(page)
    if (pages % SWEEP_EVERY === 0) sweep()
  }
}

/** Prefetches: while one page is written, the next ones are made. */
async function writePages(tx: Tx, day: IstDay, entries: number, maker: ListMaker): Promise<Uint8Array[]> {
  const roots: Uint8Array[] = []
  const pages = Math.ceil(entries / LIST_PAGE)
  const making: Promise<ListPage>[] = []
  let begun = 0
  const begin = (end: number): void => {
    while (begun < Math.min(pages, end)) {
      const next = maker.page(begun++)
      // Awaited in its turn. Until then a failure must not be reported as an unhandled rejection.
      next.catch(() => undefined)
      making.push(next)
    }
  }
  for (let page = 0; page < pages; page++) {
    begin(page + PAGES_AT_ONCE)
    const { members, tickets, groups, root } = await (making.shift() as Promise<ListPage>)
    begin(page + 1 + PAGES_AT_ONCE)
    await tx.query(sql`
      insert into ticket_page (day, page, first_ticket, tickets, groups, root)
      values (${day}::date, ${page}::int, ${asBuffer(tickets.subarray(0, TICKET_BYTES))}::bytea, ${asBuffer(tickets)}::bytea, ${asBuffer(groups)}::bytea,
              ${Buffer.from(root)}::bytea)`)
    await tx.query(sql`insert into ticket_owner (day, page, members) values (${day}::date, ${page}::int, ${asBuffer(members)}::bytea)`)
    roots.push(root)
    sweep()
  }
  return roots
}

export type Listed = { readonly position: number; readonly memberId: bigint; readonly ticket: Buffer }

/** The members and tickets at these positions, in the order given. Works until `forgetOwners` has run. */
export async function ticketsAt(tx: Tx, day: IstDay, positions: readonly number[]): Promise<Listed[]> {
  const listed = await tx.query<Listed>(sql`
    select w.position::float8 as position, substring(o.members from w.place * 8 + 1 for 8)::bigint as "memberId",
           substring(p.tickets from w.place * 32 + 1 for 32) as ticket
      from (select position, position / ${LIST_PAGE}::int as page, (position % ${LIST_PAGE}::int)::int as place, rank
              from unnest(${positions}::bigint[]) with ordinality as u(position, rank)) w
      join ticket_page p on p.day = ${day}::date and p.page = w.page and w.place * 32 < octet_length(p.tickets)
      join ticket_owner o on o.day = p.day and o.page = p.page
     order by w.rank`)
  if (listed.length !== positions.length) throw new Error(`the list of ${day} has no ticket at a picked position`)
  return listed
}

/** Deletes the owners of a day's tickets, once it is drawn or void. Members find their own tickets by their keys. */
export async function forgetOwners(tx: Tx, day: IstDay): Promise<void> {
  await tx.query(sql`delete from ticket_owner where day = ${day}::date`)
}
