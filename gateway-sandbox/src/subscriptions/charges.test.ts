import { describe, expect, test } from 'vitest'
import { at, JUST_AFTER_NOON, NOON, useSubscriptions } from '../testing/subscriptions.ts'
import { type Answer, freshId, HEADERS, call, refusalOf, whole } from '../testing/world.ts'

const { world, control, pg, made, approved, pay, charged, read, payments, told } = useSubscriptions()

const charge = (id: string, paymentId: string): Promise<Record<string, unknown>> => read(`/subscriptions/${id}/payments/${paymentId}`)
const manage = (id: string, paymentId: string, action: string, next?: string): Promise<Answer> =>
  pg('POST', `/subscriptions/${id}/payments/${paymentId}/manage`, {
    subscription_id: id,
    payment_id: paymentId,
    action,
    ...(next === undefined ? {} : { action_details: { next_scheduled_time: next } }),
  })

describe('a charge', () => {
  test('has the recorded answer, and is found by its id and in the list', async () => {
    const id = await approved()
    const paymentId = freshId()
    const answer = await pay(id, { payment_id: paymentId, payment_remarks: 'the next thirty days' })
    expect([answer.status, whole(answer)]).toEqual([
      200,
      {
        subscription_id: id,
        payment_id: paymentId,
        cf_payment_id: expect.stringMatching(/^\d+$/),
        payment_status: 'INITIALIZED',
        payment_type: 'CHARGE',
        payment_amount: 30,
        payment_initiated_date: JUST_AFTER_NOON,
        payment_method: 'upi',
        failure_details: { failure_reason: null },
        action: null,
        channel: null,
        data: null,
      },
    ])
    const found = await charge(id, paymentId)
    expect(found).toEqual({
      subscription_id: id,
      cf_subscription_id: expect.stringMatching(/^\d+$/),
      payment_id: paymentId,
      cf_payment_id: whole(answer).cf_payment_id,
      cf_txn_id: null,
      cf_order_id: expect.stringMatching(/^\d+$/),
      payment_type: 'CHARGE',
      payment_amount: 30,
      payment_currency: 'INR',
      payment_status: 'INITIALIZED',
      payment_remarks: 'the next thirty days',
      payment_initiated_date: JUST_AFTER_NOON,
      payment_schedule_date: '2026-03-06T00:00:00+05:30',
      retry_attempts: 0,
      failure_details: { failure_reason: null },
      authorization_details: expect.objectContaining({ authorization_status: 'ACTIVE' }),
    })
    expect((await payments(id)).map((one) => one.payment_type)).toEqual(['AUTH', 'CHARGE'])
    expect((await payments(id))[1]).toEqual(found)
  })

  test.each([
    ['today', NOON, '2026-03-04', 400],
    ['yesterday', NOON, '2026-03-03', 400],
    ['tomorrow, before 21:00', at('2026-03-04T20:59:00'), '2026-03-05', 200],
    ['tomorrow, from 21:00', at('2026-03-04T21:01:00'), '2026-03-05', 400],
    ['the day after, before midnight', at('2026-03-04T23:59:00'), '2026-03-06', 200],
    ['the fourteenth day', NOON, '2026-03-18', 200],
    ['the fifteenth day', NOON, '2026-03-19', 400],
    ['tomorrow, just after midnight in India', at('2026-03-05T00:01:00'), '2026-03-06', 200],
    ['an instant: only its date in India counts', at('2026-03-04T20:00:00'), '2026-03-04T18:30:00Z', 200],
    ['an instant that is still today in India', at('2026-03-04T20:00:00'), '2026-03-04T18:29:59Z', 400],
  ])('for %s', async (_what, nowMs, date, status) => {
    const id = await approved()
    world.clock.set(nowMs)
    const answer = await pay(id, { payment_schedule_date: date })
    expect(answer.status).toBe(status)
    if (status === 400) expect(answer.body.code).toBe('payment_schedule_date_invalid')
  })

  test.each([
    ['no subscription', { subscription_id: undefined }, 400, 'subscription_id_missing'],
    ['an unknown subscription', { subscription_id: 'nobody' }, 404, 'subscription_does_not_exist'],
    ['no id', { payment_id: undefined }, 400, 'payment_id_missing'],
    ['no type', { payment_type: undefined }, 400, 'payment_type_missing'],
    ['another type', { payment_type: 'REFUND' }, 400, 'invalid_payment_type'],
    ['no amount', { payment_amount: undefined }, 400, 'payment_amount_missing'],
    ['more than the maximum', { payment_amount: 30.01 }, 400, 'payment_amount_invalid'],
    ['no date', { payment_schedule_date: undefined }, 400, 'payment_schedule_date_missing'],
    ['a date that is none', { payment_schedule_date: 'Friday' }, 400, 'payment_schedule_date_invalid'],
  ])('with %s is refused', async (_what, more, status, code) => {
    expect(refusalOf(await pay(await approved(), more))).toEqual([status, code])
  })

  test('is refused unless the subscription is ACTIVE', async () => {
    const id = await made()
    for (const step of ['leave', 'bank_pending', 'approve', 'customer_pause', 'customer_cancel']) {
      await control(`/subscriptions/${id}`, { step })
      const answer = await pay(id)
      expect([step, answer.status]).toEqual([step, step === 'approve' ? 200 : 400])
      if (step !== 'approve') expect(answer.body.code).toBe('subscription_status_invalid')
    }
  })

  test('for a day that does not exist is refused', async () => {
    const id = await approved()
    world.clock.set(at('2026-04-28T12:00:00'))
    expect(refusalOf(await pay(id, { payment_schedule_date: '2026-04-31' }))).toEqual([400, 'payment_schedule_date_invalid'])
    expect((await pay(id, { payment_schedule_date: '2026-05-01' })).status).toBe(200)
  })

  test('under an id that exists is refused, of another subscription too', async () => {
    const [id, other] = [await approved(), await approved()]
    const paymentId = await charged(id)
    for (const one of [id, other]) expect(refusalOf(await pay(one, { payment_id: paymentId }))).toEqual([409, 'payment_already_exists'])
    expect(refusalOf(await pg('GET', `/subscriptions/${other}/payments/${paymentId}`))).toEqual([404, 'payment_does_not_exist'])
  })

  test('CANCEL takes only a charge that is not at the bank', async () => {
    const id = await approved()
    const [open, pending, done] = [await charged(id), await charged(id), await charged(id)]
    await control(`/charges/${pending}`, { status: 'PENDING' })
    await control(`/charges/${done}`, { status: 'SUCCESS' })
    expect(whole(await manage(id, open, 'CANCEL')).payment_status).toBe('CANCELLED')
    for (const paymentId of [open, pending, done]) {
      expect(refusalOf(await manage(id, paymentId, 'CANCEL'))).toEqual([400, 'payment_status_invalid'])
    }
    expect(refusalOf(await manage(id, open, 'STOP'))).toEqual([400, 'action_invalid'])
    expect(refusalOf(await manage(id, 'nobody', 'CANCEL'))).toEqual([404, 'payment_does_not_exist'])
  })

  test('RETRY takes a FAILED one to another day, within the same limits', async () => {
    const id = await approved()
    const paymentId = await charged(id)
    expect(refusalOf(await manage(id, paymentId, 'RETRY', '2026-03-07'))).toEqual([400, 'payment_status_invalid'])
    await control(`/charges/${paymentId}`, { status: 'FAILED', reason: 'no' })
    expect((await charge(id, paymentId)).failure_details).toEqual({ failure_reason: 'no' })
    expect(refusalOf(await manage(id, paymentId, 'RETRY'))).toEqual([400, 'action_details.next_scheduled_time_missing'])
    expect(refusalOf(await manage(id, paymentId, 'RETRY', '2026-03-04'))).toEqual([400, 'action_details.next_scheduled_time_invalid'])
    expect(whole(await manage(id, paymentId, 'RETRY', '2026-03-07'))).toMatchObject({
      payment_status: 'INITIALIZED',
      payment_schedule_date: '2026-03-07T00:00:00+05:30',
      failure_details: { failure_reason: null },
    })
  })
})

