import { describe, expect, test } from 'vitest'
import { at, JUST_AFTER_NOON, NOON, subscriptionBody, useSubscriptions } from '../testing/subscriptions.ts'
import { type Answer, freshId, refusalOf, whole } from '../testing/world.ts'

const { world, control, pg, made, approved, charged, read, payments, told } = useSubscriptions()

const create = (more: Record<string, unknown> = {}, headers: Record<string, string> = {}): Promise<Answer> =>
  pg('POST', '/subscriptions', subscriptionBody(more), headers)
const manage = (id: string, action: string, details?: unknown): Promise<Answer> =>
  pg('POST', `/subscriptions/${id}/manage`, { subscription_id: id, action, ...(details === undefined ? {} : { action_details: details }) })

describe('a plan', () => {
  const plan = { plan_id: '', plan_name: 'Top-up', plan_type: 'ON_DEMAND', plan_max_amount: 30.5, plan_note: 'as presented' }

  test('has the recorded shape, is ACTIVE and is found by its id', async () => {
    const planId = freshId()
    const answer = await pg('POST', '/plans', { ...plan, plan_id: planId })
    expect([answer.status, whole(answer)]).toEqual([
      200,
      {
        plan_id: planId,
        plan_name: 'Top-up',
        plan_type: 'ON_DEMAND',
        plan_currency: 'INR',
        plan_max_amount: 30.5,
        plan_recurring_amount: null,
        plan_max_cycles: 0,
        plan_intervals: null,
        plan_interval_type: null,
        plan_note: 'as presented',
        plan_status: 'ACTIVE',
      },
    ])
    expect((await pg('GET', `/plans/${planId}`)).text).toBe(answer.text)
    expect(refusalOf(await pg('POST', '/plans', { ...plan, plan_id: planId }))).toEqual([409, 'plan_already_exists'])
    const id = await made({ plan_details: { plan_id: planId } })
    expect((await read(`/subscriptions/${id}`)).plan_details).toMatchObject({ plan_id: planId, plan_max_amount: 30.5 })
  })

  test('PERIODIC needs amount and interval', async () => {
    const periodic = { ...plan, plan_id: freshId(), plan_type: 'PERIODIC', plan_recurring_amount: 10, plan_interval_type: 'WEEK' }
    expect(whole(await pg('POST', '/plans', periodic))).toMatchObject({
      plan_recurring_amount: 10,
      plan_intervals: 1,
      plan_interval_type: 'WEEK',
    })
    expect(refusalOf(await create({ plan_details: { plan_id: periodic.plan_id } }))).toEqual([400, 'plan_details.plan_type_invalid'])
  })

  test.each([
    ['no id', { plan_id: undefined }, 'plan_id_missing'],
    ['an id of 41', { plan_id: 'a'.repeat(41) }, 'plan_id_invalid'],
    ['an id with a space', { plan_id: 'a b' }, 'plan_id_invalid'],
    ['no name', { plan_name: undefined }, 'plan_name_missing'],
    ['a name of 41', { plan_name: 'a'.repeat(41) }, 'plan_name_invalid'],
    ['another type', { plan_type: 'SOMETIMES' }, 'plan_type_invalid'],
    ['no maximum', { plan_max_amount: undefined }, 'plan_max_amount_missing'],
    ['another currency', { plan_currency: 'USD' }, 'plan_currency_invalid'],
    ['half a cycle', { plan_max_cycles: 0.5 }, 'plan_max_cycles_invalid'],
    ['no recurring amount', { plan_type: 'PERIODIC' }, 'plan_recurring_amount_missing'],
    ['no interval', { plan_type: 'PERIODIC', plan_recurring_amount: 10 }, 'plan_interval_type_missing'],
  ])('with %s is refused', async (_what, more, code) => {
    expect(refusalOf(await pg('POST', '/plans', { ...plan, plan_id: freshId(), ...more }))).toEqual([400, code])
  })

  test('that nobody made is 404', async () => {
    expect(refusalOf(await pg('GET', '/plans/nobody'))).toEqual([404, 'plan_does_not_exist'])
    expect(refusalOf(await create({ plan_details: { plan_id: 'nobody' } }))).toEqual([404, 'plan_does_not_exist'])
  })
})

