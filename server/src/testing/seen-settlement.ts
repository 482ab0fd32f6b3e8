/** A settlement of the gateway as the reading stores it, and a finding, for tests of what is decided about them. */
import { type Db, sql } from '../db/sql.ts'

let made = 0

/** Amounts are rupees. Answers its number. */
export async function insertSeenSettlement(db: Db, { amount, fee }: { readonly amount: number; readonly fee: number }): Promise<string> {
  const id = `7000${++made}`
  await db.query(sql`
    insert into gateway_settlement_seen (settlement_id, state, status, utr, amount, fee, own_fee, paid_on, events_read_at, report, report_hash)
    values (${id}::text, 'paid', 'SUCCESS', ${`26${id}`}::text, ${Math.round(amount * 100)}::bigint, ${Math.round(fee * 100)}::bigint, 0, '2026-01-05',
      roz_now(), ${Buffer.from(id)}::bytea, sha256(${Buffer.from(id)}::bytea))`)
  return id
}

export const insertFinding = async (db: Db, rupees: number): Promise<string> =>
  (
    await db.one<{ id: string }>(
      sql`insert into money_finding (kind, subject, difference) values ('adjustment', ${`70:${++made}`}::text, ${Math.round(rupees * 100)}::bigint) returning id`,
    )
  ).id
