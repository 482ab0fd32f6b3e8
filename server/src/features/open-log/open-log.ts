/**
 * The public log of days (spec/protocol.md, chapters 9, 10 and 14).
 *
 * - An answer is the stored record, byte for byte.
 * - A file is marked final only when nothing can change it any more.
 * - No file contains a member's name.
 * - An open day's list of tickets is not published.
 */
import { canonicalJson } from '@roz/core/draw-records.ts'
import { hex } from '@roz/core/draw.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Db, sql } from '../../db/sql.ts'
import type { Handlers } from '../../http/route.ts'
import { type Checkpoints, findSealedProof } from '../../transparency-log/checkpoints.ts'
import { answerFile, answerJson, answerPages, FILE_NOT_FOUND, ofDay } from '../../transparency-log/published-file.ts'
import type { LogKeys } from '../../transparency-log/log-key.ts'
import { logProgram } from '../../transparency-log/verifier-record.ts'
import type { LogProofs } from '../../transparency-log/log-tree.ts'
import { findOwnTicket } from './own-ticket.ts'
import type { Receipts } from '../../transparency-log/receipts.ts'

type OpenLogDeps = {
  readonly db: Db
  /** A separate pool, so that the requests of witnesses do not queue behind a flood of others. */
  readonly witnessDb: Db
  readonly keys: LogKeys
  readonly checkpoints: Checkpoints
  readonly proofs: LogProofs
  readonly receipts: Receipts
  /** The path of the verifier program that this server serves, if it does. */
  readonly programFile?: string | undefined
}

const ENTRIES_AT_ONCE = 256
const HOUR_MS = 3_600_000

type Calls = 'logKey' | 'logCheckpoint' | 'logEntries' | 'logSealed' | 'logInclusion' | 'logConsistency' | 'cosign'
type DrawCalls = 'drawFile' | 'drawTickets' | 'rulesFile' | 'userTicket'

export function createOpenLog({ db, witnessDb, keys, checkpoints, proofs, receipts, programFile }: OpenLogDeps) {
  const handlers: Handlers<Calls | DrawCalls> = {
    logKey: async () => answerFile(`${(await keys.get(witnessDb)).text}\n`, 'text', false),

    logCheckpoint: async () => {
      const latest = await checkpoints.latest()
      return latest === undefined ? FILE_NOT_FOUND : answerFile(latest.note, 'text', false)
    },

    logEntries: async ({ params }) => {
      if (!/^(0|[1-9]\d{0,8})$/.test(params.n)) return FILE_NOT_FOUND
      const first = Number(params.n) * ENTRIES_AT_ONCE
      const rows = await witnessDb.query<{ bytes: Buffer }>(
        sql`select bytes from log_entry where index >= ${first}::bigint and index < ${first + ENTRIES_AT_ONCE}::bigint order by index`,
      )
      if (rows.length === 0) return FILE_NOT_FOUND
      return answerFile(Buffer.concat(rows.flatMap(({ bytes }) => [bytes, NEWLINE])), 'lines', rows.length === ENTRIES_AT_ONCE)
    },

    logSealed: ({ params }) =>
      ofDay(params.day, async (day) => {
        const proof = await findSealedProof(db, day)
        return proof === undefined ? FILE_NOT_FOUND : answerFile(proof.body, 'text', proof.isFinal)
      }),

    logInclusion: async ({ query: { index, size } }) => {
      const path = await proofs.inclusion(index, size)
      return path === undefined ? FILE_NOT_FOUND : answerJson({ index, path, size }, true)
    },

    logConsistency: async ({ query: { from, to } }) => {
      const path = await proofs.consistency(from, to)
      return path === undefined ? FILE_NOT_FOUND : answerJson({ from, path, to }, true)
    },

    cosign: async ({ raw }) => {
      const taken = await checkpoints.cosign(Buffer.from(raw.bytes).toString('utf8'))
      return taken.ok ? { ok: true, value: undefined } : { ok: false, code: taken.code }
    },

    drawFile: ({ params }) => ofDay(params.day, (day) => drawFile(db, day)),
    drawTickets: ({ params }) => ofDay(params.day, (day) => ticketsFile(db, day)),

    rulesFile: async ({ params: { hash } }) => {
      if (!/^[0-9a-f]{64}$/.test(hash)) return FILE_NOT_FOUND
      const page = await db.maybeOne<{ bytes: Buffer }>(sql`select bytes from rules_page where hash = ${Buffer.from(hash, 'hex')}::bytea`)
      return page === undefined ? FILE_NOT_FOUND : answerFile(page.bytes, 'text', true)
    },

    userTicket: ({ session, params }) => findOwnTicket({ db, proofs, receipts }, session.memberId, params.day),
  }

  let isProgramLogged = programFile === undefined
  let programAskedMs = 0

  return {
    handlers,

    /** Signs new records of the log. It is separate due work, so that failures elsewhere, even of the books, do not delay the signature. */
    due: async (now: Date): Promise<boolean> => {
      if (await checkpoints.signNext()) return true
      if (!isProgramLogged && programFile !== undefined && Math.abs(now.getTime() - programAskedMs) > HOUR_MS) {
        programAskedMs = now.getTime()
        isProgramLogged = await logProgram(db, programFile)
        return isProgramLogged
      }
      return false
    },
  }
}

const NEWLINE = Buffer.from('\n')

/** The file of a day: its own records with their indexes, and the assurance that follows from its seal. */
async function drawFile(db: Db, day: IstDay) {
  const rows = await db.query<{ index: number; kind: string; bytes: Buffer }>(sql`
    select index::float8 as index, kind, bytes from log_entry
     where day = ${day}::date and kind in ('open', 'close', 'result', 'void') order by index`)
  if (rows.length === 0) return FILE_NOT_FOUND
  const proof = await findSealedProof(db, day)
  const records = rows.map(({ index, bytes }) => ({ index, record: JSON.parse(bytes.toString()) as unknown }))
  const hasEnded = rows.some(({ kind }) => kind === 'result' || kind === 'void')
  const isFinal = hasEnded && (proof?.isFinal ?? !rows.some(({ kind }) => kind === 'close'))
  return answerFile(canonicalJson({ assurance: proof?.assurance ?? 'weak', day, records, v: 1 }), 'json', isFinal)
}

/** The sealed list, page by page. */
async function ticketsFile(db: Db, day: IstDay) {
  const sealed = await db.maybeOne<{ root: Buffer; entries: number }>(
    sql`select root, entries::float8 as entries from round where day = ${day}::date and root is not null`,
  )
  if (sealed === undefined) return FILE_NOT_FOUND
  async function* pages(): AsyncGenerator<Uint8Array> {
    for (let page = 0; ; page++) {
      const row = await db.maybeOne<{ tickets: Buffer }>(
        sql`select tickets from ticket_page where day = ${day}::date and page = ${page}::int`,
      )
      if (row === undefined) return
      yield row.tickets
    }
  }
  return answerPages(hex(sealed.root), sealed.entries * 32, pages())
}