describe('a subscription', () => {
  test('has the recorded shape, is INITIALIZED and is found by its id', async () => {
    const body = subscriptionBody({ subscription_tags: { psp_note: 'Roz' }, subscription_expiry_time: '2029-03-04T12:00:00+05:30' })
    const answer = await pg('POST', '/subscriptions', body)
    expect([answer.status, whole(answer)]).toEqual([
      200,
      {
        subscription_id: body.subscription_id,
        cf_subscription_id: expect.stringMatching(/^\d+$/),
        subscription_session_id: expect.stringMatching(/^sub_session_/),
        subscription_status: 'INITIALIZED',
        subscription_expiry_time: '2029-03-04T12:00:00+05:30',
        subscription_first_charge_time: null,
        subscription_meta: { return_url: 'http://127.0.0.1:9/autopay/return' },
        subscription_note: null,
        subscription_tags: { psp_note: 'Roz' },
        subscription_payment_splits: [],
        next_schedule_date: null,
        customer_details: { customer_name: 'Asha', customer_email: 'asha@example.com', customer_phone: '9999999999' },
        plan_details: expect.objectContaining({ plan_id: body.subscription_id, plan_max_amount: 30, plan_type: 'ON_DEMAND' }),
        authorization_details: {
          authorization_amount: 30,
          authorization_amount_refund: false,
          authorization_reference: null,
          authorization_time: null,
          authorization_status: 'INITIALIZED',
          payment_id: null,
          payment_group: null,
          payment_method: null,
          payment_methods: ['upi'],
        },
      },
    ])
    expect((await pg('GET', `/subscriptions/${String(body.subscription_id)}`)).text).toBe(answer.text)
  })

  test('approved is ACTIVE, with the reference of the mandate and its first debit', async () => {
    const id = await approved()
    const { subscription_status: status, authorization_details: details } = await read(`/subscriptions/${id}`)
    const [auth] = await payments(id)
    expect([status, details]).toEqual([
      'ACTIVE',
      {
        authorization_amount: 30,
        authorization_amount_refund: false,
        authorization_reference: expect.stringMatching(/^[0-9a-f]{32}@testbank$/),
        authorization_time: JUST_AFTER_NOON,
        authorization_status: 'ACTIVE',
        payment_id: auth?.payment_id,
        payment_group: 'upi',
        payment_method: { upi: expect.objectContaining({ upi_id: 'testsuccess@gocash' }) },
        payment_methods: ['upi'],
      },
    ])
    expect(auth).toMatchObject({ payment_type: 'AUTH', payment_status: 'SUCCESS', payment_amount: 30, payment_schedule_date: null })
  })

  test('in 2026-01-01 spells authorisation_details; in 2023-08-01 names the method in a word', async () => {
    const id = await approved()
    const newest = await read(`/subscriptions/${id}`, { 'x-api-version': '2026-01-01' })
    expect(newest).not.toHaveProperty('authorization_details')
    expect(newest.authorisation_details).toMatchObject({ payment_method: { upi: {} }, authorization_status: 'ACTIVE' })
    const oldest = await read(`/subscriptions/${id}`, { 'x-api-version': '2023-08-01' })
    expect(oldest.authorization_details).toMatchObject({ payment_method: 'upi' })
  })

  test('asked for no first amount, or for 0, takes ₹1', async () => {
    for (const authorization of [undefined, { authorization_amount: 0 }]) {
      const id = await made({ authorization_details: authorization })
      expect((await read(`/subscriptions/${id}`)).authorization_details).toMatchObject({ authorization_amount: 1 })
    }
  })

  test('may be sent with the other spelling of authorization', async () => {
    const id = await made({ authorization_details: undefined, authorisation_details: { authorization_amount: 12 } })
    expect((await read(`/subscriptions/${id}`)).authorization_details).toMatchObject({ authorization_amount: 12 })
  })

  test.each([
    ['no id', { subscription_id: undefined }, 'subscription_id_missing'],
    ['an id of 251', { subscription_id: 'a'.repeat(251) }, 'subscription_id_invalid'],
    ['an id with a slash', { subscription_id: 'a/b' }, 'subscription_id_invalid'],
    ['no customer', { customer_details: undefined }, 'customer_details_missing'],
    ['no email', { customer_details: { customer_phone: '9999999999' } }, 'customer_details.customer_email_missing'],
    ['no phone', { customer_details: { customer_email: 'a@b.in' } }, 'customer_details.customer_phone_missing'],
    [
      'a phone of 9',
      { customer_details: { customer_email: 'a@b.in', customer_phone: '999999999' } },
      'customer_details.customer_phone_invalid',
    ],
    ['no plan', { plan_details: undefined }, 'plan_details_missing'],
    ['a plan without a maximum', { plan_details: { plan_name: 'a', plan_type: 'ON_DEMAND' } }, 'plan_details.plan_max_amount_missing'],
    ['a card', { authorization_details: { payment_methods: ['card'] } }, 'authorization_details.payment_methods_invalid'],
    ['a return address that is none', { subscription_meta: { return_url: 'javascript:1' } }, 'subscription_meta.return_url_invalid'],
    ['an expiry that is over', { subscription_expiry_time: '2026-03-04T11:59:59+05:30' }, 'subscription_expiry_time_invalid'],
    [
      'an expiry on a day that does not exist',
      { subscription_expiry_time: '2029-02-30T12:00:00+05:30' },
      'subscription_expiry_time_invalid',
    ],
    ['an expiry without an offset', { subscription_expiry_time: '2029-03-04T12:00:00' }, 'subscription_expiry_time_invalid'],
    ['a first charge', { subscription_first_charge_time: '2026-04-04T12:00:00+05:30' }, 'subscription_first_charge_time_invalid'],
    [
      '11 tags',
      { subscription_tags: Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`t${index}`, 'x'])) },
      'subscription_tags_invalid',
    ],
    ['an empty note for the UPI app', { subscription_tags: { psp_note: '' } }, 'subscription_tags.psp_note_invalid'],
  ])('with %s is refused', async (_what, more, code) => {
    expect(refusalOf(await create(more))).toEqual([400, code])
  })

  test('under an id that exists is refused, and repeated under its idempotency key answered again', async () => {
    const body = subscriptionBody()
    const headers = { 'x-idempotency-key': crypto.randomUUID() }
    const first = await pg('POST', '/subscriptions', body, headers)
    const again = await pg('POST', '/subscriptions', body, headers)
    expect([again.text, again.headers.get('x-idempotency-replayed')]).toEqual([first.text, 'true'])
    expect(refusalOf(await pg('POST', '/subscriptions', { ...body, subscription_tags: { a: 'b' } }, headers))).toEqual([
      422,
      'request_invalid',
    ])
    expect(refusalOf(await pg('POST', '/subscriptions', body))).toEqual([409, 'subscription_already_exists'])
  })

  test('gets a new session when the old one is two hours old, until it is approved', async () => {
    const id = await made()
    const session = async (): Promise<unknown> => (await read(`/subscriptions/${id}`)).subscription_session_id
    const first = await session()
    world.clock.set(NOON + 2 * 3_600_000 - 60_000)
    expect(await session()).toBe(first)
    world.clock.set(NOON + 2 * 3_600_000 + 60_000)
    const second = await session()
    expect(second).not.toBe(first)
    await control(`/subscriptions/${id}`, { step: 'approve' })
    world.clock.set(NOON + 9 * 3_600_000)
    expect(await session()).toBe(second)
  })

  test('past its expiry is COMPLETED, or EXPIRED if it was never approved', async () => {
    const ends = { subscription_expiry_time: '2026-03-05T12:00:00+05:30' }
    const [on, never] = [await approved(ends), await made(ends)]
    world.clock.set(at('2026-03-05T12:00:01'))
    expect((await read(`/subscriptions/${on}`)).subscription_status).toBe('COMPLETED')
    expect((await read(`/subscriptions/${never}`)).subscription_status).toBe('EXPIRED')
    expect((await told(2)).map(({ type }) => type)).toEqual(['SUBSCRIPTION_STATUS_CHANGED', 'SUBSCRIPTION_STATUS_CHANGED'])
  })

  test('that nobody made is 404 in each call', async () => {
    const ids = { subscription_id: 'nobody', payment_id: 'x' }
    for (const answer of [
      await pg('GET', '/subscriptions/nobody'),
      await pg('GET', '/subscriptions/nobody/payments'),
      await pg('GET', '/subscriptions/nobody/payments/x'),
      await pg('POST', '/subscriptions/nobody/payments/x/manage', { ...ids, action: 'CANCEL' }),
      await manage('nobody', 'CANCEL'),
      await pg('POST', '/subscriptions/nobody/refunds', { payment_id: 'x', refund_id: 'y', refund_amount: 1 }),
      await pg('GET', '/subscriptions/nobody/refunds/y'),
    ]) {
      expect(refusalOf(answer)).toEqual([404, 'subscription_does_not_exist'])
    }
    expect((await control('/subscriptions/nobody', { step: 'approve' })).status).toBe(404)
  })
})

