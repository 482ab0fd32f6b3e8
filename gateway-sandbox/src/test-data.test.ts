import { beforeAll, expect, test } from 'vitest'
import { type Answer, call, freshId, HEADERS, orderBody, PAYOUT_HEADERS, useSandbox, waitUntil, whole } from './testing/world.ts'

const world = useSandbox({ payouts: true })
const { control } = world
const api = (method: string, path: string, body?: unknown): Promise<Answer> =>
  call(method, `${world.url}/payout${path}`, body, PAYOUT_HEADERS)

const ACCOUNTS = {
  ok: ['026291800001191', 'YESB0000262'],
  bad: ['026291800001190', 'YESB0000262'],
  slowlyOk: ['00224412311300', 'YESB0000001'],
  slowlyBad: ['7766666351000', 'YESB0000001'],
  reversed: ['02014457596969', 'CITI0000001'],
  after25Seconds: ['34978321547298', 'KKBK0000001'],
} as const
const UPI_IDS = ['success@upi', 'invalid@upi', 'incorrect@upi', 'asha@okbank'] as const

const beneficiaryOf = (name: string): string => `test_data_${name.replace('@', '_')}`
beforeAll(async () => {
  const instruments = [
    ...Object.entries(ACCOUNTS).map(([name, [account, ifsc]]) => [name, { bank_account_number: account, bank_ifsc: ifsc }] as const),
    ...UPI_IDS.map((vpa) => [vpa, { vpa }] as const),
  ]
  for (const [name, details] of instruments) {
    const body = { beneficiary_id: beneficiaryOf(name), beneficiary_name: 'Asha', beneficiary_instrument_details: details }
    expect((await api('POST', '/beneficiary', body)).status).toBe(201)
  }
})

async function sent(name: string): Promise<{ id: string; status: unknown }> {
  const transfer_mode = name.includes('@') ? 'upi' : 'banktransfer'
  const body = { transfer_id: freshId(), transfer_amount: 10, transfer_mode, beneficiary_details: { beneficiary_id: beneficiaryOf(name) } }
  const answer = await api('POST', '/transfers', body)
  expect(answer.status).toBe(200)
  return { id: body.transfer_id, status: whole(answer).status }
}
const read = async (id: string): Promise<unknown> => whole(await api('GET', `/transfers?transfer_id=${id}`)).status

test.each([
  ['success@upi', 'SUCCESS'],
  ['invalid@upi', 'FAILED'],
  ['incorrect@upi', 'FAILED'],
  ['ok', 'SUCCESS'],
  ['bad', 'FAILED'],
])('a transfer to %s is %s at once, with its webhook', async (name, status) => {
  const transfer = await sent(name)
  expect(transfer.status).toBe(status)
  await waitUntil('the webhook', () => world.shop.webhooks.length === 1)
  expect(world.shop.webhooks[0]?.event.type).toBe(`TRANSFER_${status}`)
})

test.each([
  ['slowlyOk', 'PENDING', 'SUCCESS'],
  ['slowlyBad', 'PENDING', 'FAILED'],
  ['after25Seconds', 'PENDING', 'SUCCESS'],
  ['reversed', 'SUCCESS', 'REVERSED'],
])('a transfer to %s is %s, and %s after 25 seconds', async (name, first, later) => {
  const start = Date.now()
  const transfer = await sent(name)
  expect([transfer.status, await read(transfer.id)]).toEqual([first, first])
  world.clock.set(start + 30_000)
  expect(await read(transfer.id)).toBe(later)
  await waitUntil('the webhook', () => world.shop.webhooks.some(({ event }) => event.type === `TRANSFER_${later}`))
})

test('the later state comes though nobody asks, also after a restart, unless a control call was first', async () => {
  const start = Date.now()
  const [untouched, moved] = [await sent('slowlyOk'), await sent('slowlyOk')]
  await control(`/transfers/${moved.id}`, { status: 'FAILED', webhooks: 0 })
  await world.restart()
  world.clock.set(start + 30_000)
  await waitUntil('the webhook', () => world.shop.webhooks.length === 1)
  expect(whole(await control(`/transfers/${untouched.id}`)).status).toBe('SUCCESS')
  expect(await read(moved.id)).toBe('FAILED')
})

test('a transfer to any other UPI ID waits', async () => {
  const transfer = await sent('asha@okbank')
  world.clock.set(Date.now() + 3_600_000)
  expect([transfer.status, await read(transfer.id)]).toEqual(['PENDING', 'PENDING'])
})

test.each([
  ['testsuccess@gocash', 'PAID', 'SUCCESS'],
  ['testfailure@gocash', 'ACTIVE', 'FAILED'],
  ['asha@okbank', 'ACTIVE', 'NOT_ATTEMPTED'],
])('a collect request to %s leaves the order %s and the payment %s', async (upiId, orderStatus, paymentStatus) => {
  const order = await call('POST', `${world.url}/pg/orders`, orderBody({ order_meta: { notify_url: `${world.shop.url}/hook` } }), HEADERS)
  const { order_id: orderId, payment_session_id } = order.body
  const payment_method = { upi: { channel: 'collect', upi_id: upiId } }
  expect((await call('POST', `${world.url}/pg/orders/sessions`, { payment_session_id, payment_method }, HEADERS)).status).toBe(200)
  const after = (await control(`/orders/${orderId}`)).body
  expect([after.order_status, after.payments.length]).toEqual([orderStatus, 1])
  expect(after.payments[0]).toMatchObject({
    payment_status: paymentStatus,
    payment_method: { upi: { channel: 'collect', upi_id: upiId } },
  })
  await waitUntil('the webhook', () => paymentStatus === 'NOT_ATTEMPTED' || world.shop.webhooks.length === 1)
  expect(world.shop.webhooks.map(({ event }) => event.type)).toEqual(
    paymentStatus === 'NOT_ATTEMPTED' ? [] : [`PAYMENT_${paymentStatus}_WEBHOOK`],
  )
})
