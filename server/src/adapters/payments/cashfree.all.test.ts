import { createServer, type IncomingHttpHeaders } from 'node:http'
import { paise } from '@roz/core/money.ts'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startShop, openSandbox } from '../../testing/gateway-calls.ts'
import { closeServer, listen } from '../../testing/listening.ts'
import { cashfreeGateway } from './cashfree.ts'
import type { NewOrder, NewRefund, PaymentGateway } from './port.ts'
import { perFile } from '../../testing/fixture.ts'

const KEYS = { clientId: 'fault_client', clientSecret: 'fault_secret_42' }
const sandbox = perFile(() => openSandbox({ pg: KEYS }))
let gateway: PaymentGateway
const shop = perFile(startShop)

const configAt = (baseUrl: string) =>
  ({ baseUrl, ...KEYS, apiVersion: '2025-01-01', checkout: { mode: 'sandbox', scriptUrl: `${baseUrl}.js` }, timeoutMs: 400 }) as const
const gatewayAt = (baseUrl: string): PaymentGateway => cashfreeGateway(configAt(baseUrl))

beforeAll(() => {
  gateway = gatewayAt(`${sandbox.url}/pg`)
})
beforeEach(() => control('/faults', {}))

const control = (path: string, body: unknown) => sandbox.control(path, body)

async function methodsOf(orderId: string): Promise<unknown> {
  const response = await fetch(`${sandbox.url}/__sandbox/orders/${orderId}`)
  return ((await response.json()) as { order_meta: { payment_methods: unknown } }).order_meta.payment_methods
}

const newOrder = (): NewOrder => ({
  orderId: crypto.randomUUID().replaceAll('-', ''),
  amount: paise(1000n),
  customerId: crypto.randomUUID().replaceAll('-', ''),
  phone: '9876543210',
  returnUrl: `${shop.url}/payment-status?order_id={order_id}`,
  notifyUrl: `${shop.url}/api/webhooks/cashfree`,
  expiresAtMs: Date.now() + 3_600_000,
})

const NO_ORDER = '{"message":"Order Reference Id does not exist","code":"order_not_found","type":"invalid_request_error"}'

test('an order offers the ways to pay of the setting, and every way without it', async () => {
  const some = cashfreeGateway({ ...configAt(`${sandbox.url}/pg`), paymentMethods: 'upi,dc' })
  const [ours, other] = [newOrder(), newOrder()]
  await some.createOrder(ours)
  await gateway.createOrder(other)
  expect([await methodsOf(ours.orderId), await methodsOf(other.orderId)]).toEqual(['upi,dc', null])
})

describe('when the gateway fails', () => {
  test('after a lost answer a second createOrder finds the session of the first', async () => {
    const order = newOrder()
    await control('/faults', { api: 'error_after_commit' })
    await expect(gateway.createOrder(order)).rejects.toMatchObject({ name: 'GatewayUnavailableError' })
    await control('/faults', {})
    const { sessionId } = await gateway.createOrder(order)
    expect((await gateway.fetchOrder(order.orderId))?.sessionId).toBe(sessionId)
  })

  test('silence ends at the timeout as a fault that can be retried', async () => {
    const order = newOrder()
    await control('/faults', { api: 'no_answer' })
    // The sandbox never answers these: only our own timeout ends them.
    await expect(gateway.createOrder(order)).rejects.toMatchObject({ name: 'GatewayUnavailableError' })
    await expect(gateway.fetchOrder(order.orderId)).rejects.toMatchObject({ name: 'GatewayUnavailableError' })
    await control('/faults', {})
    expect((await gateway.fetchOrder(order.orderId))?.status).toBe('PENDING')
  })

  test('a 429 is a fault with the time to wait', async () => {
    await control('/faults', { api: 'rate_limit' })
    await expect(gateway.createOrder(newOrder())).rejects.toMatchObject({ name: 'GatewayUnavailableError', retryAfterMs: 1000 })
    await control('/faults', { api: 'bank_failure' })
    await expect(gateway.createOrder(newOrder())).rejects.toMatchObject({ name: 'GatewayUnavailableError' })
  })

  test('after a 429 or an abort by the caller there is no retry', async () => {
    let asked = 0
    const limited = createServer((_request, response) => {
      asked++
      response.writeHead(429, { 'x-ratelimit-retry': '30' }).end()
    })
    await expect(gatewayAt(await listen(limited)).fetchOrder('x')).rejects.toMatchObject({ retryAfterMs: 30_000 })
    const silent = createServer(() => asked++)
    const order = { ...newOrder(), signal: AbortSignal.timeout(100) }
    await expect(gatewayAt(await listen(silent)).createOrder(order)).rejects.toMatchObject({ name: 'GatewayUnavailableError' })
    expect(asked).toBe(2)
    for (const server of [limited, silent]) {
      await closeServer(server)
    }
  })

  test('a closed port, HTML, a redirect or an unexpected body is a fault, never an answer', async () => {
    await expect(gatewayAt('http://127.0.0.1:9/pg').fetchOrder('x')).rejects.toMatchObject({ name: 'GatewayUnavailableError' })
    const answers = [
      [200, '<html>'],
      [200, '{"order_id":"x"}'],
      [302, ''],
      [503, 'busy'],
      [200, '{"order_id":"x","order_amount":10.001,"order_currency":"INR","order_status":"PAID","payment_session_id":"s"}'],
    ] as const
    for (const [status, body] of answers) {
      const server = createServer((_request, response) => response.writeHead(status, { location: '/' }).end(body))
      await expect(gatewayAt(await listen(server)).fetchOrder('x')).rejects.toMatchObject({ name: 'GatewayUnavailableError' })
      await closeServer(server)
    }
  })

  test('one 502 is retried once', async () => {
    let asked = 0
    const server = createServer((_request, response) =>
      response.writeHead(asked++ === 0 ? 502 : 404, { 'content-type': 'application/json' }).end(NO_ORDER),
    )
    expect(await gatewayAt(await listen(server)).fetchOrder('x')).toBe(undefined)
    expect(asked).toBe(2)
    await closeServer(server)
  })
})

