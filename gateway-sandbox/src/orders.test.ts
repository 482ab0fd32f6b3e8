import { describe, expect, test } from 'vitest'
import { HEADERS, type Body, call, freshId, orderBody, refusalOf, useSandbox } from './testing/world.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const IST_SECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+05:30$/

const world = useSandbox()
const { control } = world

const api = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  call(method, `${world.url}/pg${path}`, body, { ...HEADERS, ...headers })
const made = async (more: Record<string, unknown> = {}): Promise<Body> => (await api('POST', '/orders', orderBody(more))).body
const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString()

describe('an order', () => {
  test('is answered with 200 and the whole entity', async () => {
    const id = freshId()
    const answer = await api('POST', '/orders', {
      ...orderBody({ order_id: id, order_tags: { user_id: 'u123' }, order_expiry_time: inMs(60 * MINUTE_MS) }),
      order_meta: { return_url: 'https://h/payment-status?order_id={order_id}', notify_url: 'https://h/api/webhooks/cashfree' },
    })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      cf_order_id: expect.stringMatching(/^\d+$/),
      order_id: id,
      entity: 'order',
      order_currency: 'INR',
      order_amount: 10,
      order_status: 'ACTIVE',
      payment_session_id: expect.stringMatching(/^session_[A-Za-z0-9_-]{90,}$/),
      order_expiry_time: expect.stringMatching(IST_SECONDS),
      order_note: null,
      created_at: expect.stringMatching(IST_SECONDS),
      order_splits: [],
      customer_details: {
        customer_id: 'u123',
        customer_name: null,
        customer_email: null,
        customer_phone: '9999999999',
        customer_uid: null,
      },
      order_meta: {
        return_url: 'https://h/payment-status?order_id={order_id}',
        notify_url: 'https://h/api/webhooks/cashfree',
        payment_methods: null,
      },
      order_tags: { user_id: 'u123' },
      terminal_data: null,
      cart_details: null,
    })
    expect((await api('GET', `/orders/${id}`)).body).toEqual(answer.body)
  })

  test('without an id gets one, and expires after 30 days by default', async () => {
    const order = await made({ order_id: undefined })
    expect(order.order_id).toMatch(/^order_[0-9a-f]{30}$/)
    expect(Date.parse(order.order_expiry_time) - Date.parse(order.created_at)).toBe(30 * DAY_MS)
  })

  test('accepts ids of 32 hex digits and amounts with paise', async () => {
    const order = await made({ order_id: 'f'.repeat(31) + (Date.now() % 10), order_amount: 19.99 })
    expect(order.order_amount).toBe(19.99)
  })

  test('with an id that is taken is refused, also when two requests race', async () => {
    const body = orderBody()
    const answers = await Promise.all([1, 2, 3].map(() => api('POST', '/orders', body)))
    expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([200, 409, 409])
    expect(answers.find((answer) => answer.status === 409)?.body).toEqual({
      message: 'order with same id is already present',
      code: 'order_already_exists',
      type: 'invalid_request_error',
    })
  })

  test('with an unknown id is 404', async () => {
    for (const path of ['/orders/nobody', '/orders/nobody/payments', '/orders/nobody/payments/1']) {
      const answer = await api('GET', path)
      expect([answer.status, answer.body.code, answer.body.type]).toEqual([404, 'order_not_found', 'invalid_request_error'])
    }
  })

  test('turns EXPIRED when read after its time, and takes no new payment', async () => {
    const { order_id: id } = await made({ order_expiry_time: inMs(16 * MINUTE_MS) })
    world.clock.set(Date.now() + 17 * MINUTE_MS)
    expect((await api('GET', `/orders/${id}`)).body.order_status).toBe('EXPIRED')
    expect((await control(`/orders/${id}/pay`, { outcome: 'success' })).status).toBe(409)
    world.clock.set(Date.now())
    expect((await api('GET', `/orders/${id}`)).body.order_status).toBe('EXPIRED')
  })

  test('can still be paid after expiry by an attempt that began in time', async () => {
    const { order_id: id } = await made({ order_expiry_time: inMs(16 * MINUTE_MS) })
    await control(`/orders/${id}/pay`, { outcome: 'pending' })
    world.clock.set(Date.now() + 17 * MINUTE_MS)
    expect((await api('GET', `/orders/${id}`)).body.order_status).toBe('EXPIRED')
    const paid = await control(`/orders/${id}/pay`, { outcome: 'success' })
    expect([paid.status, paid.body.order_status, paid.body.payments.length]).toEqual([200, 'PAID', 1])
    world.clock.set(Date.now())
  })

  test('is terminated by PATCH; with an attempt under way it turns TERMINATION_REQUESTED and can still be paid', async () => {
    const idle = await made()
    expect((await api('PATCH', `/orders/${idle.order_id}`, { order_status: 'TERMINATED' })).body.order_status).toBe('TERMINATED')
    expect((await control(`/orders/${idle.order_id}/pay`, { outcome: 'success' })).status).toBe(409)
    for (const [outcome, end] of [
      ['success', 'PAID'],
      ['failed', 'TERMINATED'],
    ] as const) {
      const busy = await made()
      await control(`/orders/${busy.order_id}/pay`, { outcome: 'pending' })
      expect((await api('PATCH', `/orders/${busy.order_id}`, { order_status: 'TERMINATED' })).body.order_status).toBe(
        'TERMINATION_REQUESTED',
      )
      expect((await control(`/orders/${busy.order_id}/pay`, { outcome })).body.order_status).toBe(end)
    }
    const paid = await made()
    await control(`/orders/${paid.order_id}/pay`, { outcome: 'success' })
    expect((await api('PATCH', `/orders/${paid.order_id}`, { order_status: 'TERMINATED' })).body.code).toBe('order_inactive')
    expect((await api('PATCH', `/orders/${paid.order_id}`, { order_status: 'PAID' })).body.code).toBe('order_status_invalid')
  })
})

