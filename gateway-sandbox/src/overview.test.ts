import { expect, test } from 'vitest'
import { type Answer, call, freshId, HEADERS, orderBody, PAYOUT_HEADERS, whole, useSandbox } from './testing/world.ts'

const world = useSandbox({ payouts: true })
const { control } = world

const page = async (): Promise<string> => (await call('GET', `${world.url}/`)).text
const tokenOf = (html: string): string => /name="token" value="([^"]+)"/.exec(html)?.[1] ?? ''
const press = (form: Record<string, string>): Promise<Answer> =>
  call('POST', `${world.url}/press`, new URLSearchParams(form).toString(), { 'content-type': 'application/x-www-form-urlencoded' })
/** The list item of one order, refund or transfer. */
const partOf = (html: string, id: string): string => html.split('<li>').find((part) => part.includes(id)) ?? ''

async function oneOfEach(): Promise<{ orderId: string; refundId: string; transferId: string }> {
  const orderId = String(orderBody().order_id)
  const refundId = crypto.randomUUID().replaceAll('-', '')
  const transferId = crypto.randomUUID().replaceAll('-', '')
  const paid = await call('POST', `${world.url}/pg/orders`, orderBody({ order_id: `${orderId}_paid`, order_amount: 30 }), HEADERS)
  await call('POST', `${world.url}/pg/orders`, orderBody({ order_id: orderId }), HEADERS)
  await call('POST', `${world.url}/__sandbox/orders/${paid.body.order_id}/pay`, { outcome: 'success' })
  await call('POST', `${world.url}/pg/orders/${paid.body.order_id}/refunds`, { refund_amount: 12.5, refund_id: refundId }, HEADERS)
  const beneficiary = {
    beneficiary_id: transferId,
    beneficiary_name: 'Asha Verma',
    beneficiary_instrument_details: { bank_account_number: String(Date.now()), bank_ifsc: 'HDFC0ABC123' },
  }
  await call('POST', `${world.url}/payout/beneficiary`, beneficiary, PAYOUT_HEADERS)
  const transfer = { transfer_id: transferId, transfer_amount: 123_456, beneficiary_details: { beneficiary_id: transferId } }
  await call('POST', `${world.url}/payout/transfers`, transfer, PAYOUT_HEADERS)
  return { orderId, refundId, transferId }
}

test('the page says that it is a demo, and that there is nothing yet', async () => {
  const answer = await call('GET', `${world.url}/`)
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
  const words = ['Demo payment gateway.', 'No real money moves.', 'No order yet.', 'No refund yet.', 'No transfer yet.']
  for (const text of [...words, 'No mandate yet.', 'No payment of a mandate yet.', 'No settlement yet.']) {
    expect(answer.text).toContain(text)
  }
})

test('the page lists each order, refund and transfer with amount and next steps, and a press takes a step', async () => {
  const { orderId, refundId, transferId } = await oneOfEach()
  const html = await page()
  expect(partOf(html, refundId)).toContain('₹12.50')
  expect(partOf(html, transferId)).toContain('₹1,23,456.00')
  expect(partOf(html, `${orderId}_paid`)).not.toContain('<button')
  for (const [kind, id, step] of [
    ['order', orderId, 'success'],
    ['refund', refundId, 'SUCCESS'],
    ['transfer', transferId, 'SUCCESS'],
  ] as const) {
    expect(partOf(html, id)).toContain(`value="${step}"`)
    const answer = await press({ token: tokenOf(html), kind, id, step })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/'])
  }
  expect((await control(`/orders/${orderId}`)).body.order_status).toBe('PAID')
  expect(whole(await control(`/refunds/${refundId}`)).refund_status).toBe('SUCCESS')
  expect(whole(await control(`/transfers/${transferId}`)).status).toBe('SUCCESS')
  const after = partOf(await page(), transferId)
  expect(after.match(/name="step" value="(\w+)"/g)).toEqual(['name="step" value="REVERSED"'])
})

