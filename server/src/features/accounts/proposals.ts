/**
 * Settlements that the gateway reported, as proposals to record.
 * - A settlement is recorded if an outlay that was not rejected has its number or the bank's.
 * - Its fee is the gateway's four charges and taxes.
 * - One that came back after it was recorded stays in the books. The next larger one is recorded with its amounts taken off, so that the
 *   books have what the bank has.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Paise, paise } from '@roz/core/money.ts'
import { maybeOne, type Queryable, type Sql, sql } from '../../db/sql.ts'
import { IS_PROPOSED, IS_RECORDED, isEntryOf, SETTLEMENT_DAY } from '../../ledger/gateway-settlements.ts'

/** The settlement came back, and another one has been recorded, or has paid, in its place. */
export const isCorrected = (row: Sql): Sql => sql`(
  exists (select from gateway_settlement_seen c where c.covers = ${row}.settlement_id and c.state = 'paid')
  or exists (select from gateway_settlement_seen c join outlay x on ${isEntryOf(sql`x`, sql`c`)} and x.status <> 'rejected'
              where c.settlement_id = ${row}.corrected_by))`

/**
 * The whole amount or fee of a recorded settlement: the paise recorded for it, and for each returned settlement that was taken off it.
 * Null if it is not recorded.
 */
export const wholeOf = (settlementId: Sql, part: 'amount_paise' | 'fee_paise'): Sql => sql`(
  with recursive chain (id) as (
    select ${settlementId} union select x.settlement_id from gateway_settlement_seen x join chain on x.corrected_by = chain.id)
  select sum(${part === 'amount_paise' ? sql`w.amount_paise` : sql`w.fee_paise`})::bigint
    from chain join gateway_settlement_seen x on x.settlement_id = chain.id
    join outlay w on ${isEntryOf(sql`w`, sql`x`)} and w.status = 'booked')`

export type Proposal = {
  readonly settlementId: string
  readonly day: IstDay
  readonly amount: Paise
  readonly fee: Paise
  readonly report: Buffer
  /** Settlements that came back, whose amounts are taken off. */
  readonly corrects: readonly string[]
}

type Row = Omit<Proposal, 'corrects'>
type Returned = { readonly settlementId: string; readonly amount: Paise; readonly fee: Paise }

/** The entry to record for a settlement; undefined if there is none. A caller that records it holds the lock of outlays. */
export async function findProposal(from: Queryable, settlementId: string): Promise<Proposal | undefined> {
  const row = await maybeOne<Row>(
    from,
    sql`select s.settlement_id as "settlementId", ${SETTLEMENT_DAY}::text as day, s.amount, s.fee + s.own_fee as fee, s.report_hash as report
          from gateway_settlement_seen s where s.settlement_id = ${settlementId}::text and ${IS_PROPOSED}`,
  )
  return row && withoutReturned(row, await listReturned(from))
}

/** Settlements that came back after they were recorded, and are not corrected; the oldest first. */
export const listReturned = (from: Queryable): Promise<Returned[]> =>
  from.query<Returned>(sql`
    select s.settlement_id as "settlementId", ${wholeOf(sql`s.settlement_id`, 'amount_paise')} as amount, ${wholeOf(sql`s.settlement_id`, 'fee_paise')} as fee
      from gateway_settlement_seen s join outlay o on ${IS_RECORDED} and o.status = 'booked'
     where s.state = 'failed' and not ${isCorrected(sql`s`)} order by s.seen_at, s.settlement_id`)

function withoutReturned(row: Row, returned: readonly Returned[]): Proposal {
  let { amount, fee } = row
  const corrects: string[] = []
  for (const one of returned) {
    if (one.amount >= amount || one.fee > fee) continue
    amount = paise(amount - one.amount)
    fee = paise(fee - one.fee)
    corrects.push(one.settlementId)
  }
  return { ...row, amount, fee, corrects }
}