describe('the payments of an order', () => {
  test('are a bare array, empty before the first attempt', async () => {
    const { order_id: id } = await made()
    expect((await api('GET', `/orders/${id}/payments`)).body).toEqual([])
  })

  test('carry every field of the recorded shape', async () => {
    const { order_id: id } = await made()
    await control(`/orders/${id}/pay`, { outcome: 'success' })
    const { list } = await api('GET', `/orders/${id}/payments`)
    expect(list).toEqual([
      {
        cf_payment_id: expect.stringMatching(/^\d+$/),
        order_id: id,
        entity: 'payment',
        is_captured: true,
        order_amount: 10,
        order_currency: 'INR',
        payment_amount: 10,
        payment_currency: 'INR',
        payment_group: 'upi',
        payment_status: 'SUCCESS',
        payment_message: '00::Transaction success',
        payment_time: expect.stringMatching(IST_SECONDS),
        payment_completion_time: expect.stringMatching(IST_SECONDS),
        bank_reference: expect.stringMatching(/^\d{12}$/),
        auth_id: null,
        authorization: null,
        error_details: null,
        payment_method: { upi: { channel: 'collect', upi_id: 'testsuccess@gocash' } },
        international_payment: { international: false },
        payment_surcharge: null,
      },
    ])
    expect((await api('GET', `/orders/${id}/payments/${list[0]?.cf_payment_id}`)).body).toEqual(list[0])
    expect((await api('GET', `/orders/${id}/payments/7`)).body.code).toBe('payment_not_found')
  })

  test('list every attempt, of which only one may succeed', async () => {
    const { order_id: id } = await made()
    for (const outcome of ['failed', 'dropped', 'pending', 'success']) {
      expect((await control(`/orders/${id}/pay`, { outcome })).status).toBe(200)
    }
    const { list } = await api('GET', `/orders/${id}/payments`)
    expect(list.map((payment) => payment.payment_status)).toEqual(['FAILED', 'USER_DROPPED', 'SUCCESS'])
    expect(list[0]?.error_details).toEqual({
      error_code: 'TRANSACTION_DECLINED',
      error_description: 'issuer bank or payment service provider declined the transaction',
      error_reason: 'auth_declined',
      error_source: 'customer',
      error_code_raw: null,
      error_description_raw: null,
      error_subcode_raw: null,
    })
    const ids = list.map((payment) => Number(payment.cf_payment_id))
    expect(ids).toEqual(ids.toSorted((a, b) => a - b))
    expect((await control(`/orders/${id}/pay`, { outcome: 'success' })).status).toBe(409)
    expect((await api('GET', `/orders/${id}`)).body.order_status).toBe('PAID')
  })

  test.each([
    ['not_attempted', 'NOT_ATTEMPTED', 'under way'],
    ['flagged', 'FLAGGED', 'under way'],
    ['pending', 'PENDING', 'under way'],
    ['void', 'VOID', 'over'],
    ['cancelled', 'CANCELLED', 'over'],
    ['failed', 'FAILED', 'over'],
    ['dropped', 'USER_DROPPED', 'over'],
  ] as const)('%s: an attempt %s is %s, and the order can still be paid', async (outcome, word, stands) => {
    const { order_id: id } = await made()
    expect((await control(`/orders/${id}/pay`, { outcome })).body.order_status).toBe('ACTIVE')
    const { list } = await api('GET', `/orders/${id}/payments`)
    const ended = stands === 'over' ? expect.stringMatching(IST_SECONDS) : null
    expect(list).toMatchObject([{ payment_status: word, is_captured: false, bank_reference: null, payment_completion_time: ended }])
    expect((await control(`/orders/${id}/pay`, { outcome: 'success' })).body.order_status).toBe('PAID')
    const after = (await api('GET', `/orders/${id}/payments`)).list.map((payment) => payment.payment_status)
    expect(after).toEqual(stands === 'over' ? [word, 'SUCCESS'] : ['SUCCESS'])
  })

  test('include a second success when a paid order is paid again; each can be refunded', async () => {
    const { order_id: id } = await made()
    expect((await control(`/orders/${id}/pay`, { outcome: 'success', webhooks: 0 })).status).toBe(200)
    expect((await control(`/orders/${id}/pay`, { outcome: 'success', webhooks: 0 })).status).toBe(409)
    expect((await control(`/orders/${id}/pay`, { outcome: 'success', webhooks: 0, again: true })).status).toBe(200)
    const { list } = await api('GET', `/orders/${id}/payments`)
    expect(list.map(({ payment_status: status }) => status)).toEqual(['SUCCESS', 'SUCCESS'])
    for (const status of [200, 200, 400]) {
      const refund = { refund_id: freshId().replaceAll('_', ''), refund_amount: 10 }
      expect((await api('POST', `/orders/${id}/refunds`, refund)).status).toBe(status)
    }
  })

  test('cannot succeed twice when two presses race', async () => {
    const { order_id: id } = await made()
    const answers = await Promise.all([1, 2, 3, 4].map(() => control(`/orders/${id}/pay`, { outcome: 'success' })))
    expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409])
  })

  test('are changed one by one by /simulate, even from failed to success', async () => {
    const { order_id: id } = await made()
    const { body } = await control(`/orders/${id}/pay`, { outcome: 'failed' })
    const entityId = body.payments[0]?.cf_payment_id
    const simulated = await api('POST', '/simulate', {
      entity: 'PAYMENTS',
      entity_id: entityId,
      entity_simulation: { payment_status: 'SUCCESS' },
    })
    expect([simulated.status, simulated.body]).toEqual([
      200,
      {
        simulation_id: expect.stringMatching(/^sim_/),
        entity: 'PAYMENTS',
        entity_id: entityId,
        entity_simulation: { payment_status: 'SUCCESS' },
      },
    ])
    expect((await api('GET', `/orders/${id}`)).body.order_status).toBe('PAID')
    for (const [request, code] of [
      [{ entity: 'PAYMENTS', entity_id: entityId, entity_simulation: { payment_status: 'FAILED' } }, 'order_inactive'],
      [{ entity: 'PAYMENTS', entity_id: '7', entity_simulation: { payment_status: 'FAILED' } }, 'payment_not_found'],
      [{ entity: 'REFUNDS', entity_id: entityId, entity_simulation: { payment_status: 'FAILED' } }, 'entity_invalid'],
      [
        { entity: 'PAYMENTS', entity_id: entityId, entity_simulation: { payment_status: 'VOID' } },
        'entity_simulation.payment_status_invalid',
      ],
      [{ entity: 'PAYMENTS', entity_id: entityId }, 'entity_simulation_missing'],
    ] as const) {
      expect((await api('POST', '/simulate', request)).body.code).toBe(code)
    }
  })
})