test('the page plays a mandate, its charge and a settlement', async () => {
  const id = freshId()
  const body = {
    subscription_id: id,
    customer_details: { customer_email: 'asha@example.com', customer_phone: '9999999999' },
    plan_details: { plan_name: 'Top-up', plan_type: 'ON_DEMAND', plan_max_amount: 45 },
    authorization_details: { authorization_amount: 45 },
  }
  await call('POST', `${world.url}/pg/subscriptions`, body, HEADERS)
  const payments = `${world.url}/pg/subscriptions/${id}/payments`
  const token = tokenOf(await page())
  const pressed = (kind: string, about: string, step: string): Promise<Answer> => press({ token, kind, id: about, step })
  expect(partOf(await page(), id)).toContain('₹45.00')
  await pressed('subscription', id, 'bank_pending')
  const [auth] = (await call('GET', payments, undefined, HEADERS)).list
  expect(partOf(await page(), String(auth?.cf_payment_id))).toContain('AUTH PENDING')
  await pressed('charge', String(auth?.cf_payment_id), 'SUCCESS')
  await pressed('subscription', id, 'approve')
  expect(partOf(await page(), id)).toContain('ACTIVE')
  await pressed('settle', '', 'SUCCESS')
  const settled = /id="settlement-(\d+)"/.exec(await page())?.[1] ?? ''
  for (const [kind, about, step] of [
    ['subscription', id, 'approve'],
    ['subscription', 'nobody', 'approve'],
    ['charge', 'nobody', 'SUCCESS'],
    ['settlement', settled, 'SUCCESS'],
    ['settle', '', 'SUCCESS'],
  ] as const) {
    expect((await pressed(kind, about, step)).status).toBe(303)
  }
  expect(whole(await control(`/settlements/${settled}`)).status).toBe('SUCCESS')
  await pressed('settlement', settled, 'REVERSED')
  expect(partOf(await page(), settled)).toContain('REVERSED')
})

test('a late press changes nothing; a press without the page’s token is refused', async () => {
  const { orderId, refundId, transferId } = await oneOfEach()
  const token = tokenOf(await page())
  for (const step of ['REVERSED', 'nonsense', '']) expect((await press({ token, kind: 'transfer', id: transferId, step })).status).toBe(303)
  for (const [kind, id] of [
    ['order', `${orderId}_paid`],
    ['order', 'nobody'],
    ['refund', 'nobody'],
    ['transfer', 'nobody'],
    ['cheque', transferId],
  ] as const) {
    expect((await press({ token, kind, id, step: kind === 'order' ? 'failed' : 'SUCCESS' })).status).toBe(303)
  }
  expect((await press({ token: 'guess', kind: 'transfer', id: transferId, step: 'SUCCESS' })).status).toBe(403)
  expect((await press({ kind: 'refund', id: refundId, step: 'SUCCESS' })).status).toBe(403)
  expect(whole(await control(`/transfers/${transferId}`)).status).toBe('PENDING')
  expect(whole(await control(`/refunds/${refundId}`)).refund_status).toBe('PENDING')
})

test('the page switches the fake edge on and off', async () => {
  const orderId = String(orderBody().order_id)
  await call('POST', `${world.url}/pg/orders`, orderBody({ order_id: orderId }), HEADERS)
  const ask = (): Promise<Answer> => call('GET', `${world.url}/pg/orders/${orderId}`, undefined, HEADERS)
  for (const [step, status, type] of [
    ['page_404', 404, 'text/html; charset=utf-8'],
    ['none', 200, 'application/json; charset=utf-8'],
  ] as const) {
    await press({ token: tokenOf(await page()), kind: 'edge', id: '', step })
    expect(await page()).toContain(`<option selected>${step}</option>`)
    const { status: given, headers } = await ask()
    expect([given, headers.get('content-type')]).toEqual([status, type])
  }
})
