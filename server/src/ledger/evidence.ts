/**
 * The bills that prove an outlay: a disbursement, its correction, a platform entry, or a settlement of the gateway.
 * - Each bill proves one entry of all the books.
 * - An outlay is posted on no earlier day than the one before it.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import type { Paise } from '@roz/core/money.ts'
import { lockInTransaction } from '../db/advisory-locks.ts'
import { type Queryable, type Sql, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { ACCOUNTS, type AccountName, type TransferKind } from './accounts.ts'
import { moveSystem } from './transfer.ts'

export type ProvenEntry = {
  readonly id: string
  readonly amount: Paise
  /** SHA-256 of the bytes of each kept bill, at least one. */
  readonly evidence: readonly Buffer[]
}
export type OutlayKind = Extract<
  TransferKind,
  'disbursement' | 'disbursement_back' | 'platform_out' | 'tds_remitted' | 'losses_covered' | 'gateway_settled'
>

/** The outlay's id, for a search by key; entries of tests have other ids. */
export const outlayOf = (entryId: Sql): Sql =>
  sql`case when ${entryId} ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then ${entryId}::uuid end`

/** Locks all outlays until the commit: two must not spend the same rupees. Fixes and returns the day of posting. */
export async function lockOutlays(tx: Tx): Promise<IstDay> {
  await lockInTransaction(tx, 'helpFund')
  // A later statement than the lock: its snapshot sees the outlay that the lock waited for.
  return (await tx.one<{ day: IstDay }>(sql`select outlay_day() as day`)).day
}

/** True if one of the bills is given twice, or proves another entry. */
export async function isBillUsed(from: Queryable, evidence: readonly Buffer[]): Promise<boolean> {
  if (new Set(evidence.map((hash) => hash.toString('hex'))).size < evidence.length) return true
  return (await from.maybeOne(sql`select from evidence where hash = any(${evidence}::bytea[]) limit 1`)) !== undefined
}

/** Whether the booked entry has exactly these bills. */
export async function hasBills(from: Queryable, kind: OutlayKind, { id, evidence }: Omit<ProvenEntry, 'amount'>): Promise<boolean> {
  const { same } = await from.one<{ same: boolean }>(sql`
    select coalesce(array_agg(hash order by hash), '{}') = (select array_agg(given order by given) from unnest(${evidence}::bytea[]) given) as same
          from evidence where kind = ${kind}::text and ref = ${id}::text`)
  return same
}

/** Writes the transfer and its bills. */
export async function moveProven(
  tx: Tx,
  {
    id,
    kind,
    amount,
    evidence,
    from,
    to,
  }: ProvenEntry & { readonly kind: OutlayKind; readonly from: AccountName; readonly to: AccountName },
): Promise<void> {
  if (evidence.length === 0) throw new Error(`${kind} ${id} has no bill`)
  if (!(await moveSystem(tx, { kind, ref: id, debit: ACCOUNTS[from], credit: ACCOUNTS[to], amount })))
    throw new Error(`${kind} ${id} was booked without its bill`)
  await tx.query(
    sql`insert into evidence (hash, kind, ref) select hash, ${kind}::text, ${id}::text from unnest(${evidence}::bytea[]) hash order by hash`,
  )
}
