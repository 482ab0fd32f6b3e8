import { expect, test } from 'vitest'
import { KEYS, opensslSignature, PAYOUT_KEYS, type ReceivedWebhook, refusalOf, useSandbox, waitUntil } from './testing/world.ts'

const world = useSandbox({ payouts: true })
const { control } = world
async function told(): Promise<{ type: string; data: Record<string, Record<string, unknown>>; webhook: ReceivedWebhook }> {
  await waitUntil('the webhook', () => world.shop.webhooks.length === 1)
  const webhook = world.shop.webhooks[0] as ReceivedWebhook
  const { type, data } = webhook.event as unknown as { type: string; data: Record<string, Record<string, unknown>> }
  return { type, data, webhook }
}

test('an auto-refund is told under data.auto_refund, and moves no record', async () => {
  const orderId = await world.ordered('success')
  await control(`/orders/${orderId}/notices`, { type: 'AUTO_REFUND_STATUS_WEBHOOK' })
  const { type, data, webhook } = await told()
  expect([type, Object.keys(data)]).toEqual(['AUTO_REFUND_STATUS_WEBHOOK', ['auto_refund']])
  expect(data.auto_refund).toMatchObject({
    order_id: orderId,
    refund_type: 'PAYMENT_AUTO_REFUND',
    refund_status: 'SUCCESS',
    refund_amount: 30,
  })
  expect(webhook.bytes.toString()).toContain('"refund_amount":30.00')
  expect(webhook.headers['x-webhook-signature']).toBe(opensslSignature(webhook, KEYS.clientSecret))
  expect((await control(`/orders/${orderId}`)).body).toMatchObject({ order_status: 'PAID', refunds: [] })
})

test('the charges of a payment add up to it', async () => {
  const orderId = await world.ordered('success', 1000)
  await control(`/orders/${orderId}/notices`, { type: 'PAYMENT_CHARGES_WEBHOOK' })
  const { type, data } = await told()
  expect([type, data.order?.order_id, data.payment?.payment_status]).toEqual(['PAYMENT_CHARGES_WEBHOOK', orderId, 'SUCCESS'])
  expect(data.charges_details).toMatchObject({ service_charge: 19.5, service_tax: 3.51, settlement_amount: 976.99 })
})

test.each([
  ['BULK_TRANSFER_REJECTED', ['transfer_id', 'cf_transfer_id', 'reason']],
  ['BENEFICIARY_INCIDENT', ['id', 'bene_entity', 'severity']],
  ['CREDIT_CONFIRMATION', ['ledger_balance', 'amount', 'utr']],
  ['LOW_BALANCE_ALERT', ['current_balance', 'alert_time']],
])('%s goes to the payouts address, signed with the payouts secret', async (type, fields) => {
  const answer = await control('/payouts/notices', { type })
  expect(answer.body.webhooks).toContainEqual(expect.objectContaining({ type }))
  const seen = await told()
  expect([seen.type, Object.keys(seen.data)]).toEqual([type, expect.arrayContaining(fields)])
  expect(seen.webhook.headers).toMatchObject({ 'x-webhook-version': '2024-01-01' })
  expect(seen.webhook.headers['x-webhook-signature']).toBe(opensslSignature(seen.webhook, PAYOUT_KEYS.clientSecret))
  await waitUntil('its answer', async () => (await control('/payouts/notices')).body.webhooks.every(({ state }) => state === 'delivered'))
})

test('a control call may give the fields; an unknown type or an unpaid order is refused', async () => {
  await control('/payouts/notices', { type: 'LOW_BALANCE_ALERT', data: { balance: 1 } })
  expect((await told()).data).toEqual({ balance: 1 })
  expect((await control('/payouts/notices', { type: 'PAYMENT_CHARGES_WEBHOOK' })).status).toBe(400)
  const orderId = await world.ordered(undefined)
  expect(refusalOf(await control(`/orders/${orderId}/notices`, { type: 'PAYMENT_CHARGES_WEBHOOK' }))).toEqual([409, 'no_such_step'])
  expect((await control('/orders/nobody/notices', { type: 'PAYMENT_CHARGES_WEBHOOK' })).status).toBe(404)
})
