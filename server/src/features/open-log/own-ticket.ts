/**
 * Answers a member's own entry of a day, with its receipt and its proof (spec/protocol.md, chapters 11 and 14).
 *
 * - The answer and its cost are small whatever the day's size: paths, never lists, and of the list one group of 128.
 */
import { hex, leafHash } from '@roz/core/draw.ts'
import type { CloseRecord } from '@roz/core/draw-records.ts'
import { type IstDay, parseDay } from '@roz/core/ist-day.ts'
import type { Api } from '@roz/contract/api.ts'
import { type Db, sql } from '../../db/sql.ts'
import type { Answer } from '../../http/route.ts'
import { FILE_NOT_FOUND } from '../../transparency-log/published-file.ts'
import type { LogProofs } from '../../transparency-log/log-tree.ts'
import type { Receipts } from '../../transparency-log/receipts.ts'
import { inclusionPath } from '../../transparency-log/merkle-tree.ts'
import { TICKET_GROUP_BYTES, LIST_GROUP, LIST_PAGE, TICKET_BYTES } from '../../tickets/flat-list.ts'
import { sha256 } from '../../tickets/sha256.ts'

type Deps = { readonly db: Db; readonly proofs: LogProofs; readonly receipts: Receipts }
const HASH_BYTES = 32

export async function findOwnTicket(deps: Deps, memberId: bigint, dayText: string): Promise<Answer<Api['userTicket']>> {
  const { db, receipts } = deps
  const day = parseDay(dayText)
  if (day === undefined) return FILE_NOT_FOUND
  const entry = await db.maybeOne<{ batchId: bigint; at: Date }>(sql`
    select j.batch_id as "batchId", b.created_at as at from entry j join join_batch b using (batch_id)
         where j.day = ${day}::date and j.member_id = ${memberId}::bigint`)
  if (entry === undefined) return FILE_NOT_FOUND
  const { ticket, receipt } = await receipts.of({ ...entry, memberId, day })
  return { ok: true, value: { day, ticket, receipt, proof: await findProof(deps, day, Buffer.from(ticket, 'hex')) } }
}

async function findProof({ db, proofs }: Deps, day: IstDay, ticket: Buffer) {
  const close = await proofs.ofRecord<CloseRecord>(day, 'close')
  const place = close === undefined ? undefined : await findPlace(db, day, ticket)
  if (close === undefined || place === undefined) return null
  return { checkpoint: close.checkpoint, close: close.proven, path: place.path, position: place.position }
}

/** Finds a ticket in the sealed list, with its path to the root: through its group, its page, and the pages. */
async function findPlace(db: Db, day: IstDay, ticket: Buffer) {
  const found = await db.maybeOne<{ page: number; groups: Buffer }>(
    sql`select page, groups from ticket_page where day = ${day}::date and first_ticket <= ${ticket}::bytea order by first_ticket desc limit 1`,
  )
  if (found === undefined) return undefined
  const { page } = found
  const groups = cut(found.groups, TICKET_GROUP_BYTES)
  const group = groups.findLastIndex((each) => each.compare(ticket, 0, TICKET_BYTES, 0, TICKET_BYTES) <= 0)
  // Reads one group of the page, not the whole page.
  const { slice, roots } = await db.one<{ slice: Buffer; roots: Buffer }>(sql`
    select substring(tickets from ${group * LIST_GROUP * TICKET_BYTES + 1}::int for ${LIST_GROUP * TICKET_BYTES}::int) as slice,
               (select string_agg(root, ''::bytea order by page) from ticket_page where day = ${day}::date) as roots
          from ticket_page where day = ${day}::date and page = ${page}::int`)
  const tickets = cut(slice, TICKET_BYTES)
  const index = tickets.findIndex((other) => other.equals(ticket))
  if (index < 0) return undefined
  const within = inclusionPath(
    tickets.map((entry) => leafHash(sha256, entry)),
    index,
  )
  const inPage = inclusionPath(
    groups.map((each) => each.subarray(TICKET_BYTES)),
    group,
  )
  const path = [...within, ...inPage, ...inclusionPath(cut(roots, HASH_BYTES), page)].map(hex)
  return { position: page * LIST_PAGE + group * LIST_GROUP + index, path }
}

const cut = (bytes: Buffer, length: number): Buffer[] =>
  Array.from({ length: bytes.length / length }, (_, n) => bytes.subarray(n * length, (n + 1) * length))