describe('a request is validated as by the gateway', () => {
  test('wrong keys are 401, whatever else is wrong', async () => {
    const wrong: Record<string, string>[] = [
      { 'x-client-secret': 'wrong' },
      { 'x-client-id': 'wrong' },
      { 'x-client-secret': '', 'x-api-version': '' },
    ]
    for (const headers of wrong) {
      const answer = await api('POST', '/orders', '{', headers)
      expect([answer.status, answer.body]).toEqual([
        401,
        { message: 'authentication Failed', code: 'request_failed', type: 'authentication_error' },
      ])
    }
  })

  test('a missing or unknown API version is refused', async () => {
    expect((await api('GET', '/orders/x', undefined, { 'x-api-version': '' })).body.code).toBe('version_missing')
    expect((await api('GET', '/orders/x', undefined, { 'x-api-version': '1999-01-01' })).body.code).toBe('version_invalid')
    expect((await api('GET', '/orders/x', undefined, { 'x-api-version': '2026-01-01' })).body.code).toBe('order_not_found')
  })

  test('the answer repeats request id and version', async () => {
    const { headers } = await api('GET', '/orders/x', undefined, { 'x-request-id': 'req-7' })
    expect([headers.get('x-request-id'), headers.get('x-api-version')]).toEqual(['req-7', '2025-01-01'])
    expect((await api('GET', '/orders/x')).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  test.each([
    ['no amount', { order_amount: undefined }, 'order_amount_missing'],
    ['an amount below one rupee', { order_amount: 0.99 }, 'order_amount_invalid'],
    ['three decimals', { order_amount: 10.001 }, 'order_amount_invalid'],
    ['an amount as text', { order_amount: '10' }, 'order_amount_invalid'],
    ['a negative amount', { order_amount: -10 }, 'order_amount_invalid'],
    ['more than ten lakh', { order_amount: 1_000_000.01 }, 'order_amount_invalid'],
    ['an enormous amount', { order_amount: 1e300 }, 'order_amount_invalid'],
    ['no currency', { order_currency: undefined }, 'order_currency_missing'],
    ['another currency', { order_currency: 'USD' }, 'order_currency_invalid'],
    ['an id of two characters', { order_id: 'ab' }, 'order_id_invalid'],
    ['an id of 46 characters', { order_id: 'a'.repeat(46) }, 'order_id_invalid'],
    ['an id with a dot', { order_id: 'a.b.c' }, 'order_id_invalid'],
    ['no customer', { customer_details: undefined }, 'customer_details_missing'],
    ['a customer as text', { customer_details: 'u123' }, 'customer_details_invalid'],
    ['no customer id', { customer_details: { customer_phone: '9999999999' } }, 'customer_details.customer_id_missing'],
    [
      'a customer id with a dash',
      { customer_details: { customer_id: 'u-1', customer_phone: '9999999999' } },
      'customer_details.customer_id_invalid',
    ],
    ['no phone', { customer_details: { customer_id: 'u123' } }, 'customer_details.customer_phone_missing'],
    [
      'a phone of nine digits',
      { customer_details: { customer_id: 'u123', customer_phone: '999999999' } },
      'customer_details.customer_phone_invalid',
    ],
    [
      'a phone as number',
      { customer_details: { customer_id: 'u123', customer_phone: 9999999999 } },
      'customer_details.customer_phone_invalid',
    ],
    ['a return address of 251 characters', { order_meta: { return_url: `https://h/${'a'.repeat(241)}` } }, 'order_meta.return_url_invalid'],
    ['a return address that is a script', { order_meta: { return_url: 'javascript:alert(1)' } }, 'order_meta.return_url_invalid'],
    ['a return address with a line break', { order_meta: { return_url: 'https://h/\r\nx: y' } }, 'order_meta.return_url_invalid'],
    ['a notify address without a host', { order_meta: { notify_url: 'https://' } }, 'order_meta.notify_url_invalid'],
    ['an expiry of exactly 15 minutes', { order_expiry_time: inMs(15 * MINUTE_MS) }, 'order_expiry_time_invalid'],
    ['an expiry of 30 days', { order_expiry_time: inMs(30 * DAY_MS + MINUTE_MS) }, 'order_expiry_time_invalid'],
    ['an expiry without an offset', { order_expiry_time: '2030-01-01T00:00:00' }, 'order_expiry_time_invalid'],
    ['a note of two characters', { order_note: 'ab' }, 'order_note_invalid'],
    ['sixteen tags', { order_tags: Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`t${i}`, 'x'])) }, 'order_tags_invalid'],
    ['a tag of 256 characters', { order_tags: { a: 'x'.repeat(256) } }, 'order_tags.a_invalid'],
  ])('%s is refused with its code', async (_what, more, code) => {
    const answer = await api('POST', '/orders', orderBody(more))
    expect([answer.status, answer.body]).toEqual([400, { message: expect.any(String), code, type: 'invalid_request_error' }])
  })

  test('an expiry outside the window is refused in the words of the gateway', async () => {
    const { body } = await api('POST', '/orders', orderBody({ order_expiry_time: inMs(14 * MINUTE_MS) }))
    expect(body.message).toBe('order_expiry_time : Expiry time should be more than 15 min and less than 30 days')
    const missingPhone = await api('POST', '/orders', orderBody({ customer_details: { customer_id: 'u123' } }))
    expect(missingPhone.body.message).toBe('customer_details.customer_phone : is missing in the request. Value received: ')
  })

  test('a malformed, oversized or wrongly typed body gets 4xx, and the gateway keeps running', async () => {
    for (const body of ['{', '[]', 'null', '7', '"x"', '', '{"__proto__":{"a":1}}', JSON.stringify({ order_note: 'x'.repeat(70_000) })]) {
      const answer = await api('POST', '/orders', body, { 'content-type': 'application/json' })
      expect(answer.status, body.slice(0, 20)).toBeGreaterThanOrEqual(400)
      expect(answer.status).toBeLessThan(500)
      expect(Object.keys(answer.body).sort()).toEqual(['code', 'message', 'type'])
    }
    expect((await api('POST', '/orders', '<order/>', { 'content-type': 'text/xml' })).status).toBe(415)
    expect((await api('POST', '/nowhere', {})).body.message).toBe('bad URL, please check API documentation')
    expect((await api('GET', '/orders/%00')).status).toBe(404)
    expect((await made()).order_status).toBe('ACTIVE')
  })
})

