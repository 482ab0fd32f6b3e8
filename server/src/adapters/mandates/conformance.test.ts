/** Conformance of the mandates' port, over real HTTP: the gateway sandbox plays payer, bank and a failing gateway. */
import { createServer } from 'node:http'
import { addDays, dayAt } from '@roz/core/ist-day.ts'
import { paise } from '@roz/core/money.ts'
import { EDGES } from '@roz/gateway-sandbox/faults.ts'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startShop, openSandbox } from '../../testing/gateway-calls.ts'
import { closeServer, listen } from '../../testing/listening.ts'
import { cashfreeGateway } from '../payments/cashfree.ts'
import { cashfreeMandates, parseMandateWebhook } from './cashfree-mandates.ts'
import type { MandateGateway, NewCharge, NewMandate } from './port.ts'
import { chargeStateOf, mandateStatusOf, readMandate, wireCharge, wireMandate } from './wire.ts'
import { GatewayForeignError, GatewayRefusedError, GatewayUnavailableError, type PaymentGateway } from '../payments/port.ts'
import { perFile } from '../../testing/fixture.ts'

const KEYS = { clientId: 'mandate_client', clientSecret: 'mandate_secret_42' }
let gateway: MandateGateway
let orders: PaymentGateway
const shop = perFile(startShop)
const sandbox = perFile(() => openSandbox({ pg: KEYS, tabs: { subscriptions: { url: `${shop.url}/hook`, version: '2025-01-01' } } }))
const at = (baseUrl: string): MandateGateway => cashfreeMandates({ baseUrl, ...KEYS, apiVersion: '2025-01-01', timeoutMs: 1500 })

beforeAll(() => {
  gateway = at(`${sandbox.url}/pg`)
  orders = cashfreeGateway({
    baseUrl: `${sandbox.url}/pg`,
    ...KEYS,
    apiVersion: '2025-01-01',
    checkout: { mode: 'sandbox', scriptUrl: '' },
  })
})
beforeEach(() => control('/faults', {}))

const control = (path: string, body: unknown) => sandbox.control(path, body)

const hexId = (): string => crypto.randomUUID().replaceAll('-', '')
const newMandate = (): NewMandate => ({
  mandateId: hexId(),
  amount: paise(3000n),
  email: 'asha@example.org',
  phone: '9876543210',
  returnUrl: 'https://roz.example/autopay/return',
  expiresAtMs: Date.now() + 3 * 365 * 86_400_000,
})
const step = (mandateId: string, name: string): Promise<unknown> => control(`/subscriptions/${mandateId}`, { step: name, webhooks: 0 })
const move = (chargeId: string, status: string, more: object = {}): Promise<unknown> =>
  control(`/charges/${chargeId}`, { status, webhooks: 0, ...more })
async function active(): Promise<string> {
  const mandate = newMandate()
  await gateway.createMandate(mandate)
  await step(mandate.mandateId, 'approve')
  return mandate.mandateId
}
const newCharge = (mandateId: string, more: Partial<NewCharge> = {}): NewCharge => ({
  mandateId,
  chargeId: hexId(),
  amount: paise(3000n),
  day: addDays(dayAt(Date.now()), 2),
  remarks: 'Wallet top-up',
  ...more,
})

