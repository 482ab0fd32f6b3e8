import { describe, expect, test } from 'vitest'
import { JUST_AFTER_NOON, type Json, type Told, useSubscriptions } from '../testing/subscriptions.ts'
import { KEYS, opensslSignature } from '../testing/world.ts'

const { world, control, pg, made, approved, charged, payments, told } = useSubscriptions()

const inVersion = (version: string): Promise<unknown> =>
  control('/webhooks', { subscriptions: { url: `${world.shop.url}/subscriptions`, version } })
const ofType = (all: readonly Told[], type: string): Told => {
  const found = all.find((one) => one.type === type)
  if (found === undefined) throw new Error(`no ${type} among ${all.map((one) => one.type).join(', ')}`)
  return found
}

describe('a webhook of a subscription', () => {
  test('goes to the Subscriptions tab, signed, with the version of the tab', async () => {
    await control(`/subscriptions/${await made()}`, { step: 'approve' })
    for (const webhook of (await told(3), world.shop.webhooks)) {
      expect(webhook.headers['x-webhook-signature']).toBe(opensslSignature(webhook, KEYS.clientSecret))
      expect(webhook.headers['x-webhook-version']).toBe('2025-01-01')
    }
  })

  test('is not sent while the tab is empty', async () => {
    await control('/webhooks', { subscriptions: null })
    const id = await made()
    await control(`/subscriptions/${id}`, { step: 'approve' })
    expect((await control(`/subscriptions/${id}`)).body.webhooks).toEqual([])
    expect((await control('/webhooks', {})).status).toBe(400)
    expect((await control('/webhooks', { subscriptions: { url: 'shop' } })).status).toBe(400)
    expect((await control('/webhooks', { subscriptions: { url: world.shop.url, version: '2022-09-01' } })).status).toBe(400)
  })

  test('for a mandate has the recorded body: dates without an offset, "" for those that are missing', async () => {
    const id = await made()
    await control(`/subscriptions/${id}`, { step: 'bank_pending' })
    const { data, text } = ofType(await told(1), 'SUBSCRIPTION_STATUS_CHANGED')
    const [auth] = await payments(id)
    expect(data).toEqual({
      subscription_details: {
        cf_subscription_id: expect.stringMatching(/^\d+$/),
        subscription_id: id,
        subscription_status: 'BANK_APPROVAL_PENDING',
        subscription_expiry_time: '2036-03-01T12:00:00',
        subscription_first_charge_time: '',
        subscription_tags: null,
        next_schedule_date: '',
      },
      customer_details: { customer_name: 'Asha', customer_email: 'asha@example.com', customer_phone: '9999999999' },
      plan_details: expect.objectContaining({ plan_type: 'ON_DEMAND', plan_max_amount: 30 }),
      authorization_details: {
        authorization_amount: 30,
        authorization_amount_refund: false,
        approve_by_time: '2026-03-04T14:00:00',
        authorization_reference: null,
        authorization_time: '',
        authorization_status: 'PENDING',
        payment_id: auth?.payment_id,
        payment_group: 'upi',
        payment_method: { upi: expect.objectContaining({ upi_id: 'testsuccess@gocash' }) },
      },
      payment_gateway_details: expect.objectContaining({ gateway_name: 'CASHFREE', gateway_subscription_id: id }),
    })
    expect(text).toContain('"plan_max_amount":30.00')
  })

  test('for a charge is flat, and names no order of the shop', async () => {
    const id = await approved()
    const paymentId = await charged(id)
    await control(`/charges/${paymentId}`, { status: 'SUCCESS' })
    const { data, text } = ofType(await told(1), 'SUBSCRIPTION_PAYMENT_SUCCESS')
    expect(data).toEqual({
      payment_id: paymentId,
      cf_payment_id: expect.stringMatching(/^\d+$/),
      cf_txn_id: expect.stringMatching(/^\d+$/),
      cf_order_id: expect.stringMatching(/^\d+$/),
      subscription_id: id,
      cf_subscription_id: expect.stringMatching(/^\d+$/),
      payment_type: 'CHARGE',
      payment_amount: 30,
      payment_currency: 'INR',
      payment_schedule_date: '2026-03-06T00:00:00+05:30',
      payment_initiated_date: '2026-03-04T12:00:00',
      payment_remarks: null,
      payment_status: 'SUCCESS',
      retry_attempts: 0,
      failure_details: { failure_reason: null },
      authorization_details: expect.objectContaining({ authorization_status: 'ACTIVE' }),
    })
    expect(text).toContain('"payment_amount":30.00')
  })

  test('announces the success of an AUTH too, beside its own type', async () => {
    await control(`/subscriptions/${await made()}`, { step: 'approve' })
    const all = await told(3)
    expect(all.map(({ type }) => type).toSorted()).toEqual([
      'SUBSCRIPTION_AUTH_STATUS',
      'SUBSCRIPTION_PAYMENT_SUCCESS',
      'SUBSCRIPTION_STATUS_CHANGED',
    ])
    for (const type of ['SUBSCRIPTION_AUTH_STATUS', 'SUBSCRIPTION_PAYMENT_SUCCESS']) {
      expect(ofType(all, type).data).toMatchObject({ payment_type: 'AUTH', payment_status: 'SUCCESS', payment_schedule_date: '' })
    }
  })

  test.each([
    ['SUCCESS', 'SUBSCRIPTION_PAYMENT_SUCCESS', null],
    ['FAILED', 'SUBSCRIPTION_PAYMENT_FAILED', 'DEBIT FAILED | Insufficient Funds In Customer (Remitter) Account'],
    ['CANCELLED', 'SUBSCRIPTION_PAYMENT_CANCELLED', null],
  ])('for a charge that is %s has the type %s', async (status, type, reason) => {
    const paymentId = await charged(await approved())
    await control(`/charges/${paymentId}`, { status })
    expect(ofType(await told(1), type).data).toMatchObject({ payment_status: status, failure_details: { failure_reason: reason } })
  })

  test('for a refund names payment and refund', async () => {
    const id = await approved()
    const [auth] = await payments(id)
    await pg('POST', `/subscriptions/${id}/refunds`, {
      payment_id: auth?.payment_id,
      refund_id: 'r1',
      refund_amount: 10,
      refund_note: 'FAILED',
    })
    const { data, text } = ofType(await told(1), 'SUBSCRIPTION_REFUND_STATUS')
    expect(data).toMatchObject({ payment_id: auth?.payment_id, refund_id: 'r1', refund_amount: 10, refund_status: 'FAILED' })
    expect((data.failure_details as Json).failure_reason).toEqual(expect.any(String))
    expect(text).toContain('"refund_amount":10.00')
  })

  test('in 2023-08-01 has another type and camel case', async () => {
    await inVersion('2023-08-01')
    await control(`/subscriptions/${await made()}`, { step: 'approve' })
    const { data, headers } = ofType(await told(3), 'SUBSCRIPTION_STATUS_CHANGE')
    expect(headers['x-webhook-version']).toBe('2023-08-01')
    expect(data.authorization_details).toMatchObject({
      authorizationAmount: 30,
      authorizationStatus: 'ACTIVE',
      authorizationTime: JUST_AFTER_NOON,
      paymentMethod: 'upi',
    })
    expect(data.subscription_details).not.toHaveProperty('next_schedule_date')
  })

  test('in 2026-01-01 carries the subscription with each payment and refund', async () => {
    await inVersion('2026-01-01')
    const id = await approved()
    await control(`/charges/${await charged(id)}`, { status: 'FAILED' })
    const [auth] = await payments(id)
    await pg('POST', `/subscriptions/${id}/refunds`, {
      payment_id: auth?.payment_id,
      refund_id: 'r2',
      refund_amount: 1,
      refund_note: 'SUCCESS',
    })
    for (const { data } of await told(2)) {
      expect(data.subscription_details).toMatchObject({ subscription_id: id, subscription_status: 'ACTIVE' })
    }
  })

  test('can be changed after signing, duplicated and put in another currency, as any other', async () => {
    const id = await approved()
    await control('/faults', { tamper: true, duplicate: 1, currency: 'USD' })
    await control(`/charges/${await charged(id)}`, { status: 'SUCCESS' })
    await told(2)
    const [webhook] = world.shop.webhooks
    expect(webhook?.bytes.toString()).toContain('"payment_amount":930.00')
    expect(webhook?.bytes.toString()).toContain('"payment_currency":"USD"')
    expect(webhook && opensslSignature(webhook, KEYS.clientSecret)).not.toBe(webhook?.headers['x-webhook-signature'])
  })
})
