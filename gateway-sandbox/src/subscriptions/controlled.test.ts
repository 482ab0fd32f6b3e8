import { expect, test } from 'vitest'
import { at, NOON, useSubscriptions } from '../testing/subscriptions.ts'
import { type Answer, freshId, refusalOf, whole } from '../testing/world.ts'

const { world, control, pg, approved, charged, read, told } = useSubscriptions()
const HOUR_MS = 3_600_000
const notify = (id: string, paymentId: string, notificationId = freshId(), more: Record<string, unknown> = {}): Promise<Answer> =>
  pg('POST', '/subscriptions/pay/controlled/notify-mandate', {
    subscription_id: id,
    payment_id: paymentId,
    notification_id: notificationId,
    payment_amount: 10,
    ...more,
  })
const execute = (paymentId: string, executionId = freshId()): Promise<Answer> =>
  pg('POST', '/subscriptions/pay/controlled/execute-mandate', { payment_id: paymentId, execution_id: executionId })
const NOTICE = 'payment_notification_restriction_error'
const EXECUTION = 'payment_execution_restriction_error'

/** A payment whose notification succeeded on the day before. */
async function noticed(): Promise<{ id: string; paymentId: string; notificationId: string }> {
  const [id, paymentId, notificationId] = [await approved(), freshId(), freshId()]
  expect((await notify(id, paymentId, notificationId)).status).toBe(200)
  await control(`/notifications/${notificationId}`, { status: 'SUCCESS' })
  world.clock.set(at('2026-03-05T14:00:00'))
  return { id, paymentId, notificationId }
}

test('the shop notifies, executes a day later and reads both; each is told', async () => {
  const { id, paymentId, notificationId } = await noticed()
  const executionId = freshId()
  expect(whole(await execute(paymentId, executionId))).toEqual({
    cf_execution_id: expect.stringMatching(/^\d+$/),
    execution_id: executionId,
    execution_status: 'INITIALIZED',
    execution_initiated_time: expect.stringMatching(/^2026-03-05T14:00:0\d\+05:30$/),
    subscription_id: id,
    payment_id: paymentId,
    cf_payment_id: expect.stringMatching(/^\d+$/),
    payment_amount: 10,
    payment_status: 'PENDING',
    failure_details: null,
  })
  await control(`/executions/${executionId}`, { status: 'SUCCESS' })
  const path = `/subscriptions/payments/${paymentId}/controlled`
  expect(await read(`${path}/notifications/${notificationId}`)).toMatchObject({ notification_status: 'SUCCESS', payment_status: 'SUCCESS' })
  expect(await read(`${path}/executions/${executionId}`)).toMatchObject({ execution_status: 'SUCCESS' })
  expect([(await pg('GET', `${path}/notifications`)).list.length, (await pg('GET', `${path}/executions`)).list.length]).toEqual([1, 1])
  expect(refusalOf(await pg('GET', `${path}/executions/${notificationId}`))).toEqual([404, 'payment_does_not_exist'])
  const events = await told(2, paymentId)
  expect(events.map(({ type }) => type).toSorted()).toEqual([
    'SUBSCRIPTION_PAYMENT_CONTROLLED_EXECUTION_STATUS',
    'SUBSCRIPTION_PAYMENT_CONTROLLED_NOTIFICATION_STATUS',
  ])
  expect(events[0]?.text).toContain('"payment_amount":10.00')
  expect((await control(`/executions/${executionId}`, { status: 'FAILED' })).status).toBe(409)
})

test('seven notifications are the most, one at a time and an hour apart', async () => {
  const [id, paymentId] = [await approved(), freshId()]
  for (let hour = 0; hour < 7; hour++) {
    world.clock.set(NOON + hour * (HOUR_MS + 60_000))
    const notificationId = freshId()
    expect((await notify(id, paymentId, notificationId)).status).toBe(200)
    if (hour === 0) expect(refusalOf(await notify(id, paymentId))).toEqual([400, NOTICE])
    await control(`/notifications/${notificationId}`, { status: 'FAILED', webhooks: 0 })
    expect(refusalOf(await notify(id, paymentId, notificationId))).toEqual([400, NOTICE])
    if (hour === 0) expect((await notify(id, paymentId)).body.message).toMatch(/^the next allowed time is 2026-03-04T13:00:0\d/)
  }
  world.clock.set(NOON + 8 * HOUR_MS)
  expect(refusalOf(await notify(id, paymentId))).toEqual([400, NOTICE])
  expect(refusalOf(await execute(paymentId))).toEqual([400, EXECUTION])
})

test('an execution comes one or two days after the notification, in a debit window; the fourth failure is the last', async () => {
  const { paymentId } = await noticed()
  for (const time of ['2026-03-04T23:00:00', '2026-03-07T09:00:00', '2026-03-05T12:00:00']) {
    world.clock.set(at(time))
    expect(refusalOf(await execute(paymentId))).toEqual([400, EXECUTION])
  }
  expect((await execute(paymentId)).body.message).toBe('the next allowed time is 2026-03-05T13:00:00+05:30')
  for (const time of ['2026-03-05T13:00:00', '2026-03-05T14:01:00', '2026-03-05T15:02:00', '2026-03-05T16:03:00']) {
    world.clock.set(at(time))
    const executionId = freshId()
    expect((await execute(paymentId, executionId)).status).toBe(200)
    await control(`/executions/${executionId}`, { status: 'FAILED', webhooks: 0 })
  }
  expect(whole(await control(`/charges/${paymentId}`)).payment_status).toBe('FAILED')
})

test('the two flows do not mix, and the amount announced stays', async () => {
  const id = await approved()
  const managed = await charged(id)
  expect(refusalOf(await notify(id, managed))).toEqual([400, 'payment_status_invalid'])
  expect(refusalOf(await execute(managed))).toEqual([400, 'payment_status_invalid'])
  const [paymentId, notificationId] = [freshId(), freshId()]
  await notify(id, paymentId, notificationId)
  await control(`/notifications/${notificationId}`, { status: 'FAILED', webhooks: 0 })
  world.clock.set(NOON + HOUR_MS + 1000)
  expect(refusalOf(await notify(id, paymentId, freshId(), { payment_amount: 11 }))).toEqual([400, 'payment_amount_invalid'])
  expect(refusalOf(await notify(id, freshId(), freshId(), { payment_amount: 31 }))).toEqual([400, 'payment_amount_invalid'])
  expect(refusalOf(await notify('nobody', freshId()))).toEqual([404, 'subscription_does_not_exist'])
})