describe('a mandate', () => {
  test('is created once under its id, and has a session until it is authorised', async () => {
    const mandate = newMandate()
    const { sessionId } = await gateway.createMandate(mandate)
    expect(await gateway.createMandate(mandate)).toEqual({ sessionId })
    expect(await gateway.fetchMandate(mandate.mandateId)).toMatchObject({ status: 'INITIALIZED', sessionId, charges: [] })
    await step(mandate.mandateId, 'approve')
    const approved = await gateway.fetchMandate(mandate.mandateId)
    expect(approved).toMatchObject({ mandateId: mandate.mandateId, status: 'ACTIVE', payerMasked: 'te…@gocash' })
    expect(approved?.charges).toMatchObject([
      { kind: 'auth', state: 'paid', amount: 3000n, currency: 'INR', cfPaymentId: expect.any(String) },
    ])
  })

  test('whose answer was lost is found by its id', async () => {
    const mandate = newMandate()
    await control('/faults', { api: 'error_after_commit' })
    await expect(gateway.createMandate(mandate)).rejects.toBeInstanceOf(GatewayUnavailableError)
    await control('/faults', {})
    const { sessionId } = await gateway.createMandate(mandate)
    expect((await gateway.fetchMandate(mandate.mandateId))?.sessionId).toBe(sessionId)
  })

  test('that the gateway does not know is undefined, and a refused one throws', async () => {
    expect(await gateway.fetchMandate(hexId())).toBe(undefined)
    await expect(gateway.createMandate({ ...newMandate(), phone: '12' })).rejects.toBeInstanceOf(GatewayRefusedError)
  })

  test.each([
    ['bank_pending', 'BANK_APPROVAL_PENDING'],
    ['decline', 'INITIALIZED'],
    ['link_expire', 'EXPIRED'],
    ['expire', 'EXPIRED'],
  ])('after %s is %s', async (name, status) => {
    const mandate = newMandate()
    await gateway.createMandate(mandate)
    await step(mandate.mandateId, name)
    expect((await gateway.fetchMandate(mandate.mandateId))?.status).toBe(status)
  })

  test.each([
    ['customer_pause', 'CUSTOMER_PAUSED'],
    ['customer_cancel', 'CUSTOMER_CANCELLED'],
    ['complete', 'COMPLETED'],
    ['hold', 'UNKNOWN'],
  ])('that is active and then %s is %s', async (name, status) => {
    const id = await active()
    await step(id, name)
    expect((await gateway.fetchMandate(id))?.status).toBe(status)
  })

  test('is cancelled with its open debit; again, it says what it is', async () => {
    const id = await active()
    const charge = newCharge(id)
    await gateway.raiseCharge(charge)
    expect(await gateway.cancelMandate(id)).toBe('CANCELLED')
    expect(await gateway.cancelMandate(id)).toBe('CANCELLED')
    expect((await gateway.fetchCharge(id, charge.chargeId))?.state).toBe('cancelled')
    await expect(gateway.cancelMandate(hexId())).rejects.toBeInstanceOf(GatewayRefusedError)
  })

  test('whose cancellation is ignored says so', async () => {
    const id = await active()
    await control('/faults', { cancel_ignored: true })
    expect(await gateway.cancelMandate(id)).toBe('ACTIVE')
  })
})

