/** AutoPay where it meets other features: orders, refunds, disputes, closing, the export, the way back. */
import { startOfDayMs } from '@roz/core/ist-day.ts'
import { paise } from '@roz/core/money.ts'
import Fastify from 'fastify'
import { afterEach, describe, expect, test } from 'vitest'
import type { Dispute, NewRefund, Order, PaymentGateway } from '../../adapters/payments/port.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { createAttempt } from '../../jobs/parking.ts'
import { enqueue } from '../../jobs/queue.ts'
import { reinstateMember, suspendMember } from '../../ledger/suspension.ts'
import { createTopup } from '../../ledger/topups.ts'
import { useAutopayWorld, SET_UP } from '../../testing/autopay-world.ts'
import { makeMember, makeStaff, publicIdOf } from '../../testing/calls.ts'
import type { ModelMandate } from '../../testing/model-mandates.ts'
import { scriptedRefunds } from '../../testing/payouts-world.ts'
import { insertSeenSettlement } from '../../testing/seen-settlement.ts'
import { compareSettlement } from '../accounts/judge.ts'
import { settleOrder } from '../wallet/settle.ts'
import { bookCharge } from './book.ts'
import { mountReturn } from './return.ts'

const askedOrders: string[] = []
const refunds: NewRefund[] = []
const fetchedFrom: unknown[] = []
let dispute: Dispute | undefined
let order: Order | undefined

const { gateway: scripted } = scriptedRefunds()
const gateway: PaymentGateway = {
  ...scripted,
  fetchOrder: async (orderId) => {
    askedOrders.push(orderId)
    return order
  },
  createRefund: (refund) => {
    refunds.push(refund)
    return scripted.createRefund(refund)
  },
  fetchRefund: (orderId, refundId, from) => {
    fetchedFrom.push(from)
    return scripted.fetchRefund(orderId, refundId)
  },
  fetchDispute: async () => dispute,
}
const world = useAutopayWorld({}, gateway)
afterEach(async () => {
  await world.forget()
  askedOrders.length = 0
  dispute = undefined
  order = undefined
})

async function paid(): Promise<{ memberId: bigint; mandate: ModelMandate; orderId: string; cfPaymentId: string }> {
  const { memberId, mandate, charge } = await world.raised()
  world.end(charge, 'paid')
  await world.at(charge.day, '10:30:00')
  return { memberId, mandate, orderId: charge.chargeId, cfPaymentId: charge.cfPaymentId ?? '' }
}

describe('a debit is no order', () => {
  test('its page asks the mandate, and never the gateway’s orders; it is not given up', async () => {
    const { memberId, mandate } = await world.low()
    await world.nextMorning()
    const { chargeId } = world.only(mandate)
    const before = world.model.calls.length
    for (let n = 0; n < 3; n++) {
      const { body } = await world.call(`GET /wallet/verify/${chargeId}`, memberId)
      expect(body['status']).toBe('PENDING')
      await world.later(4 * 3600)
    }
    expect(askedOrders).toEqual([])
    expect(world.model.calls.length).toBeGreaterThan(before)
    expect(await world.topups(memberId)).toEqual(['captured', 'pending'])
  })

  test('the order of the first debit, named before its mandate was asked, is booked once', async () => {
    const memberId = await makeMember(world.db)
    await world.call('POST /autopay', memberId, SET_UP)
    const mandate = world.model.newest()
    world.model.authorise(mandate)
    const [auth] = mandate.charges
    const cfOrderId = auth?.cfOrderId ?? ''
    order = paidOrder(cfOrderId, auth?.cfPaymentId ?? '')
    await inTransaction(world.db, (tx) => enqueue(tx, { kind: 'settle_order', key: 'event:2', payload: { orderId: cfOrderId } }))
    await world.later()
    await world.later(16)
    const items = await world.db.query(sql`select reason, amount, status from suspense_item where order_id = ${cfOrderId}::text`)
    // The money that waited for its owner is the debit's, and no second payment.
    expect([await world.balanceOf(memberId), items]).toEqual([30, [{ reason: 'unknown_order', amount: 3000n, status: 'credited' }]])
  })

  test('an order that is paid by hand cancels the announced debit, which is not needed then', async () => {
    const { memberId, charge } = await world.raised()
    const orderId = crypto.randomUUID().replaceAll('-', '')
    await inTransaction(world.db, (tx) => createTopup(tx, { orderId, memberId, amount: paise(1000n) }))
    order = { ...paidOrder(orderId, `hand-${orderId}`), orderAmount: paise(1000n) }
    await inTransaction(world.db, (tx) => enqueue(tx, { kind: 'settle_order', key: 'event:hand', payload: { orderId } }))
    await world.later()
    await world.later()
    expect([await world.balanceOf(memberId), charge.state]).toEqual([14, 'cancelled'])
    // The next tests have no answer about this order.
    await world.db.query(sql`update order_check set ask_at = null where order_id = ${orderId}::text`)
  })

  test('a webhook of an order that names the gateway’s order of a debit asks the mandate', async () => {
    const { memberId, charge } = await world.raised()
    world.end(charge, 'paid')
    order = { ...paidOrder(charge.cfOrderId ?? ''), orderAmount: charge.amount }
    await inTransaction(world.db, (tx) =>
      enqueue(tx, { kind: 'settle_order', key: 'event:1', payload: { orderId: charge.cfOrderId ?? '' } }),
    )
    await world.later()
    await world.later()
    expect(askedOrders).toEqual([])
    expect(await world.topups(memberId)).toEqual(['captured', 'captured'])
    expect(await world.suspended(memberId)).toEqual([])
  })
})

