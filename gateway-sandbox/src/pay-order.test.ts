import { expect, test } from 'vitest'
import { type Answer, call, HEADERS, orderBody, refusalOf, useSandbox, whole } from './testing/world.ts'

const world = useSandbox()
const { control } = world

async function session(more: Record<string, unknown> = {}): Promise<{ orderId: string; sessionId: string }> {
  const order = await call('POST', `${world.url}/pg/orders`, orderBody(more), HEADERS)
  return { orderId: order.body.order_id, sessionId: order.body.payment_session_id }
}
const pay = (sessionId: unknown, upi: unknown, headers: Record<string, string> = { 'x-api-version': '2025-01-01' }): Promise<Answer> =>
  call('POST', `${world.url}/pg/orders/sessions`, { payment_session_id: sessionId, payment_method: { upi } }, headers)

test('a shop starts a UPI payment with the session alone: links for the apps, or the text of a code', async () => {
  const { orderId, sessionId } = await session()
  const answer = await pay(sessionId, { channel: 'link' })
  expect([answer.status, whole(answer)]).toEqual([
    200,
    {
      payment_amount: 10,
      cf_payment_id: expect.stringMatching(/^\d+$/),
      payment_method: 'upi',
      channel: 'link',
      action: 'custom',
      data: {
        url: null,
        payload: expect.objectContaining({ default: expect.stringMatching(/^upi:\/\/pay\?/) }),
        content_type: null,
        method: null,
      },
    },
  ])
  const coded = whole(await pay((await session()).sessionId, { channel: 'qrcode' })).data as { payload: { qrcode: string } }
  expect(coded.payload.qrcode).toContain('am=10.00')
  const payments = await call('GET', `${world.url}/pg/orders/${orderId}/payments`, undefined, HEADERS)
  expect(payments.list.map((one) => [one.cf_payment_id, one.payment_status])).toEqual([[whole(answer).cf_payment_id, 'NOT_ATTEMPTED']])
})

test('paying pays the payment that was started', async () => {
  const { orderId, sessionId } = await session()
  const { cf_payment_id: id } = whole(await pay(sessionId, { channel: 'link' }))
  await control(`/orders/${orderId}/pay`, { outcome: 'success' })
  const payments = await call('GET', `${world.url}/pg/orders/${orderId}/payments`, undefined, HEADERS)
  expect(payments.list.map((one) => [one.cf_payment_id, one.payment_status])).toEqual([[id, 'SUCCESS']])
  expect(refusalOf(await pay(sessionId, { channel: 'link' }))).toEqual([400, 'order_inactive'])
})

test('an order of other ways to pay starts no UPI payment; its page names them and its payments are made by the first', async () => {
  const { orderId, sessionId } = await session({ order_meta: { payment_methods: 'dc,nb' } })
  expect(refusalOf(await pay(sessionId, { channel: 'link' }))).toEqual([400, 'payment_method_invalid'])
  const page = await call(
    'POST',
    `${world.url}/pg/view/sessions/checkout`,
    new URLSearchParams({ payment_session_id: String(sessionId) }).toString(),
    { 'content-type': 'application/x-www-form-urlencoded' },
  )
  expect(page.text).toContain('<dt>Ways to pay</dt><dd>dc, nb</dd>')
  await control(`/orders/${orderId}/pay`, { outcome: 'success' })
  const payments = await call('GET', `${world.url}/pg/orders/${orderId}/payments`, undefined, HEADERS)
  expect(payments.list.map((one) => [one.payment_group, one.payment_status])).toEqual([['debit_card', 'SUCCESS']])
  const unknown = await call('POST', `${world.url}/pg/orders`, orderBody({ order_meta: { payment_methods: 'upi,cash' } }), HEADERS)
  expect(refusalOf(unknown)).toEqual([400, 'order_meta.payment_methods_invalid'])
})

test('a collect request needs a UPI ID, and may wait for 5 to 15 minutes', async () => {
  const { sessionId } = await session()
  const collect = (more: Record<string, unknown>): Promise<Answer> => pay(sessionId, { channel: 'collect', ...more })
  expect(whole(await collect({ upi_id: 'asha@bank', upi_expiry_minutes: 5 }))).toMatchObject({
    channel: 'collect',
    data: { payload: null },
  })
  expect(refusalOf(await collect({}))).toEqual([400, 'payment_method.upi.upi_id_missing'])
  expect(refusalOf(await collect({ upi_id: 'asha' }))).toEqual([400, 'payment_method.upi.upi_id_invalid'])
  for (const minutes of [4, 16]) {
    expect(refusalOf(await collect({ upi_id: 'asha@bank', upi_expiry_minutes: minutes }))).toEqual([
      400,
      'payment_method.upi.upi_expiry_minutes_invalid',
    ])
  }
})

test('an unknown session, channel or version is refused; no other call is open without keys', async () => {
  const { orderId, sessionId } = await session()
  expect(refusalOf(await pay('session_guessed', { channel: 'link' }))).toEqual([404, 'payment_session_id_invalid'])
  expect(refusalOf(await pay(undefined, { channel: 'link' }))).toEqual([400, 'payment_session_id_missing'])
  expect(refusalOf(await pay(sessionId, { channel: 'post' }))).toEqual([400, 'payment_method.upi.channel_invalid'])
  expect(refusalOf(await pay(sessionId, undefined))).toEqual([400, 'payment_method.upi_missing'])
  expect(refusalOf(await pay(sessionId, { channel: 'link' }, {}))).toEqual([400, 'version_missing'])
  for (const path of [`/orders/${orderId}`, '/orders/sessions', '/orders/sessions/payments']) {
    expect((await call('GET', `${world.url}/pg${path}`, undefined, { 'x-api-version': '2025-01-01' })).status).toBe(401)
  }
})
