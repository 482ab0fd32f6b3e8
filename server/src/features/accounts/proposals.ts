/**
 * Settlements that the gateway reported, as proposals to record.
 * - A settlement is recorded if an outlay that was not rejected has its number or the bank's.
 * - Its fee is the gateway's four charges and taxes.
 * - One that came back after it was recorded stays in the books. The next ones are recorded with its amounts taken off, each as far as it
 *   reaches, so that the books have what the bank has.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Paise, paise } from '@roz/core/money.ts'
import { type Queryable, type Sql, sql } from '../../db/sql.ts'
import { IS_PROPOSED, IS_RECORDED, isEntryOf, SETTLEMENT_DAY } from '../../ledger/gateway-settlements.ts'

type Part = 'amount' | 'fee'
const inOutlay = (part: Part): Sql => (part === 'amount' ? sql`w.amount_paise` : sql`w.fee_paise`)
const inCorrection = (part: Part): Sql => (part === 'amount' ? sql`c.amount` : sql`c.fee`)

/** The whole amount or fee of a recorded settlement, in paise: what was recorded, and what was taken off it. Null if it is not recorded. */
export const wholeOf = (settlementId: Sql, part: Part): Sql => sql`(
  select (sum(${inOutlay(part)}) + coalesce((
           select sum(${inCorrection(part)}) from gateway_settlement_correction c where c.by_id = ${settlementId}), 0))::bigint
    from gateway_settlement_seen x join outlay w on ${isEntryOf(sql`w`, sql`x`)} and w.status = 'booked' where x.settlement_id = ${settlementId})`

/** What was taken off later settlements for the one that came back, in paise. */
const takenFor = (settlementId: Sql, part: Part): Sql => sql`(
  select coalesce(sum(${inCorrection(part)}), 0)::bigint from gateway_settlement_correction c
    join gateway_settlement_seen x on x.settlement_id = c.by_id
   where c.returned_id = ${settlementId} and exists (select from outlay w where ${isEntryOf(sql`w`, sql`x`)} and w.status <> 'rejected'))`
/** Nothing was taken off a later settlement for it yet. */
export const isUntaken = (settlementId: Sql): Sql => sql`(${takenFor(settlementId, 'amount')} + ${takenFor(settlementId, 'fee')} = 0)`
/** What later settlements were recorded less for it, or paid in its place, in paise. */
export const replacedOf = (settlementId: Sql): Sql => sql`(${takenFor(settlementId, 'amount')} + ${takenFor(settlementId, 'fee')} + (
  select coalesce(sum(c.amount + c.fee + c.own_fee), 0)::bigint from gateway_settlement_seen c where c.covers = ${settlementId} and c.state = 'paid'))`
/** What is still to be taken off later settlements for the one that came back, in paise. Null if it is not recorded. */
export const restOf = (settlementId: Sql, part: Part): Sql => sql`(${wholeOf(settlementId, part)} - ${takenFor(settlementId, part)})`

/** The settlement came back, and another one has paid in its place, or later ones were recorded less its amounts. */
export const isCorrected = (row: Sql): Sql => sql`(
  exists (select from gateway_settlement_seen c where c.covers = ${row}.settlement_id and c.state = 'paid')
  or coalesce((${restOf(sql`${row}.settlement_id`, 'amount')}, ${restOf(sql`${row}.settlement_id`, 'fee')}) = (0, 0), false))`

export type Proposal = {
  readonly settlementId: string
  readonly day: IstDay
  readonly amount: Paise
  readonly fee: Paise
  readonly report: Buffer
  /** What is taken off for settlements that came back. */
  readonly corrects: readonly Returned[]
}

type Row = Omit<Proposal, 'corrects'>
type Returned = { readonly settlementId: string; readonly amount: Paise; readonly fee: Paise }

/** The entry to record for a settlement; undefined if there is none. A caller that records it holds the lock of outlays. */
export async function findProposal(from: Queryable, settlementId: string): Promise<Proposal | undefined> {
  const row = await from.maybeOne<Row>(sql`
    select s.settlement_id as "settlementId", ${SETTLEMENT_DAY}::text as day, s.amount, s.fee + s.own_fee as fee, s.report_hash as report
          from gateway_settlement_seen s where s.settlement_id = ${settlementId}::text and ${IS_PROPOSED}`)
  return row && withoutReturned(row, await listReturned(from))
}

/** Settlements that came back after they were recorded, with what is still to be taken off for each; the oldest first. */
export const listReturned = (from: Queryable): Promise<Returned[]> =>
  from.query<Returned>(sql`
    select s.settlement_id as "settlementId", ${restOf(sql`s.settlement_id`, 'amount')} as amount, ${restOf(sql`s.settlement_id`, 'fee')} as fee
      from gateway_settlement_seen s join outlay o on ${IS_RECORDED} and o.status = 'booked'
     where s.state = 'failed' and not ${isCorrected(sql`s`)} order by s.seen_at, s.settlement_id`)

/** An entry of the books has at least one paisa. */
const restAfter = (amount: bigint): bigint => (amount > 1n ? amount - 1n : 0n)
const smaller = (a: bigint, b: bigint): Paise => paise(a < b ? a : b)

function withoutReturned(row: Row, returned: readonly Returned[]): Proposal {
  let { amount, fee } = row
  const corrects: Returned[] = []
  for (const one of returned) {
    const taken = { settlementId: one.settlementId, amount: smaller(one.amount, restAfter(amount)), fee: smaller(one.fee, fee) }
    if (taken.amount + taken.fee === 0n) continue
    amount = paise(amount - taken.amount)
    fee = paise(fee - taken.fee)
    corrects.push(taken)
  }
  return { ...row, amount, fee, corrects }
}
