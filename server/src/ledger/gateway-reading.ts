/**
 * The reading of the gateway's settlements, as other features meet it: a webhook makes it due, and a booked dispute has it look again.
 * - A webhook's word about a settlement is not believed: the reading asks the gateway.
 */
import { type Queryable, type Sql, sql } from '../db/sql.ts'

/** Makes the gateway's settlements read at `at`, if nobody reads them sooner. */
export async function wantReading(tx: Queryable, at: Date): Promise<void> {
  await tx.query(sql`
    update gateway_reading set wanted_at = greatest(wanted_at, ${at}::timestamptz), due_at = least(due_at, ${at}::timestamptz)`)
}

/** An open finding `f` about a dispute. */
const LACKS_DISPUTE: Sql = sql`f.kind = 'unknown_dispute' and f.closed_at is null and f.ended_at is null`

/**
 * A dispute was booked: settlements with open findings about disputes are compared with our books again.
 * - Each call sets `looked_at` to a value that it never had: a look under way, which may have passed the settlement, does not end the wish.
 * - The last act of its transaction: the row is locked after wallets, and only for a moment.
 */
export async function lookAgain(tx: Queryable): Promise<void> {
  await tx.query(sql`
    update gateway_reading set looked_at = least(looked_at, read_at) - interval '1 microsecond'
     where exists (select from money_finding f where ${LACKS_DISPUTE})`)
}

/** Whether a settlement says that the gateway took the money of this dispute (false: gave it back), and our books lack that. */
export async function isTakenBySettlement(from: Queryable, disputeId: string): Promise<boolean | undefined> {
  const event = await from.maybeOne<{ isTaken: boolean }>(sql`select e.kind = 'dispute' as "isTaken"
          from money_finding f join gateway_settlement_event e on e.settlement_id = f.settlement_id and f.subject = e.settlement_id || ':' || e.position
         where ${LACKS_DISPUTE} and e.event_id = ${disputeId}::text order by f.found_at desc, e.settlement_id desc, e.position desc limit 1`)
  return event?.isTaken
}
