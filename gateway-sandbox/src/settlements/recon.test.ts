import { describe, expect, test } from 'vitest'
import { detail, total, useSettlements } from '../testing/settlements.ts'
import { type Json, NOON } from '../testing/subscriptions.ts'
import { type Answer, refusalOf, whole } from '../testing/world.ts'

const { world, control, pg, approved, charged, payments, rows, settled, fresh, refunded } = useSettlements()

describe('the reconciliation of a settlement', () => {
  test('names every event, and the events add up to what was settled', async () => {
    await fresh()
    const orderId = await world.ordered('success')
    const refundId = await refunded(orderId, 10)
    const id = await approved()
    const lost = await world.ordered('success')
    const dispute = whole(await control(`/orders/${lost}/dispute`, { webhooks: 0 }))
    await control(`/disputes/${String(dispute.dispute_id)}`, { step: 'MERCHANT_LOST', webhooks: 0 })
    const settlement = await settled({ adjustment: -1.5, remarks: 'a correction' })
    const events = await rows('/settlement/recon', { cf_settlement_ids: [Number(settlement.cf_settlement_id)] })
    const [auth] = await payments(id)
    const names = events.map(
      (row) => `${String(detail(row, 'event_details').event_type)} of ${String(detail(row, 'order_details').order_id)}`,
    )
    const event = (name: string) => events[names.indexOf(name)]
    // In any order: those of one moment have the times of different readings of the product's clock.
    expect(names.toSorted()).toEqual(
      [
        `PAYMENT of ${orderId}`,
        `REFUND of ${orderId}`,
        `PAYMENT of ${String(auth?.cf_order_id)}`,
        `PAYMENT of ${lost}`,
        `CHARGEBACK of ${lost}`,
        'OTHER_ADJUSTMENT of null',
      ].toSorted(),
    )
    expect(total(events)).toBe(settlement.amount_settled)
    const order = (await pg('GET', `/orders/${orderId}/payments`)).list[0]
    expect(event(`PAYMENT of ${orderId}`)).toEqual({
      event_details: {
        event_id: order?.cf_payment_id,
        event_type: 'PAYMENT',
        event_amount: 30,
        event_settlement_amount: 29.31,
        event_service_charge: 0.58,
        event_service_tax: 0.11,
        sale_type: 'CREDIT',
        event_status: 'SUCCESS',
        entity: 'recon',
        event_time: expect.stringMatching(/\+05:30$/),
        event_currency: 'INR',
        event_remarks: null,
      },
      order_details: { order_id: orderId, order_amount: 30, order_currency: 'INR', order_tags: {} },
      customer_details: { customer_id: 'u123', customer_name: null, customer_phone: '9999999999', customer_email: null },
      payment_details: expect.objectContaining({ cf_payment_id: order?.cf_payment_id, payment_amount: 30, payment_group: 'upi' }),
      refund_details: [],
      dispute_details: [],
      settlement_details: expect.objectContaining({
        cf_settlement_id: settlement.cf_settlement_id,
        settlement_utr: settlement.settlement_utr,
      }),
    })
    expect(event(`REFUND of ${orderId}`)?.refund_details).toMatchObject([{ refund_id: refundId }])
    expect(event(`CHARGEBACK of ${lost}`)?.dispute_details).toMatchObject([{ closed_in_favor_of: 'Customer' }])
    expect(event('OTHER_ADJUSTMENT of null')).toMatchObject({
      payment_details: null,
      event_details: { event_remarks: 'a correction', sale_type: 'DEBIT' },
    })
  })

  test('of the account lists events that are not settled too', async () => {
    await fresh()
    world.clock.set(NOON + 8 * 86_400_000)
    const orderId = await world.ordered('success')
    const filters = { start_date: '2026-03-12', end_date: '2026-03-12' }
    const found = async (): Promise<Json | undefined> =>
      (await rows('/recon', filters)).find((row) => detail(row, 'order_details').order_id === orderId)
    expect((await found())?.settlement_details).toBeNull()
    const { cf_settlement_id: id } = await settled()
    expect((await found())?.settlement_details).toMatchObject({ cf_settlement_id: id })
  })

  test('of a dispute that was won after all gives the money back, and takes it again if it is lost at last', async () => {
    await fresh()
    const orderId = await world.ordered('success', 100)
    const dispute = whole(await control(`/orders/${orderId}/dispute`, { stage: 'RETRIEVAL', amount: 30, webhooks: 0 }))
    await control(`/disputes/${String(dispute.dispute_id)}`, { step: 'MERCHANT_LOST', webhooks: 0 })
    expect(await settled()).toMatchObject({ payment_amount: 100, adjustment: -30 })
    await control(`/disputes/${String(dispute.dispute_id)}`, { step: 'MERCHANT_WON', force: true, webhooks: 0 })
    const { cf_settlement_id: id } = await settled()
    const [row] = await rows('/settlement/recon', { cf_settlement_ids: [id] })
    expect(row?.event_details).toMatchObject({ event_type: 'DISPUTE_REVERSAL', sale_type: 'CREDIT', event_amount: 30 })
    await world.ordered('success', 100)
    await control(`/disputes/${String(dispute.dispute_id)}`, { step: 'MERCHANT_LOST', force: true, webhooks: 0 })
    expect(await settled()).toMatchObject({ payment_amount: 100, adjustment: -30 })
  })
})

