import { describe, expect, test } from 'vitest'
import {
  type Body,
  call,
  HEADERS,
  KEYS,
  type ReceivedWebhook,
  opensslSignature,
  orderBody,
  waitUntil,
  useSandbox,
} from './testing/world.ts'

const MINUTE_MS = 60_000
const world = useSandbox({ shopPerTest: true })
const { control } = world

async function paid(outcome: string, webhooks?: number): Promise<Body> {
  const order = await call('POST', `${world.url}/pg/orders`, orderBody({ order_meta: { notify_url: `${world.shop.url}/hook` } }), HEADERS)
  return (await control(`/orders/${order.body.order_id}/pay`, webhooks === undefined ? { outcome } : { outcome, webhooks })).body
}
const arrived = (count: number): Promise<void> => waitUntil(`${count} webhooks`, () => world.shop.webhooks.length >= count)
const first = (): ReceivedWebhook => world.shop.webhooks[0] as ReceivedWebhook
/** Waits 300 ms: long enough for an unwanted webhook to arrive. */
const quiet = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 300))

describe('a webhook', () => {
  test('for a success has the recorded body, with amounts to two decimals', async () => {
    const order = await paid('success')
    await arrived(1)
    const payment = order.payments[0]
    expect(first().event).toEqual({
      data: {
        order: { order_id: order.order_id, order_amount: 10, order_currency: 'INR', order_tags: null },
        payment: {
          cf_payment_id: payment?.cf_payment_id,
          payment_status: 'SUCCESS',
          payment_amount: 10,
          payment_currency: 'INR',
          payment_message: '00::Transaction success',
          payment_time: expect.stringMatching(/\+05:30$/),
          bank_reference: expect.stringMatching(/^\d{12}$/),
          auth_id: null,
          payment_method: { upi: { channel: 'collect', upi_id: 'testsuccess@gocash' } },
          payment_group: 'upi',
          international_payment: { international: false },
          payment_surcharge: null,
        },
        customer_details: { customer_name: null, customer_id: 'u123', customer_email: null, customer_phone: '9999999999' },
        payment_gateway_details: {
          gateway_name: 'CASHFREE',
          gateway_order_id: null,
          gateway_payment_id: null,
          gateway_status_code: null,
          gateway_order_reference_id: null,
          gateway_settlement: 'CASHFREE',
          gateway_reference_name: null,
        },
        payment_offers: null,
      },
      event_time: expect.stringMatching(/\+05:30$/),
      type: 'PAYMENT_SUCCESS_WEBHOOK',
    })
    const text = first().bytes.toString()
    expect(text).toContain('"order_amount":10.00,')
    expect(text).toContain('"payment_amount":10.00,')
  })

  test('is signed over its timestamp and exact bytes, so re-serialised JSON does not verify', async () => {
    await paid('success')
    await arrived(1)
    const webhook = first()
    expect(webhook.headers['x-webhook-signature']).toBe(opensslSignature(webhook, KEYS.clientSecret))
    expect(webhook.headers['x-webhook-signature']).not.toBe(
      opensslSignature({ ...webhook, bytes: Buffer.from(JSON.stringify(webhook.event)) }, KEYS.clientSecret),
    )
  })

  test('carries every header of the gateway', async () => {
    await paid('success')
    await arrived(1)
    expect(first().headers).toMatchObject({
      'content-type': 'application/json',
      'x-webhook-timestamp': expect.stringMatching(/^\d{13}$/),
      'x-webhook-version': '2025-01-01',
      'x-webhook-attempt': '1',
      'x-idempotency-key': expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
  })

  test.each([
    ['failed', 'PAYMENT_FAILED_WEBHOOK', 'FAILED'],
    ['dropped', 'PAYMENT_USER_DROPPED_WEBHOOK', 'USER_DROPPED'],
    ['pending', 'PAYMENT_SUCCESS_WEBHOOK', 'PENDING'],
  ])('for the outcome %s has the type %s and the status %s', async (outcome, type, status) => {
    await paid(outcome)
    await arrived(1)
    const { event } = first()
    expect([event.type, event.data.payment.payment_status]).toEqual([type, status])
    expect('error_details' in event.data).toBe(outcome === 'failed')
    if ('error_details' in event.data) {
      expect(event.data.error_details).toEqual({
        error_code: 'TRANSACTION_DECLINED',
        error_description: 'issuer bank or payment service provider declined the transaction',
        error_reason: 'auth_declined',
        error_source: 'customer',
      })
    }
  })

  test('is sent as often as the control call says: five copies, or none', async () => {
    await paid('success', 5)
    await arrived(5)
    expect(new Set(world.shop.webhooks.map((webhook) => webhook.headers['x-idempotency-key'])).size).toBe(1)
    expect(new Set(world.shop.webhooks.map((webhook) => webhook.bytes.toString())).size).toBe(1)
    expect((await paid('success', 0)).webhooks).toEqual([])
    await quiet()
    expect(world.shop.webhooks.length).toBe(5)
  })

  test('is retried after 2, 10 and 30 minutes of the clock with a rising attempt number, then given up', async () => {
    const start = Date.now()
    world.shop.answerWith(500)
    const { order_id: id } = await paid('success')
    await arrived(1)
    for (const [index, minutes] of [2, 10, 30].entries()) {
      world.clock.set(start + (minutes - 0.5) * MINUTE_MS)
      await new Promise((resolve) => setTimeout(resolve, 1_200))
      expect(world.shop.webhooks.length, `before minute ${minutes}`).toBe(index + 1)
      world.clock.set(start + (minutes + 0.2) * MINUTE_MS)
      await arrived(index + 2)
    }
    expect(world.shop.webhooks.map((webhook) => webhook.headers['x-webhook-attempt'])).toEqual(['1', '2', '3', '4'])
    for (const webhook of world.shop.webhooks)
      expect(webhook.headers['x-webhook-signature']).toBe(opensslSignature(webhook, KEYS.clientSecret))
    await waitUntil('giving up', async () => (await control(`/orders/${id}`)).body.webhooks[0]?.state === 'given_up')
    const webhook = (await control(`/orders/${id}`)).body.webhooks[0]
    expect(webhook?.attempts.map(({ attempt, status, answer }) => [attempt, status, answer])).toEqual(
      [1, 2, 3, 4].map((n) => [n, 500, 'noted']),
    )
    expect(webhook?.next_attempt_at).toBe(null)
  })

  test.each([302, 404])('answered with %i waits for its next attempt', async (status) => {
    world.shop.answerWith(status)
    const { order_id: id } = await paid('success')
    await arrived(1)
    await waitUntil('the answer', async () => (await control(`/orders/${id}`)).body.webhooks[0]?.attempts.length === 1)
    const webhook = (await control(`/orders/${id}`)).body.webhooks[0]
    expect([webhook?.state, webhook?.attempts[0]?.status]).toEqual(['waiting', status])
    expect(webhook?.next_attempt_at).not.toBe(null)
  })

  test('to a shop that is down is stored with its error, and arrives once the shop is back', async () => {
    const start = Date.now()
    const order = await call(
      'POST',
      `${world.url}/pg/orders`,
      orderBody({ order_meta: { notify_url: 'http://127.0.0.1:9/hook' } }),
      HEADERS,
    )
    await control(`/orders/${order.body.order_id}/pay`, { outcome: 'success' })
    await waitUntil('the error', async () => (await control(`/orders/${order.body.order_id}`)).body.webhooks[0]?.attempts.length === 1)
    expect((await control(`/orders/${order.body.order_id}`)).body.webhooks[0]?.attempts[0]?.error).toEqual(expect.any(String))
    world.shop.answerWith(503)
    await paid('success')
    await arrived(1)
    world.shop.answerWith(200)
    world.clock.set(start + 3 * MINUTE_MS)
    await arrived(2)
    expect(world.shop.webhooks[1]?.headers['x-webhook-attempt']).toBe('2')
  })

  test('is sent for a simulated payment too', async () => {
    const order = await paid('pending', 0)
    await call(
      'POST',
      `${world.url}/pg/simulate`,
      { entity: 'PAYMENTS', entity_id: order.payments[0]?.cf_payment_id, entity_simulation: { payment_status: 'SUCCESS' } },
      HEADERS,
    )
    await arrived(1)
    expect(first().event.data.payment.payment_status).toBe('SUCCESS')
  })
})

describe('the faults', () => {
  test('are shown, and a field left out returns to its default', async () => {
    const none = {
      duplicate: 0,
      delayMs: 0,
      shuffle: false,
      tamper: false,
      lose: false,
      api: 'ok',
      surcharge: 0,
      currency: 'INR',
      agedMs: 0,
      edge: 'none',
      debits: 'wait',
      notice_fails: false,
      debit_twice: false,
      late_success: false,
      cancel_ignored: false,
      auth_one_rupee: false,
      same_numbers: false,
      settlement_off: false,
      rate: 0,
      limits: 'none',
      mismatch_400: false,
    }
    expect((await control('/faults')).body).toEqual(none)
    expect((await control('/faults', { duplicate: true, delayMs: 5 })).body).toEqual({ ...none, duplicate: 1, delayMs: 5 })
    expect((await control('/faults', { tamper: true })).body).toEqual({ ...none, tamper: true })
    expect((await control('/faults', {})).body).toEqual(none)
  })

  test('are refused when misspelt or out of range, and nothing changes', async () => {
    await control('/faults', { lose: true })
    for (const body of [{ loose: true }, { delayMs: -1 }, { duplicate: 'yes' }, { api: 'explode' }, { currency: 'rupees' }, [], 'x']) {
      expect((await control('/faults', body)).status).toBe(400)
    }
    expect((await control('/faults')).body).toMatchObject({ lose: true })
  })

  test('duplicate sends every webhook again', async () => {
    await control('/faults', { duplicate: true })
    await paid('success')
    await arrived(2)
    expect(world.shop.webhooks[0]?.bytes.equals(world.shop.webhooks[1]?.bytes as Buffer)).toBe(true)
  })

  test('currency changes the currency of every amount in answers and webhooks', async () => {
    await control('/faults', { currency: 'USD' })
    const { order_id: id } = await paid('success')
    await arrived(1)
    const { order, payment } = first().event.data as unknown as Record<string, Record<string, unknown>>
    expect([order?.order_currency, payment?.payment_currency]).toEqual(['USD', 'USD'])
    expect((await call('GET', `${world.url}/pg/orders/${id}`, undefined, HEADERS)).text).toContain('"order_currency":"USD"')
    expect((await call('GET', `${world.url}/pg/orders/${id}/payments`, undefined, HEADERS)).text).not.toContain('INR')
  })

  test('agedMs signs webhooks with an old timestamp', async () => {
    const aged = 3 * 60 * MINUTE_MS
    await control('/faults', { agedMs: aged })
    await paid('success')
    await arrived(1)
    const { headers } = first()
    expect(Math.abs(Date.now() - aged - Number(headers['x-webhook-timestamp']))).toBeLessThan(MINUTE_MS)
    expect(headers['x-webhook-signature']).toBe(opensslSignature(first(), KEYS.clientSecret))
  })

  test('delayMs delays webhooks', async () => {
    await control('/faults', { delayMs: 600 })
    await paid('success')
    await quiet()
    expect(world.shop.webhooks.length).toBe(0)
    await arrived(1)
  })

  test('shuffle lets later webhooks overtake earlier ones', async () => {
    await control('/faults', { shuffle: true })
    const orders: string[] = []
    for (let i = 0; i < 12; i++) orders.push((await paid('success')).order_id)
    await arrived(12)
    const came = world.shop.webhooks.map((webhook) => webhook.event.data.order.order_id)
    expect(came.toSorted()).toEqual(orders.toSorted())
    expect(came).not.toEqual(orders)
  })

  test('tamper changes the amount after signing', async () => {
    await control('/faults', { tamper: true })
    await paid('success')
    await arrived(1)
    expect(first().bytes.toString()).toContain('"order_amount":910.00')
    expect(first().headers['x-webhook-signature']).not.toBe(opensslSignature(first(), KEYS.clientSecret))
  })

  test('lose keeps the payment and drops the webhook until its retry', async () => {
    const start = Date.now()
    await control('/faults', { lose: true })
    const order = await paid('success')
    expect(order.order_status).toBe('PAID')
    await quiet()
    expect(world.shop.webhooks.length).toBe(0)
    await control('/faults', {})
    world.clock.set(start + 3 * MINUTE_MS)
    await arrived(1)
  })

  test('surcharge makes the payment larger than its order', async () => {
    await control('/faults', { surcharge: 0.35 })
    const order = await paid('success')
    expect([order.order_amount, order.payments[0]?.payment_amount]).toEqual([10, 10.35])
    await arrived(1)
    expect(first().bytes.toString()).toContain('"payment_amount":10.35')
  })

  test('api: 429 and 502 come before any work, a lost answer comes after it', async () => {
    const body = orderBody()
    const make = () => call('POST', `${world.url}/pg/orders`, body, HEADERS)
    await control('/faults', { api: 'rate_limit' })
    const limited = await make()
    expect([limited.status, limited.body.type]).toEqual([429, 'rate_limit_error'])
    const told = [...limited.headers].filter(([name]) => name.startsWith('x-ratelimit-')).toSorted()
    expect(told).toEqual([
      ['x-ratelimit-limit', '30'],
      ['x-ratelimit-remaining', '0'],
      ['x-ratelimit-retry', '1'],
      ['x-ratelimit-type', 'app_id'],
    ])
    await control('/faults', { api: 'bank_failure' })
    expect([(await make()).status, (await make()).body]).toEqual([
      502,
      { message: 'bank processing failure, please try again', code: 'bank_processing_failure', type: 'api_error' },
    ])
    await control('/faults', { api: 'error_after_commit' })
    expect([(await make()).status, (await make()).body.code]).toEqual([500, 'order_already_exists'])
    await control('/faults', { api: 'no_answer' })
    await expect(fetch(`${world.url}/pg/orders/x`, { headers: HEADERS, signal: AbortSignal.timeout(200) })).resolves.toMatchObject({
      status: 404,
    })
    const url = `${world.url}/pg/orders/${String(body.order_id)}`
    await expect(fetch(url, { headers: HEADERS, signal: AbortSignal.timeout(200) })).rejects.toThrow(/timeout/)
  })
})

describe('a control call', () => {
  test('is 404 for an unknown order and 400 for an unknown body', async () => {
    expect((await control('/orders/nobody')).status).toBe(404)
    expect((await control('/orders/nobody/pay', { outcome: 'success' })).status).toBe(404)
    const { order_id: id } = await paid('failed')
    for (const body of [
      {},
      { outcome: 'maybe' },
      { outcome: 'success', webhooks: -1 },
      { outcome: 'success', webhooks: 1.5 },
      { result: 'success' },
      '{',
    ]) {
      expect((await control(`/orders/${id}/pay`, body)).status).toBe(400)
    }
    expect((await control(`/orders/${id}`)).body.order_status).toBe('ACTIVE')
  })

  test('from a form of a web page is refused', async () => {
    const { order_id: id } = await paid('failed')
    const answer = await call('POST', `${world.url}/__sandbox/orders/${id}/pay`, 'outcome=success', {
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect(answer.status).toBe(415)
  })
})