const paidOrder = (orderId: string, ...paymentIds: string[]): Order => ({
  orderId,
  status: 'PAID',
  orderAmount: paise(3000n),
  currency: 'INR',
  sessionId: 's',
  payments: paymentIds.map((paymentId) => ({
    paymentId,
    currency: 'INR',
    status: 'SUCCESS',
    orderAmount: paise(3000n),
    paymentAmount: paise(3000n),
    group: 'upi',
    message: undefined,
    bankReference: undefined,
    paidAtMs: undefined,
  })),
})

test.each([
  ['before', 'the same id'],
  ['after', 'the same id'],
  ['before', 'another id'],
  ['after', 'another id'],
] as const)(
  'a debit that nobody here raised is one item when an event names its order %s, with %s; a second payment is another',
  async (when, id) => {
    const { mandate } = await world.low()
    await world.nextMorning()
    const cfOrderId = `cf-${when}-${id.length}`
    const cfPaymentId = `77${when.length}${id.length}`
    order = paidOrder(cfOrderId, id === 'the same id' ? cfPaymentId : `order-${cfPaymentId}`)
    const tellOrder = async (key: string): Promise<void> => {
      await inTransaction(world.db, (tx) =>
        enqueue(tx, { kind: 'settle_order', key: `${cfOrderId}:${key}`, payload: { orderId: cfOrderId } }),
      )
      await world.later()
    }
    const strange = {
      ...world.only(mandate),
      chargeId: crypto.randomUUID().replaceAll('-', ''),
      cfPaymentId,
      cfOrderId,
      state: 'paid' as const,
    }
    const tellDebit = async (): Promise<void> => {
      if (!mandate.charges.includes(strange)) mandate.charges.push(strange)
      await world.hearOf(mandate)
    }
    if (when === 'before') await tellOrder('first')
    await tellDebit()
    await tellOrder('second')
    await tellDebit()
    const items = () =>
      world.db.query(sql`
    select amount from suspense_item where reason = 'unknown_order' and (order_id in (${cfOrderId}::text, ${strange.chargeId}::text) or gateway_order_id = ${cfOrderId}::text)`)
    expect(await items()).toEqual([{ amount: 3000n }])
    order = paidOrder(cfOrderId, ...(order?.payments ?? []).map(({ paymentId }) => paymentId), `second-${cfPaymentId}`)
    await tellOrder('third')
    expect(await items()).toHaveLength(2)
  },
)