describe('an authorisation by the shop itself', () => {
  const auth = async (id: string, channel: string, more: Record<string, unknown> = {}): Promise<Answer> =>
    pg('POST', '/subscriptions/pay', {
      subscription_id: id,
      subscription_session_id: (await read(`/subscriptions/${id}`)).subscription_session_id,
      payment_id: freshId(),
      payment_type: 'AUTH',
      payment_method: { upi: { channel } },
      ...more,
    })

  test('answers what the UPI app opens: links, or a code', async () => {
    const [linked, coded] = [whole(await auth(await made(), 'link')), whole(await auth(await made(), 'qrcode'))]
    expect(linked).toMatchObject({
      payment_type: 'AUTH',
      payment_status: 'INITIALIZED',
      payment_amount: 30,
      action: 'custom',
      channel: 'link',
    })
    expect(linked.data).toMatchObject({ upiIntentData: { androidIntentLink: expect.stringMatching(/^upi:\/\/mandate\?/) } })
    expect((coded.data as { qrData: string }).qrData).toMatch(/^upi:\/\/mandate\?.*am=30\.00.*amrule=MAX&recur=ASPRESENTED/)
  })

  test('is approved under the shop’s payment id, and a second one is refused', async () => {
    const id = await made()
    const { payment_id: paymentId } = whole(await auth(id, 'link'))
    await control(`/subscriptions/${id}`, { step: 'approve' })
    expect((await payments(id)).map((one) => [one.payment_id, one.payment_status])).toEqual([[paymentId, 'SUCCESS']])
    expect(refusalOf(await auth(id, 'link'))).toEqual([400, 'payment_mode_invalid_for_action'])
  })

  test.each([
    ['no session', { subscription_session_id: undefined }, 'subscription_session_id_missing'],
    ['another session', { subscription_session_id: 'guessed' }, 'subscription_session_id_invalid'],
    ['no method', { payment_method: undefined }, 'payment_method.upi_missing'],
    ['another method than the mandate’s', { payment_method: { card: {} } }, 'authorization_payment_info_mismatch'],
    [
      'a collect request, which ended in February 2026',
      { payment_method: { upi: { channel: 'collect' } } },
      'payment_method.upi.channel_invalid',
    ],
  ])('with %s is refused', async (_what, more, code) => {
    expect(refusalOf(await auth(await made(), 'link', more))).toEqual([400, code])
  })
})

