import { createHash, createHmac } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { makeMember, testSecrets } from '../../testing/calls.ts'
import { KEYS, useWalletWorld } from '../../testing/wallet-world.ts'

const world = useWalletWorld()
beforeEach(() => world.reset())

const post = (body: string, headers: Record<string, string> = {}) => world.calls.ask('POST /webhooks/cashfree', { body, headers })
async function signed(body: string, ageMs = 0): Promise<Record<string, string>> {
  const timestamp = String(Date.now() - ageMs)
  return {
    'x-webhook-timestamp': timestamp,
    'x-webhook-signature': createHmac('sha256', KEYS.clientSecret)
      .update(timestamp + body)
      .digest('base64'),
  }
}

test('a tampered webhook answers 401 and leaves nothing', async () => {
  const before = await world.eventCount()
  const body = JSON.stringify({ type: 'PAYMENT_SUCCESS_WEBHOOK', data: { order: { order_id: 'x' } } })
  expect(await post(body, await signed(`${body} `))).toMatchObject({ status: 401, body: { code: 'webhook_signature' } })
  expect((await post(body)).status).toBe(401)
  const { member, orderId } = await world.ordered()
  await world.control('/faults', { tamper: true })
  await world.pay(orderId, 'success')
  await expect.poll(() => world.answerToWebhook(orderId), { timeout: 10_000 }).toBe(401)
  expect(await world.eventCount()).toBe(before)
  expect(await world.balanceOf(member)).toBe(0)
})

test('a signed body that is not an event answers 400', async () => {
  const before = await world.eventCount()
  expect((await post('{"a":', await signed('{"a":'))).status).toBe(400)
  expect((await post('[]', await signed('[]'))).status).toBe(400)
  expect(await world.eventCount()).toBe(before)
})

test('an event of unknown type is stored and answers 200', async () => {
  const body = JSON.stringify({ type: 'SETTLEMENT_SUCCESS', data: { settlement: { id: 1 } }, event_time: '2026-01-01T00:00:00+05:30' })
  const before = await world.eventCount()
  expect(await post(body, await signed(body))).toMatchObject({ status: 200, body: { received: true } })
  expect(await post(body, await signed(body))).toMatchObject({ status: 200 })
  expect(await world.eventCount()).toBe(before + 1)
  // The event causes no question to the gateway.
  const key = `event:${createHash('sha256').update(body).digest('hex')}`
  expect(await world.db.query(sql`select 1 from job where key = ${key}::text`)).toEqual([])
})

test('a webhook’s body alone moves no money', async () => {
  const { member, orderId } = await world.ordered()
  const body = JSON.stringify({
    type: 'PAYMENT_SUCCESS_WEBHOOK',
    event_time: '2026-01-01T00:00:00+05:30',
    data: {
      order: { order_id: orderId, order_amount: 10, order_currency: 'INR' },
      payment: { cf_payment_id: '77', payment_status: 'SUCCESS', payment_amount: 10, payment_currency: 'INR' },
    },
  })
  expect((await post(body, await signed(body))).status).toBe(200)
  await world.runDue()
  expect(world.gatewayCalls).toContain(orderId)
  expect(await world.balanceOf(member)).toBe(0)
})

const MINUTE_MS = 60_000
test.each([
  ['younger than the last retry causes a question at once', 29 * MINUTE_MS, { late: false, seconds: 0 }],
  ['older than the last retry is kept, and causes a question in its turn', 36 * MINUTE_MS, { late: true, seconds: 15 }],
  ['a year old is kept, and causes a question in its turn', 365 * 1440 * MINUTE_MS, { late: true, seconds: 15 }],
  ['from the future is kept, and causes a question in its turn', -36 * MINUTE_MS, { late: true, seconds: 15 }],
] as const)('an event %s', async (_, ageMs, expected) => {
  const orderId = crypto.randomUUID().replaceAll('-', '')
  const body = JSON.stringify({ type: 'PAYMENT_SUCCESS_WEBHOOK', data: { order: { order_id: orderId }, payment: { cf_payment_id: '1' } } })
  expect((await post(body, await signed(body, ageMs))).status).toBe(200)
  const [event] = await world.db.query(sql`
    select e.is_late as late, round(extract(epoch from j.due_at - e.received_at))::int as seconds
      from gateway_event e join job j on j.key = 'event:' || e.event_key where e.order_id = ${orderId}::text`)
  expect(event).toEqual(expected)
})