describe('a refund', () => {
  const newRefund = (orderId: string): NewRefund => ({
    orderId,
    refundId: crypto.randomUUID().replaceAll('-', ''),
    amount: paise(1000n),
    currency: 'INR',
    note: 'asked for by the member',
  })
  async function paidOrder(): Promise<NewOrder> {
    const order = newOrder()
    await gateway.createOrder(order)
    await control(`/orders/${order.orderId}/pay`, { outcome: 'success', webhooks: 0 })
    return order
  }

  test('whose answer was lost is pending, and a second createRefund finds it', async () => {
    const refund = newRefund((await paidOrder()).orderId)
    for (const api of ['error_after_commit', 'no_answer']) {
      await control('/faults', { api })
      await expect(gateway.createRefund(refund)).rejects.toMatchObject({ name: 'GatewayUnavailableError' })
    }
    await control('/faults', {})
    const found = await gateway.fetchRefund(refund.orderId, refund.refundId)
    expect(found?.state).toBe('pending')
    expect(await gateway.createRefund(refund)).toEqual(found)
  })

  test('is announced by a genuine webhook with its id', async () => {
    const refund = newRefund((await paidOrder()).orderId)
    await gateway.createRefund(refund)
    const before = shop.webhooks.length
    await control(`/refunds/${refund.refundId}`, { status: 'SUCCESS' })
    await expect.poll(() => shop.webhooks.length, { timeout: 3_000 }).toBe(before + 1)
    const webhook = shop.webhooks[before]
    if (webhook === undefined) throw new Error('no webhook came')
    expect(gateway.verifyWebhook(webhook.headers, webhook.bytes)).toEqual({ atMs: Number(webhook.headers['x-webhook-timestamp']) })
    expect(gateway.parseWebhook(webhook.bytes)).toEqual({
      kind: 'refund',
      eventKey: expect.stringMatching(/^[0-9a-f]{64}$/),
      type: 'REFUND_STATUS_WEBHOOK',
      orderId: refund.orderId,
      refundId: refund.refundId,
    })
  })
})

test('a surcharge changes the payment amount and not the order amount', async () => {
  const order = newOrder()
  await gateway.createOrder(order)
  await control('/faults', { surcharge: 0.35 })
  await control(`/orders/${order.orderId}/pay`, { outcome: 'success', webhooks: 0 })
  const paid = await gateway.fetchOrder(order.orderId)
  expect([paid?.orderAmount, paid?.payments[0]?.orderAmount, paid?.payments[0]?.paymentAmount]).toEqual([1000n, 1000n, 1035n])
})

