import { describe, expect, test } from 'vitest'
import { total, useSettlements } from '../testing/settlements.ts'
import { JUST_AFTER_NOON, type Json, NOON } from '../testing/subscriptions.ts'
import { KEYS, opensslSignature, refusalOf, whole } from '../testing/world.ts'

const { world, control, pg, approved, payments, told, list, rows, settled, fresh, refunded } = useSettlements()

const DAY = { start_date: '2026-03-04', end_date: '2026-03-04' }

describe('a settlement', () => {
  test('has the recorded shape: ₹30 cost 69 paise, refunds are an adjustment', async () => {
    await fresh()
    const orderId = await world.ordered('success')
    await refunded(orderId, 10)
    const settlement = await settled()
    expect(settlement).toEqual({
      cf_settlement_id: expect.stringMatching(/^\d+$/),
      status: 'SUCCESS',
      status_description: 'Settlement has been processed.',
      settlement_utr: expect.stringMatching(/^26\d+$/),
      payment_from: JUST_AFTER_NOON,
      payment_till: JUST_AFTER_NOON,
      settlement_initiated_on: expect.stringMatching(/\+05:30$/),
      settlement_processed_on: expect.stringMatching(/\+05:30$/),
      payment_amount: 30,
      pg_service_charge: 0.58,
      pg_service_tax: 0.11,
      adjustment: -10,
      settlement_charge: 0,
      settlement_tax: 0,
      split_service_charge: 0,
      split_service_tax: 0,
      vendor_commission: 0,
      amount_settled: 19.31,
      charge_type: 'PREPAID',
      settlement_type: 'NORMAL_SETTLEMENT',
      webhooks: [],
    })
    const { webhooks, ...shown } = settlement
    expect(webhooks).toEqual([])
    expect(await rows('/settlements', { cf_settlement_ids: [shown.cf_settlement_id] })).toEqual([shown])
    expect(await rows('/settlements', { settlement_utrs: [shown.settlement_utr] })).toEqual([shown])
  })

  test('pays each event once; what failed or came back is paid again later', async () => {
    await fresh()
    const orderId = await world.ordered('success')
    expect((await settled({ status: 'FAILED', reason: 'account closed' })).status_description).toBe('account closed')
    const first = await settled()
    expect((await control('/settle', {})).status).toBe(409)
    expect(whole(await control(`/settlements/${String(first.cf_settlement_id)}`, { status: 'REVERSED' })).status).toBe('FAILED')
    const second = await settled()
    expect([second.payment_amount, second.cf_settlement_id === first.cf_settlement_id]).toEqual([30, false])
    const order = whole(await pg('GET', `/orders/${orderId}/settlements`))
    expect(order.cf_settlement_id).toBe(second.cf_settlement_id)
  })

  test('takes only the orders and payments that are named', async () => {
    await fresh()
    const [one, two] = [await world.ordered('success'), await world.ordered('success')]
    const id = await approved()
    const [auth] = await payments(id)
    expect((await settled({ order_ids: [one], cf_payment_ids: [auth?.cf_payment_id] })).payment_amount).toBe(60)
    expect((await settled()).payment_amount).toBe(30)
    expect(whole(await pg('GET', `/orders/${two}/settlements`)).settlement_amount).toBe(29.31)
  })

  test('never pays less than nothing', async () => {
    await fresh()
    const orderId = await world.ordered('success')
    await settled()
    const refundId = await refunded(orderId, 30)
    const answer = await control('/settle', {})
    expect(refusalOf(answer)).toEqual([409, 'nothing_to_settle'])
    await world.ordered('success', 40)
    expect(await settled()).toMatchObject({ payment_amount: 40, adjustment: -30, amount_settled: 9.08 })
    await control(`/refunds/${refundId}`, { status: 'FAILED', force: true, webhooks: 0 })
    const { cf_settlement_id: id } = await settled()
    const [row] = await rows('/settlement/recon', { cf_settlement_ids: [id] })
    expect(row?.event_details).toMatchObject({ event_type: 'REFUND_REVERSAL', sale_type: 'CREDIT', event_settlement_amount: 30 })
  })

  test.each([
    [['SUCCESS'], [200]],
    [
      ['PENDING_WITH_BANK', 'FAILED', 'SUCCESS'],
      [200, 200, 409],
    ],
    [['REVERSED'], [409]],
    [['NOWHERE'], [400]],
  ])('that is pending moves by %s', async (steps, answers) => {
    await fresh()
    await world.ordered('success')
    const { cf_settlement_id: id, settlement_utr: utr } = await settled({ status: 'PENDING' })
    expect(utr).toBeNull()
    const given: number[] = []
    for (const status of steps) given.push((await control(`/settlements/${String(id)}`, { status, webhooks: 0 })).status)
    expect(given).toEqual(answers)
    expect((await control('/settlements/1', { status: 'SUCCESS' })).status).toBe(404)
  })

  test('with settlement_off pays ₹1 less than its events', async () => {
    await fresh()
    await world.ordered('success')
    await control('/faults', { settlement_off: true })
    const { cf_settlement_id: id, amount_settled: amount } = await settled()
    expect([amount, total(await rows('/settlement/recon', { cf_settlement_ids: [id] }))]).toEqual([28.31, 29.31])
  })
})

