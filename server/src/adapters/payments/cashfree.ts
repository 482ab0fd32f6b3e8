/**
 * The payment port over Cashfree's HTTP API, by plain fetch.
 * Invariants: no secret is ever part of an error or a log line; every call ends within its timeout;
 * a call is repeated only where that cannot do anything twice: reads are harmless, and an order is
 * made once per order id, a repeated one being answered 409 and then read. Nothing is retried in a
 * loop: after the second try the caller decides, by its own schedule.
 */
import { createHash, randomUUID } from 'node:crypto'
import { rupeesFromPaise } from '@roz/core/money.ts'
import type { z } from 'zod'
import {
  type Checkout,
  GatewayRefusedError,
  GatewayUnavailableError,
  type NewOrder,
  type Order,
  type PaymentGateway,
  type WebhookEvent,
} from './port.ts'
import { verifySignature } from './webhook-signature.ts'
import { orderStatusOf, readPayments, type WireOrder, wireError, wireEvent, wireOrder, wirePayments } from './wire.ts'

export type CashfreeConfig = {
  /** `https://api.cashfree.com/pg`, `https://sandbox.cashfree.com/pg` or the local sandbox's. */
  readonly baseUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly apiVersion: string
  readonly checkout: Checkout
  readonly timeoutMs?: number
}

type Call = { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: unknown; readonly signal?: AbortSignal | undefined }
type Answer = { readonly status: number; readonly body: unknown; readonly requestId: string }

const TIMEOUT_MS = 10_000
const PAUSE_MS = 250

export function cashfreeGateway(config: CashfreeConfig): PaymentGateway {
  const call = (request: Call): Promise<Answer> => callTwice(config, request)

  async function findOrder(orderId: string, signal: AbortSignal | undefined): Promise<WireOrder | undefined> {
    const answer = await call({ method: 'GET', path: `/orders/${encodeURIComponent(orderId)}`, signal })
    return answer.status === 404 ? undefined : read(wireOrder, expectOk(answer), answer)
  }

  async function createOrder(order: NewOrder): Promise<{ sessionId: string }> {
    const answer = await call({ method: 'POST', path: '/orders', body: orderRequest(order), signal: order.signal })
    if (answer.status !== 409) return { sessionId: read(wireOrder, expectOk(answer), answer).payment_session_id }
    // Made before, by this call's first try or an earlier one whose answer was lost.
    const made = await findOrder(order.orderId, order.signal)
    if (made?.order_status !== 'ACTIVE' || made.order_amount !== order.amount) throw refusal(answer)
    return { sessionId: made.payment_session_id }
  }

  async function fetchOrder(orderId: string, signal?: AbortSignal): Promise<Order | undefined> {
    const first = await findOrder(orderId, signal)
    if (first === undefined) return undefined
    const answer = await call({ method: 'GET', path: `/orders/${encodeURIComponent(orderId)}/payments`, signal })
    const payments = readPayments(read(wirePayments, expectOk(answer), answer))
    // A payment that came between the two questions: the order is asked again rather than left pending.
    const outdated = first.order_status !== 'PAID' && payments.some((payment) => payment.status === 'SUCCESS')
    const wire = outdated ? ((await findOrder(orderId, signal)) ?? first) : first
    return {
      orderId: wire.order_id,
      status: orderStatusOf(wire.order_status, payments),
      orderAmount: wire.order_amount,
      currency: wire.order_currency,
      sessionId: wire.payment_session_id,
      payments,
    }
  }

  return {
    createOrder,
    fetchOrder,
    checkout: config.checkout,
    verifyWebhook: (headers, rawBody) => verifySignature(config.clientSecret, headers, rawBody),
    parseWebhook,
  }
}

const orderRequest = (order: NewOrder): unknown => ({
  order_id: order.orderId,
  order_amount: rupeesFromPaise(order.amount),
  order_currency: 'INR',
  customer_details: { customer_id: order.customerId, customer_phone: order.phone },
  order_meta: { return_url: order.returnUrl, notify_url: order.notifyUrl },
  order_expiry_time: new Date(order.expiresAtMs).toISOString(),
})

export function parseWebhook(rawBody: Buffer): WebhookEvent | undefined {
  const event = wireEvent.safeParse(parseJson(rawBody.toString('utf8')))
  if (!event.success) return undefined
  const { type, data } = event.data
  const eventKey = createHash('sha256').update(rawBody).digest('hex')
  if (data === undefined || !type.startsWith('PAYMENT_')) return { kind: 'other', eventKey, type }
  return { kind: 'payment', eventKey, type, orderId: data.order.order_id, paymentId: data.payment?.cf_payment_id ?? undefined }
}

/** One more try for a connection that broke or a gateway that stumbled; never after being told to slow down. */
async function callTwice(config: CashfreeConfig, request: Call): Promise<Answer> {
  try {
    return await callOnce(config, request)
  } catch (error) {
    if (!(error instanceof GatewayUnavailableError) || error.retryAfterMs !== undefined || request.signal?.aborted === true) throw error
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    return callOnce(config, request)
  }
}

async function callOnce(config: CashfreeConfig, { method, path, body, signal }: Call): Promise<Answer> {
  const requestId = randomUUID()
  const what = `${method} ${path} (request ${requestId})`
  const timeout = AbortSignal.timeout(config.timeoutMs ?? TIMEOUT_MS)
  let response: Response
  let text: string
  try {
    response = await fetch(config.baseUrl + path, {
      method,
      redirect: 'error',
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      headers: {
        'x-client-id': config.clientId,
        'x-client-secret': config.clientSecret,
        'x-api-version': config.apiVersion,
        'x-request-id': requestId,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    text = await response.text()
  } catch (cause) {
    throw new GatewayUnavailableError(`No answer to ${what}`, { cause })
  }
  if (response.status === 429) {
    const seconds = Number(response.headers.get('x-ratelimit-retry') ?? 1)
    throw new GatewayUnavailableError(`Told to slow down: ${what}`, { retryAfterMs: (seconds > 0 ? seconds : 1) * 1000 })
  }
  if (response.status >= 500) throw new GatewayUnavailableError(`Status ${response.status} for ${what}`)
  return { status: response.status, body: parseJson(text), requestId }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function expectOk(answer: Answer): unknown {
  if (answer.status < 200 || answer.status >= 300) throw refusal(answer)
  return answer.body
}

function refusal({ status, body, requestId }: Answer): GatewayRefusedError {
  const error = wireError.safeParse(body)
  const { code, message } = error.success ? error.data : { code: 'unknown', message: 'an answer without a code' }
  return new GatewayRefusedError(`The gateway refused request ${requestId} with ${status} ${code}: ${message}`, status, code)
}

/** A good status with a body that is not what was promised: nobody knows what it means, so ask again later. */
function read<S extends z.ZodType>(schema: S, body: unknown, { requestId }: Answer): z.output<S> {
  const result = schema.safeParse(body)
  if (result.success) return result.data
  const fields = result.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`).join(', ')
  throw new GatewayUnavailableError(`An answer that cannot be read to request ${requestId}: ${fields}`)
}
