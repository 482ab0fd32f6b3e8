/**
 * Conformance suite of the payment port, for each adapter: the gateway over real HTTP, and bank transfers on a real database.
 * - The cases use only the port, plus a `Counterpart` that plays payer and bank.
 * - A way to pay may lack failed attempts, refunds, disputes or keys: its `Counterpart` lacks that part, and the port says no.
 * - Another `Counterpart` can run the same suite against Cashfree's own sandbox.
 */
import { randomUUID } from 'node:crypto'
import { paise } from '@roz/core/money.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { makeStaff } from '../../testing/calls.ts'
import { createTestDatabase } from '../../testing/database.ts'
import { openSandbox } from '../../testing/gateway-calls.ts'
import { bankTransferGateway } from './bank-transfer.ts'
import { cashfreeGateway } from './cashfree.ts'
import {
  GatewayMismatchError,
  GatewayRefusedError,
  GatewayUnavailableError,
  isFinal,
  type NewOrder,
  type NewRefund,
  type Order,
  type PaymentGateway,
  successfulPayments,
} from './port.ts'
import { perFile } from '../../testing/fixture.ts'

type Outcome = 'success' | 'failed' | 'pending' | 'dropped'
/** Controls that a hosted checkout has besides orders and payments. */
type Hosted = {
  /** The same gateway with a wrong secret. */
  readonly stranger: PaymentGateway
  readonly attempt: (orderId: string, outcome: Outcome) => Promise<void>
  readonly moveRefund: (refundId: string, status: string) => Promise<void>
  /** Plays a payer who disputes a payment at the bank; returns the dispute's id. */
  readonly raiseDispute: (orderId: string, body: { readonly stage: string; readonly amount?: number }) => Promise<string>
  readonly moveDispute: (disputeId: string, body: { readonly stage?: string; readonly step: string }) => Promise<void>
}
type Counterpart = {
  readonly gateway: PaymentGateway
  readonly pay: (orderId: string) => Promise<void>
  /** The form of its payment ids. */
  readonly paymentId: RegExp
  readonly hosted?: Hosted
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
  const { url, control, close } = await openSandbox({ pg: KEYS })
  const config = {
    baseUrl: `${url}/pg`,
    ...KEYS,
    apiVersion: '2025-01-01',
    checkout: { mode: 'sandbox', scriptUrl: `${url}/js/v3/cashfree.js` },
  } as const
  const attempt = async (orderId: string, outcome: Outcome): Promise<void> =>
    void (await control(`/orders/${orderId}/pay`, { outcome, webhooks: 0 }))
  return {
    gateway: cashfreeGateway(config),
    pay: (orderId) => attempt(orderId, 'success'),
    paymentId: /^\d+$/,
    hosted: {
      stranger: cashfreeGateway({ ...config, clientSecret: STRANGE_SECRET }),
      attempt,
      moveRefund: async (refundId, status) => void (await control(`/refunds/${refundId}`, { status, webhooks: 0 })),
      raiseDispute: async (orderId, body) => String((await control(`/orders/${orderId}/dispute`, { ...body, webhooks: 0 }))['dispute_id']),
      moveDispute: async (disputeId, body) => void (await control(`/disputes/${disputeId}`, { ...body, webhooks: 0 })),
    },
    close,
  }
}

/** The bank is the row that finance writes when it confirms. */
async function openBankCounterpart(): Promise<Counterpart> {
  const database = await createTestDatabase()
  const { db } = database
  const finance = await makeStaff(db, 'finance')
  let numbers = 100_000_000_000n
  return {
    gateway: bankTransferGateway({ db }),
    pay: async (orderId) => {
      await db.query(sql`
        insert into bank_transfer (id, order_id, amount, day, bank_number, status, asked_by, decided_by, decided_at)
        select ${randomUUID()}::uuid, order_id, amount, ist_day(roz_now()), ${String(++numbers)}::text, 'confirmed', ${finance}::bigint,
               ${finance}::bigint, roz_now() from bank_transfer_order where order_id = ${orderId}::text`)
    },
    paymentId: /^[0-9a-f]{32}$/,
    close: () => database.drop(),
  }
}

