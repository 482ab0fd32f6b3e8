/**
 * Disbursements: money that leaves the help fund for somebody in need.
 * - A disbursement is never more than the fund's balance.
 * - A disbursement is booked once for its id, together with the hash of the receipt that proves it.
 * - A receipt proves one disbursement only.
 */
import type { Paise } from '@roz/core/money.ts'
import { type Outcome, accepted, refused } from '@roz/core/outcome.ts'
import { lockInTransaction } from '../db/advisory-locks.ts'
import { maybeOne, one, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { ACCOUNTS } from './accounts.ts'
import { moveSystem } from './transfer.ts'

export type Disbursement = {
  readonly id: string
  readonly amount: Paise
  /** SHA-256 of the bytes of the kept receipt. */
  readonly evidence: Buffer
}

export async function bookDisbursement(
  tx: Tx,
  { id, amount, evidence }: Disbursement,
): Promise<Outcome<{ readonly replayed: boolean }, 'insufficient_funds' | 'idempotency_mismatch' | 'receipt_used'>> {
  // Locked until the commit: two disbursements must not spend the same rupees.
  await lockInTransaction(tx, 'helpFund')
  const known = await maybeOne<{ same: boolean }>(
    tx,
    sql`select amount = ${amount}::bigint and evidence = ${evidence}::bytea as same from disbursement where id = ${id}::text`,
  )
  if (known !== undefined) return known.same ? accepted({ replayed: true }) : refused('idempotency_mismatch')
  const used = await maybeOne(tx, sql`select 1 from disbursement where evidence = ${evidence}::bytea`)
  if (used !== undefined) return refused('receipt_used')
  const { HELP_FUND, BANK } = ACCOUNTS
  const { fund } = await one<{ fund: bigint }>(
    tx,
    // Only these kinds reach the fund, and an index covers them.
    sql`select coalesce(sum(case when kind = 'disbursement' then -amount else amount end), 0)::bigint as fund
          from transfer where kind in ('need', 'gift', 'disbursement')`,
  )
  if (fund < amount) return refused('insufficient_funds')
  await tx.query(sql`insert into disbursement (id, amount, evidence) values (${id}::text, ${amount}::bigint, ${evidence}::bytea)`)
  if (!(await moveSystem(tx, { kind: 'disbursement', ref: id, debit: HELP_FUND, credit: BANK, amount })))
    throw new Error(`disbursement ${id} was booked without its receipt`)
  return accepted({ replayed: false })
}