describe('a debit', () => {
  test('is raised once under its id', async () => {
    const id = await active()
    const charge = newCharge(id)
    const raised = await gateway.raiseCharge(charge)
    expect(raised).toMatchObject({ chargeId: charge.chargeId, kind: 'charge', state: 'initialized', amount: 3000n })
    await gateway.raiseCharge(charge)
    expect((await gateway.fetchMandate(id))?.charges.filter(({ kind }) => kind === 'charge')).toHaveLength(1)
    expect(await gateway.fetchCharge(id, charge.chargeId)).toMatchObject({ state: 'initialized', cfPaymentId: raised.cfPaymentId })
    expect(await gateway.fetchCharge(id, hexId())).toBe(undefined)
    expect(await gateway.fetchCharge(hexId(), charge.chargeId)).toBe(undefined)
  })

  test('whose answer was lost is found by its id', async () => {
    const id = await active()
    const charge = newCharge(id)
    await control('/faults', { api: 'error_after_commit' })
    await expect(gateway.raiseCharge(charge)).rejects.toBeInstanceOf(GatewayUnavailableError)
    await control('/faults', {})
    expect(await gateway.fetchCharge(id, charge.chargeId)).toMatchObject({ state: 'initialized' })
  })

  test('for today, for the 15th day, above the maximum, or of a mandate that is not active, is refused', async () => {
    const id = await active()
    const today = dayAt(Date.now())
    const refused = [{ day: today }, { day: addDays(today, 15) }, { amount: paise(3001n) }]
    for (const more of refused) await expect(gateway.raiseCharge(newCharge(id, more))).rejects.toBeInstanceOf(GatewayRefusedError)
    await step(id, 'customer_pause')
    await expect(gateway.raiseCharge(newCharge(id))).rejects.toBeInstanceOf(GatewayRefusedError)
  })

  test('has the bank’s words of a failure, and the gateway’s ids of a payment', async () => {
    const id = await active()
    const [failing, paying] = [newCharge(id), newCharge(id)]
    await gateway.raiseCharge(failing)
    await move(failing.chargeId, 'FAILED', { reason: 'DEBIT FAILED | No money' })
    expect(await gateway.fetchCharge(id, failing.chargeId)).toMatchObject({ state: 'failed', failureReason: 'DEBIT FAILED | No money' })
    await gateway.raiseCharge(paying)
    await move(paying.chargeId, 'SUCCESS')
    const paid = await gateway.fetchCharge(id, paying.chargeId)
    expect(paid).toMatchObject({
      state: 'paid',
      cfPaymentId: expect.any(String),
      cfTxnId: expect.any(String),
      cfOrderId: expect.any(String),
    })
    const listed = await gateway.fetchMandate(id)
    expect(listed?.charges).toContainEqual(paid)
  })

  test('is cancelled before the bank begins it; afterwards it says what it is', async () => {
    const id = await active()
    const [early, late] = [newCharge(id), newCharge(id)]
    await gateway.raiseCharge(early)
    expect((await gateway.cancelCharge(id, early.chargeId)).state).toBe('cancelled')
    await gateway.raiseCharge(late)
    await move(late.chargeId, 'SUCCESS')
    expect((await gateway.cancelCharge(id, late.chargeId)).state).toBe('paid')
  })

  test('that the gateway takes twice is listed twice', async () => {
    const id = await active()
    const charge = newCharge(id)
    await gateway.raiseCharge(charge)
    await control('/faults', { debit_twice: true })
    await move(charge.chargeId, 'SUCCESS')
    const paid = (await gateway.fetchMandate(id))?.charges.filter(({ chargeId }) => chargeId === charge.chargeId) ?? []
    expect(new Set(paid.map(({ cfPaymentId }) => cfPaymentId)).size).toBe(2)
  })

  test('is refunded by the gateway’s id of its payment, once', async () => {
    const id = await active()
    const charge = newCharge(id)
    await gateway.raiseCharge(charge)
    await move(charge.chargeId, 'SUCCESS')
    const { cfPaymentId = '' } = (await gateway.fetchCharge(id, charge.chargeId)) ?? {}
    const from = { mandateId: id, cfPaymentId }
    const asked = { orderId: charge.chargeId, refundId: hexId(), amount: paise(1000n), currency: 'INR', note: 'Refund', from }
    const made = await orders.createRefund(asked)
    expect(made).toMatchObject({ refundId: asked.refundId, orderId: charge.chargeId, amount: 1000n, currency: undefined, state: 'pending' })
    // The gateway's answer names no currency: it is the payment's, whichever that was said to be.
    expect(await orders.createRefund({ ...asked, currency: 'USD' })).toMatchObject({ refundId: asked.refundId })
    await control(`/charge-refunds/${asked.refundId}`, { status: 'SUCCESS', webhooks: 0 })
    expect((await orders.fetchRefund(charge.chargeId, asked.refundId, from))?.state).toBe('paid')
    expect(await orders.fetchRefund(charge.chargeId, hexId(), from)).toBe(undefined)
  })
})

describe('answers that are not the gateway’s', () => {
  const answering = async (body: (path: string) => object, ask: (gateway: MandateGateway) => Promise<unknown>): Promise<unknown> => {
    const server = createServer((request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body(request.url ?? ''))),
    )
    const failure = await ask(at(await listen(server))).catch((error: unknown) => error)
    await closeServer(server)
    return failure
  }
  const mandate = { subscription_id: 'b'.repeat(32), subscription_status: 'ACTIVE' }
  const charge = { payment_id: 'b'.repeat(32), payment_type: 'CHARGE', payment_amount: 30, payment_status: 'SUCCESS', cf_payment_id: '1' }
  const OWN = 'a'.repeat(32)

  test('about another mandate or debit are refused', async () => {
    expect(
      await answering(
        () => mandate,
        (one) => one.fetchMandate(OWN),
      ),
    ).toBeInstanceOf(GatewayForeignError)
    expect(
      await answering(
        () => charge,
        (one) => one.fetchCharge(OWN, OWN),
      ),
    ).toBeInstanceOf(GatewayForeignError)
    const other = { ...charge, payment_id: OWN, subscription_id: 'c'.repeat(32) }
    expect(
      await answering(
        () => other,
        (one) => one.fetchCharge(OWN, OWN),
      ),
    ).toBeInstanceOf(GatewayForeignError)
    const own = { ...mandate, subscription_id: OWN }
    const list = (path: string): object => (path.endsWith('/payments') ? [other] : own)
    expect(await answering(list, (one) => one.fetchMandate(OWN))).toBeInstanceOf(GatewayForeignError)
  })

  test('in another form are unavailable, and of another kind of payment no debit', async () => {
    expect(
      await answering(
        () => ({ ok: true }),
        (one) => one.fetchMandate(OWN),
      ),
    ).toBeInstanceOf(GatewayUnavailableError)
    const auth = { ...charge, payment_id: OWN, payment_type: 'AUTH' }
    expect(
      await answering(
        () => auth,
        (one) => one.fetchCharge(OWN, OWN),
      ),
    ).toBeInstanceOf(GatewayUnavailableError)
  })
})