const COUNTERPARTS = [
  { name: 'the gateway sandbox', open: openSandboxCounterpart, isHosted: true },
  { name: 'bank transfers', open: openBankCounterpart, isHosted: false },
] as const

describe.each(COUNTERPARTS)('$name behind the payment port', ({ open, isHosted }) => {
  const counterpart = perFile<Counterpart>(open)
  let gateway: PaymentGateway
  beforeAll(() => {
    gateway = counterpart.gateway
  })
  const hosted = (): Hosted => {
    if (counterpart.hosted === undefined) throw new Error('there is no hosted checkout')
    return counterpart.hosted
  }

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

  test('a new order is pending, with our amount and no payment', async () => {
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

  test('an unknown order is undefined, not an error', async () => {
    expect(await gateway.fetchOrder(hexId())).toBe(undefined)
  })

  test('the same order created again, also concurrently, has the same session', async () => {
    const order = newOrder()
    const sessions = await Promise.all([1, 2, 3].map(() => gateway.createOrder(order)))
    sessions.push(await gateway.createOrder(order))
    expect(new Set(sessions.map(({ sessionId }) => sessionId)).size).toBe(1)
  })

  test('an order id with another amount is refused', async () => {
    const order = newOrder()
    await gateway.createOrder(order)
    await expect(gateway.createOrder({ ...order, amount: paise(2000n) })).rejects.toMatchObject({
      code: 'order_already_exists',
      httpStatus: 409,
    })
  })

  test('a paid order is PAID with its one payment, and cannot be created again', async () => {
    const order = newOrder()
    await gateway.createOrder(order)
    await counterpart.pay(order.orderId)
    const paid = await fetched(order.orderId)
    expect([paid.status, isFinal(paid)]).toEqual(['PAID', true])
    expect(paid.payments).toEqual([
      {
        paymentId: expect.stringMatching(counterpart.paymentId),
        status: 'SUCCESS',
        orderAmount: paise(1000n),
        paymentAmount: paise(1000n),
        currency: 'INR',
        group: expect.any(String),
        message: isHosted ? expect.any(String) : undefined,
        bankReference: expect.any(String),
        paidAtMs: expect.any(Number),
      },
    ])
    await expect(gateway.createOrder(order)).rejects.toBeInstanceOf(GatewayRefusedError)
    expect(Math.abs((paid.payments[0]?.paidAtMs ?? 0) - Date.now())).toBeLessThan(10 * MINUTE_MS)
  })

  // The gateway's sandbox takes no second payment of an order: its own tests have that case.
  test.skipIf(isHosted)('a second payment of an order is listed after the first', async () => {
    const orderId = await made()
    await counterpart.pay(orderId)
    const [first] = successfulPayments(await fetched(orderId))
    await counterpart.pay(orderId)
    const [kept, second, ...others] = successfulPayments(await fetched(orderId))
    expect([kept?.paymentId, second?.orderAmount, others]).toEqual([first?.paymentId, paise(1000n), []])
    expect(second?.paymentId).not.toBe(first?.paymentId)
  })

  test('an unsigned webhook is nobody’s', () => {
    expect(gateway.verifyWebhook({}, Buffer.from('{}'))).toBeUndefined()
    expect(
      gateway.verifyWebhook({ 'x-webhook-signature': 'x', 'x-webhook-timestamp': String(Date.now()) }, Buffer.from('{}')),
    ).toBeUndefined()
  })

  test.skipIf(isHosted)('a refund is refused, and a question about a refund or a dispute of a former gateway has no answer', async () => {
    const orderId = await made()
    await counterpart.pay(orderId)
    const refund = { orderId, refundId: hexId(), amount: paise(450n), currency: 'INR', note: 'Asked for by the member' }
    await expect(gateway.createRefund(refund)).rejects.toMatchObject({ name: 'GatewayRefusedError', code: 'refund_by_hand' })
    await expect(gateway.fetchRefund(orderId, refund.refundId)).rejects.toBeInstanceOf(GatewayUnavailableError)
    await expect(gateway.fetchDispute('1')).rejects.toBeInstanceOf(GatewayUnavailableError)
    expect([await gateway.listDisputes('1'), gateway.checkout]).toEqual([[], undefined])
  })

  test.runIf(isHosted)('a failed attempt leaves the order FAILED but open, and a later success pays it', async () => {
    const orderId = await made()
    for (const outcome of ['failed', 'dropped'] as const) {
      await hosted().attempt(orderId, outcome)
      const failed = await fetched(orderId)
      expect([failed.status, isFinal(failed)]).toEqual(['FAILED', false])
    }
    await counterpart.pay(orderId)
    const paid = await fetched(orderId)
    expect(paid.status).toBe('PAID')
    expect(paid.payments.map((payment) => payment.status)).toEqual(['FAILED', 'USER_DROPPED', 'SUCCESS'])
    expect(successfulPayments(paid)).toEqual([paid.payments[2]])
  })

  test.runIf(isHosted)('a pending attempt keeps the order pending until the bank decides', async () => {
    const orderId = await made()
    await hosted().attempt(orderId, 'pending')
    expect((await fetched(orderId)).status).toBe('PENDING')
    await counterpart.pay(orderId)
    expect((await fetched(orderId)).status).toBe('PAID')
  })

  test('an order that expires within fifteen minutes is refused', async () => {
    await expect(made({ expiresAtMs: Date.now() + 14 * MINUTE_MS })).rejects.toMatchObject({
      httpStatus: 400,
      code: 'order_expiry_time_invalid',
    })
  })

  describe.runIf(isHosted)('a refund', () => {
    const newRefund = (orderId: string, more: Partial<NewRefund> = {}): NewRefund => ({
      orderId,
      refundId: hexId(),
      amount: paise(450n),
      currency: 'INR',
      note: 'Asked for by the member',
      ...more,
    })
    async function paid(): Promise<string> {
      const orderId = await made()
      await counterpart.pay(orderId)
      return orderId
    }

    test('when created is pending, with our amount and the id of its payment', async () => {
      const refund = newRefund(await paid())
      const asked = await gateway.createRefund(refund)
      const [payment] = successfulPayments(await fetched(refund.orderId))
      expect(asked).toEqual({
        refundId: refund.refundId,
        orderId: refund.orderId,
        state: 'pending',
        status: expect.any(String),
        description: expect.any(String),
        amount: paise(450n),
        currency: 'INR',
        paymentId: payment?.paymentId,
        bankReference: undefined,
      })
      expect(await gateway.fetchRefund(refund.orderId, refund.refundId)).toEqual(asked)
      expect(await gateway.fetchRefund(refund.orderId, hexId())).toBe(undefined)
      expect(await gateway.fetchRefund(hexId(), refund.refundId)).toBe(undefined)
    })

    test('created again, also concurrently, is the same one, and with another amount throws GatewayMismatchError', async () => {
      const refund = newRefund(await paid())
      await Promise.all([1, 2, 3].map(() => gateway.createRefund(refund)))
      await gateway.createRefund(refund)
      await expect(gateway.createRefund({ ...refund, amount: paise(460n) })).rejects.toBeInstanceOf(GatewayMismatchError)
      // If the refund had been taken twice, less than ₹5.50 would be left.
      expect((await gateway.createRefund(newRefund(refund.orderId, { amount: paise(550n) }))).state).toBe('pending')
    })

    test.each([
      ['SUCCESS', 'paid'],
      ['FAILED', 'failed'],
      ['CANCELLED', 'failed'],
      ['ONHOLD', 'pending'],
    ])('with the status %s is %s', async (status, state) => {
      const refund = newRefund(await paid())
      await gateway.createRefund(refund)
      await hosted().moveRefund(refund.refundId, status)
      const moved = await gateway.fetchRefund(refund.orderId, refund.refundId)
      expect([moved?.status, moved?.state, moved?.bankReference !== undefined]).toEqual([status, state, state === 'paid'])
    })

    test('of more than the payment, of an unpaid order or of an unknown order is refused', async () => {
      const orderId = await paid()
      for (const refund of [newRefund(orderId, { amount: paise(1001n) }), newRefund(await made()), newRefund(hexId())]) {
        await expect(gateway.createRefund(refund)).rejects.toBeInstanceOf(GatewayRefusedError)
      }
    })

    test('with wrong keys has an unknown outcome and is not refused', async () => {
      await expect(hosted().stranger.createRefund(newRefund(await paid()))).rejects.toBeInstanceOf(GatewayUnavailableError)
    })
  })

  describe.runIf(isHosted)('a dispute', () => {
    async function disputed(stage: string, amount?: number): Promise<{ readonly orderId: string; readonly disputeId: string }> {
      const orderId = await made()
      await counterpart.pay(orderId)
      return { orderId, disputeId: await hosted().raiseDispute(orderId, { stage, ...(amount === undefined ? {} : { amount }) }) }
    }

    test('has its payment, its amount and the deadline of the answer', async () => {
      const { orderId, disputeId } = await disputed('CHARGEBACK', 4.5)
      const [payment] = successfulPayments(await fetched(orderId))
      expect(await gateway.fetchDispute(disputeId)).toEqual({
        disputeId,
        orderId,
        paymentId: payment?.paymentId,
        amount: paise(450n),
        currency: 'INR',
        type: 'CHARGEBACK',
        status: 'CHARGEBACK_CREATED',
        state: 'open',
        isTaken: true,
        respondByMs: expect.any(Number),
        toldAtMs: expect.any(Number),
      })
      expect(await gateway.fetchDispute('999')).toBe(undefined)
      expect(await gateway.listDisputes(payment?.paymentId ?? '')).toEqual([disputeId])
      expect(await gateway.listDisputes('999')).toEqual([])
    })

    test.each([
      ['RETRIEVAL', 'CREATED', 'open', false],
      ['RETRIEVAL', 'INSUFFICIENT_EVIDENCE', 'lost', undefined],
      ['DISPUTE', 'UNDER_REVIEW', 'open', false],
      ['DISPUTE', 'MERCHANT_ACCEPTED', 'lost', true],
      ['CHARGEBACK', 'DOCS_RECEIVED', 'open', true],
      ['CHARGEBACK', 'MERCHANT_WON', 'won', false],
      ['CHARGEBACK', 'MERCHANT_LOST', 'lost', true],
      ['PRE_ARBITRATION', 'CREATED', 'open', true],
      ['ARBITRATION', 'MERCHANT_WON', 'won', false],
    ])('in stage %s with step %s is %s, money taken: %s', async (stage, step, state, isTaken) => {
      const { disputeId } = await disputed(stage)
      if (step !== 'CREATED') await hosted().moveDispute(disputeId, { step })
      expect(await gateway.fetchDispute(disputeId)).toMatchObject({ state, isTaken })
    })
  })

  test.runIf(isHosted)('wrong keys are refused, and the error contains no key', async () => {
    const error: unknown = await hosted()
      .stranger.createOrder(newOrder())
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'GatewayRefusedError', httpStatus: 401 })
    const everything = JSON.stringify(error, Object.getOwnPropertyNames(error))
    expect(everything).not.toContain(STRANGE_SECRET)
    expect(everything).not.toContain(KEYS.clientId)
  })
})
