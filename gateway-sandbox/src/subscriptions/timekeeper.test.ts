import { describe, expect, test } from 'vitest'
import { at, type Json, useSubscriptions } from '../testing/subscriptions.ts'

const { world, control, approved, charged, read, payments, told } = useSubscriptions()

const NOTICE = 'SUBSCRIPTION_PAYMENT_NOTIFICATION_INITIATED'

/** A charge for 6 March, raised at noon of 4 March, and a way to read it at a time. */
async function oneCharge(faults: Json) {
  await control('/faults', faults)
  const id = await approved()
  const paymentId = await charged(id)
  const charge = async (time: string): Promise<readonly [status: unknown, retries: unknown]> => {
    world.clock.set(at(time))
    const { payment_status: status, retry_attempts: retries } = await read(`/subscriptions/${id}/payments/${paymentId}`)
    return [status, retries]
  }
  return { charge, types: async (count: number) => (await told(count, paymentId)).map(({ type }) => type), paymentId }
}

describe('the gateway’s own time', () => {
  test('moves nothing unless `debits` says so', async () => {
    const { charge } = await oneCharge({})
    expect(await charge('2026-03-20T12:00:00')).toEqual(['INITIALIZED', 0])
  })

  test('notifies the payer on the day before and debits 25 hours later, in the first window', async () => {
    const { charge, types } = await oneCharge({ debits: 'pay' })
    expect(await charge('2026-03-05T23:59:00')).toEqual(['INITIALIZED', 0])
    expect(await charge('2026-03-06T00:59:00')).toEqual(['INITIALIZED', 0])
    expect(await charge('2026-03-06T01:00:01')).toEqual(['SUCCESS', 0])
    expect(await types(2)).toEqual([NOTICE, 'SUBSCRIPTION_PAYMENT_SUCCESS'])
  })

  test('debits a charge of the next day 25 hours after its notification, outside the closed hours', async () => {
    await control('/faults', { debits: 'pay' })
    const id = await approved()
    // Notified at 10:30, due at 11:30 of the next day: the next window begins at 13:00.
    world.clock.set(at('2026-03-04T10:30:00'))
    const paymentId = await charged(id, { payment_schedule_date: '2026-03-05' })
    for (const [time, status] of [
      ['2026-03-05T12:59:00', 'INITIALIZED'],
      ['2026-03-05T13:00:01', 'SUCCESS'],
    ] as const) {
      world.clock.set(at(time))
      expect((await read(`/subscriptions/${id}/payments/${paymentId}`)).payment_status).toBe(status)
    }
  })

  test('repeats a refused debit three times, an hour apart, and then gives it up', async () => {
    const { charge } = await oneCharge({ debits: 'refuse' })
    expect(await charge('2026-03-06T01:30:00')).toEqual(['PENDING', 0])
    expect(await charge('2026-03-06T02:30:00')).toEqual(['PENDING', 1])
    expect(await charge('2026-03-06T03:30:00')).toEqual(['PENDING', 2])
    expect(await charge('2026-03-06T04:30:00')).toEqual(['FAILED', 3])
  })

  test('repeats no debit outside the windows or on another day', async () => {
    await control('/faults', { debits: 'refuse' })
    const id = await approved()
    // Notified at 20:45, due at 21:45 of the next day: 22:45 and 23:45 follow, and no day is left for the third.
    world.clock.set(at('2026-03-04T20:45:00'))
    const paymentId = await charged(id, { payment_schedule_date: '2026-03-05' })
    world.clock.set(at('2026-03-05T23:30:00'))
    expect(await read(`/subscriptions/${id}/payments/${paymentId}`)).toMatchObject({ payment_status: 'PENDING', retry_attempts: 1 })
    world.clock.set(at('2026-03-05T23:50:00'))
    expect(await read(`/subscriptions/${id}/payments/${paymentId}`)).toMatchObject({ payment_status: 'FAILED', retry_attempts: 2 })
  })

  test('fails the charge of a mandate that is no longer active', async () => {
    await control('/faults', { debits: 'pay' })
    const id = await approved()
    const paymentId = await charged(id)
    await control(`/subscriptions/${id}`, { step: 'customer_cancel', webhooks: 0 })
    world.clock.set(at('2026-03-06T02:00:00'))
    expect(await read(`/subscriptions/${id}/payments/${paymentId}`)).toMatchObject({
      payment_status: 'FAILED',
      failure_details: { failure_reason: 'DEBIT FAILED | Mandate is not active' },
    })
  })

  test('sends the webhooks though nobody asks', async () => {
    const { types } = await oneCharge({ debits: 'pay' })
    world.clock.set(at('2026-03-06T02:00:00'))
    expect((await types(2)).toSorted()).toEqual([NOTICE, 'SUBSCRIPTION_PAYMENT_SUCCESS'])
  })
})

