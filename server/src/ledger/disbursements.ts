/**
 * Disbursements: payments from the help fund for somebody in need, and their corrections when money comes back.
 * - Every paisa of a disbursement is the share of a day: the need share of that day's round, or a gift of that day.
 * - The oldest days with an open share give first, and none gives more than its share.
 * - A disbursement uses only money posted on or before its own day, so the fund is never below zero at a day's end.
 * - An id is booked once, and a bill proves only one entry.
 * - Nothing is edited. A correction returns money to the days of its disbursement, the newest first.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Paise, paise } from '@roz/core/money.ts'
import { type Outcome, accepted, refused } from '@roz/core/outcome.ts'
import { type Queryable, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { hasBills, isBillUsed, lockOutlays, moveProven, type ProvenEntry } from './evidence.ts'

/** The amount that one day gave to a disbursement, or got back by a correction. */
type HelpPart = { readonly day: IstDay; readonly paise: Paise }
type Booked = { readonly replayed: boolean; readonly days: readonly HelpPart[] }

export async function bookDisbursement(
  tx: Tx,
  outlay: ProvenEntry,
): Promise<Outcome<Booked, 'insufficient_funds' | 'idempotency_mismatch' | 'receipt_used'>> {
  const today = await lockOutlays(tx)
  const known = await findSameEntry(tx, outlay, null)
  if (known !== undefined) return known
  if (await isBillUsed(tx, outlay.evidence)) return refused('receipt_used')
  const days = takeFirst(await listOpenDays(tx, today), outlay.amount)
  if (days === undefined) return refused('insufficient_funds')
  await moveProven(tx, { ...outlay, kind: 'disbursement', from: 'HELP_FUND', to: 'BANK' })
  await writeParts(tx, { ...outlay, corrects: null, today, days })
  return accepted({ replayed: false, days })
}

/** The days that would give an amount now, the oldest first; undefined if the fund has less. */
export const quoteDisbursement = async (from: Queryable, today: IstDay, amount: Paise): Promise<HelpPart[] | undefined> =>
  takeFirst(await listOpenDays(from, today), amount)

export async function correctDisbursement(
  tx: Tx,
  correction: ProvenEntry & { readonly corrects: string },
): Promise<Outcome<Booked, 'disbursement_not_found' | 'correction_too_large' | 'receipt_used' | 'idempotency_mismatch'>> {
  const today = await lockOutlays(tx)
  const known = await findSameEntry(tx, correction, correction.corrects)
  if (known !== undefined) return known
  const given = await listGiven(tx, correction.corrects)
  if (given === undefined) return refused('disbursement_not_found')
  if (await isBillUsed(tx, correction.evidence)) return refused('receipt_used')
  const days = takeFirst(given, correction.amount)
  if (days === undefined) return refused('correction_too_large')
  await moveProven(tx, { ...correction, kind: 'disbursement_back', from: 'BANK', to: 'HELP_FUND' })
  await writeParts(tx, { ...correction, today, days })
  return accepted({ replayed: false, days })
}

/** The answer to an id that is booked already. */
async function findSameEntry(
  tx: Tx,
  { id, amount, evidence }: ProvenEntry,
  corrects: string | null,
): Promise<Outcome<Booked, 'idempotency_mismatch'> | undefined> {
  const known = await tx.maybeOne<{ same: boolean }>(
    sql`select amount = ${amount}::bigint and corrects is not distinct from ${corrects}::text as same from disbursement where id = ${id}::text`,
  )
  if (known === undefined) return undefined
  const kind = corrects === null ? 'disbursement' : 'disbursement_back'
  if (!known.same || !(await hasBills(tx, kind, { id, evidence }))) return refused('idempotency_mismatch')
  const days = await tx.query<HelpPart>(
    sql`select day, abs(paise)::bigint as paise from help_allotment where entry_id = ${id}::text order by case when paise > 0 then day - date '2000-01-01' else date '2000-01-01' - day end`,
  )
  return accepted({ replayed: true, days })
}

/** The days with an open share, the oldest first. */
const listOpenDays = (from: Queryable, until: IstDay): Promise<HelpPart[]> =>
  from.query<HelpPart>(sql`select day, open as paise from help_days(${until}::date) where open > 0 order by day`)

/** The amounts that days gave to a disbursement, less its corrections, the newest first. */
async function listGiven(from: Queryable, id: string): Promise<HelpPart[] | undefined> {
  const found = await from.maybeOne(sql`select from disbursement where id = ${id}::text and corrects is null`)
  if (found === undefined) return undefined
  return from.query<HelpPart>(
    sql`select day, sum(paise)::bigint as paise from help_allotment where disbursement_id = ${id}::text group by day having sum(paise) > 0 order by day desc`,
  )
}

/** Takes the amount from the first parts; undefined if they are less. */
function takeFirst(parts: readonly HelpPart[], amount: Paise): HelpPart[] | undefined {
  const taken: HelpPart[] = []
  let due: bigint = amount
  for (const part of parts) {
    if (due === 0n) break
    const some = part.paise < due ? part.paise : due
    taken.push({ day: part.day, paise: paise(some) })
    due -= some
  }
  return due === 0n ? taken : undefined
}

type Entry = Omit<ProvenEntry, 'evidence'> & {
  readonly corrects: string | null
  readonly today: IstDay
  readonly days: readonly HelpPart[]
}

async function writeParts(tx: Tx, { id, amount, corrects, today, days }: Entry): Promise<void> {
  await tx.query(sql`insert into disbursement (id, amount, corrects) values (${id}::text, ${amount}::bigint, ${corrects}::text)`)
  const sign = corrects === null ? 1n : -1n
  await tx.query(sql`insert into help_allotment (entry_id, disbursement_id, day, paise, posted_on)
        select ${id}::text, ${corrects ?? id}::text, day, paise, ${today}::date
          from unnest(${days.map(({ day }) => day)}::date[], ${days.map((part) => sign * part.paise)}::bigint[]) part (day, paise)`)
}