test('an event about the order of a debit and an answer about the debit at the same moment credit once', async () => {
  const warn = (): void => undefined
  const deps = { db: world.db, gateway, attempt: createAttempt({ db: world.db, log: { warn, error: warn } }), warn }
  for (let n = 0; n < 8; n++) {
    const memberId = await makeMember(world.db)
    await world.call('POST /autopay', memberId, SET_UP)
    const mandate = world.model.newest()
    world.model.authorise(mandate)
    const [auth] = mandate.charges
    const [row] = await world.db.query<{ id: string; orderId: string }>(sql`
      select id, auth_order_id as "orderId" from autopay_mandate where member_id = ${memberId}::bigint`)
    if (auth === undefined || row === undefined) throw new Error('no mandate was set up')
    order = paidOrder(auth.cfOrderId ?? '', auth.cfPaymentId ?? '')
    const answer = () => inTransaction(world.db, (tx) => bookCharge(tx, row.orderId, row.id, { ...auth, state: 'paid' }))
    await Promise.all([settleOrder(deps, order.orderId), answer(), answer()])
    const open = await world.db.query(sql`select amount from suspense_item where order_id = ${order.orderId}::text and status = 'open'`)
    expect([await world.balanceOf(memberId), open]).toEqual([30, []])
    // The gateway's pace of new mandates.
    await world.later(60)
  }
})

async function refundOf(memberId: bigint, orderId: string): Promise<NewRefund | undefined> {
  const asked = await world.call('POST /wallet/refunds', memberId, { order_id: orderId, amount: 5, reason: 'I do not need it.' })
  expect(asked.status).toBe(200)
  const admin = await makeStaff(world.db)
  const approved = await world.calls.ask(`POST /admin/refunds/${asked.body['refund'].id}/approve`, {
    as: admin,
    body: { status: 'requested' },
  })
  expect(approved.status).toBe(200)
  await world.later()
  return refunds.at(-1)
}

test('a refund of a debit names its mandate and the gateway’s id of the payment', async () => {
  const { memberId, mandate, orderId, cfPaymentId } = await paid()
  const from = { mandateId: mandate.asked.mandateId, cfPaymentId }
  expect(await refundOf(memberId, orderId)).toMatchObject({ orderId, amount: 500n, from })
  await world.later(60)
  expect(fetchedFrom.at(-1)).toEqual(from)
})

test('a refund of a debit that nobody here raised names its mandate, also of an item from before mandates were kept', async () => {
  const { mandate } = await world.low()
  await world.nextMorning()
  const from = { mandateId: mandate.asked.mandateId, cfPaymentId: '88001' }
  const chargeId = crypto.randomUUID().replaceAll('-', '')
  mandate.charges.push({ ...world.only(mandate), chargeId, cfPaymentId: from.cfPaymentId, cfOrderId: 'cf-88001', state: 'paid' })
  const tell = async (): Promise<void> => {
    await world.hearOf(mandate)
  }
  await tell()
  await world.db.query(sql`update suspense_item set mandate_id = null where order_id = ${chargeId}::text`)
  await tell()
  const [item] = await world.db.query<{ id: bigint }>(sql`select id from suspense_item where order_id = ${chargeId}::text`)
  const as = await makeStaff(world.db)
  expect((await world.calls.ask(`POST /admin/suspense/${item?.id}/refund`, { as, body: { status: 'open' } })).status).toBe(200)
  await world.later()
  expect(refunds.at(-1)).toMatchObject({ orderId: chargeId, amount: 3000n, from })
  await world.later(60)
  expect(fetchedFrom).toContainEqual(from)
})

