/**
 * POST /orders/sessions: the shop starts a UPI payment itself, with the order's session and without keys.
 *
 * - `link` answers addresses for the UPI apps, `qrcode` the text of a code, `collect` asks the payer in their app.
 * - The attempt is NOT_ATTEMPTED until the bank is played. Test data decides a collect request by itself.
 */
import type { FastifyInstance } from 'fastify'
import { callsOf, type Parts } from './calls.ts'
import { paymentEvent, rupees } from './entities.ts'
import { absent, type Fields, isFields, oneOf, required } from './fields.ts'
import type { Order } from './model.ts'
import { beginAttempt, readOrder, simulate } from './orders.ts'
import { newPace, paced } from './pace.ts'
import { badBody, invalid, missing, Refusal } from './refusals.ts'
import { DECIDED_COLLECTS } from './test-data.ts'

export const PAY_ORDER_PATH = '/orders/sessions'
const CALLS_A_MINUTE = 100
const CHANNELS = ['link', 'qrcode', 'collect'] as const

export function payOrderRoute(app: FastifyInstance, parts: Parts): void {
  const { store } = parts
  const pace = newPace(CALLS_A_MINUTE, 'ip')
  const { write } = callsOf(app, parts, ({ request, reply, nowMs }) => paced(parts, pace, request, reply, nowMs))
  write(PAY_ORDER_PATH, ({ body, nowMs }) => {
    const { sessionId, channel, upiId } = readPayOrder(body)
    const found = store.orderBySession(sessionId)
    if (found === undefined) throw new Refusal(404, 'payment_session_id is not present or is invalid', 'payment_session_id_invalid')
    const order = readOrder(store, found.orderId, nowMs)
    if (!allowsUpi(order)) throw invalid('payment_method', 'should be one that the order allows', 'upi')
    const attempt = beginAttempt(store, order, { channel, upi_id: upiId }, nowMs)
    const decided = channel === 'collect' ? DECIDED_COLLECTS.get(upiId) : undefined
    if (decided !== undefined) {
      parts.webhooks.announce(paymentEvent(simulate(store, attempt.cfPaymentId, decided, null, nowMs), nowMs), 1, nowMs)
    }
    return {
      payment_amount: rupees(attempt.amountPaise),
      cf_payment_id: attempt.cfPaymentId,
      payment_method: 'upi',
      channel,
      action: 'custom',
      data: { url: null, payload: payload(order, channel), content_type: null, method: null },
    }
  })
}

const allowsUpi = ({ paymentMethods }: Order): boolean => paymentMethods?.split(',').includes('upi') ?? true

type Asked = { readonly sessionId: string; readonly channel: (typeof CHANNELS)[number]; readonly upiId: string }

function readPayOrder(body: unknown): Asked {
  if (!isFields(body)) throw badBody()
  const sessionId = required(body.payment_session_id, 'payment_session_id', 1, 400, /^/, '')
  const upi = isFields(body.payment_method) ? body.payment_method.upi : undefined
  if (!isFields(upi)) throw missing('payment_method.upi')
  const channel = oneOf(upi.channel, 'payment_method.upi.channel', CHANNELS)
  return { sessionId, channel, upiId: channel === 'collect' ? readCollect(upi) : 'testsuccess@gocash' }
}

function readCollect({ upi_id: upiId, upi_expiry_minutes: minutes }: Fields): string {
  const read = required(upiId, 'payment_method.upi.upi_id', 3, 255, /^[A-Za-z0-9._-]+@[A-Za-z0-9.-]+$/, 'should be a UPI ID')
  if (absent(minutes)) return read
  if (typeof minutes !== 'number' || minutes < 5 || minutes > 15)
    throw invalid('payment_method.upi.upi_expiry_minutes', 'should be from 5 to 15', minutes)
  return read
}

function payload({ orderId, amountPaise }: Order, channel: (typeof CHANNELS)[number]): Fields | null {
  if (channel === 'collect') return null
  const query = new URLSearchParams({ pa: 'sandbox@testbank', pn: 'Shop', tr: orderId, am: (amountPaise / 100).toFixed(2), cu: 'INR' })
  const asked = `pay?${query.toString()}`
  if (channel === 'qrcode') return { qrcode: `upi://${asked}` }
  return {
    default: `upi://${asked}`,
    bhim: `bhim://${asked}`,
    gpay: `tez://upi/${asked}`,
    paytm: `paytmmp://${asked}`,
    phonepe: `phonepe://${asked}`,
  }
}