describe('a control call on a charge', () => {
  test('takes it to its end; a final state changes by force alone', async () => {
    const id = await approved()
    const paymentId = await charged(id)
    for (const [body, status, after] of [
      [{ status: 'PENDING' }, 200, 'PENDING'],
      [{ status: 'FAILED' }, 200, 'FAILED'],
      [{ status: 'SUCCESS' }, 409, 'FAILED'],
      [{ status: 'SUCCESS', force: true }, 200, 'SUCCESS'],
      [{ status: 'NOTIFIED' }, 409, 'SUCCESS'],
      [{ status: 'LOST' }, 400, 'SUCCESS'],
    ] as const) {
      expect([body, (await control(`/charges/${paymentId}`, body)).status]).toEqual([body, status])
      expect((await charge(id, paymentId)).payment_status).toBe(after)
    }
    expect((await control('/charges/nobody', { status: 'SUCCESS' })).status).toBe(404)
  })

  test('NOTIFIED sends the notice and leaves the charge', async () => {
    const paymentId = await charged(await approved())
    expect(whole(await control(`/charges/${paymentId}`, { status: 'NOTIFIED' })).payment_status).toBe('INITIALIZED')
    expect((await told(1))[0]?.type).toBe('SUBSCRIPTION_PAYMENT_NOTIFICATION_INITIATED')
  })

  test('/simulate does the same, by the payment id, and its answer can be read again', async () => {
    const id = await approved()
    const paymentId = await charged(id)
    const simulate = (entity: string, entityId: string, status: string): Promise<Answer> =>
      pg('POST', '/simulate', { entity, entity_id: entityId, entity_simulation: { payment_status: status } })
    const later = await simulate('SUBS_RESCHEDULE', paymentId, 'PENDING')
    expect([later.status, (await charge(id, paymentId)).payment_schedule_date]).toEqual([200, '2026-03-07T00:00:00+05:30'])
    const answer = await simulate('SUBS_PAYMENTS', paymentId, 'SUCCESS')
    expect([answer.status, (await charge(id, paymentId)).payment_status]).toEqual([200, 'SUCCESS'])
    expect((await pg('GET', `/simulate/${String(whole(answer).simulation_id)}`)).text).toBe(answer.text)
    expect(refusalOf(await pg('GET', '/simulate/sim_guessed'))).toEqual([404, 'simulation_not_found'])
    const second = await charged(id)
    await simulate('SUBS_EXECUTION', second, 'FAILED')
    expect((await charge(id, second)).payment_status).toBe('FAILED')
    expect((await simulate('SUBS_PAYMENTS', second, 'SUCCESS')).status).toBe(409)
    expect((await simulate('SUBS_PAYMENTS', 'nobody', 'SUCCESS')).status).toBe(404)
    expect((await simulate('CARDS', second, 'SUCCESS')).status).toBe(400)
  })
})

