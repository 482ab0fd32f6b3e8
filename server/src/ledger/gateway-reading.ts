/**
 * The reading of the gateway's settlements, as other features meet it: a webhook makes it due.
 * - What a webhook says of a settlement is not believed: the reading asks the gateway.
 */
import { type Queryable, sql } from '../db/sql.ts'

/** Makes the gateway's settlements read at `at`, if nobody reads them sooner. */
export async function wantReading(tx: Queryable, at: Date): Promise<void> {
  await tx.query(sql`
    update gateway_reading set wanted_at = greatest(wanted_at, ${at}::timestamptz), due_at = least(due_at, ${at}::timestamptz)`)
}
