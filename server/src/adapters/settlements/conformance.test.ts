/** Conformance of the settlements' port, over real HTTP: the gateway sandbox pays, refunds, disputes and settles. */
import { createServer, type Server } from 'node:http'
import { addDays, dayAt } from '@roz/core/ist-day.ts'
import { paise } from '@roz/core/money.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openSandbox } from '../../testing/gateway-calls.ts'
import { listen } from '../../testing/listening.ts'
import { cashfreeGateway } from '../payments/cashfree.ts'
import { GatewayForeignError, GatewayRefusedError, GatewayUnavailableError, type PaymentGateway } from '../payments/port.ts'
import { cashfreeSettlements } from './cashfree-settlements.ts'
import type { SettlementEvent, SettlementGateway } from './port.ts'
import { perFile } from '../../testing/fixture.ts'

const KEYS = { clientId: 'settlement_client', clientSecret: 'settlement_secret_42' }
const API = { ...KEYS, apiVersion: '2025-01-01', timeoutMs: 1500 }
const sandbox = perFile(() => openSandbox({ pg: KEYS }))
let orders: PaymentGateway
let gateway: SettlementGateway
const now = Date.now()
const SPAN = { from: addDays(dayAt(now), -1), until: addDays(dayAt(now), 1) }

beforeAll(() => {
  const config = { ...API, baseUrl: `${sandbox.url}/pg` }
  orders = cashfreeGateway({ ...config, checkout: { mode: 'sandbox', scriptUrl: '' } })
  gateway = cashfreeSettlements(config, 2)
})
beforeEach(() => control('/faults', { rate: 10_000 }))

const control = (path: string, body: unknown) => sandbox.control(path, body)

const hexId = (): string => crypto.randomUUID().replaceAll('-', '')
async function paid(rupees: bigint): Promise<string> {
  const orderId = hexId()
  await orders.createOrder({
    orderId,
    amount: paise(rupees * 100n),
    customerId: hexId(),
    phone: '9999999999',
    returnUrl: 'https://roz.example/payment-status?order_id={order_id}',
    notifyUrl: 'https://roz.example/api/webhooks/cashfree',
    expiresAtMs: Date.now() + 3_600_000,
  })
  await control(`/orders/${orderId}/pay`, { outcome: 'success', webhooks: 0 })
  return orderId
}
const settle = async (body: object = {}): Promise<string> =>
  String((await control('/settle', { webhooks: 0, ...body }))['cf_settlement_id'])
async function eventsOf(settlementId: string): Promise<SettlementEvent[]> {
  const events: SettlementEvent[] = []
  for (let cursor: string | undefined, page = 0; page < 20; page++) {
    const answer = await gateway.listSettlementEvents({ settlementId, cursor })
    events.push(...answer.rows)
    cursor = answer.cursor
    if (cursor === undefined) return events
  }
  throw new Error('the pages do not end')
}
async function find(settlementId: string) {
  for (let cursor: string | undefined, page = 0; page < 20; page++) {
    const answer = await gateway.listSettlements({ ...SPAN, cursor })
    const found = answer.rows.find((one) => one.settlementId === settlementId)
    if (found !== undefined || answer.cursor === undefined) return found
    cursor = answer.cursor
  }
  throw new Error('the pages do not end')
}

describe('a settlement', () => {
  test('has its amount, its charges with tax, its number at the bank, and on three pages its events', async () => {
    const orderIds = [await paid(10n), await paid(20n), await paid(30n)]
    const refundId = hexId()
    await orders.createRefund({ orderId: orderIds[0] as string, refundId, amount: paise(500n), currency: 'INR', note: 'Unused' })
    await control(`/refunds/${refundId}`, { status: 'SUCCESS', webhooks: 0 })
    const settlementId = await settle({ adjustment: -1.5, remarks: 'Rental' })
    const settlement = await find(settlementId)
    expect(settlement).toMatchObject({ state: 'paid', status: 'SUCCESS', fee: 138n, ownFee: 0n, amount: 6000n - 138n - 500n - 150n })
    expect(settlement?.utr).toMatch(/^\d+$/)
    expect(dayAt(settlement?.processedAtMs ?? 0)).toBe(dayAt(Date.now()))
    const events = await eventsOf(settlementId)
    expect(events.map(({ kind, isCredit, amount, fee, settled }) => [kind, isCredit, amount, fee, settled])).toEqual([
      ['payment', true, 1000n, 23n, 977n],
      ['payment', true, 2000n, 46n, 1954n],
      ['payment', true, 3000n, 69n, 2931n],
      ['refund', false, 500n, 0n, 500n],
      ['adjustment', false, 150n, 0n, 150n],
    ])
    expect(events.map(({ orderId }) => orderId)).toEqual([...orderIds, orderIds[0], undefined])
    expect(events[3]).toMatchObject({ refundId, remarks: undefined })
    expect(events[4]).toMatchObject({ word: 'OTHER_ADJUSTMENT', remarks: 'Rental' })
    // Nothing of the payer is read.
    expect(JSON.stringify(events, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))).not.toContain('9999999999')
  })

  test('is pending, paid, failed and returned', async () => {
    await paid(10n)
    const settlementId = await settle({ status: 'PENDING_WITH_BANK' })
    expect(await find(settlementId)).toMatchObject({ state: 'pending', utr: undefined, processedAtMs: undefined })
    await control(`/settlements/${settlementId}`, { status: 'SUCCESS', webhooks: 0 })
    expect(await find(settlementId)).toMatchObject({ state: 'paid' })
    await control(`/settlements/${settlementId}`, { status: 'REVERSED', webhooks: 0 })
    expect(await find(settlementId)).toMatchObject({ state: 'failed' })
  })

  test('of other days is not listed', async () => {
    const past = { from: addDays(SPAN.from, -20), until: addDays(SPAN.from, -10) }
    expect(await gateway.listSettlements(past)).toEqual({ rows: [], cursor: undefined })
  })
})