describe('managing a subscription', () => {
  test('CANCEL ends it and the charges that are not at the bank', async () => {
    const id = await approved()
    const [open, atBank] = [await charged(id), await charged(id)]
    await control(`/charges/${atBank}`, { status: 'PENDING' })
    expect(whole(await manage(id, 'CANCEL')).subscription_status).toBe('CANCELLED')
    const statuses = Object.fromEntries((await payments(id)).map((one) => [one.payment_id, one.payment_status]))
    expect([statuses[open], statuses[atBank]]).toEqual(['CANCELLED', 'PENDING'])
    expect((await told(2)).map(({ type }) => type).toSorted()).toEqual(['SUBSCRIPTION_PAYMENT_CANCELLED', 'SUBSCRIPTION_STATUS_CHANGED'])
    expect(refusalOf(await manage(id, 'CANCEL'))).toEqual([400, 'subscription_status_invalid'])
  })

  test('PAUSE and CHANGE_PLAN are not for ON_DEMAND', async () => {
    const id = await approved()
    for (const action of ['PAUSE', 'CHANGE_PLAN', 'STOP']) expect(refusalOf(await manage(id, action))).toEqual([400, 'action_invalid'])
    expect(refusalOf(await pg('POST', `/subscriptions/${id}/manage`, { subscription_id: id }))).toEqual([400, 'action_missing'])
    expect(refusalOf(await pg('POST', `/subscriptions/${id}/manage`, { subscription_id: 'x', action: 'CANCEL' }))).toEqual([
      400,
      'subscription_id_invalid',
    ])
    expect((await read(`/subscriptions/${id}`)).subscription_status).toBe('ACTIVE')
  })

  test('ACTIVATE takes it from ON_HOLD, on a day that is not past; what the customer paused only the customer resumes', async () => {
    const id = await approved()
    await control(`/subscriptions/${id}`, { step: 'hold' })
    expect(refusalOf(await manage(id, 'ACTIVATE'))).toEqual([400, 'action_details.next_scheduled_time_missing'])
    const past = await manage(id, 'ACTIVATE', { next_scheduled_time: '2026-03-03' })
    expect(refusalOf(past)).toEqual([400, 'action_details.next_scheduled_time_invalid'])
    const next = { next_scheduled_time: '2026-03-06T00:00:00+05:30' }
    expect(whole(await manage(id, 'ACTIVATE', next)).subscription_status).toBe('ACTIVE')
    await control(`/subscriptions/${id}`, { step: 'customer_pause' })
    expect(refusalOf(await manage(id, 'ACTIVATE', next))).toEqual([400, 'subscription_status_invalid'])
    await control(`/subscriptions/${id}`, { step: 'customer_resume' })
    expect((await read(`/subscriptions/${id}`)).subscription_status).toBe('ACTIVE')
  })

  test('with cancel_ignored CANCEL is answered with 200, and the mandate and its charges stay', async () => {
    const id = await approved()
    const paymentId = await charged(id)
    await control('/faults', { cancel_ignored: true })
    const answer = await manage(id, 'CANCEL')
    expect([answer.status, whole(answer).subscription_status]).toEqual([200, 'ACTIVE'])
    const ids = { subscription_id: id, payment_id: paymentId }
    const charge = await pg('POST', `/subscriptions/${id}/payments/${paymentId}/manage`, { ...ids, action: 'CANCEL' })
    expect([charge.status, whole(charge).payment_status]).toEqual([200, 'INITIALIZED'])
  })

  test('rate limits each call by itself, in the minute of the clock', async () => {
    const id = await made()
    await control('/faults', { rate: 2 })
    const ask = (): Promise<Answer> => pg('GET', `/subscriptions/${id}`)
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 200])
    const refused = await ask()
    expect(refusalOf(refused)).toEqual([429, 'request_failed'])
    expect(['limit', 'remaining', 'type'].map((name) => refused.headers.get(`x-ratelimit-${name}`))).toEqual(['2', '0', 'app_id'])
    expect(Number(refused.headers.get('x-ratelimit-retry'))).toBeGreaterThan(50)
    expect((await pg('GET', `/subscriptions/${id}/payments`)).status).toBe(200)
    world.clock.set(NOON + 61_000)
    expect((await ask()).status).toBe(200)
  })
})
