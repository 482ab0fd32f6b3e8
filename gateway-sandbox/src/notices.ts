/**
 * Webhooks that tell of no step of a record: a control call sends them.
 *
 * - They move nothing: no refund is made, no balance is kept.
 * - The gateway publishes the fields of some of them only in part. `data` replaces the sandbox's own.
 */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Parts } from './calls.ts'
import { indianTime } from './clock.ts'
import { controlsOf, webhookCopies, webhooksOf } from './control-views.ts'
import { decimals, paymentData } from './entities.ts'
import type { Attempt, Order } from './model.ts'
import { readOrder } from './orders.ts'
import { noSuchStep } from './refusals.ts'
import { feeOf } from './settlements/ledger.ts'

type Json = Readonly<Record<string, unknown>>

const ORDER_DATA: Readonly<Record<string, (order: Order, paid: Attempt, nowMs: number) => Json>> = {
  AUTO_REFUND_STATUS_WEBHOOK: autoRefund,
  PAYMENT_CHARGES_WEBHOOK: paymentCharges,
}

/** The payment goes back by itself: the gateway's own refund has no id of the shop. */
function autoRefund({ orderId }: Order, { cfPaymentId, amountPaise }: Attempt, nowMs: number): Json {
  return {
    auto_refund: {
      cf_refund_id: Number(cfPaymentId) + 1,
      cf_payment_id: Number(cfPaymentId),
      refund_id: `auto_refund_${cfPaymentId}`,
      order_id: orderId,
      entity: 'Refund',
      refund_amount: decimals(amountPaise),
      refund_currency: 'INR',
      refund_type: 'PAYMENT_AUTO_REFUND',
      refund_mode: 'STANDARD',
      refund_arn: cfPaymentId.slice(-12),
      refund_status: 'SUCCESS',
      refund_reason: 'Multiple payments were performed against same order',
      status_description: 'Refund processed successfully',
      created_at: indianTime(nowMs),
      processed_at: indianTime(nowMs),
    },
  }
}

function paymentCharges(order: Order, paid: Attempt): Json {
  const { chargePaise, taxPaise } = feeOf(paid.amountPaise)
  return {
    ...paymentData(order, paid),
    charges_details: {
      service_charge: decimals(chargePaise),
      service_tax: decimals(taxPaise),
      settlement_amount: decimals(paid.amountPaise - chargePaise - taxPaise),
      settlement_currency: 'INR',
      service_charge_discount: null,
    },
  }
}

/** The words of the payouts webhooks V1, in the spelling of V2. */
const PAYOUT_DATA: Readonly<Record<string, (nowMs: number) => Json>> = {
  BULK_TRANSFER_REJECTED: () => ({ transfer_id: 'sandbox_bulk_1', cf_transfer_id: '1', reason: 'Invalid details of the beneficiary' }),
  BENEFICIARY_INCIDENT: (nowMs) => ({
    id: '1',
    bene_entity: 'BANK',
    entity_name: 'HDFC Bank',
    entity_code: 'HDFC',
    mode: 'IMPS',
    status: 'ACTIVE',
    severity: 'HIGH',
    is_scheduled: false,
    started_at: indianTime(nowMs).slice(0, 19),
    resolved_at: null,
  }),
  CREDIT_CONFIRMATION: () => ({ ledger_balance: decimals(1_000_000), amount: decimals(100_000), utr: 'SBX1' }),
  LOW_BALANCE_ALERT: (nowMs) => ({ current_balance: decimals(10_000), alert_time: indianTime(nowMs).slice(0, 19) }),
}

export const NOTICES = [...Object.keys(ORDER_DATA), ...Object.keys(PAYOUT_DATA)]

const noticeOf = (data: Readonly<Record<string, unknown>>) =>
  z.strictObject({ type: z.enum(Object.keys(data)), data: z.record(z.string(), z.unknown()).optional(), webhooks: webhookCopies })
const orderNotice = noticeOf(ORDER_DATA)
const payoutNotice = noticeOf(PAYOUT_DATA)

const ACCOUNT = 'account:payouts'

export function noticeControl(app: FastifyInstance, parts: Parts): void {
  const { store, webhooks, payouts } = parts
  const { press, show } = controlsOf(app, parts)
  press('/orders/:orderId/notices', orderNotice, ({ type, data, webhooks: copies }, { params, nowMs }) => {
    const order = readOrder(store, params.orderId, nowMs)
    const paid = store.attemptsOf(order.orderId).findLast(({ status }) => status === 'SUCCESS')
    if (paid === undefined) throw noSuchStep(order.status, type)
    const subject = `order:${order.orderId}`
    const told = data ?? ORDER_DATA[type]?.(order, paid, nowMs)
    const body = JSON.stringify({ data: told, event_time: indianTime(nowMs), type })
    const event = order.notifyUrl === null ? undefined : ({ channel: 'pg', subject, type, url: order.notifyUrl, body } as const)
    webhooks.announce(event, copies, nowMs)
    return { webhooks: webhooksOf(store, subject) }
  })
  press('/payouts/notices', payoutNotice, ({ type, data, webhooks: copies }, { nowMs }) => {
    const url = payouts?.notifyUrl
    const body = JSON.stringify({ data: data ?? PAYOUT_DATA[type]?.(nowMs), event_time: indianTime(nowMs).slice(0, 19), type })
    webhooks.announce(url === undefined ? undefined : { channel: 'payouts', subject: ACCOUNT, type, url, body }, copies, nowMs)
    return { webhooks: webhooksOf(store, ACCOUNT) }
  })
  show('/payouts/notices', () => ({ webhooks: webhooksOf(store, ACCOUNT) }))
}
