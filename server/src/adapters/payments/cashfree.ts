/**
 * The payment port over Cashfree's HTTP API. `../cashfree/calls.ts` makes the calls.
 * - A call is retried only if that has no second effect: reads are harmless, and an order is created once per order id.
 * - An answer about another order, refund or dispute than the one asked for is refused.
 * - A repeated order id is answered 409; then the existing order is read and compared.
 */
import { createHash } from 'node:crypto'
import { CURRENCY, rupeesFromPaise } from '@roz/core/money.ts'
import {
  type GatewayAnswer,
  type ApiConfig,
  askOnce,
  cashfreeApi,
  expectOk,
  expectSame,
  isUnknown,
  parseJson,
  read,
  refusal,
} from '../cashfree/calls.ts'
import { verifySignature, WEBHOOK_LIFE_MS } from '../cashfree/webhook-signature.ts'
import { mandateRefunds } from '../mandates/cashfree-mandates.ts'
import {
  type Checkout,
  type Dispute,
  GatewayRefusedError,
  type NewOrder,
  type NewRefund,
  type Order,
  type PaymentGateway,
  type Refund,
  type WebhookEvent,
} from './port.ts'
import {
  orderStatusOf,
  readDispute,
  readPayments,
  readRefund,
  strangeWordsOf,
  type WireOrder,
  wireDispute,
  wireDisputeEvent,
  wireDisputes,
  wireEvent,
  wireOrder,
  wirePaymentEvent,
  wirePayments,
  wireRefund,
  wireRefundEvent,
} from './wire.ts'

/** `baseUrl` is `https://api.cashfree.com/pg`, `https://sandbox.cashfree.com/pg` or the address of the local sandbox. */
type CashfreeConfig = ApiConfig & {
  readonly checkout: Checkout
  /** The ways to pay that the checkout offers, such as `upi,dc`. Undefined: all. */
  readonly paymentMethods?: string | undefined
}

export function cashfreeGateway(config: CashfreeConfig): PaymentGateway {
  const api = cashfreeApi(config)

  async function findOrder(orderId: string, signal: AbortSignal | undefined): Promise<WireOrder | undefined> {
    const answer = await api.twice({ method: 'GET', path: `/orders/${encodeURIComponent(orderId)}`, signal })
    return isUnknown(answer) ? undefined : orderOf(answer, orderId)
  }

  function orderOf(answer: GatewayAnswer, orderId: string): WireOrder {
    const order = read(wireOrder, expectOk(answer), answer)
    expectSame(answer, [[order.order_id, orderId]])
    return order
  }

  async function createOrder(order: NewOrder): Promise<{ sessionId: string }> {
    const answer = await api.twice({
      method: 'POST',
      path: '/orders',
      body: orderRequest(order, config.paymentMethods),
      signal: order.signal,
    })
    if (answer.status !== 409) {
      const fresh = orderOf(answer, order.orderId)
      if (!isAsAsked(fresh, order))
        throw new GatewayRefusedError(`Order ${order.orderId} was created with another amount or currency`, 200, 'order_mismatch')
      return { sessionId: fresh.payment_session_id }
    }
    // Created before: by the first try of this call, or by an earlier call whose answer was lost.
    const made = await findOrder(order.orderId, order.signal)
    if (made?.order_status !== 'ACTIVE' || !isAsAsked(made, order)) throw refusal(answer)
    return { sessionId: made.payment_session_id }
  }

  async function fetchOrder(orderId: string, signal?: AbortSignal): Promise<Order | undefined> {
    const first = await findOrder(orderId, signal)
    if (first === undefined) return undefined
    const answer = await api.twice({ method: 'GET', path: `/orders/${encodeURIComponent(orderId)}/payments`, signal })
    const listed = read(wirePayments, expectOk(answer), answer)
    expectSame(
      answer,
      listed.map((payment) => [payment.order_id, orderId]),
    )
    const payments = readPayments(listed)
    // A payment came between the two reads: reads the order again instead of reporting it as pending.
    const outdated = first.order_status !== 'PAID' && payments.some((payment) => payment.status === 'SUCCESS')
    const wire = outdated ? ((await findOrder(orderId, signal)) ?? first) : first
    return {
      orderId: wire.order_id,
      status: orderStatusOf(wire.order_status, payments),
      strangeWords: strangeWordsOf(wire.order_status, listed),
      orderAmount: wire.order_amount,
      currency: wire.order_currency,
      sessionId: wire.payment_session_id,
      payments,
    }
  }

  function refundOf(answer: GatewayAnswer, asked: Pick<NewRefund, 'orderId' | 'refundId'>): Refund {
    const refund = readRefund(read(wireRefund, expectOk(answer), answer))
    expectSame(answer, [
      [refund.refundId, asked.refundId],
      [refund.orderId, asked.orderId],
    ])
    return refund
  }
  const refundsPath = (orderId: string): string => `/orders/${encodeURIComponent(orderId)}/refunds`

  const ofMandates = mandateRefunds(api)

  async function findRefund(orderId: string, refundId: string, signal?: AbortSignal): Promise<Refund | undefined> {
    const path = `${refundsPath(orderId)}/${encodeURIComponent(refundId)}`
    const answer = await api.twice({ method: 'GET', path, signal })
    return isUnknown(answer) ? undefined : refundOf(answer, { orderId, refundId })
  }

  async function fetchDispute(disputeId: string, signal?: AbortSignal): Promise<Dispute | undefined> {
    const answer = await api.twice({ method: 'GET', path: `/disputes/${encodeURIComponent(disputeId)}`, signal })
    if (isUnknown(answer)) return undefined
    const dispute = readDispute(read(wireDispute, expectOk(answer), answer))
    expectSame(answer, [[dispute.disputeId, disputeId]])
    return dispute
  }

  async function listDisputes(paymentId: string): Promise<readonly string[]> {
    const answer = await api.twice({ method: 'GET', path: `/payments/${encodeURIComponent(paymentId)}/disputes` })
    return isUnknown(answer) ? [] : read(wireDisputes, expectOk(answer), answer).map(({ dispute_id: id }) => id)
  }

  const fetchRefund: PaymentGateway['fetchRefund'] = (orderId, refundId, from) =>
    from === undefined ? findRefund(orderId, refundId) : ofMandates.find({ orderId, refundId, from })

  const createRefund = (refund: NewRefund): Promise<Refund> =>
    refund.from === undefined ? createOrderRefund(refund) : ofMandates.create(refund, refund.from)

  const createOrderRefund = (refund: NewRefund): Promise<Refund> =>
    askOnce(api, {
      request: { method: 'POST', path: refundsPath(refund.orderId), body: refundRequest(refund), signal: refund.signal },
      amount: refund.amount,
      currency: refund.currency,
      read: (answer) => refundOf(answer, refund),
      find: () => findRefund(refund.orderId, refund.refundId, refund.signal),
    })

  return {
    createOrder,
    fetchOrder,
    createRefund,
    fetchRefund,
    fetchDispute,
    listDisputes,
    checkout: config.checkout,
    verifyWebhook: (headers, rawBody) => verifySignature(config, headers, rawBody),
    webhookLifeMs: WEBHOOK_LIFE_MS,
    parseWebhook: parsePaymentWebhook,
  }
}

