import { describe, expect, test } from 'vitest'
import { type Answer, call, HEADERS, KEYS, opensslSignature, refusalOf, waitUntil, whole, useSandbox } from './testing/world.ts'

const DAY_MS = 86_400_000
const world = useSandbox()
const { control, ordered } = world

const refundId = (): string => crypto.randomUUID().replaceAll('-', '')

const refundsUrl = (orderId: string): string => `${world.url}/pg/orders/${orderId}/refunds`
const ask = (orderId: string, more: Record<string, unknown> = {}, headers: Record<string, string> = {}): Promise<Answer> =>
  call('POST', refundsUrl(orderId), { refund_amount: 10, refund_id: refundId(), ...more }, { ...HEADERS, ...headers })
const get = (orderId: string, id: string): Promise<Answer> => call('GET', `${refundsUrl(orderId)}/${id}`, undefined, HEADERS)

describe('a refund', () => {
  test('of a paid order has the recorded shape, is PENDING, and is found by its id and in the list', async () => {
    const orderId = await ordered('success')
    const id = refundId()
    const answer = await ask(orderId, { refund_id: id, refund_amount: 10.5, refund_note: 'asked for' })
    const payment = (await control(`/orders/${orderId}`)).body.payments[0]
    expect(answer.status).toBe(200)
    expect(whole(answer)).toEqual({
      cf_refund_id: expect.stringMatching(/^\d+$/),
      cf_payment_id: payment?.cf_payment_id,
      refund_id: id,
      order_id: orderId,
      entity: 'refund',
      refund_amount: 10.5,
      refund_currency: 'INR',
      refund_note: 'asked for',
      refund_status: 'PENDING',
      refund_type: 'MERCHANT_INITIATED',
      refund_mode: 'STANDARD',
      refund_arn: null,
      refund_charge: 0,
      refund_splits: [],
      status_description: expect.any(String),
      metadata: null,
      created_at: expect.stringMatching(/\+05:30$/),
      processed_at: null,
      refund_speed: { requested: 'STANDARD', accepted: 'STANDARD', processed: null, message: null },
    })
    expect((await get(orderId, id)).text).toBe(answer.text)
    expect((await call('GET', refundsUrl(orderId), undefined, HEADERS)).text).toBe(`[${answer.text}]`)
  })

  test.each([
    ['SUCCESS', 'SUCCESS', 1],
    ['FAILED', 'FAILED', 1],
    ['PENDING', 'PENDING', 0],
    ['ACTIVE', 'PENDING', 0],
    ['success', 'PENDING', 0],
  ])('with the note %s is %s at once', async (note, status, webhooks) => {
    const orderId = await ordered('success')
    const id = refundId()
    expect(whole(await ask(orderId, { refund_id: id, refund_note: note })).refund_status).toBe(status)
    expect((await control(`/refunds/${id}`)).body.webhooks.length).toBe(webhooks)
  })

  test.each([
    ['no amount', { refund_amount: undefined }, 'refund_amount_missing'],
    ['nothing', { refund_amount: 0 }, 'refund_amount_invalid'],
    ['a thousandth', { refund_amount: 1.001 }, 'refund_amount_invalid'],
    ['text for an amount', { refund_amount: '10' }, 'refund_amount_invalid'],
    ['more than was paid', { refund_amount: 30.01 }, 'refund_amount_invalid'],
    ['no id', { refund_id: undefined }, 'refund_id_missing'],
    ['an id of two characters', { refund_id: 'ab' }, 'refund_id_invalid'],
    ['an id of 41', { refund_id: 'a'.repeat(41) }, 'refund_id_invalid'],
    ['an id with a dash', { refund_id: 'abc-def' }, 'refund_id_invalid'],
    ['a note of two characters', { refund_note: 'ab' }, 'refund_note_invalid'],
    ['a note of 101', { refund_note: 'a'.repeat(101) }, 'refund_note_invalid'],
    ['another speed', { refund_speed: 'SLOW' }, 'refund_speed_invalid'],
  ])('with %s is refused', async (_what, more, code) => {
    expect(refusalOf(await ask(await ordered('success'), more))).toEqual([400, code])
  })

  test('of an unknown or unpaid order is refused, and an unknown refund is 404', async () => {
    expect(refusalOf(await ask('nobody'))).toEqual([404, 'order_not_found'])
    for (const outcome of [undefined, 'failed', 'pending'] as const) {
      expect(refusalOf(await ask(await ordered(outcome)))).toEqual([400, 'order_not_paid'])
    }
    const orderId = await ordered('success')
    expect(refusalOf(await get(orderId, refundId()))).toEqual([404, 'refund_not_found'])
    const made = await ask(orderId)
    expect(refusalOf(await get(await ordered('success'), String(whole(made).refund_id)))).toEqual([404, 'refund_not_found'])
  })

  test('requested twice is made once: its id is taken, and an idempotency key repeats the first answer', async () => {
    const orderId = await ordered('success')
    const id = refundId()
    const first = await ask(orderId, { refund_id: id }, { 'x-idempotency-key': id })
    const again = await ask(orderId, { refund_id: id }, { 'x-idempotency-key': id })
    expect([again.text, again.headers.get('x-idempotency-replayed')]).toEqual([first.text, 'true'])
    expect(refusalOf(await ask(orderId, { refund_id: id }))).toEqual([409, 'refund_already_exists'])
    expect((await call('GET', refundsUrl(orderId), undefined, HEADERS)).list).toHaveLength(1)
  })

  test('beyond the amount paid is refused; a failed or cancelled refund frees its amount', async () => {
    const orderId = await ordered('success')
    const ids = [refundId(), refundId()]
    for (const id of ids) expect((await ask(orderId, { refund_id: id, refund_amount: 15 })).status).toBe(200)
    expect(refusalOf(await ask(orderId, { refund_amount: 1 }))).toEqual([400, 'refund_amount_invalid'])
    await control(`/refunds/${ids[0]}`, { status: 'FAILED' })
    await control(`/refunds/${ids[1]}`, { status: 'CANCELLED' })
    expect((await ask(orderId, { refund_amount: 30 })).status).toBe(200)
  })

  test('is refused six months after the payment', async () => {
    const orderId = await ordered('success')
    world.clock.set(Date.now() + 180 * DAY_MS)
    expect((await ask(orderId, { refund_amount: 1 })).status).toBe(200)
    world.clock.set(Date.now() + 190 * DAY_MS)
    expect(refusalOf(await ask(orderId))).toEqual([400, 'refund_not_allowed'])
  })
})