test('a debit that nobody here raised is its payer’s money, also where its id is an order of somebody else', async () => {
  const { memberId, mandate } = await world.low()
  await world.nextMorning()
  const other = await makeMember(world.db)
  const charge = world.only(mandate)
  const items: bigint[] = []
  for (const cfPaymentId of ['88002', '88003']) {
    const chargeId = crypto.randomUUID().replaceAll('-', '')
    await inTransaction(world.db, (tx) => createTopup(tx, { orderId: chargeId, memberId: other, amount: paise(3000n) }))
    mandate.charges.push({ ...charge, chargeId, cfPaymentId, state: 'paid' })
    await world.hearOf(mandate)
    items.push((await world.db.one<{ id: bigint }>(sql`select id from suspense_item where order_id = ${chargeId}::text`)).id)
  }
  const clerk = await makeStaff(world.db)
  const decide = (item: bigint | undefined, what: string, body: object = {}, as = clerk) =>
    world.calls.ask(`POST /admin/suspense/${item}/${what}`, { as, body: { status: 'open', ...body } })
  const publicId = (id: bigint) => publicIdOf(world.db, id)
  const [first, second] = items
  // One person credits the payer; anybody else needs two.
  const credited = await decide(first, 'credit', { memberId: await publicId(other) })
  expect([credited.body.item.status, credited.body.item.member.id]).toEqual(['awaiting_second', await publicId(memberId)])
  expect(await world.balanceOf(other)).toBe(0)
  const own = await makeStaff(world.db)
  await world.db.query(sql`
    update member set email = (select replace(email, '@', '+own@') from member where id = ${memberId}::bigint) where id = ${own}::bigint`)
  expect((await decide(second, 'refund', {}, own)).body.code).toBe('own_money')
  await inTransaction(world.db, (tx) => suspendMember(tx, memberId))
  expect((await decide(second, 'refund')).body.code).toBe('member_on_hold')
  await inTransaction(world.db, (tx) => reinstateMember(tx, memberId))
  expect((await decide(second, 'credit', { memberId: await publicId(memberId) })).body.item.status).toBe('credited')
})

describe('a first debit that was booked under the id of its order’s payment', () => {
  async function bookedByOrder() {
    const memberId = await makeMember(world.db)
    await world.call('POST /autopay', memberId, SET_UP)
    const mandate = world.model.newest()
    const { cfOrderId = '', cfPaymentId = '' } = world.model.authorise(mandate)
    order = paidOrder(cfOrderId, `order-${cfPaymentId}`)
    await inTransaction(world.db, (tx) => enqueue(tx, { kind: 'settle_order', key: `event:${cfOrderId}`, payload: { orderId: cfOrderId } }))
    await world.later()
    await world.later(16)
    const [booked] = await world.db.query<{ orderId: string; paymentId: string }>(sql`
      select order_id as "orderId", payment_id as "paymentId" from topup where member_id = ${memberId}::bigint`)
    expect([await world.balanceOf(memberId), booked?.paymentId]).toEqual([30, `order-${cfPaymentId}`])
    return { memberId, mandate, orderId: booked?.orderId ?? '', cfOrderId, cfPaymentId }
  }

  test('is refunded by its own id', async () => {
    const { memberId, mandate, orderId, cfPaymentId } = await bookedByOrder()
    const from = { mandateId: mandate.asked.mandateId, cfPaymentId }
    expect(await refundOf(memberId, orderId)).toMatchObject({ orderId, from })
  })

  test('is the payment that a settlement has by its own id', async () => {
    const { cfOrderId, cfPaymentId } = await bookedByOrder()
    const id = await insertSeenSettlement(world.db, { amount: 30, fee: 0 })
    await world.db.query(sql`
      insert into gateway_settlement_event (settlement_id, position, event_id, kind, word, is_credit, amount, settled, fee, order_id, payment_id)
      values (${id}::text, 1, ${cfPaymentId}::text, 'payment', 'PAYMENT', true, 3000, 3000, 0, ${cfOrderId}::text, ${cfPaymentId}::text)`)
    await inTransaction(world.db, (tx) => compareSettlement(tx, { gatewayFee: 0, alarm: () => undefined }, id))
    const matched = await world.db.query(sql`select subject, ours from gateway_settlement_event where settlement_id = ${id}::text`)
    expect(matched).toEqual([{ subject: `payment:order-${cfPaymentId}`, ours: 3000n }])
  })
})