describe('the faults of debits', () => {
  test('notice_fails: seven attempts, an hour apart, then the charge fails without a debit', async () => {
    const { charge, paymentId } = await oneCharge({ debits: 'pay', notice_fails: true })
    expect(await charge('2026-03-05T05:59:00')).toEqual(['INITIALIZED', 0])
    expect(await charge('2026-03-05T06:00:01')).toEqual(['FAILED', 0])
    const [failed] = await told(1, paymentId)
    expect([failed?.type, failed?.data.failure_details]).toEqual([
      'SUBSCRIPTION_PAYMENT_FAILED',
      { failure_reason: 'DEBIT FAILED | Pre-debit notification could not be delivered' },
    ])
  })

  test('notice_fails: a press of SUCCESS fails the charge too, unless forced', async () => {
    const id = await approved()
    const [one, two] = [await charged(id), await charged(id)]
    await control('/faults', { notice_fails: true })
    await control(`/charges/${one}`, { status: 'SUCCESS' })
    await control(`/charges/${two}`, { status: 'SUCCESS', force: true })
    expect((await read(`/subscriptions/${id}/payments/${one}`)).payment_status).toBe('FAILED')
    expect((await read(`/subscriptions/${id}/payments/${two}`)).payment_status).toBe('SUCCESS')
  })

  test('debit_twice: the list has the payment id twice, under other numbers', async () => {
    await control('/faults', { debit_twice: true })
    const id = await approved()
    const paymentId = await charged(id)
    await control(`/charges/${paymentId}`, { status: 'SUCCESS' })
    const twice = (await payments(id)).filter((one) => one.payment_id === paymentId)
    expect(twice.map((one) => one.payment_status)).toEqual(['SUCCESS', 'SUCCESS'])
    for (const number of ['cf_payment_id', 'cf_txn_id', 'cf_order_id']) expect(new Set(twice.map((one) => one[number])).size).toBe(2)
    expect((await read(`/subscriptions/${id}/payments/${paymentId}`)).cf_payment_id).toBe(twice[0]?.cf_payment_id)
    expect((await told(2, paymentId)).map(({ type }) => type)).toEqual(['SUBSCRIPTION_PAYMENT_SUCCESS', 'SUBSCRIPTION_PAYMENT_SUCCESS'])
  })

  test('late_success: a failed debit is a success an hour later', async () => {
    const id = await approved()
    const paymentId = await charged(id)
    await control('/faults', { late_success: true })
    await control(`/charges/${paymentId}`, { status: 'FAILED' })
    const status = async (time: string): Promise<unknown> => {
      world.clock.set(at(time))
      return (await read(`/subscriptions/${id}/payments/${paymentId}`)).payment_status
    }
    expect(await status('2026-03-04T12:59:00')).toBe('FAILED')
    expect(await status('2026-03-04T13:00:30')).toBe('SUCCESS')
    expect((await told(2, paymentId)).map(({ type }) => type)).toEqual(['SUBSCRIPTION_PAYMENT_FAILED', 'SUBSCRIPTION_PAYMENT_SUCCESS'])
  })
})

test('a restart keeps plans, mandates, charges and what time has still to do', async () => {
  await control('/faults', { debits: 'pay' })
  const id = await approved()
  const paymentId = await charged(id)
  await world.restart()
  expect((await read(`/subscriptions/${id}`)).subscription_status).toBe('ACTIVE')
  world.clock.set(at('2026-03-06T02:00:00'))
  expect((await read(`/subscriptions/${id}/payments/${paymentId}`)).payment_status).toBe('SUCCESS')
})
