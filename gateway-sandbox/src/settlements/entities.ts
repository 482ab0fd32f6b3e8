/**
 * Converts settlements and their events to the JSON of the API.
 *
 * - The settlement of an order is flat in 2025-01-01 and before, and nested in 2026-01-01. The other calls have one shape in all versions.
 * - A settlement that came back is FAILED here: the list of states has no REVERSED.
 */
import type { ApiVersion } from '../calls.ts'
import { indianTime } from '../clock.ts'
import { rupees } from '../entities.ts'
import type { Order } from '../model.ts'
import type { Store } from '../store.ts'
import { credit } from './ledger.ts'
import type { MoneyEvent, Settlement } from './model.ts'

type Json = Record<string, unknown>

const time = (instantMs: number | null): string | null => (instantMs === null ? null : indianTime(instantMs))

/** The sums of a settlement: payments, the gateway's charge and tax, and all other events. */
export function settlementSums({ events }: Settlement): Record<'paymentPaise' | 'chargePaise' | 'taxPaise' | 'adjustmentPaise', number> {
  const sum = (of: (event: MoneyEvent) => number): number => events.reduce((total, event) => total + of(event), 0)
  return {
    paymentPaise: sum(({ type, amountPaise }) => (type === 'PAYMENT' ? amountPaise : 0)),
    chargePaise: sum(({ chargePaise }) => chargePaise),
    taxPaise: sum(({ taxPaise }) => taxPaise),
    adjustmentPaise: sum((event) => (event.type === 'PAYMENT' ? 0 : credit(event))),
  }
}

const shownStatus = ({ status }: Settlement): string => (status === 'REVERSED' ? 'FAILED' : status)

const WORDS: Readonly<Record<Settlement['status'], string>> = {
  SUCCESS: 'Settlement has been processed.',
  PENDING: 'Settlement is pending.',
  PENDING_WITH_CASHFREE: 'Settlement is pending with Cashfree.',
  PENDING_WITH_BANK: 'Settlement is pending with the bank.',
  FAILED: 'Settlement has failed.',
  REVERSED: 'Settlement was returned by the bank.',
}

export function settlementEntity(settlement: Settlement): Json {
  const { paymentPaise, chargePaise, taxPaise, adjustmentPaise } = settlementSums(settlement)
  return {
    cf_settlement_id: settlement.settlementId,
    status: shownStatus(settlement),
    status_description: settlement.reason ?? WORDS[settlement.status],
    settlement_utr: settlement.utr,
    payment_from: time(settlement.paymentFromMs),
    payment_till: time(settlement.paymentTillMs),
    settlement_initiated_on: time(settlement.initiatedAtMs),
    settlement_processed_on: time(settlement.processedAtMs),
    payment_amount: rupees(paymentPaise),
    pg_service_charge: rupees(chargePaise),
    pg_service_tax: rupees(taxPaise),
    adjustment: rupees(adjustmentPaise),
    settlement_charge: 0,
    settlement_tax: 0,
    split_service_charge: 0,
    split_service_tax: 0,
    vendor_commission: 0,
    amount_settled: rupees(settlement.amountSettledPaise),
    charge_type: 'PREPAID',
    settlement_type: 'NORMAL_SETTLEMENT',
  }
}

const customerOf = (order: Order | undefined): Json => ({
  customer_id: order?.customer.id ?? null,
  customer_name: order?.customer.name ?? null,
  customer_phone: order?.customer.phone ?? null,
  customer_email: order?.customer.email ?? null,
})

/** The settlement of an order's payment. */
export function orderSettlementEntity(order: Order, event: MoneyEvent, settlement: Settlement, version: ApiVersion): Json {
  if (version !== '2026-01-01') return flatOrderSettlement(order, event, settlement)
  return {
    order_details: orderDetails(order.orderId, order),
    payment_details: {
      cf_payment_id: event.cfPaymentId,
      payment_time: time(event.atMs),
      payment_currency: 'INR',
      payment_amount: rupees(event.amountPaise),
      pg_service_charge: rupees(event.chargePaise),
      pg_service_tax: rupees(event.taxPaise),
      split_service_charge: 0,
      split_service_tax: 0,
      vendor_commission: 0,
      settlement_amount: rupees(credit(event)),
      charges_currency: 'INR',
      charge_type: 'PREPAID',
      charged_to: 'MERCHANT',
    },
    customer_details: customerOf(order),
    settlement_details: {
      cf_settlement_id: settlement.settlementId,
      status: shownStatus(settlement),
      status_description: settlement.reason ?? WORDS[settlement.status],
      settlement_utr: settlement.utr,
      settlement_initiated_on: time(settlement.initiatedAtMs),
      settlement_processed_on: time(settlement.processedAtMs),
      settlement_currency: 'INR',
      settlement_type: 'NORMAL_SETTLEMENT',
    },
  }
}

