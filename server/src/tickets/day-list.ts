/**
 * The ticket list of a day: written once its round is closed, read by position when it is drawn.
 * - There are as many tickets as rupees, or the list is not sealed.
 * - The list is written in ascending order and in pages, each in a transaction of its own: no lock on the round is held meanwhile.
 * - Entries and keys of a closed round do not change, so a list that was begun twice has the same pages twice.
 * - The subtree roots of the pages give the published root.
 * - The owners of the tickets are deleted once the round is drawn or void.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { subtreesRoot } from '@roz/core/draw.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { tryLockInTransaction } from '../db/advisory-locks.ts'
import { DatabaseUnavailableError, type Db, type Queryable, sql } from '../db/sql.ts'
import { inSnapshot, inTransaction, type Tx } from '../db/transaction.ts'
import { asBuffer, LIST_PAGE, type ListPage, PAGES_AT_ONCE, TICKET_BYTES } from './flat-list.ts'
import type { ListMaker } from './list-maker.ts'
import { HASH_BYTES, sha256 } from './sha256.ts'
import type { TicketKeys } from './ticket-keys.ts'

/** Keys per read. Their text (110 kB) stays below the size of V8's large-object space, so a minor collection frees it. */
const KEYS_PAGE = 1_250
/** Reads within a snapshot: some 100 ms. */
const READS_AT_ONCE = 16
const READ_MS = 20_000
/**
 * The transaction with the list's lock does nothing else, so it keeps no row lock and no snapshot. It sends a statement every few
 * seconds: if its machine disappears, the idle timeout releases the lock soon. Its time limit is enough for tens of millions of tickets.
 */
const HOLDING = { transactionTimeoutMs: 1_800_000, idleTimeoutMs: 30_000 }
const BEAT_MS = 5_000
const LOOK_AGAIN_MS = 250
const WAITS_MAX_MS = 120_000

/**
 * Frees the driver's buffers. They are off the heap, and up to 30 MB of them gather before V8 collects.
 * Called where none of them is needed any more.
 */
const sweep = (): void => globalThis.gc?.({ type: 'minor', execution: 'sync' })

export type DayOfList = { readonly day: IstDay; readonly entries: number }

/**
 * Writes the list of a closed day, if it is not written; false if another process is writing it.
 * With `waits` it looks again for two minutes, without a connection of its own.
 */
export async function writeDayList(
  db: Db,
  list: DayOfList,
  ticketKeys: TicketKeys,
  { waits }: { readonly waits: boolean },
): Promise<boolean> {
  for (const until = performance.now() + WAITS_MAX_MS; ; ) {
    if ((await isWritten(db, list)) || (await writeAlone(db, list, ticketKeys))) return true
    if (!waits || performance.now() > until) return false
    await sleep(LOOK_AGAIN_MS)
  }
}

/** False: another process has the lock. */
const writeAlone = (db: Db, list: DayOfList, ticketKeys: TicketKeys): Promise<boolean> =>
  inTransaction(
    db,
    async (tx) => {
      if (!(await tryLockInTransaction(tx, 'dayList'))) return false
      // A lost connection ends the lock, not the list: pages that two processes write are equal.
      const beat = setInterval(() => void tx.query(sql`select`).catch(() => undefined), BEAT_MS)
      try {
        if (!(await isWritten(db, list))) await ticketKeys.keepingUnreadable(db, () => write(db, list, ticketKeys))
      } finally {
        clearInterval(beat)
      }
      return true
    },
    HOLDING,
  )

const pagesOf = ({ entries }: DayOfList): number => Math.ceil(entries / LIST_PAGE)

async function isWritten(from: Queryable, list: DayOfList): Promise<boolean> {
  const { written } = await from.one<{ written: number }>(
    sql`select count(*)::int as written from ticket_page where day = ${list.day}::date`,
  )
  return written >= pagesOf(list)
}