describe('the settlement of an order', () => {
  test('is flat before 2026-01-01, and nested from then', async () => {
    await fresh()
    const orderId = await world.ordered('success')
    const { cf_settlement_id: id, settlement_utr: utr } = await settled()
    expect(whole(await pg('GET', `/orders/${orderId}/settlements`))).toEqual({
      cf_payment_id: expect.stringMatching(/^\d+$/),
      cf_settlement_id: id,
      settlement_currency: 'INR',
      order_id: orderId,
      entity: 'settlement',
      order_amount: 30,
      order_currency: 'INR',
      payment_time: expect.stringMatching(/\+05:30$/),
      service_charge: 0.58,
      service_tax: 0.11,
      settlement_amount: 29.31,
      settlement_id: Number(id),
      transfer_id: Number(id),
      transfer_time: expect.stringMatching(/\+05:30$/),
      transfer_utr: utr,
    })
    const newest = whole(await pg('GET', `/orders/${orderId}/settlements`, undefined, { 'x-api-version': '2026-01-01' }))
    expect(newest).toMatchObject({
      order_details: { order_id: orderId, order_amount: 30 },
      payment_details: { payment_amount: 30, pg_service_charge: 0.58, pg_service_tax: 0.11, settlement_amount: 29.31 },
      settlement_details: { cf_settlement_id: id, status: 'SUCCESS', settlement_utr: utr },
    })
  })

  test('is 404 for an order that is unpaid, not settled or unknown', async () => {
    for (const orderId of [await world.ordered(undefined), await world.ordered('success')]) {
      expect(refusalOf(await pg('GET', `/orders/${orderId}/settlements`))).toEqual([404, 'settlement_not_found'])
    }
    expect(refusalOf(await pg('GET', '/orders/nobody/settlements'))).toEqual([404, 'order_not_found'])
  })
})

describe('/simulate/settlement', () => {
  const simulate = (body: Json): Promise<Answer> => pg('POST', '/simulate/settlement', body)

  test.each([
    ['SUCCESS', 'SUCCESS', null],
    ['PENDING', 'PENDING', null],
    ['FAILED', 'FAILED', 'Bank account details you have provided is not active'],
  ])('settles the orders named as %s, and can be read again', async (status, after, errorReason) => {
    const orderId = await world.ordered('success')
    const answer = await simulate({ merchantOrderIds: [orderId], status, ...(errorReason === null ? {} : { errorReason }) })
    const { settlement_ids: ids, simulation_id: id } = whole(answer)
    expect([answer.status, whole(answer)]).toEqual([
      200,
      { simulation_id: id, entity: 'SETTLEMENTS', settlement_ids: [expect.any(Number)], simulation_status: status },
    ])
    expect((await pg('GET', `/simulate/settlement/${String(id)}`)).text).toBe(answer.text)
    expect((await pg('GET', `/simulate/${String(id)}`)).status).toBe(404)
    const [settlement] = await rows('/settlements', { cf_settlement_ids: ids })
    expect([settlement?.status, settlement?.payment_amount]).toEqual([after, 30])
    if (errorReason !== null) expect(settlement?.status_description).toBe(errorReason)
  })

  test('settles what was paid since a time of the last seven days', async () => {
    await fresh()
    world.clock.set(NOON + 10 * 86_400_000)
    await world.ordered('success')
    world.clock.set(NOON + 12 * 86_400_000)
    await world.ordered('success', 50)
    const { settlement_ids: ids } = whole(await simulate({ txnTime: '2026-03-16 00:00:00', status: 'SUCCESS' }))
    expect((await rows('/settlements', { cf_settlement_ids: ids }))[0]?.payment_amount).toBe(50)
    for (const txnTime of ['2026-03-09 11:59:00', '2026-03-17 00:00:00', '2026-03-16']) {
      expect(refusalOf(await simulate({ txnTime, status: 'SUCCESS' }))).toEqual([400, 'txnTime_invalid'])
    }
  })

  test('refuses what it cannot settle', async () => {
    const unpaid = await world.ordered(undefined)
    for (const [body, status, code] of [
      [{ merchantOrderIds: [unpaid] }, 400, 'status_missing'],
      [{ merchantOrderIds: [unpaid], status: 'LOST' }, 400, 'status_invalid'],
      [{ status: 'SUCCESS' }, 400, 'merchantOrderIds_missing'],
      [{ merchantOrderIds: [], status: 'SUCCESS' }, 400, 'merchantOrderIds_invalid'],
      [{ merchantOrderIds: ['nobody'], status: 'SUCCESS' }, 404, 'order_not_found'],
      [{ merchantOrderIds: [unpaid], status: 'SUCCESS' }, 400, 'order_not_paid'],
    ] as const) {
      expect(refusalOf(await simulate(body))).toEqual([status, code])
    }
    expect(refusalOf(await pg('GET', '/simulate/settlement/sim_guessed'))).toEqual([404, 'simulation_not_found'])
  })
})

test('a charge is settled as any payment, under the gateway’s own order', async () => {
  await fresh()
  const id = await approved()
  const paymentId = await charged(id)
  await control(`/charges/${paymentId}`, { status: 'SUCCESS' })
  const charge = (await payments(id)).find((one) => one.payment_id === paymentId)
  const { cf_settlement_id: settlementId } = await settled({ cf_payment_ids: [charge?.cf_payment_id] })
  const [row] = await rows('/settlement/recon', { cf_settlement_ids: [settlementId] })
  expect([detail(row ?? {}, 'event_details').event_id, detail(row ?? {}, 'order_details').order_id]).toEqual([
    charge?.cf_payment_id,
    charge?.cf_order_id,
  ])
})
