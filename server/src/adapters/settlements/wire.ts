/**
 * Parsers of Cashfree's JSON of settlements and their events. They read only the fields that we use: never the payer's.
 * - Sums are the gateway's own; nothing is added up here but charges and taxes.
 */
import { type Paise, paise, paiseFromRupees } from '@roz/core/money.ts'
import { z } from 'zod'
import { amount, wireId, wireInstant, words } from '../cashfree/fields.ts'
import type { ToldSettlement, SettlementEvent, SettlementEventKind, SettlementState } from './port.ts'

/** A sum that may be below zero. */
const signed = z.number().transform((rupees, context): Paise => {
  const exact = paiseFromRupees(rupees)
  if (exact !== undefined) return exact
  context.addIssue({ code: 'custom', message: 'not an amount of rupees' })
  return z.NEVER
})
/** A charge that the gateway leaves out is none. */
const charge = amount.nullish().transform((paid) => paid ?? paise(0n))
const optionalId = wireId.nullish().transform((id) => id ?? undefined)
const cursor = words
/** The number of rows. An empty list without it is of somebody else. */
const limit = z.int().min(0)

export const wireSettlements = z.object({
  cursor,
  limit,
  data: z.array(
    z.object({
      cf_settlement_id: wireId,
      status: z.string().min(1),
      settlement_utr: z
        .union([z.string(), z.int().transform(String)])
        .nullish()
        .transform((utr) => utr || undefined),
      settlement_initiated_on: wireInstant.nullish(),
      settlement_processed_on: wireInstant.nullish(),
      pg_service_charge: charge,
      pg_service_tax: charge,
      settlement_charge: charge,
      settlement_tax: charge,
      amount_settled: signed,
    }),
  ),
})

export const wireEvents = z.object({
  cursor,
  limit,
  data: z.array(
    z.object({
      event_details: z.object({
        event_id: wireId,
        event_type: z.string().min(1),
        event_status: words,
        event_amount: amount,
        event_settlement_amount: signed,
        event_service_charge: charge,
        event_service_tax: charge,
        sale_type: z.string(),
        event_remarks: words,
      }),
      order_details: z.object({ order_id: words }).nullish(),
      payment_details: z.object({ cf_payment_id: optionalId }).nullish(),
      refund_details: z.array(z.object({ refund_id: words })).nullish(),
      settlement_details: z.object({ cf_settlement_id: wireId }),
    }),
  ),
})

const STATES: Readonly<Record<string, SettlementState>> = {
  SUCCESS: 'paid',
  PENDING: 'pending',
  PENDING_WITH_CASHFREE: 'pending',
  PENDING_WITH_BANK: 'pending',
  INITIATED: 'pending',
  FAILED: 'failed',
  REVERSED: 'failed',
}

const KINDS: Readonly<Record<string, SettlementEventKind>> = {
  PAYMENT: 'payment',
  REFUND: 'refund',
  REFUND_REVERSAL: 'refund_back',
  DISPUTE: 'dispute',
  CHARGEBACK: 'dispute',
  DISPUTE_REVERSAL: 'dispute_back',
  CHARGEBACK_REVERSAL: 'dispute_back',
  OTHER_ADJUSTMENT: 'adjustment',
}

const lookUp = <T>(map: Readonly<Record<string, T>>, word: string): T | undefined => (Object.hasOwn(map, word) ? map[word] : undefined)
/** Longer words are cut: they are shown to staff, and stored. */
const short = (word: string): string => word.slice(0, 200)

export const readSettlements = ({ data }: z.output<typeof wireSettlements>): ToldSettlement[] =>
  data.map((one) => ({
    settlementId: one.cf_settlement_id,
    state: lookUp(STATES, one.status) ?? 'unknown',
    status: short(one.status),
    utr: one.settlement_utr,
    amount: one.amount_settled,
    fee: paise(one.pg_service_charge + one.pg_service_tax),
    ownFee: paise(one.settlement_charge + one.settlement_tax),
    initiatedAtMs: one.settlement_initiated_on ?? undefined,
    processedAtMs: one.settlement_processed_on ?? undefined,
  }))

export const readEvents = ({ data }: z.output<typeof wireEvents>): SettlementEvent[] =>
  data.map(({ event_details: event, order_details: order, payment_details: payment, refund_details: refunds, settlement_details: of }) => {
    const isDone = event.event_status === undefined || event.event_status === 'SUCCESS'
    const kind = isDone ? (lookUp(KINDS, event.event_type) ?? 'unknown') : 'unknown'
    return {
      settlementId: of.cf_settlement_id,
      eventId: event.event_id,
      kind,
      word: short(isDone ? event.event_type : `${event.event_type} ${event.event_status}`),
      isCredit: lookUp({ CREDIT: true, DEBIT: false }, event.sale_type),
      amount: event.event_amount,
      // The gateway writes it without a sign; a sign would say the same as sale_type.
      settled: paise(event.event_settlement_amount < 0n ? -event.event_settlement_amount : event.event_settlement_amount),
      fee: paise(event.event_service_charge + event.event_service_tax),
      orderId: order?.order_id,
      paymentId: payment?.cf_payment_id,
      refundId: refunds?.[0]?.refund_id,
      remarks: kind === 'adjustment' && event.event_remarks !== undefined ? short(event.event_remarks) : undefined,
    }
  })
