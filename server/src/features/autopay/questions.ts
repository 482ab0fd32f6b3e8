/** When the gateway is asked about a mandate: one row of `autopay_check` for each, claimed by one caller of all processes. */
import { nextQuestionMs, type MandateStatus } from '@roz/core/autopay.ts'
import { startOfDayMs } from '@roz/core/ist-day.ts'
import { type Db, type Queryable, sql } from '../../db/sql.ts'
import { takePlace } from '../../jobs/autopay-pace.ts'
import { isResting } from '../../jobs/parking.ts'
import type { ChargeRow, MandateRow } from './deps.ts'

export type Claim = {
  /** The number of the question. */
  readonly ask: number
  /** The next time, unless the answer moves it. */
  readonly next: string
  readonly nowMs: number
}

const SPACING = sql`interval '5 seconds'`

/** Undefined: the gateway was asked less than 5 s ago, or takes no call now. The question is delayed. */
export async function claimQuestion(db: Db, mandateId: string): Promise<Claim | undefined> {
  const claimed = await db.maybeOne<{ ask: number; next: string; now: Date }>(sql`
    insert into autopay_check as c (mandate_id, asked_at, asks, tries, ask_at)
    values (${mandateId}::uuid, roz_now(), 1, 1, roz_now() + interval '15 seconds')
    on conflict (mandate_id) do update set asked_at = roz_now(), asks = c.asks + 1, tries = c.tries + 1,
        ask_at = roz_now() + least(15 * 2 ^ least(c.tries, 10), 3600) * interval '1 second'
      -- A clock that was set back must not delay a question.
      where c.asked_at is null or c.asked_at <= roz_now() - ${SPACING} or c.asked_at > roz_now()
    returning asks as ask, ask_at::text as next, roz_now() as now`)
  if (claimed === undefined) {
    await db.query(sql`
      update autopay_check set ask_at = least(case when ask_at > roz_now() then ask_at end, asked_at + ${SPACING})
       where mandate_id = ${mandateId}::uuid`)
    return undefined
  }
  if (await takePlace(db, 'read')) return { ask: claimed.ask, next: claimed.next, nowMs: claimed.now.getTime() }
  await db.query(sql`
    update autopay_check set tries = greatest(tries - 1, 0), ask_at = roz_now() + interval '10 seconds' where mandate_id = ${mandateId}::uuid`)
  return undefined
}

export async function isNewestQuestion(from: Queryable, mandateId: string, ask: number): Promise<boolean> {
  const [newest] = await from.query(sql`select from autopay_check where mandate_id = ${mandateId}::uuid and asks = ${ask}::int`)
  return newest !== undefined
}

/** Schedules the next question, unless somebody wants it earlier. `keep`: as the claim did; undefined: none. */
export async function scheduleNext(tx: Queryable, mandateId: string, { next }: Claim, at: Date | 'keep' | undefined): Promise<void> {
  if (at === 'keep') return
  await tx.query(sql`
    update autopay_check set ask_at = ${at ?? null}::timestamptz, tries = 0, missing_since = null
     where mandate_id = ${mandateId}::uuid and ask_at = ${next}::timestamptz`)
}

/** Schedules the first question about a debit or mandate, unless one is scheduled earlier. */
export async function askIn(tx: Queryable, mandateId: string, seconds: number): Promise<void> {
  await tx.query(sql`
    insert into autopay_check (mandate_id, ask_at) values (${mandateId}::uuid, roz_now() + make_interval(secs => ${seconds}::int))
    on conflict (mandate_id) do update set ask_at = least(autopay_check.ask_at, excluded.ask_at), tries = 0`)
}

const DAY_MS = 86_400_000
/** A debit that failed may be paid after all: it is asked about for this long. */
const WATCHED_MS = 4 * DAY_MS
const IDLE_MS = 30 * DAY_MS

/** When to ask next after an answer. */
export function nextTime(
  { state, expiresAt }: Pick<MandateRow, 'state' | 'expiresAt'>,
  status: MandateStatus,
  charges: readonly ChargeRow[],
  nowMs: number,
): Date | 'keep' | undefined {
  const open = charges.find((charge) => charge.status === 'open' || charge.status === 'raising')
  const isFinal = status === 'CANCELLED' || status === 'CUSTOMER_CANCELLED' || status === 'COMPLETED' || status === 'EXPIRED'
  // A stop, and a debit without an end, keep their times: money does not wait for a word to become known.
  if (status === 'UNKNOWN' && state !== 'stopping' && open?.kind !== 'charge') return new Date(nowMs + DAY_MS)
  // Waiting for the payer, the bank or our own wish: soon, and ever more rarely, at least every hour.
  if (!isFinal && (state === 'setup' || state === 'bank' || state === 'stopping' || state === 'lapsed' || state === 'stopped'))
    return 'keep'
  if (open !== undefined && (open.status === 'raising' || open.kind === 'auth' || open.wantsCancel)) return 'keep'
  if (open !== undefined) return new Date(nextQuestionMs(open.day, nowMs))
  const times: number[] = []
  const failed = charges.findLast((charge) => charge.kind === 'charge' && charge.status === 'failed')
  if (failed !== undefined && nowMs < startOfDayMs(failed.day) + WATCHED_MS) times.push(nextQuestionMs(failed.day, nowMs))
  if (!isFinal) {
    times.push(nowMs + (state === 'payer_paused' ? DAY_MS : IDLE_MS))
    const told = expiresAt.getTime() - IDLE_MS
    times.push(told > nowMs ? told : Math.max(expiresAt.getTime(), nowMs + DAY_MS))
  }
  return times.length === 0 ? undefined : new Date(Math.min(...times))
}

export async function listDueMandates(db: Queryable, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select mandate_id::text as id from autopay_check
     where ask_at <= (select roz_now()) and not ${isResting('autopay_check', sql`mandate_id::text`)} order by ask_at limit ${limit}::int`)
  return rows.map(({ id }) => id)
}