describe('the list of settlements', () => {
  test('is cut into pages; the last cursor is null, and a cursor belongs to its filters', async () => {
    await fresh()
    const ids: unknown[] = []
    for (let made = 0; made < 3; made++) {
      await world.ordered('success')
      ids.push((await settled()).cf_settlement_id)
    }
    const filters = { cf_settlement_ids: ids }
    const first = whole(await list('/settlements', filters, { limit: 2 }))
    expect([(first.data as Json[]).map((one) => one.cf_settlement_id), first.limit]).toEqual([ids.slice(0, 2), 2])
    const rest = whole(await list('/settlements', filters, { limit: 2, cursor: first.cursor }))
    expect([(rest.data as Json[]).map((one) => one.cf_settlement_id), rest.limit, rest.cursor]).toEqual([ids.slice(2), 1, null])
    const whole3 = whole(await list('/settlements', filters, { limit: 3, cursor: null }))
    expect([whole3.limit, whole3.cursor]).toEqual([3, null])
    for (const cursor of [first.cursor, 'made up']) {
      expect(refusalOf(await list('/settlements', DAY, { limit: 2, cursor }))).toEqual([400, 'pagination.cursor_invalid'])
    }
  })

  test('is filtered by dates and states', async () => {
    await fresh()
    world.clock.set(NOON + 5 * 86_400_000)
    await world.ordered('success')
    const { cf_settlement_id: id } = await settled({ status: 'PENDING' })
    const found = async (filters: Json): Promise<boolean> =>
      (await rows('/settlements', filters)).some((one) => one.cf_settlement_id === id)
    expect(await found({ start_date: '2026-03-09', end_date: '2026-03-09' })).toBe(true)
    expect(await found({ start_date: '2026-03-09T00:00:00+05:30', end_date: '2026-03-09T06:00:00Z' })).toBe(false)
    expect(await found({ start_date: '2026-03-08', end_date: '2026-03-08' })).toBe(false)
    expect(await found({ cf_settlement_ids: [id], settlement_status: ['PENDING'] })).toBe(true)
    expect(await found({ cf_settlement_ids: [id], settlement_status: ['SUCCESS', 'FAILED'] })).toBe(false)
    const recon = async (filters: Json): Promise<number> =>
      (await rows('/settlement/recon', { cf_settlement_ids: [id], ...filters })).length
    const span = ['2026-03-09', '2026-03-09']
    expect(await recon({ start_date_initiated_on: span[0], end_date_initiated_on: span[1] })).toBe(1)
    expect(await recon({ start_date_processed_on: span[0], end_date_processed_on: span[1] })).toBe(0)
    expect(await recon({ start_date: span[0], end_date: span[1] })).toBe(1)
  })

  test.each([
    ['no pagination', { pagination: undefined }, 'pagination_missing'],
    ['no limit', { pagination: {} }, 'pagination.limit_missing'],
    ['a limit of 0', { pagination: { limit: 0 } }, 'pagination.limit_invalid'],
    ['a limit of 1001', { pagination: { limit: 1001 } }, 'pagination.limit_invalid'],
    ['no filters', { filters: undefined }, 'filters_missing'],
    ['empty filters', { filters: {} }, 'filters.start_date_missing'],
    ['half a span', { filters: { start_date: '2026-03-04' } }, 'filters.end_date_missing'],
    ['a span backwards', { filters: { start_date: '2026-03-05', end_date: '2026-03-04' } }, 'filters.end_date_invalid'],
    ['a day that does not exist', { filters: { start_date: '2026-02-30', end_date: '2026-03-04' } }, 'filters.start_date_invalid'],
    ['a date that is none', { filters: { start_date: 'March', end_date: '2026-03-04' } }, 'filters.start_date_invalid'],
  ])('with %s is refused in each call', async (_what, more, code) => {
    for (const path of ['/settlements', '/settlement/recon', '/recon']) {
      expect(refusalOf(await pg('POST', path, { pagination: { limit: 1 }, filters: DAY, ...more }))).toEqual([400, code])
    }
  })

  test('with a state or ids that are none is refused', async () => {
    expect(refusalOf(await list('/settlements', { ...DAY, settlement_status: ['LOST'] }))).toEqual([
      400,
      'filters.settlement_status_invalid',
    ])
    expect(refusalOf(await list('/settlements', { cf_settlement_ids: [] }))).toEqual([400, 'filters.cf_settlement_ids_invalid'])
    expect(refusalOf(await list('/settlements', { settlement_utrs: 'UTR1' }))).toEqual([400, 'filters.settlement_utrs_invalid'])
  })

  test('may be asked for 30 times a minute', async () => {
    world.clock.set(NOON + 40 * 86_400_000)
    const answers = await Promise.all(Array.from({ length: 31 }, () => list('/settlements', DAY)))
    expect(answers.filter(({ status }) => status === 200).length).toBe(30)
    const refused = answers.find(({ status }) => status === 429)
    expect(refused?.headers.get('x-ratelimit-limit')).toBe('30')
    expect((await list('/recon', DAY)).status).toBe(200)
    world.clock.set(NOON + 40 * 86_400_000 + 61_000)
    expect((await list('/settlements', DAY)).status).toBe(200)
  })
})