const flatOrderSettlement = (order: Order, event: MoneyEvent, settlement: Settlement): Json => ({
  cf_payment_id: event.cfPaymentId,
  cf_settlement_id: settlement.settlementId,
  settlement_currency: 'INR',
  order_id: order.orderId,
  entity: 'settlement',
  order_amount: rupees(order.amountPaise),
  order_currency: 'INR',
  payment_time: time(event.atMs),
  service_charge: rupees(event.chargePaise),
  service_tax: rupees(event.taxPaise),
  settlement_amount: rupees(credit(event)),
  settlement_id: Number(settlement.settlementId),
  transfer_id: Number(settlement.settlementId),
  transfer_time: time(settlement.processedAtMs),
  transfer_utr: settlement.utr,
})

const orderDetails = (orderId: string | null, order: Order | undefined): Json => ({
  order_id: orderId,
  order_amount: order === undefined ? null : rupees(order.amountPaise),
  order_currency: 'INR',
  order_tags: order?.tags ?? null,
})

/** One row of a reconciliation: an event, and the settlement that it is in. */
export function reconEntity(store: Store, event: MoneyEvent, settlement: Settlement | undefined): Json {
  const order = event.orderId === null ? undefined : store.orders.get(event.orderId)
  return {
    event_details: eventDetails(event),
    order_details: orderDetails(event.orderId, order),
    customer_details: customerOf(order),
    payment_details: paymentDetails(event),
    refund_details:
      event.refundId === null
        ? []
        : [
            {
              refund_id: event.refundId,
              refund_note: event.remarks,
              refund_arn: event.eventId.slice(-12),
              refund_processed_at: time(event.atMs),
            },
          ],
    dispute_details:
      event.disputeId === null
        ? []
        : [
            {
              dispute_category: event.remarks,
              dispute_note: null,
              closed_in_favor_of: event.sale === 'DEBIT' ? 'Customer' : 'Merchant',
              dispute_resolved_on: time(event.atMs),
              resolved_on: time(event.atMs),
            },
          ],
    settlement_details: settlement === undefined ? null : settlementDetails(settlement),
  }
}

const eventDetails = (event: MoneyEvent): Json => ({
  event_id: event.eventId,
  event_type: event.type,
  event_amount: rupees(event.amountPaise),
  // Without a sign: sale_type says whether it is added or deducted.
  event_settlement_amount: rupees(Math.abs(credit(event))),
  event_service_charge: rupees(event.chargePaise),
  event_service_tax: rupees(event.taxPaise),
  sale_type: event.sale,
  event_status: 'SUCCESS',
  entity: 'recon',
  event_time: time(event.atMs),
  event_currency: 'INR',
  event_remarks: event.remarks,
})

const paymentDetails = (event: MoneyEvent): Json | null =>
  event.cfPaymentId === null
    ? null
    : {
        cf_payment_id: event.cfPaymentId,
        payment_amount: event.type === 'PAYMENT' ? rupees(event.amountPaise) : null,
        payment_currency: 'INR',
        payment_group: 'upi',
        payment_time: event.type === 'PAYMENT' ? time(event.atMs) : null,
        payment_service_charge: rupees(event.chargePaise),
        payment_service_tax: rupees(event.taxPaise),
        bank_reference: event.cfPaymentId.slice(-12),
        status: 'SUCCESS',
        charges_currency: 'INR',
      }

function settlementDetails(settlement: Settlement): Json {
  const { chargePaise, taxPaise } = settlementSums(settlement)
  return {
    cf_settlement_id: settlement.settlementId,
    settlement_utr: settlement.utr,
    settlement_date: time(settlement.processedAtMs),
    settlement_initiated_on: time(settlement.initiatedAtMs),
    payment_from: time(settlement.paymentFromMs),
    payment_till: time(settlement.paymentTillMs),
    service_charge: rupees(chargePaise),
    service_tax: rupees(taxPaise),
    settlement_charge: 0,
    settlement_tax: 0,
    split_service_charge: 0,
    split_service_tax: 0,
    vendor_commission: 0,
    settlement_type: 'NORMAL_SETTLEMENT',
    reason: settlement.reason,
    remarks: null,
  }
}
