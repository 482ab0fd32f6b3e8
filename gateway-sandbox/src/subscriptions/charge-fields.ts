/** Validates the bodies of /subscriptions/pay and of refunds. */
import { absent, amount, type Fields, isFields, oneOf, optional, required } from '../fields.ts'
import { badBody, invalid, missing, wrongMethod } from '../refusals.ts'
import { readDebitDay } from './calendar.ts'
import type { ChargeRefund } from './model.ts'

const MAX_PAISE = 100_000_000
const ID = /^[A-Za-z0-9 _.-]+$/
const WORDS = 'should be alphanumeric and may contain underscore, dot, hyphen and space'

export type Paying = { readonly subscriptionId: string; readonly paymentId: string } & (
  | { readonly type: 'CHARGE'; readonly amountPaise: number; readonly day: number; readonly remarks: string | null }
  | { readonly type: 'AUTH'; readonly sessionId: string; readonly channel: 'link' | 'qrcode' }
)

export function readPaying(body: unknown, nowMs: number): Paying {
  if (!isFields(body)) throw badBody()
  const ids = {
    subscriptionId: required(body.subscription_id, 'subscription_id', 1, 250, ID, WORDS),
    paymentId: required(body.payment_id, 'payment_id', 1, 250, ID, WORDS),
  }
  // The gateway's own code has no field in it.
  if (body.payment_type !== 'AUTH' && body.payment_type !== 'CHARGE') {
    if (absent(body.payment_type)) throw missing('payment_type')
    throw invalid('payment_type', 'should be AUTH or CHARGE', body.payment_type, 'invalid_payment_type')
  }
  if (body.payment_type === 'AUTH') return { ...ids, type: 'AUTH', ...readAuth(body) }
  return {
    ...ids,
    type: 'CHARGE',
    amountPaise: amount(body.payment_amount, 'payment_amount', 100, MAX_PAISE),
    day: readDebitDay(body.payment_schedule_date, 'payment_schedule_date', nowMs),
    remarks: optional(body.payment_remarks, 'payment_remarks', 1, 250),
  }
}

function readAuth(body: Fields): { sessionId: string; channel: 'link' | 'qrcode' } {
  const sessionId = required(body.subscription_session_id, 'subscription_session_id', 1, 400, /^/, '')
  const methods = isFields(body.payment_method) ? body.payment_method : {}
  const method = methods.upi
  if (!isFields(method)) throw Object.keys(methods).length === 0 ? missing('payment_method.upi') : wrongMethod()
  return { sessionId, channel: oneOf(method.channel, 'payment_method.upi.channel', ['link', 'qrcode']) }
}

export type NewChargeRefund = Pick<ChargeRefund, 'refundId' | 'amountPaise' | 'note'> & {
  readonly paymentId: string | undefined
  readonly cfPaymentId: string | undefined
}

export function readNewChargeRefund(body: unknown): NewChargeRefund {
  if (!isFields(body)) throw badBody()
  if (absent(body.payment_id) && absent(body.cf_payment_id)) throw missing('payment_id')
  const speed = body.refund_speed ?? 'STANDARD'
  if (speed !== 'STANDARD') throw invalid('refund_speed', 'should be STANDARD for UPI', speed)
  const cfPaymentId = typeof body.cf_payment_id === 'number' ? String(body.cf_payment_id) : body.cf_payment_id
  return {
    paymentId: optional(body.payment_id, 'payment_id', 1, 250) ?? undefined,
    cfPaymentId: optional(cfPaymentId, 'cf_payment_id', 1, 40, /^\d+$/) ?? undefined,
    refundId: required(body.refund_id, 'refund_id', 1, 50, /^[A-Za-z0-9_-]+$/, 'should be alphanumeric'),
    amountPaise: amount(body.refund_amount, 'refund_amount', 100, MAX_PAISE),
    note: optional(body.refund_note, 'refund_note', 1, 100),
  }
}
