/**
 * A member's own entry of a day, with all that proves it (spec/protocol.md, chapters 11 and 14). Answered
 * to the member alone. Invariant: small whatever the day's size: paths, never lists.
 */
import { hex, leafHash } from '@roz/core/draw.ts'
import type { CloseRecord } from '@roz/core/draw-records.ts'
import { type IstDay, parseDay } from '@roz/core/ist-day.ts'
import type { Api } from '@roz/contract/api.ts'
import { type Db, maybeOne, sql } from '../../db/sql.ts'
import type { Answer } from '../../http/route.ts'
import type { Checkpoints } from '../../log-of-days/checkpoints.ts'
import { NOT_FOUND } from '../../log-of-days/files.ts'
import type { Receipts } from '../../log-of-days/receipts.ts'
import { inclusionPath } from '../../log-of-days/tree.ts'
import { sha256 } from '../../tickets/sha256.ts'

type Deps = { readonly db: Db; readonly checkpoints: Checkpoints; readonly receipts: Receipts }
const TICKET_BYTES = 32

export async function findOwnTicket(deps: Deps, memberId: bigint, dayText: string): Promise<Answer<Api['userTicket']>> {
  const { db, receipts } = deps
  const day = parseDay(dayText)
  if (day === undefined) return NOT_FOUND
  const entry = await maybeOne<{ batchId: bigint; at: Date }>(
    db,
    sql`select j.batch_id as "batchId", b.created_at as at from round_join j join join_batch b using (batch_id)
         where j.day = ${day}::date and j.member_id = ${memberId}::bigint`,
  )
  if (entry === undefined) return NOT_FOUND
  const { ticket, receipt } = await receipts.of({ ...entry, memberId, day })
  return { ok: true, value: { day, ticket, receipt, proof: await findProof(deps, day, Buffer.from(ticket, 'hex')) } }
}

async function findProof({ db, checkpoints }: Deps, day: IstDay, ticket: Buffer) {
  const close = await maybeOne<{ index: number; bytes: Buffer }>(
    db,
    sql`select index::float8 as index, bytes from log_entry where day = ${day}::date and kind = 'close'`,
  )
  const latest = await checkpoints.latest()
  const place = close === undefined ? undefined : await findPlace(db, day, ticket)
  if (close === undefined || latest === undefined || latest.size <= close.index || place === undefined) return null
  const leaves = await db.query<{ leaf: Buffer }>(sql`select leaf from log_entry where index < ${latest.size}::bigint order by index`)
  const path = inclusionPath(
    leaves.map(({ leaf }) => leaf),
    close.index,
  )
  return {
    checkpoint: latest.note,
    close: { index: close.index, path: path.map(hex), record: JSON.parse(close.bytes.toString()) as CloseRecord },
    path: place.path,
    position: place.position,
  }
}

/** Where a ticket stands in the sealed list, and its path to the root: within its page, then among the pages. */
async function findPlace(db: Db, day: IstDay, ticket: Buffer) {
  const pages = await db.query<{ first: Buffer; root: Buffer; length: number }>(sql`
    select substring(tickets from 1 for ${TICKET_BYTES}::int) as first, root, octet_length(tickets) as length
      from ticket_page where day = ${day}::date order by page`)
  const page = pages.findLastIndex(({ first }) => first.compare(ticket) <= 0)
  const row = await maybeOne<{ tickets: Buffer }>(db, sql`select tickets from ticket_page where day = ${day}::date and page = ${page}::int`)
  if (row === undefined) return undefined
  const tickets = Array.from({ length: row.tickets.length / TICKET_BYTES }, (_, n) =>
    row.tickets.subarray(n * TICKET_BYTES, (n + 1) * TICKET_BYTES),
  )
  const index = tickets.findIndex((other) => other.equals(ticket))
  if (index < 0) return undefined
  const within = inclusionPath(
    tickets.map((entry) => leafHash(sha256, entry)),
    index,
  )
  const roots = pages.map(({ root }) => root)
  const before = pages.slice(0, page).reduce((sum, { length }) => sum + length / TICKET_BYTES, 0)
  return { position: before + index, path: [...within, ...inclusionPath(roots, page)].map(hex) }
}
