/** The webhooks of settlements, sent to the payments tab. They write ids as numbers, and the period without an offset. */
import type { Parts } from '../calls.ts'
import { indianTime } from '../clock.ts'
import { decimals } from '../entities.ts'
import { settlementSums } from './entities.ts'
import type { Settlement } from './model.ts'

type EventName = 'SETTLEMENT_INITIATED' | 'SETTLEMENT_SUCCESS' | 'SETTLEMENT_FAILED' | 'SETTLEMENT_REVERSED'

const moment = (instantMs: number): string => indianTime(instantMs).slice(0, 19).replace('T', ' ')

export function announceSettlement(
  { tabs, webhooks }: Parts,
  settlement: Settlement,
  type: EventName,
  copies: number,
  nowMs: number,
): void {
  if (tabs.payments === undefined) return
  const sums = settlementSums(settlement)
  const isBegun = type === 'SETTLEMENT_INITIATED'
  const told = {
    settlement_id: Number(settlement.settlementId),
    status: isBegun ? 'INITIATED' : settlement.status,
    utr: isBegun || settlement.utr === null ? null : Number(settlement.utr),
    payment_amount: decimals(sums.paymentPaise),
    service_charge: decimals(sums.chargePaise),
    service_tax: decimals(sums.taxPaise),
    adjustment: decimals(sums.adjustmentPaise),
    settlement_charge: 0,
    settlement_tax: 0,
    settlement_amount: decimals(settlement.amountSettledPaise),
    amount_settled: decimals(settlement.amountSettledPaise),
    settlement_type: 'STANDARD',
    payment_from: moment(settlement.paymentFromMs),
    payment_till: moment(settlement.paymentTillMs),
    settlement_initiated_on: indianTime(settlement.initiatedAtMs),
    settled_on: isBegun || settlement.processedAtMs === null ? null : indianTime(settlement.processedAtMs),
    reason: isBegun ? null : settlement.reason,
    remarks: null,
  }
  const body = JSON.stringify({ data: { settlement: told }, event_time: indianTime(nowMs), type })
  webhooks.announce({ channel: 'pg', subject: `settlement:${settlement.settlementId}`, type, url: tabs.payments, body }, copies, nowMs)
}