describe('a refund of a payment', () => {
  const refund = (id: string, more: Record<string, unknown>): Promise<Answer> =>
    pg('POST', `/subscriptions/${id}/refunds`, { refund_id: freshId(), refund_amount: 10, ...more })

  test('is INITIALIZED, is found by its id, and never exceeds the payment', async () => {
    const id = await approved()
    const [auth] = await payments(id)
    const answer = await refund(id, { payment_id: auth?.payment_id, refund_amount: 12.5, refund_note: 'asked for' })
    expect([answer.status, whole(answer)]).toEqual([
      200,
      {
        payment_id: auth?.payment_id,
        cf_payment_id: auth?.cf_payment_id,
        refund_id: whole(answer).refund_id,
        cf_refund_id: expect.stringMatching(/^\d+$/),
        refund_amount: 12.5,
        refund_note: 'asked for',
        refund_speed: 'STANDARD',
        refund_status: 'INITIALIZED',
      },
    ])
    const refundId = String(whole(answer).refund_id)
    expect((await pg('GET', `/subscriptions/${id}/refunds/${refundId}`)).text).toBe(answer.text)
    expect(refusalOf(await refund(id, { payment_id: auth?.payment_id, refund_amount: 17.51 }))).toEqual([400, 'refund_amount_invalid'])
    expect((await refund(id, { cf_payment_id: Number(auth?.cf_payment_id), refund_amount: 17.5 })).status).toBe(200)
    expect(refusalOf(await refund(id, { payment_id: auth?.payment_id, refund_id: refundId }))).toEqual([409, 'refund_already_exists'])
  })

  test('is moved by control calls, and its note decides it at once', async () => {
    const id = await approved()
    const [auth] = await payments(id)
    const make = async (note?: string): Promise<Record<string, unknown>> =>
      whole(await refund(id, { payment_id: auth?.payment_id, refund_amount: 1, ...(note === undefined ? {} : { refund_note: note }) }))
    for (const [note, status] of [
      ['SUCCESS', 'SUCCESS'],
      ['FAILED', 'FAILED'],
      ['PENDING', 'PENDING'],
      ['ACTIVE', 'INITIALIZED'],
      ['success', 'INITIALIZED'],
    ]) {
      expect((await make(note)).refund_status).toBe(status)
    }
    const refundId = String((await make()).refund_id)
    expect((await control(`/charge-refunds/${refundId}`, { status: 'PENDING' })).status).toBe(200)
    expect((await control(`/charge-refunds/${refundId}`, { status: 'CANCEL' })).status).toBe(200)
    expect((await control(`/charge-refunds/${refundId}`, { status: 'SUCCESS' })).status).toBe(409)
    expect((await control(`/charge-refunds/${refundId}`, { status: 'SUCCESS', force: true })).status).toBe(200)
    expect((await control('/charge-refunds/nobody', { status: 'SUCCESS' })).status).toBe(404)
    expect((await read(`/subscriptions/${id}/refunds/${refundId}`)).refund_status).toBe('SUCCESS')
    expect(whole(await control(`/charge-refunds/${refundId}`))).toMatchObject({ refund_id: refundId, refund_status: 'SUCCESS' })
  })

  test('of the first debit is made by itself if the shop asked for it', async () => {
    const id = await approved({ authorization_details: { authorization_amount: 1, authorization_amount_refund: true } })
    expect(whole(await control(`/subscriptions/${id}`)).refunds).toMatchObject([{ refund_amount: 1, refund_status: 'INITIALIZED' }])
  })

  test.each([
    ['no payment', { payment_id: undefined }, 400, 'payment_id_missing'],
    ['an unknown payment', { payment_id: 'nobody' }, 404, 'payment_does_not_exist'],
    ['no id', { refund_id: undefined }, 400, 'refund_id_missing'],
    ['no amount', { refund_amount: undefined }, 400, 'refund_amount_missing'],
    ['INSTANT, which UPI does not have', { refund_speed: 'INSTANT' }, 400, 'refund_speed_invalid'],
    ['the number of another payment', { cf_payment_id: 1 }, 400, 'cf_payment_id_invalid'],
  ])('with %s is refused', async (_what, more, status, code) => {
    const id = await approved()
    const [auth] = await payments(id)
    expect(refusalOf(await refund(id, { payment_id: auth?.payment_id, ...more }))).toEqual([status, code])
  })

  test('of a charge that is not paid is refused', async () => {
    const id = await approved()
    expect(refusalOf(await refund(id, { payment_id: await charged(id) }))).toEqual([400, 'payment_status_invalid'])
  })
})

test('with same_numbers a charge has the cf_payment_id of a payment of an order', async () => {
  const orderId = await world.ordered('success')
  const order = await call('GET', `${world.url}/pg/orders/${orderId}/payments`, undefined, HEADERS)
  await control('/faults', { same_numbers: true })
  const id = await approved()
  const paymentId = await charged(id)
  expect((await charge(id, paymentId)).cf_payment_id).toBe(order.list[0]?.cf_payment_id)
  expect((await charge(id, await charged(id))).cf_payment_id).not.toBe(order.list[0]?.cf_payment_id)
})
