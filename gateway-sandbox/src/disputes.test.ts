import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Sandbox } from './sandbox.ts'
import {
  type Answer,
  call,
  HEADERS,
  KEYS,
  openSandbox,
  openShop,
  opensslSignature,
  orderBody,
  refusalOf,
  removeFolder,
  type Shop,
  temporaryFolder,
  waitUntil,
  whole,
} from './testing/world.ts'

let sandbox: Sandbox
let shop: Shop
const dataDir = temporaryFolder()

beforeAll(async () => {
  shop = await openShop()
  sandbox = await openSandbox(dataDir)
})
afterAll(async () => {
  await sandbox.close()
  await shop.close()
  removeFolder(dataDir)
})
beforeEach(() => {
  shop.letters.length = 0
})

const control = (path: string, body?: unknown) => call(body === undefined ? 'GET' : 'POST', `${sandbox.url}/__sandbox${path}`, body)

async function ordered(outcome: string | undefined): Promise<string> {
  const body = orderBody({ order_amount: 30, order_meta: { notify_url: `${shop.url}/hook` } })
  const order = await call('POST', `${sandbox.url}/pg/orders`, body, HEADERS)
  if (outcome !== undefined) await control(`/orders/${order.body.order_id}/pay`, { outcome, webhooks: 0 })
  return order.body.order_id
}
const raise = (orderId: string, body: unknown = {}): Promise<Answer> => control(`/orders/${orderId}/dispute`, body)
const idOf = (answer: Answer): string => String(whole(answer)['dispute_id'])
const get = (id: string): Promise<Answer> => call('GET', `${sandbox.url}/pg/disputes/${id}`, undefined, HEADERS)

test('raised on a paid order it has the documented shape, is read by its id and in the list of the order', async () => {
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
  const list = await call('GET', `${sandbox.url}/pg/orders/${orderId}/disputes`, undefined, HEADERS)
  expect(JSON.parse(list.text)).toEqual([entity])
  expect(refusalOf(await get('1'))).toEqual([404, 'dispute_not_found'])
})

test('only a paid order is disputed', async () => {
  expect(refusalOf(await raise(await ordered(undefined)))).toEqual([409, 'order_not_paid'])
  expect(refusalOf(await raise('nobody'))).toEqual([404, 'order_not_found'])
  expect((await raise(await ordered('success'), { stage: 'NONSENSE' })).status).toBe(400)
})

test('a decision stands until the next stage opens it anew; by force anything goes', async () => {
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

test('its webhooks are signed, write the id as text and amounts with two decimals, and tell created, updated and closed', async () => {
  const id = idOf(await raise(await ordered('success'), { amount: 10 }))
  for (const step of ['UNDER_REVIEW', 'MERCHANT_LOST']) await control(`/disputes/${id}`, { step })
  await waitUntil('three letters', () => shop.letters.length === 3)
  const byType = new Map(shop.letters.map((letter) => [letter.event.type, letter]))
  expect([...byType.keys()].sort()).toEqual(['DISPUTE_CLOSED', 'DISPUTE_CREATED', 'DISPUTE_UPDATED'])
  for (const letter of shop.letters) {
    expect(letter.headers['x-webhook-signature']).toBe(opensslSignature(letter, KEYS.clientSecret))
    expect(letter.bytes.toString()).toContain(`"dispute_id":"${id}"`)
    expect(letter.bytes.toString()).toContain('"dispute_amount":10.00')
  }
  expect((whole(await control(`/disputes/${id}`))['webhooks'] as unknown[]).length).toBe(3)
})

test('it outlives the gateway', async () => {
  const id = idOf(await raise(await ordered('success'), { webhooks: 0 }))
  const before = whole(await get(id))
  await sandbox.close()
  sandbox = await openSandbox(dataDir)
  expect(whole(await get(id))).toEqual(before)
})