/** The root of a written list. */
export async function readListRoot(tx: Tx, list: DayOfList): Promise<Buffer> {
  const { listed, roots } = await tx.one<{ listed: number; roots: Buffer }>(sql`
    select coalesce(sum(octet_length(tickets) / ${TICKET_BYTES}::int), 0)::float8 as listed,
               coalesce(string_agg(root, ''::bytea order by page), '') as roots
          from ticket_page where day = ${list.day}::date`)
  if (listed !== list.entries) throw new Error(`round ${list.day}: ${listed} tickets for ${list.entries} rupees`)
  const each = Array.from({ length: pagesOf(list) }, (_, page) => roots.subarray(page * HASH_BYTES, (page + 1) * HASH_BYTES))
  return Buffer.from(subtreesRoot(sha256, each))
}

async function write(db: Db, list: DayOfList, ticketKeys: TicketKeys): Promise<void> {
  const { day, entries } = list
  const maker = ticketKeys.listMaker(day, entries)
  try {
    const listed = await fill(db, list, ticketKeys, maker)
    if (listed !== entries) throw new Error(`round ${day}: ${listed} tickets for ${entries} rupees`)
    await maker.sort()
    await writePages(db, list, maker)
  } catch (error) {
    if (error instanceof DatabaseUnavailableError) throw error
    // The thread names neither a key of the wrong length nor more than one key.
    throw (await ticketKeys.findUnreadable(db, day)) ?? error
  } finally {
    await maker.close()
  }
}

async function fill(db: Db, { day }: DayOfList, ticketKeys: TicketKeys, maker: ListMaker): Promise<number> {
  let [listed, after, isOver] = [0, 0n, false]
  let bareAfter: bigint | undefined
  while (!isOver) {
    // A snapshot is never repeated, so no key is filled in twice.
    const bare = await inSnapshot(
      db,
      async (from) => {
        // Forces an index scan: without statistics of the day, the planner would sort all remaining entrants for each page.
        await from.query(sql`select set_config('enable_bitmapscan', 'off', true)`)
        for (let read = 0; read < READS_AT_ONCE && !isOver; read++) {
          const page = await ticketKeys.listEncryptedKeys(from, day, after, KEYS_PAGE)
          if (page === 'bare') return true
          if (page === undefined) {
            isOver = true
            return false
          }
          listed += page.count
          after = page.last
          await maker.fill(page)
        }
        return false
      },
      READ_MS,
    )
    // An entrant without a key gets one, because the list needs a ticket for every entry.
    if (bare) {
      if (bareAfter === after) throw new Error(`an entrant of ${day} has no ticket key`)
      bareAfter = after
      await inTransaction(db, (tx) => ticketKeys.ensureForEntrants(tx, day))
    }
    sweep()
  }
  return listed
}

/** Prefetches: while one page is written, the next ones are made. */
async function writePages(db: Db, list: DayOfList, maker: ListMaker): Promise<void> {
  const pages = pagesOf(list)
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
    const made = await (making.shift() as Promise<ListPage>)
    begin(page + 1 + PAGES_AT_ONCE)
    await inTransaction(db, (tx) => writePage(tx, { day: list.day, page }, made))
    sweep()
  }
}

/** A page that an interrupted run wrote stays as it is. */
async function writePage(tx: Tx, { day, page }: { readonly day: IstDay; readonly page: number }, made: ListPage): Promise<void> {
  const { members, tickets, groups, root } = made
  const written = await tx.query(sql`
    insert into ticket_page (day, page, first_ticket, tickets, groups, root)
    values (${day}::date, ${page}::int, ${asBuffer(tickets.subarray(0, TICKET_BYTES))}::bytea, ${asBuffer(tickets)}::bytea, ${asBuffer(groups)}::bytea,
            ${Buffer.from(root)}::bytea)
    on conflict (day, page) do nothing returning page`)
  if (written.length === 0) return
  await tx.query(sql`insert into ticket_owner (day, page, members) values (${day}::date, ${page}::int, ${asBuffer(members)}::bytea)`)
}

type ListedTicket = { readonly position: number; readonly memberId: bigint; readonly ticket: Buffer }

/** The members and tickets at these positions, in the order given. Works until `forgetOwners` has run. */
export async function ticketsAt(tx: Tx, day: IstDay, positions: readonly number[]): Promise<ListedTicket[]> {
  const listed = await tx.query<ListedTicket>(sql`
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