describe('a webhook', () => {
  async function webhookOf(outcome: string): Promise<{ headers: IncomingHttpHeaders; bytes: Buffer; order: NewOrder }> {
    const order = newOrder()
    await gateway.createOrder(order)
    const before = shop.webhooks.length
    await control(`/orders/${order.orderId}/pay`, { outcome })
    await expect.poll(() => shop.webhooks.length, { timeout: 3_000 }).toBe(before + 1)
    const webhook = shop.webhooks[before]
    if (webhook === undefined) throw new Error('no webhook came')
    return { ...webhook, order }
  }

  test('from the gateway is genuine and names its order', async () => {
    for (const outcome of ['success', 'failed', 'pending', 'dropped']) {
      const { headers, bytes, order } = await webhookOf(outcome)
      expect(gateway.verifyWebhook(headers, bytes)).toEqual({ atMs: Number(headers['x-webhook-timestamp']) })
      const paid = await gateway.fetchOrder(order.orderId)
      expect(gateway.parseWebhook(bytes)).toEqual({
        kind: 'payment',
        eventKey: expect.stringMatching(/^[0-9a-f]{64}$/),
        type: expect.stringMatching(/^PAYMENT_/),
        orderId: order.orderId,
        paymentId: paid?.payments[0]?.paymentId,
      })
    }
  })

  test('with a changed body is not genuine', async () => {
    await control('/faults', { tamper: true })
    const { headers, bytes } = await webhookOf('success')
    expect(gateway.verifyWebhook(headers, bytes)).toBeUndefined()
  })

  test('with reserialized JSON, another timestamp, another key or no signature is not genuine', async () => {
    const { headers, bytes } = await webhookOf('success')
    expect(gateway.verifyWebhook(headers, Buffer.from(JSON.stringify(JSON.parse(bytes.toString()))))).toBeUndefined()
    for (const change of [
      { 'x-webhook-timestamp': '1' },
      { 'x-webhook-timestamp': undefined },
      { 'x-webhook-signature': undefined },
      { 'x-webhook-signature': '' },
      { 'x-webhook-signature': 'AAAA' },
      { 'x-webhook-signature': [String(headers['x-webhook-signature'])] },
    ]) {
      expect(gateway.verifyWebhook({ ...headers, ...change }, bytes)).toBeUndefined()
    }
    const other = cashfreeGateway({
      baseUrl: sandbox.url,
      clientId: KEYS.clientId,
      clientSecret: 'another',
      apiVersion: '2025-01-01',
      checkout: { mode: 'sandbox', scriptUrl: '' },
    })
    expect(other.verifyWebhook(headers, bytes)).toBeUndefined()
  })

  test('of an unused kind is parsed as `other`, and a body that is no event as undefined', () => {
    const parse = (text: string) => gateway.parseWebhook(Buffer.from(text))
    expect(parse('{"type":"VENDOR_STATUS","data":{"vendor":{}}}')).toMatchObject({ kind: 'other', type: 'VENDOR_STATUS' })
    expect(parse('{"type":"SETTLEMENT_SUCCESS","data":{"settlement":{}}}')).toMatchObject({ kind: 'settlement' })
    expect(parse('{"type":"PAYMENT_SUCCESS_WEBHOOK","data":{"test_object":{}}}')).toMatchObject({ kind: 'other' })
    expect(parse('{"type":"REFUND_STATUS_WEBHOOK","data":{"order":{"order_id":"x"},"refund":{}}}')).toMatchObject({ kind: 'other' })
    expect(parse('{"type":"PAYMENT_SUCCESS_WEBHOOK"}')).toMatchObject({ kind: 'other' })
    expect(
      parse('{"type":"PAYMENT_SUCCESS_WEBHOOK","data":{"order":{"order_id":"x"},"payment":{"cf_payment_id":1453002795}}}'),
    ).toMatchObject({
      kind: 'payment',
      paymentId: '1453002795',
    })
    for (const text of ['', '{', '[]', 'null', '7', '{"type":7}', '{"data":{}}']) expect(parse(text)).toBe(undefined)
  })
})

test('a “no” counts only as JSON, with 404, and in the gateway’s own words: an invalid request about something not found', async () => {
  let [status, body, type] = [404, NO_ORDER, 'application/json; charset=utf-8']
  const server = createServer((_request, response) => response.writeHead(status, { 'content-type': type }).end(body))
  const asked = gatewayAt(await listen(server))
  const ask = [() => asked.fetchOrder('x'), () => asked.fetchRefund('x', 'y'), () => asked.fetchDispute('7')]
  for (const question of ask) expect(await question()).toBe(undefined)
  const foreign = [
    [404, '<html>', 'text/html'],
    [404, NO_ORDER, 'text/html'],
    [404, '{}', 'application/json'],
    [404, '{"message":"no Route matched with those values"}', 'application/json'],
    [404, '{"code":"order_not_found","message":"no such page"}', 'application/json'],
    [404, NO_ORDER.replace('order_not_found', 'request_failed'), 'application/json'],
    [404, NO_ORDER.replace('invalid_request_error', 'api_error'), 'application/json'],
    [410, '<html>', 'text/html'],
    [400, '{"code":400,"message":"bad"}', 'application/json'],
  ] as const
  for (const answer of foreign) {
    ;[status, body, type] = answer
    for (const question of ask) await expect(question(), String(answer)).rejects.toMatchObject({ name: 'GatewayUnavailableError' })
  }
  await closeServer(server)
})
