/**
 * The seal of a closed round (spec/protocol.md, chapter 3). Invariants: as many tickets as rupees, or
 * the close fails; the list is written in the transaction that freezes the entries, ascending, and
 * its root is logged with it.
 */
import { beaconRoundFor, DRAW_DELAY_MS, hex, merkleRoot } from '@roz/core/draw.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { one, sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import { recordSeal, type Round } from '../../ledger/rounds.ts'
import { sha256 } from '../../tickets/sha256.ts'
import type { TicketKeys } from '../../tickets/ticket-keys.ts'
import { appendRecord, getRecord } from '../../log-of-days/log.ts'

type Entry = { readonly memberId: bigint; readonly ticket: Buffer }
const PAGE = 5_000

/** Seals a round that this transaction has closed with entries. */
export async function sealRound(tx: Tx, round: Round, ticketKeys: TicketKeys): Promise<void> {
  if (round.closedAt === null || round.entries === null || round.root !== null) throw new Error(`round ${round.day} cannot be sealed`)
  await ticketKeys.ensureForEntrants(tx, round.day)
  const entries = await listEntries(tx, round.day, ticketKeys)
  entries.sort((left, right) => left.ticket.compare(right.ticket))
  if (entries.length !== round.entries) throw new Error(`round ${round.day}: ${entries.length} tickets for ${round.entries} rupees`)
  if (entries.some(({ ticket }, index) => entries[index + 1]?.ticket.equals(ticket)))
    throw new Error(`round ${round.day} holds a ticket twice`)
  await writeList(tx, round.day, entries)
  const root = Buffer.from(merkleRoot(sha256, ticketsOf(entries)))
  const { draw } = await getRecord(tx, round.day, 'open')
  // The last moment before the commit: until here nobody outside has seen the list.
  const { now } = await one<{ now: Date }>(tx, sql`select roz_now() as now`)
  const sealedAtMs = now.getTime()
  const beaconRound = draw.mode === 'beacon' ? beaconRoundFor(sealedAtMs, draw) : undefined
  const drawAt = new Date(beaconRound === undefined ? sealedAtMs : sealedAtMs + DRAW_DELAY_MS)
  await recordSeal(tx, round.day, { root, sealedAt: now, drawAt, beaconRound })
  const seal = { count: entries.length, root: hex(root), round: beaconRound ?? 0, sealedAt: sealedAtMs }
  await appendRecord(tx, { v: 1, kind: 'close', day: round.day, ...seal })
}

async function listEntries(tx: Tx, day: IstDay, ticketKeys: TicketKeys): Promise<Entry[]> {
  const entries: Entry[] = []
  for (let after = 0n; ; ) {
    const page = await ticketKeys.listTickets(tx, day, after, PAGE)
    for (const entry of page) entries.push(entry)
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return entries
    after = last.memberId
  }
}

async function writeList(tx: Tx, day: IstDay, entries: readonly Entry[]): Promise<void> {
  for (let from = 0; from < entries.length; from += PAGE) {
    const page = entries.slice(from, from + PAGE)
    await tx.query(sql`
      insert into ticket (day, position, member_id, ticket)
      select ${day}::date, ${from}::bigint + n - 1, member_id, ticket
        from unnest(${page.map(({ memberId }) => memberId)}::bigint[], ${page.map(({ ticket }) => ticket)}::bytea[])
             with ordinality as u(member_id, ticket, n)`)
  }
}

function* ticketsOf(entries: readonly Entry[]): Generator<Buffer> {
  for (const { ticket } of entries) yield ticket
}