describe('a dispute', () => {
  const told = (more: Partial<Dispute>): Dispute => ({
    disputeId: crypto.randomUUID().slice(0, 8),
    orderId: '',
    paymentId: '',
    amount: paise(3000n),
    currency: 'INR',
    type: 'CHARGEBACK',
    status: 'CHARGEBACK_CREATED',
    state: 'open',
    isTaken: true,
    respondByMs: undefined,
    toldAtMs: undefined,
    ...more,
  })
  const report = async (found: Dispute): Promise<void> => {
    dispute = found
    await inTransaction(world.db, (tx) =>
      enqueue(tx, { kind: 'check_dispute', key: crypto.randomUUID(), payload: { disputeId: found.disputeId } }),
    )
    await world.later()
    await world.later()
  }
  const booked = (disputeId: string) =>
    world.db.query(sql`select order_id as "orderId", problem, is_taken as "isTaken" from dispute where id = ${disputeId}::text`)

  test.each<[string, (one: Awaited<ReturnType<typeof paid>>) => Partial<Dispute>]>([
    ['our order id', ({ orderId, cfPaymentId }) => ({ orderId, paymentId: cfPaymentId })],
    ['the gateway’s order id', ({ mandate, cfPaymentId }) => ({ orderId: world.only(mandate).cfOrderId ?? '', paymentId: cfPaymentId })],
    ['the gateway’s transaction', ({ mandate }) => ({ orderId: 'strange', paymentId: world.only(mandate).cfTxnId ?? '' })],
    ['the gateway’s payment', ({ cfPaymentId }) => ({ orderId: 'strange', paymentId: cfPaymentId })],
  ])('that names %s takes the payment and stops the mandate', async (_name, ids) => {
    const one = await paid()
    const found = told(ids(one))
    await report(found)
    expect(await booked(found.disputeId)).toEqual([{ orderId: one.orderId, problem: null, isTaken: true }])
    expect(await world.stateOf(one.memberId)).toBe('stopped')
    expect(one.mandate.status).toBe('CANCELLED')
  })

  test('that comes before its debit is known takes the payment once it is', async () => {
    const { memberId, charge } = await world.raised()
    const found = told({ orderId: charge.cfOrderId ?? 'none', paymentId: charge.cfPaymentId ?? 'none' })
    await report(found)
    expect(await booked(found.disputeId)).toEqual([{ orderId: found.orderId, problem: 'unknown_payment', isTaken: false }])
    world.end(charge, 'paid')
    await world.at(charge.day, '10:30:00')
    await report(found)
    expect(await booked(found.disputeId)).toEqual([{ orderId: charge.chargeId, problem: null, isTaken: true }])
    expect(await world.stateOf(memberId)).toBe('stopped')
    const flags = await world.db.query(sql`select kind, subject from member_flag where member_id = ${memberId}::bigint`)
    expect(flags).toEqual([{ kind: 'dispute', subject: `dispute:${found.disputeId}` }])
  })

  test.each(['strange', 'ours'])('about a debit in SUSPENSE takes its item, and nothing of the wallet; its order is %s', async (named) => {
    const { memberId, mandate, orderId } = await paid()
    world.model.debitAgain(mandate, world.only(mandate))
    await world.hearOf(mandate)
    const [, again] = world.model.chargesOf(mandate)
    const balance = await world.balanceOf(memberId)
    const found = told({ orderId: named === 'ours' ? orderId : named, paymentId: again?.cfPaymentId ?? '' })
    await report(found)
    expect(await booked(found.disputeId)).toEqual([{ orderId, problem: null, isTaken: true }])
    const items = await world.db.query(sql`select payment_id as "paymentId", status from suspense_item where order_id = ${orderId}::text`)
    expect(items).toEqual([{ paymentId: `sub_${again?.cfPaymentId}`, status: 'taken' }])
    expect([await world.balanceOf(memberId), await world.stateOf(memberId)]).toEqual([balance, 'stopped'])
  })

  test('about a debit that nobody here raised takes its item and stops its mandate', async () => {
    const { memberId, mandate } = await paid()
    const chargeId = crypto.randomUUID().replaceAll('-', '')
    mandate.charges.push({ ...world.only(mandate), chargeId, cfPaymentId: '99001', cfOrderId: 'cf-99001', state: 'paid' })
    await world.hearOf(mandate)
    const found = told({ orderId: 'cf-99001', paymentId: '99001' })
    await report(found)
    expect(await booked(found.disputeId)).toEqual([{ orderId: chargeId, problem: null, isTaken: true }])
    expect(await world.stateOf(memberId)).toBe('stopped')
  })

  test('about an order whose payment has the number of a debit leaves the mandate alone', async () => {
    const one = await paid()
    const orderId = 'd'.repeat(32)
    await world.db.query(sql`insert into topup (order_id, member_id, amount) values (${orderId}::text, ${one.memberId}::bigint, 1000)`)
    const found = told({ orderId, paymentId: one.cfPaymentId, amount: paise(1000n) })
    await report(found)
    expect(await booked(found.disputeId)).toEqual([{ orderId, problem: 'unknown_payment', isTaken: false }])
    expect(await world.stateOf(one.memberId)).toBe('on')
  })
})

