/**
 * Looks for entries of ours that no settlement has, once all settlements of the morning are read.
 * - The gateway settles after two bank days; after four an entry is missing.
 * - Only entries since the first reading count, and of the last 60 days; older findings are looked at again. A bank transfer is no payment
 *   of the gateway.
 * - Settlements with open findings are compared again: our own entry may have come after theirs. So are settlements with an event that
 *   nobody knew and somebody closed, and recorded ones that came back: the entry that corrected one may have been rejected since.
 */
import { bankDaysBefore } from '@roz/core/bank-days.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Db, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { IS_OPEN_FINDING } from '../../staff/open-work.ts'
import { type Found, replaceFindings } from './finding-rows.ts'
import { type Judging, compareSettlement } from './judge.ts'
import { listReturned } from './proposals.ts'

const BANK_DAYS = 4
const WINDOW = sql`interval '60 days'`
const LISTED = 1000

/**
 * - Each settlement has a transaction of its own, and the row of the reading one: nobody waits for the whole look.
 * - A dispute that is booked meanwhile changes `looked_at` (ledger/gateway-reading.ts): then that stays, and another look follows.
 */
export async function lookForMissing(db: Db, deps: Judging): Promise<void> {
  // Text: PostgreSQL has microseconds.
  const { before, began } = await db.one<{ before: string | null; began: string }>(
    sql`select looked_at::text as before, roz_now()::text as began from gateway_reading`,
  )
  const open = await db.query<{ settlementId: string }>(sql`
    select f.settlement_id as "settlementId" from money_finding f
     where f.settlement_id is not null and f.ended_at is null
       and (${IS_OPEN_FINDING} or f.kind in ('unknown_payment', 'unknown_refund', 'unknown_dispute') and f.found_at > roz_now() - ${WINDOW})`)
  const again = new Set([...open, ...(await listReturned(db))].map(({ settlementId }) => settlementId))
  for (const id of [...again].sort()) await inTransaction(db, (tx) => compareSettlement(tx, deps, id))
  await inTransaction(db, async (tx) => {
    const { today } = await tx.one<{ today: IstDay }>(sql`select ist_day(roz_now()) as today`)
    const found = await listMissing(tx, bankDaysBefore(today, BANK_DAYS))
    await replaceFindings(tx, { of: sql`f.kind = 'missing'`, settlementId: null, found })
  })
  await db.query(sql`
    update gateway_reading set looked_at = ${began}::timestamptz where looked_at is not distinct from ${before}::timestamptz`)
}

/** Entries that ended on `until` or before. A dispute counts once it is lost: until then the gateway may have taken nothing. */
const listMissing = (tx: Tx, until: IstDay): Promise<Found[]> =>
  tx.query<Found>(sql`
    with span as (
      select greatest((select since from gateway_reading), roz_now() - ${WINDOW}) as since, start_of_ist_day(${until}::date + 1) as until),
    entry as (
      select 'payment:' || payment_id as subject, amount, captured_at as at from topup, span where captured_at >= span.since and captured_at < span.until
      union all
      select 'payment:' || s.payment_id, s.amount, s.created_at from suspense_item s, span
       where s.created_at >= span.since and s.created_at < span.until and not exists (select from topup t where t.payment_id = s.payment_id)
         -- Returned money and the rest of an item are items too, and no payment of the gateway.
         and exists (select from transfer t where t.kind = 'topup_suspense' and t.ref = s.payment_id)
      union all
      select 'refund:' || id, -amount, ended_at from refund, span where status = 'paid' and ended_at >= span.since and ended_at < span.until
      union all
      select 'dispute:' || id, -amount, updated_at from dispute, span
       where state = 'lost' and is_taken and updated_at >= span.since and updated_at < span.until
      union all
      -- Older ones that were missing, until they come.
      select f.subject, -f.difference, f.found_at from money_finding f, span
       where f.kind = 'missing' and f.ended_at is null and f.found_at < span.since + interval '30 days')
    select 'missing' as kind, subject, -min(amount) as difference, to_char(min(at) at time zone 'Asia/Kolkata', 'YYYY-MM-DD') as detail
      from entry where not exists (
        select from gateway_settlement_event e join gateway_settlement_seen s using (settlement_id) where e.subject = entry.subject and s.state = 'paid')
       and not exists (select from bank_transfer b where 'payment:' || replace(b.id::text, '-', '') = entry.subject)
     group by subject order by min(at) limit ${LISTED}::int`)
