/**
 * Conditions that an operator must look at, shown by /readyz and in the portal.
 * - Each kind of alarm is one entry of `READERS`.
 * - No alarm names a member.
 */
import type { Output } from '@roz/contract/api.ts'
import type { communityCalls } from '@roz/contract/community.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Queryable, sql } from '../db/sql.ts'
import { NOT_RECEIVED, RECORDED_AT } from '../ledger/arrivals.ts'
import { findHeldBooks } from '../ledger/held-books.ts'
import { findLateHelp } from '../ledger/help-waits.ts'

import { NO_ROUND_TODAY } from '../ledger/rounds.ts'

type Alarm = Output<typeof communityCalls.adminStats>['alarms'][number]

const READERS: readonly ((from: Queryable) => Promise<Alarm[]>)[] = [
  /** The database's clock has jumped, and the product's clock stands still on that day. */
  async (from) => {
    const doubts = await from.query<{ day: IstDay }>(
      sql`select ist_day(roz_now())::text as day from clock_offset where doubted_at is not null`,
    )
    return doubts.map(({ day }) => ({ code: 'clock_doubted', day, waiting: 0 }))
  },
  /** Nobody can join today: no round is open, and none was closed before its time. */
  async (from) => {
    const missing = await from.query<{ day: IstDay }>(sql`select ist_day(roz_now())::text as day where ${NO_ROUND_TODAY}`)
    return missing.map(({ day }) => ({ code: 'no_open_round', day, waiting: 0 }))
  },
  /** Books of a day that are held, and the number of days that wait behind that day. */
  async (from) => {
    const held = await findHeldBooks(from)
    return held === undefined ? [] : [{ code: 'books_held', day: held.day, waiting: held.waiting }]
  },
  /** Draws whose beacon is more than 12 hours late: the oldest day, and the number of further ones. */
  async (from) => {
    const [late] = await from.query<{ day: IstDay | null; count: number }>(sql`
      select min(day) as day, count(*)::int as count from round
       where status = 'closed' and return_day is null and mode = 'drand' and draw_at < roz_now() - interval '12 hours'
         and not exists (select from beacon_signature s where s.chain_hash = round.chain_hash and s.round = round.beacon_round)`)
    return late === undefined || late.day === null ? [] : [{ code: 'draw_waiting', day: late.day, waiting: late.count - 1 }]
  },
  /** Help that waits for more than 14 days: the oldest day with an open share, and the number of further ones. */
  async (from) => {
    const late = await findLateHelp(from)
    return late === undefined ? [] : [{ code: 'help_waiting', ...late }]
  },
  /**
   * Proofs taken back in the last seven days, within 30 days of their payment: a withheld bill, a revoked consent. The oldest day, and
   * the number of further ones.
   */
  async (from) => {
    const [taken] = await from.query<{ day: IstDay | null; count: number }>(sql`
      select min(ist_day(at)) as day, count(*)::int as count from (
        select revoked_at as at from beneficiary b where revoked_at > roz_now() - interval '7 days' and exists (
          select from outlay o where o.beneficiary_id = b.id and o.status = 'booked' and o.decided_at > b.revoked_at - interval '30 days')
        union all
        select withheld_at from receipt_withheld w where withheld_at > roz_now() - interval '7 days' and exists (
          select from outlay_receipt l join outlay o on o.id = l.outlay_id
           where l.hash = w.hash and o.status = 'booked' and o.decided_at > w.withheld_at - interval '30 days')) taken`)
    return taken === undefined || taken.day === null ? [] : [{ code: 'proof_taken_back', day: taken.day, waiting: taken.count - 1 }]
  },
  /** Help that did not arrive: the day of the oldest record, and the number of further payments. */
  async (from) => {
    const [lost] = await from.query<{ day: IstDay | null; count: number }>(
      sql`select min(ist_day(${RECORDED_AT})) as day, count(*)::int as count from outlay o where ${NOT_RECEIVED}`,
    )
    return lost === undefined || lost.day === null ? [] : [{ code: 'help_not_received', day: lost.day, waiting: lost.count - 1 }]
  },
]

export const listAlarms = async (from: Queryable): Promise<Alarm[]> => (await Promise.all(READERS.map((read) => read(from)))).flat()
