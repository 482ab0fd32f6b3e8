/**
 * Every round with its states, seal, beacon, witnesses, result and books, and what an unfinished one waits for.
 * - Newest first; the next day's round, made ahead, is not listed.
 * - A row names no member.
 */
import type { Input, Output } from '@roz/contract/api.ts'
import type { deskCalls } from '@roz/contract/desk.ts'
import { hex } from '@roz/core/draw.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Paise, rupeesFromPaise } from '@roz/core/money.ts'
import { type Db, type Sql, sql } from '../../db/sql.ts'
import { LATE_HELP } from '../../ledger/help-waits.ts'
import type { Columns } from '../../staff/exported-list.ts'
import type { Cursor } from '../../lists/cursor.ts'
import { instantOrNull, likePattern } from '../../lists/listing.ts'

type ListedRound = Output<(typeof deskCalls)['adminRounds']>['rounds'][number]
type Filter = Input<(typeof deskCalls)['adminRoundsCsv']>['query']
type Page = { readonly after: Cursor | undefined; readonly limit: number }
type Row = {
  readonly day: IstDay
  readonly status: ListedRound['status']
  readonly entries: number
  readonly pool: Paise
  readonly need: Paise | null
  readonly reward: Paise | null
  readonly platform: Paise | null
  readonly winners: number
  readonly closedAt: Date | null
  readonly drawnAt: Date | null
  readonly settledAt: Date | null
  readonly root: Buffer | null
  readonly mode: 'local' | 'drand'
  readonly beaconRound: number | null
  readonly hasNumber: boolean
  readonly quorum: number | null
  readonly assurance: 'weak' | 'sealed' | null
  readonly hasBooks: boolean
  readonly isHeld: boolean
  readonly isOver: boolean
  readonly isReturned: boolean
  readonly problem: string | null
}

const inStatus = (status: Filter['status']): Sql =>
  status === 'help_waiting'
    ? sql`r.day in (select day from help_day where ${LATE_HELP})`
    : sql`${status ?? null}::text is null or r.status = ${status ?? null}::text`

/** Newest first; one row more than `limit` when there is a next page. */
export const listRounds = (db: Db, { status, q, after, limit }: Filter & Page): Promise<Row[]> =>
  db.query<Row>(sql`
    select r.day, r.status, coalesce(r.entries, (select sum(b.n) from join_batch b where b.day = r.day), 0)::float8 as entries,
      coalesce(r.pool, (select sum(b.n) from join_batch b where b.day = r.day)::bigint * entry_fee(), 0)::bigint as pool,
      r.need_paise as need, r.reward_paise as reward, r.platform_paise as platform,
      (select count(*) from draw_winner w where w.day = r.day)::int as winners,
      r.closed_at as "closedAt", r.drawn_at as "drawnAt", coalesce(r.settled_at, r.voided_at) as "settledAt",
      r.root, r.mode, r.beacon_round::float8 as "beaconRound",
      r.randomness is not null or exists (
        select from beacon_signature s where s.chain_hash = r.chain_hash and s.round = r.beacon_round) as "hasNumber",
      (select (convert_from(e.bytes, 'UTF8')::jsonb #>> '{witnesses,quorum}')::int from log_entry e
        where e.day = r.day and e.kind = 'open') as quorum,
      (select p.assurance from sealed_proof p where p.day = r.day) as assurance,
      exists (select from books_day b where b.day = r.day) as "hasBooks",
      exists (select from books_hold h where h.day = r.day) as "isHeld",
      r.day < ist_day(roz_now()) as "isOver", r.return_day is not null as "isReturned",
      (select f.error from failing_work f where f.item = r.day::text order by f.tries desc limit 1) as problem
      from round r
     where r.opens_at <= roz_now() and (${after?.[0] ?? null}::date is null or r.day < ${after?.[0] ?? null}::date)
       and (${inStatus(status)}) and r.day::text like ${likePattern(q)}::text
     order by r.day desc limit ${limit + 1}::int`)

function waitsFor(row: Row): ListedRound['waitsFor'] {
  const { status } = row
  if (status === 'open') return row.isOver ? ['close'] : []
  if (status === 'closed') {
    if (row.isReturned) return ['returns']
    if (row.root === null) return ['seal']
    return row.mode === 'drand' && !row.hasNumber ? ['number'] : ['draw']
  }
  if (status === 'drawn') return ['settlement']
  const proof = row.assurance === null && row.closedAt !== null && row.root !== null ? (['witnesses'] as const) : []
  if (!row.isOver || row.hasBooks) return [...proof]
  return [...proof, row.isHeld ? 'books_held' : 'books']
}

export const roundOf = (row: Row): ListedRound => ({
  day: row.day,
  status: row.status,
  entries: row.entries,
  pool: rupeesFromPaise(row.pool),
  split:
    row.need === null || row.reward === null || row.platform === null
      ? null
      : { need: rupeesFromPaise(row.need), reward: rupeesFromPaise(row.reward), platform: rupeesFromPaise(row.platform) },
  winners: row.winners,
  closedAt: instantOrNull(row.closedAt),
  root: row.root === null ? null : hex(row.root),
  beacon: { mode: row.mode, round: row.beaconRound, hasNumber: row.hasNumber },
  witnesses: { quorum: row.quorum ?? 0, assurance: row.assurance },
  drawnAt: instantOrNull(row.drawnAt),
  endedAt: instantOrNull(row.settledAt),
  books: row.hasBooks ? 'published' : row.isHeld ? 'held' : 'waiting',
  waitsFor: waitsFor(row),
  problem: row.problem,
})

export const ROUND_COLUMNS_CSV = {
  day: ({ day }) => day,
  status: ({ status }) => status,
  entries: ({ entries }) => entries,
  pool_rupees: ({ pool }) => pool,
  need_rupees: ({ split }) => split?.need,
  reward_rupees: ({ split }) => split?.reward,
  platform_rupees: ({ split }) => split?.platform,
  winners: ({ winners }) => winners,
  closed_at: ({ closedAt }) => closedAt,
  root: ({ root }) => root,
  beacon_mode: ({ beacon }) => beacon.mode,
  beacon_round: ({ beacon }) => beacon.round,
  witness_quorum: ({ witnesses }) => witnesses.quorum,
  assurance: ({ witnesses }) => witnesses.assurance,
  drawn_at: ({ drawnAt }) => drawnAt,
  ended_at: ({ endedAt }) => endedAt,
  books: ({ books }) => books,
  waits_for: (round) => round.waitsFor.join(' '),
} satisfies Columns<ListedRound>