describe('closing', () => {
  test('stops AutoPay first, and waits until the gateway has confirmed it', async () => {
    const { memberId, mandate } = await world.setUp()
    const close = () => world.call('POST /user/close', memberId, { gift: true })
    expect((await close()).body).toMatchObject({ code: 'autopay_stopping' })
    await world.later()
    expect(mandate.status).toBe('CANCELLED')
    expect((await close()).status).toBe(200)
  })

  test('waits a day at most; money that arrives later goes to SUSPENSE', async () => {
    const { memberId, mandate, charge } = await world.raised()
    charge.state = 'pending'
    world.model.faults.cancelIgnored = true
    const remove = () => world.calls.ask('DELETE /user', { as: memberId })
    expect((await remove()).body).toMatchObject({ code: 'autopay_stopping' })
    await world.moveTo(world.nowMs() + 23 * 3_600_000)
    expect((await remove()).body).toMatchObject({ code: 'autopay_stopping' })
    await world.leave(memberId, 0)
    await world.moveTo(startOfDayMs(charge.day) + 12 * 3_600_000)
    const mine = sql`mandate_id in (select id from autopay_mandate where member_id = ${memberId}::bigint)`
    await world.db.query(sql`update autopay_charge set failure_reason = 'A/c of Asha: no money' where ${mine}`)
    expect((await remove()).status).toBe(204)
    world.model.faults.cancelIgnored = false
    Object.assign(charge, { failureReason: 'A/c of Asha: late' })
    world.end(charge, 'paid')
    await world.hearOf(mandate)
    expect(await world.suspended(memberId)).toEqual([{ reason: 'closed_account', amount: 3000n }])
    const [row] = await world.db.query(sql`select payer from autopay_mandate where member_id = ${memberId}::bigint`)
    expect(row).toEqual({ payer: null })
    // The bank's words may name a person: none are kept, also those that come later.
    expect(await world.db.query(sql`select 1 from autopay_charge where failure_reason is not null and ${mine}`)).toEqual([])
  })
})

test('the export lists every AutoPay that was set up', async () => {
  const { memberId } = await world.setUp()
  await world.call('POST /autopay/stop', memberId)
  await world.later()
  await world.call('POST /autopay', memberId, SET_UP)
  const { body } = await world.call('GET /user/export', memberId)
  expect(body['autopay'].map(({ state, amount }: { state: string; amount: number }) => [state, amount])).toEqual([
    ['stopped', 30],
    ['setup', 30],
  ])
})

test('a member sees and moves no other member’s AutoPay', async () => {
  const { memberId } = await world.setUp()
  const other = await makeMember(world.db)
  expect((await world.own(other)).mandate).toBe(null)
  for (const wish of ['pause', 'resume', 'retry', 'stop'])
    expect((await world.call(`POST /autopay/${wish}`, other)).body).toMatchObject({ code: 'not_found' })
  expect(await world.stateOf(memberId)).toBe('on')
})

test('a wish that does not fit the state is refused', async () => {
  const memberId = await makeMember(world.db)
  await world.call('POST /autopay', memberId, SET_UP)
  for (const wish of ['pause', 'resume', 'retry'])
    expect((await world.call(`POST /autopay/${wish}`, memberId)).body).toMatchObject({ code: 'changed_since_seen' })
  expect((await world.call('POST /autopay/stop', memberId)).status).toBe(200)
})

test('the way back from the gateway’s page, by form or link, is a redirect to the wallet that reads nothing', async () => {
  const app = Fastify()
  mountReturn(app)
  const form = { method: 'POST', url: '/autopay/return', headers: { 'content-type': 'application/x-www-form-urlencoded' } } as const
  for (const request of [
    { ...form, payload: `cf_status=ACTIVE&cf_umn=${'x'.repeat(5000)}` },
    { method: 'GET', url: '/autopay/return?cf_status=ACTIVE' },
    { method: 'POST', url: '/autopay/return' },
  ] as const) {
    const answer = await app.inject(request)
    expect([answer.statusCode, answer.headers['location']]).toEqual([303, '/wallet?autopay=returned'])
  }
  await app.close()
})