describe('a gateway that fails', () => {
  test('takes no call above its limit, and says how long to wait', async () => {
    await control('/faults', { api: 'rate_limit' })
    await expect(gateway.listSettlements(SPAN)).rejects.toMatchObject({
      name: 'GatewayUnavailableError',
      retryAfterMs: expect.any(Number) as number,
    })
  })
  test.each(['page', 'null_body', 'other_shape', 'cut', 'yesterday'])('answers as %s: nothing is believed', async (edge) => {
    await control('/faults', { edge })
    await expect(gateway.listSettlements(SPAN)).rejects.toBeInstanceOf(GatewayUnavailableError)
  })
  test('refuses another secret', async () => {
    const stranger = cashfreeSettlements({ ...API, clientSecret: 'not_the_secret_42', baseUrl: `${sandbox.url}/pg` })
    await expect(stranger.listSettlements(SPAN)).rejects.toBeInstanceOf(GatewayRefusedError)
  })
})

describe('answers that the documents do not know', () => {
  let server: Server
  let body: unknown
  let odd: SettlementGateway
  beforeAll(async () => {
    server = createServer((_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body)))
    odd = cashfreeSettlements({ ...API, baseUrl: await listen(server) })
  })
  afterAll(() => server.close())
  const settlement = { cf_settlement_id: 7, status: 'SUCCESS', settlement_utr: 99, amount_settled: 9.77 }
  const event = {
    event_details: { event_id: '1', event_type: 'PAYMENT', event_amount: 10, event_settlement_amount: 9.77, sale_type: 'CREDIT' },
    settlement_details: { cf_settlement_id: 7 },
  }
  const asked = { settlementId: '7' }

  test('another status is unknown and keeps its word; numbers are ids; charges that are missing are none', async () => {
    body = { limit: 1, data: [{ ...settlement, status: 'HELD_BY_RISK' }] }
    const { rows } = await odd.listSettlements(SPAN)
    expect(rows).toMatchObject([{ settlementId: '7', state: 'unknown', status: 'HELD_BY_RISK', utr: '99', amount: 977n, fee: 0n }])
  })
  test('another type of event, or one that did not succeed, is unknown and keeps its word', async () => {
    const { event_details: details } = event
    body = {
      limit: 2,
      data: [
        { ...event, event_details: { ...details, event_type: 'TDS', sale_type: 'NEITHER' } },
        { ...event, event_details: { ...details, event_status: 'FAILED' } },
      ],
    }
    const { rows } = await odd.listSettlementEvents(asked)
    expect(rows.map(({ kind, word, isCredit }) => [kind, word, isCredit])).toEqual([
      ['unknown', 'TDS', undefined],
      ['unknown', 'PAYMENT FAILED', true],
    ])
  })
  test.each([
    ['without an amount', { limit: 1, data: [{ ...settlement, amount_settled: undefined }] }],
    ['with a text as an amount', { limit: 1, data: [{ ...settlement, amount_settled: '9.77' }] }],
    ['with a part of a paisa', { limit: 1, data: [{ ...settlement, amount_settled: 9.777 }] }],
    ['without its list', { cursor: null, limit: 0 }],
  ])('a settlement %s is no answer, and the error names the field', async (_, wrong) => {
    body = wrong
    await expect(odd.listSettlements(SPAN)).rejects.toThrow(/Unexpected body .*(amount_settled|data)/)
  })
  test('an event of another settlement is believed by nobody', async () => {
    body = { limit: 1, data: [{ ...event, settlement_details: { cf_settlement_id: 8 } }] }
    await expect(odd.listSettlementEvents(asked)).rejects.toBeInstanceOf(GatewayForeignError)
  })
  test('a cursor that leads to the same page ends the reading', async () => {
    body = { cursor: 'again', limit: 1, data: [event] }
    await expect(odd.listSettlementEvents({ ...asked, cursor: 'again' })).rejects.toThrow('leads to the same page')
  })
})