// A stale answer has the gateway's form and id; histories of AutoPay play it.
test.each(EDGES.filter((edge) => edge !== 'none' && edge !== 'stale'))(
  'an edge that answers %s is believed about no mandate and no debit; what was done behind it is found afterwards',
  async (edge) => {
    const [id, other, unanswered] = [await active(), await active(), newMandate()]
    const [known, raised] = [newCharge(id), newCharge(other)]
    await gateway.raiseCharge(known)
    await control('/faults', { edge })
    for (const ask of [
      () => gateway.createMandate(unanswered),
      () => gateway.fetchMandate(id),
      () => gateway.raiseCharge(raised),
      () => gateway.fetchCharge(id, known.chargeId),
      () => gateway.cancelCharge(id, known.chargeId),
      () => gateway.cancelMandate(id),
    ])
      await expect(ask()).rejects.toBeInstanceOf(GatewayUnavailableError)
    await control('/faults', {})
    expect((await gateway.fetchMandate(unanswered.mandateId))?.status).toBe('INITIALIZED')
    expect((await gateway.fetchCharge(other, raised.chargeId))?.state).toBe('initialized')
    expect((await gateway.fetchCharge(id, known.chargeId))?.state).toBe('cancelled')
    expect((await gateway.fetchMandate(id))?.status).toBe('CANCELLED')
  },
)

describe('words', () => {
  test('that the documents do not list are never a consent, and never the end of a debit', () => {
    expect(['ON_HOLD', 'CARD_EXPIRED', 'active', ''].map(mandateStatusOf)).toEqual(['UNKNOWN', 'UNKNOWN', 'UNKNOWN', 'UNKNOWN'])
    expect(['INITIALISED', 'LINK_EXPIRED'].map(mandateStatusOf)).toEqual(['INITIALIZED', 'EXPIRED'])
    expect(['PENDING', 'SCHEDULED', 'success', ''].map(chargeStateOf)).toEqual(['pending', 'pending', 'pending', 'pending'])
  })

  test('that the documents do not list are kept with the mandate; a debit of such a type is none', () => {
    const words: readonly (readonly [type: string, status: string])[] = [
      ['AUTH', 'SUCCESS'],
      ['CHARGE', 'PENDING'],
      ['CHARGE', 'SCHEDULED'],
      ['CATCH_UP', 'SUCCESS'],
    ]
    const charges = words.map(([payment_type, payment_status], index) =>
      wireCharge.parse({ payment_id: `p${index}`, payment_type, payment_status, payment_amount: 30 }),
    )
    const { charges: read, strangeWords } = readMandate(wireMandate.parse({ subscription_id: 'm', subscription_status: 'ACTIVE' }), charges)
    expect(read.map(({ state }) => state)).toEqual(['paid', 'pending', 'pending'])
    expect(strangeWords).toEqual(['CATCH_UP', 'SCHEDULED'])
  })
})

test('webhooks are signed, and name their mandate', async () => {
  const id = await active()
  shop.webhooks.length = 0
  await control(`/subscriptions/${id}`, { step: 'customer_pause', webhooks: 1 })
  const charge = newCharge(await active())
  await gateway.raiseCharge(charge)
  await control(`/charges/${charge.chargeId}`, { status: 'SUCCESS', webhooks: 1 })
  for (let tries = 0; shop.webhooks.length < 2 && tries < 200; tries++) await new Promise((resolve) => setTimeout(resolve, 25))
  const named = shop.webhooks.map(({ headers, bytes }) => {
    expect(gateway.verifyWebhook(headers, bytes)).not.toBe(undefined)
    expect(gateway.verifyWebhook(headers, Buffer.concat([bytes, Buffer.from(' ')]))).toBe(undefined)
    return gateway.parseMandateWebhook(bytes)?.mandateId
  })
  expect(named).toEqual(expect.arrayContaining([id, charge.mandateId]))
  expect(parseMandateWebhook(Buffer.from('no json'))).toBe(undefined)
  expect(parseMandateWebhook(Buffer.from('{"type":"DASHBOARD_TEST","data":{}}'))).toMatchObject({
    type: 'DASHBOARD_TEST',
    mandateId: undefined,
  })
})