const isAsAsked = (made: WireOrder, { amount }: NewOrder): boolean => made.order_amount === amount && made.order_currency === CURRENCY

const orderRequest = (order: NewOrder, methods: string | undefined): unknown => ({
  order_id: order.orderId,
  order_amount: rupeesFromPaise(order.amount),
  order_currency: CURRENCY,
  customer_details: { customer_id: order.customerId, customer_phone: order.phone },
  order_meta: { return_url: order.returnUrl, notify_url: order.notifyUrl, ...(methods === undefined ? {} : { payment_methods: methods }) },
  order_expiry_time: new Date(order.expiresAtMs).toISOString(),
})

const refundRequest = (refund: NewRefund): unknown => ({
  refund_amount: rupeesFromPaise(refund.amount),
  refund_id: refund.refundId,
  refund_note: refund.note,
  refund_speed: 'STANDARD',
})

function parsePaymentWebhook(rawBody: Buffer): WebhookEvent | undefined {
  const event = wireEvent.safeParse(parseJson(rawBody.toString('utf8')))
  if (!event.success) return undefined
  const { type, data } = event.data
  const eventKey = createHash('sha256').update(rawBody).digest('hex')
  if (type.startsWith('PAYMENT_')) {
    const read = wirePaymentEvent.safeParse(data)
    if (read.success) {
      const { order, payment } = read.data
      return { kind: 'payment', eventKey, type, orderId: order.order_id, paymentId: payment?.cf_payment_id ?? undefined }
    }
  }
  if (type === 'REFUND_STATUS_WEBHOOK') {
    const read = wireRefundEvent.safeParse(data)
    if (read.success) return { kind: 'refund', eventKey, type, orderId: read.data.refund.order_id, refundId: read.data.refund.refund_id }
  }
  if (type.startsWith('DISPUTE_')) {
    const read = wireDisputeEvent.safeParse(data)
    if (read.success) {
      const { dispute, order_details: order } = read.data
      return { kind: 'dispute', eventKey, type, orderId: order.order_id, disputeId: dispute.dispute_id }
    }
  }
  return { kind: type.startsWith('SETTLEMENT_') ? 'settlement' : 'other', eventKey, type }
}