test('an old event about a payment credits what the gateway answers, and nothing by its own body', async () => {
  const member = await makeMember(world.db)
  const [unpaid, paid] = [await world.newOrder(member, 20), await world.newOrder(member)]
  await world.control('/faults', { agedMs: 3 * 3_600_000 })
  await world.pay(paid, 'success')
  await expect.poll(() => world.answerToWebhook(paid), { timeout: 10_000 }).toBe(200)
  const body = JSON.stringify({
    type: 'PAYMENT_SUCCESS_WEBHOOK',
    data: { order: { order_id: unpaid, order_amount: 20 }, payment: { cf_payment_id: '78', payment_status: 'SUCCESS' } },
  })
  expect((await post(body, await signed(body, 3 * 3_600_000))).status).toBe(200)
  expect(await world.db.query(sql`select from gateway_event where is_late and order_id in (${unpaid}::text, ${paid}::text)`)).toHaveLength(
    2,
  )
  await world.db.query(sql`update job set due_at = roz_now() where kind = 'settle_order' and done_at is null`)
  await world.runDue()
  expect(world.gatewayCalls).toEqual(expect.arrayContaining([unpaid, paid]))
  expect(await world.balanceOf(member)).toBe(10)
})

/** The stored event of an order, decrypted. */
async function bodyOf(orderId: string): Promise<unknown> {
  const { key, sealed } = await world.db.one<{ key: string; sealed: Buffer }>(
    sql`select event_key as key, sealed from gateway_event where order_id = ${orderId}::text`,
  )
  return JSON.parse(testSecrets.decrypt(sealed, `gateway_event:${key}`).toString('utf8'))
}

test('a payer’s phone, email and UPI id are readable nowhere in the database: the event is stored encrypted for its own key', async () => {
  const payer = { customer_phone: '9123456780', customer_email: 'payer@x.test', customer_name: 'Payer Nobodyelse' }
  const event = {
    type: 'PAYMENT_SUCCESS_WEBHOOK',
    data: {
      order: { order_id: 'sealed' },
      payment: { cf_payment_id: '5', payment_method: { upi: { upi_id: 'payer@upi' } } },
      customer_details: payer,
    },
  }
  const body = JSON.stringify(event)
  for (let times = 0; times < 2; times++) expect((await post(body, await signed(body))).status).toBe(200)
  expect(await bodyOf('sealed')).toEqual(event)
  const tables = await world.db.query<{ name: string }>(
    sql`select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and has_table_privilege(oid, 'select')`,
  )
  for (const { name } of tables) {
    const { text } = await world.db.one<{ text: string | null }>(
      sql`select query_to_xml(${`select string_agg(t::text, ' ') as rows from "${name}" t`}::text, true, true, '')::text as text`,
    )
    for (const word of ['9123456780', 'payer@x.test', 'Payer Nobodyelse', 'payer@upi']) expect(text, name).not.toContain(word)
  }
})

test('an event loses its customer fields after 90 days', async () => {
  const body = JSON.stringify({
    type: 'PAYMENT_X',
    data: { order: { order_id: 'old' }, customer_details: { customer_phone: '9876500000' } },
  })
  await post(body, await signed(body))
  await world.db.query(sql`update gateway_event set received_at = received_at - interval '91 days' where order_id = 'old'`)
  await world.runDue()
  expect(await bodyOf('old')).toEqual({ type: 'PAYMENT_X', data: { order: { order_id: 'old' } } })
})

test('an event that the database cannot read as jsonb is cleaned like the others, and blocks none', async () => {
  const body =
    '{"type":"PAYMENT_X","data":{"order":{"order_id":"nul"},"note":"a\\u0000b","customer_details":{"customer_name":"c\\u0000d"}}}'
  expect((await post(body, await signed(body))).status).toBe(200)
  await world.db.query(sql`update gateway_event set received_at = received_at - interval '91 days'`)
  await world.runDue()
  expect(await bodyOf('nul')).toEqual({ type: 'PAYMENT_X', data: { order: { order_id: 'nul' }, note: 'a\0b' } })
  expect(await world.db.query(sql`select from gateway_event where cleaned_at is null`)).toEqual([])
})
