/**
 * What any payment gateway behind the port must do, asked over real HTTP. The cases use the port
 * alone, plus a hand that plays the payer and the bank, so the same suite can be pointed at
 * Cashfree's own sandbox by another `Counterpart`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { paise } from '@roz/core/money.ts'
import { type Sandbox, startSandbox } from '@roz/gateway-sandbox/sandbox.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cashfreeGateway } from './cashfree.ts'
import { GatewayRefusedError, isFinal, type NewOrder, type Order, type PaymentGateway, successfulPayments } from './port.ts'

type Outcome = 'success' | 'failed' | 'pending' | 'dropped'
type Counterpart = {
  readonly gateway: PaymentGateway
  /** The same gateway asked with a wrong secret. */
  readonly stranger: PaymentGateway
  readonly pay: (orderId: string, outcome: Outcome) => Promise<void>
  readonly close: () => Promise<void>
}

const MINUTE_MS = 60_000
const hexId = (): string => crypto.randomUUID().replaceAll('-', '')

const newOrder = (more: Partial<NewOrder> = {}): NewOrder => ({
  orderId: hexId(),
  amount: paise(1000n),
  customerId: hexId(),
  phone: '9999999999',
  returnUrl: 'https://roz.example/payment-status?order_id={order_id}',
  notifyUrl: 'https://roz.example/api/webhooks/cashfree',
  expiresAtMs: Date.now() + 60 * MINUTE_MS,
  ...more,
})

const KEYS = { clientId: 'conformance_client', clientSecret: 'conformance_secret_42' }
const STRANGE_SECRET = 'not_the_secret_42'

async function openSandboxCounterpart(): Promise<Counterpart> {
  const dataDir = mkdtempSync(join(tmpdir(), 'payments-conformance-'))
  const sandbox: Sandbox = await startSandbox({ port: 0, host: '127.0.0.1', dataDir, pg: KEYS })
  const config = {
    baseUrl: `${sandbox.url}/pg`,
    ...KEYS,
    apiVersion: '2025-01-01',
    checkout: { mode: 'sandbox', scriptUrl: `${sandbox.url}/js/v3/cashfree.js` },
  } as const
  return {
    gateway: cashfreeGateway(config),
    stranger: cashfreeGateway({ ...config, clientSecret: STRANGE_SECRET }),
    async pay(orderId, outcome) {
      const response = await fetch(`${sandbox.url}/__sandbox/orders/${orderId}/pay`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ outcome, webhooks: 0 }),
      })
      expect(response.status).toBe(200)
      await response.arrayBuffer()
    },
    async close() {
      await sandbox.close()
      rmSync(dataDir, { recursive: true })
    },
  }
}

const COUNTERPARTS: readonly (readonly [string, () => Promise<Counterpart>])[] = [['the gateway sandbox', openSandboxCounterpart]]

describe.each(COUNTERPARTS)('%s behind the payment port', (_name, open) => {
  let counterpart: Counterpart
  let gateway: PaymentGateway
  beforeAll(async () => {
    counterpart = await open()
    gateway = counterpart.gateway
  })
  afterAll(() => counterpart.close())

  async function made(more: Partial<NewOrder> = {}): Promise<string> {
    const order = newOrder(more)
    await gateway.createOrder(order)
    return order.orderId
  }
  async function fetched(orderId: string): Promise<Order> {
    const order = await gateway.fetchOrder(orderId)
    if (order === undefined) throw new Error('the order is gone')
    return order
  }

  test('an order made is pending, with our amount and nothing paid', async () => {
    const order = newOrder({ amount: paise(1999n) })
    const { sessionId } = await gateway.createOrder(order)
    expect(await gateway.fetchOrder(order.orderId)).toEqual({
      orderId: order.orderId,
      status: 'PENDING',
      orderAmount: paise(1999n),
      currency: 'INR',
      sessionId,
      payments: [],
    })
  })

  test('an order nobody made is undefined, not an error', async () => {
    expect(await gateway.fetchOrder(hexId())).toBe(undefined)
  })

  test('the same order made again has the same session, also twice at once', async () => {
    const order = newOrder()
    const sessions = await Promise.all([1, 2, 3].map(() => gateway.createOrder(order)))
    sessions.push(await gateway.createOrder(order))
    expect(new Set(sessions.map(({ sessionId }) => sessionId)).size).toBe(1)
  })

  test('its id with another amount is refused', async () => {
    const order = newOrder()
    await gateway.createOrder(order)
    await expect(gateway.createOrder({ ...order, amount: paise(2000n) })).rejects.toMatchObject({
      code: 'order_already_exists',
      httpStatus: 409,
    })
  })

  test('a paid order is PAID with its one payment, and cannot be made again', async () => {
    const order = newOrder()
    await gateway.createOrder(order)
    await counterpart.pay(order.orderId, 'success')
    const paid = await fetched(order.orderId)
    expect([paid.status, isFinal(paid)]).toEqual(['PAID', true])
    expect(paid.payments).toEqual([
      {
        paymentId: expect.stringMatching(/^\d+$/),
        status: 'SUCCESS',
        orderAmount: paise(1000n),
        paymentAmount: paise(1000n),
        group: expect.any(String),
        message: expect.any(String),
        bankReference: expect.any(String),
        paidAtMs: expect.any(Number),
      },
    ])
    await expect(gateway.createOrder(order)).rejects.toBeInstanceOf(GatewayRefusedError)
  })

  test('a failed attempt leaves the order FAILED but open, and a later success pays it', async () => {
    const orderId = await made()
    for (const outcome of ['failed', 'dropped'] as const) {
      await counterpart.pay(orderId, outcome)
      const failed = await fetched(orderId)
      expect([failed.status, isFinal(failed)]).toEqual(['FAILED', false])
    }
    await counterpart.pay(orderId, 'success')
    const paid = await fetched(orderId)
    expect(paid.status).toBe('PAID')
    expect(paid.payments.map((payment) => payment.status)).toEqual(['FAILED', 'USER_DROPPED', 'SUCCESS'])
    expect(successfulPayments(paid)).toEqual([paid.payments[2]])
  })

  test('a pending attempt keeps the order pending until the bank decides', async () => {
    const orderId = await made()
    await counterpart.pay(orderId, 'pending')
    expect((await fetched(orderId)).status).toBe('PENDING')
    await counterpart.pay(orderId, 'success')
    expect((await fetched(orderId)).status).toBe('PAID')
  })

  test('an order that would expire within fifteen minutes is refused', async () => {
    await expect(made({ expiresAtMs: Date.now() + 14 * MINUTE_MS })).rejects.toMatchObject({
      httpStatus: 400,
      code: 'order_expiry_time_invalid',
    })
  })

  test('wrong keys are refused, and the error tells neither key', async () => {
    const error: unknown = await counterpart.stranger.createOrder(newOrder()).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'GatewayRefusedError', httpStatus: 401 })
    const everything = JSON.stringify(error, Object.getOwnPropertyNames(error))
    expect(everything).not.toContain(STRANGE_SECRET)
    expect(everything).not.toContain(KEYS.clientId)
  })
})