describe('an idempotency key', () => {
  test('repeats the first answer, and is refused with another body', async () => {
    const key = { 'x-idempotency-key': crypto.randomUUID() }
    const body = orderBody()
    const first = await api('POST', '/orders', body, key)
    const again = await api('POST', '/orders', body, key)
    expect([again.status, again.text]).toEqual([200, first.text])
    expect([first.headers.get('x-idempotency-replayed'), again.headers.get('x-idempotency-replayed')]).toEqual([null, 'true'])
    const other = await api('POST', '/orders', orderBody(), key)
    expect([other.status, other.body.code, other.body.type]).toEqual([422, 'request_invalid', 'idempotency_error'])
    await control('/faults', { mismatch_400: true })
    expect(refusalOf(await api('POST', '/orders', orderBody(), key))).toEqual([400, 'idempotency_key_mismatch'])
  })

  test('expires after a day', async () => {
    const key = { 'x-idempotency-key': crypto.randomUUID() }
    await api('POST', '/orders', orderBody(), key)
    world.clock.set(Date.now() + DAY_MS + MINUTE_MS)
    expect((await api('POST', '/orders', orderBody(), key)).status).toBe(200)
    world.clock.set(Date.now())
  })

  test('stores nothing for a refused request', async () => {
    const key = { 'x-idempotency-key': crypto.randomUUID() }
    expect((await api('POST', '/orders', orderBody({ order_amount: 0 }), key)).status).toBe(400)
    expect((await api('POST', '/orders', orderBody(), key)).status).toBe(200)
  })
})