describe('a webhook of a settlement', () => {
  test('goes to the payments tab: begun, and then ended', async () => {
    await fresh()
    await control('/webhooks', { payments: `${world.shop.url}/settlements` })
    await world.ordered('success')
    const { cf_settlement_id: id, settlement_utr: utr } = await settled({ webhooks: 1 })
    const all = await told(2, `"settlement_id":${String(id)}`)
    const [begun, done] = ['SETTLEMENT_INITIATED', 'SETTLEMENT_SUCCESS'].map((type) => all.find((one) => one.type === type))
    expect(begun?.data.settlement).toMatchObject({ status: 'INITIATED', utr: null, settled_on: null })
    expect(done?.data.settlement).toEqual({
      settlement_id: Number(id),
      status: 'SUCCESS',
      utr: Number(utr),
      payment_amount: 30,
      service_charge: 0.58,
      service_tax: 0.11,
      adjustment: 0,
      settlement_charge: 0,
      settlement_tax: 0,
      settlement_amount: 29.31,
      amount_settled: 29.31,
      settlement_type: 'STANDARD',
      payment_from: '2026-03-04 12:00:00',
      payment_till: '2026-03-04 12:00:00',
      settlement_initiated_on: expect.stringMatching(/\+05:30$/),
      settled_on: expect.stringMatching(/\+05:30$/),
      reason: null,
      remarks: null,
    })
    const [webhook] = world.shop.webhooks
    expect(webhook?.headers['x-webhook-signature']).toBe(webhook && opensslSignature(webhook, KEYS.clientSecret))
    await control('/webhooks', { payments: null })
  })

  test.each([
    ['FAILED', 'PENDING', 'SETTLEMENT_FAILED'],
    ['REVERSED', 'SUCCESS', 'SETTLEMENT_REVERSED'],
  ])('says %s, and why', async (status, before, type) => {
    await fresh()
    await control('/webhooks', { payments: `${world.shop.url}/settlements` })
    await world.ordered('success')
    const { cf_settlement_id: id } = await settled({ status: before })
    await control(`/settlements/${String(id)}`, { status, reason: 'account closed' })
    const [one] = await told(1, `"settlement_id":${String(id)}`)
    expect([one?.type, one?.data.settlement]).toEqual([type, expect.objectContaining({ status, reason: 'account closed' })])
    expect((await control(`/settlements/${String(id)}`)).body.webhooks.map((sent) => sent.type)).toEqual([type])
    await control('/webhooks', { payments: null })
  })
})

test('a restart keeps settlements', async () => {
  await fresh()
  await world.ordered('success')
  const { cf_settlement_id: id, amount_settled: amount } = await settled()
  await world.restart()
  expect(await rows('/settlements', { cf_settlement_ids: [id] })).toMatchObject([{ amount_settled: amount }])
})
