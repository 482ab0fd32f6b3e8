import { expect, test } from 'vitest'
import { type Answer, call, freshId, HEADERS, KEYS, opensslSignature, refusalOf, waitUntil, whole, useSandbox } from './testing/world.ts'

const world = useSandbox()
const { control, ordered } = world

const raise = (orderId: string, body: unknown = {}): Promise<Answer> => control(`/orders/${orderId}/dispute`, body)
const idOf = (answer: Answer): string => String(whole(answer)['dispute_id'])
const get = (id: string): Promise<Answer> => call('GET', `${world.url}/pg/disputes/${id}`, undefined, HEADERS)

test('a dispute of a paid order has the documented shape and is found by its id, its order and its payment', async () => {
  const orderId = await ordered('success')
  const raised = await raise(orderId, { stage: 'CHARGEBACK', amount: 12.5, webhooks: 0 })
  const { webhooks, ...entity } = whole(raised)
  expect([raised.status, webhooks]).toEqual([200, []])
  expect(entity).toMatchObject({
    dispute_type: 'CHARGEBACK',
    dispute_status: 'CHARGEBACK_CREATED',
    dispute_amount: 12.5,
    resolved_at: null,
    order_details: { order_id: orderId, order_amount: 30, cf_payment_id: expect.any(Number) },
  })
  expect(whole(await get(idOf(raised)))).toEqual(entity)
  const list = await call('GET', `${world.url}/pg/orders/${orderId}/disputes`, undefined, HEADERS)
  expect(JSON.parse(list.text)).toEqual([entity])
  const ofPayment = (id: unknown): Promise<Answer> => call('GET', `${world.url}/pg/payments/${String(id)}/disputes`, undefined, HEADERS)
  expect(JSON.parse((await ofPayment((entity['order_details'] as Record<string, unknown>)['cf_payment_id'])).text)).toEqual([entity])
  expect(refusalOf(await ofPayment('1'))).toEqual([404, 'payment_not_found'])
  expect(refusalOf(await get('1'))).toEqual([404, 'dispute_not_found'])
})

test('only a paid order can be disputed', async () => {
  expect(refusalOf(await raise(await ordered(undefined)))).toEqual([409, 'order_not_paid'])
  expect(refusalOf(await raise('nobody'))).toEqual([404, 'order_not_found'])
  expect((await raise(await ordered('success'), { stage: 'NONSENSE' })).status).toBe(400)
})

test('a decided dispute is final until a later stage reopens it; `force` allows any step', async () => {
  const id = idOf(await raise(await ordered('success'), { webhooks: 0 }))
  const move = async (body: object) => {
    const answer = await control(`/disputes/${id}`, { webhooks: 0, ...body })
    return answer.status === 200 ? whole(answer)['dispute_status'] : answer.status
  }
  expect(await move({ step: 'UNDER_REVIEW' })).toBe('CHARGEBACK_UNDER_REVIEW')
  expect(await move({ step: 'MERCHANT_WON' })).toBe('CHARGEBACK_MERCHANT_WON')
  expect(await move({ step: 'MERCHANT_LOST' })).toBe(409)
  expect(await move({ stage: 'DISPUTE', step: 'CREATED' })).toBe(409)
  expect(await move({ stage: 'PRE_ARBITRATION', step: 'CREATED' })).toBe('PRE_ARBITRATION_CREATED')
  expect(await move({ step: 'INSUFFICIENT_EVIDENCE' })).toBe('PRE_ARBITRATION_INSUFFICIENT_EVIDENCE')
  expect(await move({ stage: 'CHARGEBACK', step: 'MERCHANT_WON', force: true })).toBe('CHARGEBACK_MERCHANT_WON')
  expect(whole(await get(id))['resolved_at']).not.toBeNull()
})

test('the state of a dispute is never dated before its last one, though the clock was set back', async () => {
  const raised = await raise(await ordered('success'), { webhooks: 0 })
  const createdAt = whole(raised)['updated_at']
  world.clock.set(Date.now() - 86_400_000)
  const lost = await control(`/disputes/${idOf(raised)}`, { step: 'MERCHANT_LOST', webhooks: 0 })
  world.clock.set(Date.now())
  expect(whole(lost)).toMatchObject({ dispute_status: 'CHARGEBACK_MERCHANT_LOST', updated_at: createdAt })
})

test('webhooks of a dispute are signed, carry its id as text and announce created, updated and closed', async () => {
  const id = idOf(await raise(await ordered('success'), { amount: 10 }))
  for (const step of ['UNDER_REVIEW', 'MERCHANT_LOST']) await control(`/disputes/${id}`, { step })
  await waitUntil('three webhooks', () => world.shop.webhooks.length === 3)
  const byType = new Map(world.shop.webhooks.map((webhook) => [webhook.event.type, webhook]))
  expect([...byType.keys()].sort()).toEqual(['DISPUTE_CLOSED', 'DISPUTE_CREATED', 'DISPUTE_UPDATED'])
  for (const webhook of world.shop.webhooks) {
    expect(webhook.headers['x-webhook-signature']).toBe(opensslSignature(webhook, KEYS.clientSecret))
    expect(webhook.bytes.toString()).toContain(`"dispute_id":"${id}"`)
    expect(webhook.bytes.toString()).toContain('"dispute_amount":10.00')
  }
  expect((whole(await control(`/disputes/${id}`))['webhooks'] as unknown[]).length).toBe(3)
})

test('a payment of a subscription can be disputed, under the gateway’s own order; its webhooks go to the payments tab', async () => {
  await control('/webhooks', { payments: `${world.shop.url}/payments` })
  const body = {
    subscription_id: freshId(),
    customer_details: { customer_email: 'asha@example.com', customer_phone: '9999999999' },
    plan_details: { plan_name: 'Top-up', plan_type: 'ON_DEMAND', plan_max_amount: 30 },
    authorization_details: { authorization_amount: 30 },
  }
  await call('POST', `${world.url}/pg/subscriptions`, body, HEADERS)
  await control(`/subscriptions/${body.subscription_id}`, { step: 'bank_pending', webhooks: 0 })
  const payments = `${world.url}/pg/subscriptions/${body.subscription_id}/payments`
  const [auth] = (await call('GET', payments, undefined, HEADERS)).list as unknown as Record<string, unknown>[]
  const dispute = (): Promise<Answer> => control(`/charges/${String(auth?.payment_id)}/dispute`, { stage: 'CHARGEBACK' })
  expect(refusalOf(await dispute())).toEqual([409, 'order_not_paid'])
  await control(`/subscriptions/${body.subscription_id}`, { step: 'approve', webhooks: 0 })
  const raised = await dispute()
  expect(whole(await get(idOf(raised)))).toMatchObject({
    dispute_amount: 30,
    order_details: { order_id: auth?.cf_order_id, order_amount: 30, cf_payment_id: Number(auth?.cf_payment_id) },
    customer_details: { customer_phone: '9999999999', customer_email: 'asha@example.com' },
  })
  await waitUntil('the webhook', () => world.shop.webhooks.length === 1)
  expect(world.shop.webhooks[0]?.event.type).toBe('DISPUTE_CREATED')
  expect((await control('/charges/nobody/dispute', {})).status).toBe(404)
  await control('/webhooks', { payments: null })
})

test('a dispute survives a restart of the sandbox', async () => {
  const id = idOf(await raise(await ordered('success'), { webhooks: 0 }))
  const before = whole(await get(id))
  await world.restart()
  expect(whole(await get(id))).toEqual(before)
})