describe('the bank', () => {
  test.each([
    ['SUCCESS', true],
    ['FAILED', true],
    ['CANCELLED', true],
    ['ONHOLD', false],
  ])('moves a pending refund to %s and sends a webhook', async (status, final) => {
    const orderId = await ordered('success')
    const id = refundId()
    await ask(orderId, { refund_id: id })
    const moved = await control(`/refunds/${id}`, { status })
    expect([moved.status, whole(moved).refund_status]).toEqual([200, status])
    expect(whole(moved).processed_at !== null).toBe(final)
    expect(whole(moved).refund_arn !== null).toBe(status === 'SUCCESS')
    await waitUntil('the webhook', () => world.shop.webhooks.length === 1)
    const webhook = world.shop.webhooks[0]
    if (webhook === undefined) throw new Error('no webhook')
    expect(webhook.event).toEqual({
      data: {
        refund: {
          cf_refund_id: Number(whole(moved).cf_refund_id),
          cf_payment_id: Number(whole(moved).cf_payment_id),
          refund_id: id,
          order_id: orderId,
          entity: 'refund',
          refund_amount: 10,
          refund_currency: 'INR',
          refund_note: null,
          refund_status: status,
          refund_type: 'MERCHANT_INITIATED',
          refund_mode: 'STANDARD',
          refund_arn: whole(moved).refund_arn,
          refund_charge: 0,
          refund_splits: [],
          status_description: expect.any(String),
          metadata: null,
          created_at: expect.stringMatching(/\+05:30$/),
          processed_at: whole(moved).processed_at,
          requested_speed: 'STANDARD',
          processed_speed: 'STANDARD',
          service_charge: 0,
          service_tax: 0,
        },
      },
      event_time: expect.stringMatching(/\+05:30$/),
      type: 'REFUND_STATUS_WEBHOOK',
    })
    expect(webhook.bytes.toString()).toContain('"refund_amount":10.00')
    expect(webhook.headers).toMatchObject({ 'x-webhook-version': '2025-01-01', 'x-webhook-attempt': '1' })
    expect(webhook.headers['x-webhook-signature']).toBe(opensslSignature(webhook, KEYS.clientSecret))
    expect((await control(`/refunds/${id}`)).body.webhooks).toMatchObject([{ type: 'REFUND_STATUS_WEBHOOK' }])
  })

  test('cannot change a final state, unless forced', async () => {
    const id = refundId()
    await ask(await ordered('success'), { refund_id: id })
    expect(refusalOf(await control(`/refunds/${id}`, { status: 'PENDING' }))).toEqual([409, 'no_such_step'])
    for (const status of ['ONHOLD', 'PENDING', 'SUCCESS']) expect((await control(`/refunds/${id}`, { status })).status).toBe(200)
    for (const status of ['SUCCESS', 'FAILED', 'PENDING', 'CANCELLED', 'ONHOLD']) {
      expect((await control(`/refunds/${id}`, { status })).status).toBe(409)
    }
    expect(whole(await control(`/refunds/${id}`, { status: 'FAILED', force: true })).refund_status).toBe('FAILED')
    expect((await control('/refunds/nobody', { status: 'SUCCESS' })).status).toBe(404)
    expect((await control('/refunds/nobody')).status).toBe(404)
    for (const body of [{}, { status: 'PAID' }, { status: 'SUCCESS', how: 1 }]) {
      expect((await control(`/refunds/${id}`, body)).status).toBe(400)
    }
  })

  test('applies faults to webhooks of refunds as to those of payments: none, several, changed after signing', async () => {
    const orderId = await ordered('success')
    const ids = [refundId(), refundId(), refundId()]
    for (const id of ids) await ask(orderId, { refund_id: id })
    await control(`/refunds/${ids[0]}`, { status: 'SUCCESS', webhooks: 0 })
    await control(`/refunds/${ids[1]}`, { status: 'SUCCESS', webhooks: 3 })
    await waitUntil('three webhooks', () => world.shop.webhooks.length === 3)
    await control('/faults', { tamper: true })
    await control(`/refunds/${ids[2]}`, { status: 'SUCCESS' })
    await waitUntil('the changed one', () => world.shop.webhooks.length === 4)
    const webhook = world.shop.webhooks[3]
    expect(webhook?.bytes.toString()).toContain('"refund_amount":910.00')
    expect(webhook && opensslSignature(webhook, KEYS.clientSecret)).not.toBe(webhook?.headers['x-webhook-signature'])
  })

  test('loses the answer to an accepted refund, and the refund is found later', async () => {
    const orderId = await ordered('success')
    const id = refundId()
    await control('/faults', { api: 'error_after_commit' })
    expect((await ask(orderId, { refund_id: id })).status).toBe(500)
    await control('/faults', {})
    expect(whole(await get(orderId, id)).refund_status).toBe('PENDING')
  })
})
