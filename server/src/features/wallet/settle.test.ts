import { beforeEach, expect, test } from 'vitest'
import { paise } from '@roz/core/money.ts'
import { sql } from '../../db/sql.ts'
import { makeMember } from '../../testing/calls.ts'
import { breakRows } from '../../testing/database.ts'
import { useWalletWorld, waitFor } from '../../testing/wallet-world.ts'
import { noticesTo } from '../../testing/notices.ts'

const world = useWalletWorld()
beforeEach(() => world.reset())

/** Counts questions about one order: orders of other tests may fall due meanwhile. */
const timesAsked = (orderId: string): number => world.gatewayCalls.filter((asked) => asked === orderId).length

test('five copies of one webhook, the return page and the sweep give one credit', async () => {
  const { member, orderId } = await world.ordered(20)
  const before = await world.eventCount()
  await world.pay(orderId, 'success', 5)
  await waitFor('the webhook', async () => (await world.eventCount()) > before)
  await world.makeDue()
  await Promise.all([
    world.runDue(),
    world.verify(member, orderId),
    world.confirm(orderId),
    ...world.wallet.sweeps.map((sweep) => sweep()),
    world.wallet.jobs.settle_order({ orderId }),
    world.wallet.jobs.settle_order({ orderId }),
  ])
  await waitFor('the credit', async () => (await world.balanceOf(member)) > 0)
  await world.passSpacing()
  await world.runDue()
  await world.passSpacing()
  await world.wallet.jobs.settle_order({ orderId })
  expect(await world.balanceOf(member)).toBe(20)
  expect((await world.verify(member, orderId)).body).toEqual({ balance: 20, status: 'PAID' })
  expect((await world.confirm(orderId)).body).toEqual({
    data: { success: true, orderUserDetails: { order_id: orderId, order_amount: 20, order_status: 'PAID' } },
  })
  expect(world.jobs.filter((job) => job.kind === 'mail')).toMatchObject([
    { payload: { template: 'money_added', data: { amount: '₹20.00' } } },
  ])
  expect(await noticesTo(world.db, member)).toMatchObject([{ kind: 'topup_credited' }])
})

test('the return page alone credits when every webhook is lost', async () => {
  const { member, orderId } = await world.ordered()
  expect((await world.verify(member, orderId)).body).toEqual({ balance: 0, status: 'PENDING' })
  await world.pay(orderId, 'success', 0)
  await world.passSpacing()
  expect((await world.verify(member, orderId)).body).toEqual({ balance: 10, status: 'PAID' })
})

test('the sweep alone credits', async () => {
  const { member, orderId } = await world.paid()
  await world.sweep()
  expect(await world.balanceOf(member)).toBe(10)
  expect(await hoursToNextQuestion(orderId)).toBe(1)
})

/** In hours from now, rounded; undefined when no question is scheduled. */
async function hoursToNextQuestion(orderId: string): Promise<number | undefined> {
  const [check] = await world.db.query<{ hours: number | null }>(sql`
    select round(extract(epoch from ask_at - roz_now()) / 3600)::int as hours from order_check where order_id = ${orderId}::text`)
  return check?.hours ?? undefined
}

test('a second payment of a paid order with a lost webhook is found by the sweep and waits in SUSPENSE', async () => {
  const { member, orderId } = await world.paid()
  await world.sweep()
  await world.control(`/orders/${orderId}/pay`, { outcome: 'success', again: true, webhooks: 0 })
  await world.sweep()
  expect(await world.suspended(orderId)).toEqual([{ reason: 'second_payment', amount: 1000n }])
  expect(await world.balanceOf(member)).toBe(10)
})

test('a paid order is asked about after an hour, a day, three and ten days, and again after a second payment', async () => {
  const { orderId } = await world.paid()
  const ask = async (): Promise<number | undefined> => {
    await world.sweep()
    return hoursToNextQuestion(orderId)
  }
  const pass = (hours: number) =>
    world.db.query(
      sql`update order_check set final_at = final_at - make_interval(hours => ${hours}::int) where order_id = ${orderId}::text`,
    )
  const waits: (number | undefined)[] = [await ask()]
  for (const hours of [1, 23, 48, 168]) {
    await pass(hours)
    waits.push(await ask())
  }
  expect(waits).toEqual([1, 23, 48, 168, undefined])
  const asked = timesAsked(orderId)
  await ask()
  expect(timesAsked(orderId)).toBe(asked)
  await world.control(`/orders/${orderId}/pay`, { outcome: 'success', again: true, webhooks: 0 })
  await world.passSpacing()
  await world.wallet.jobs.settle_order({ orderId })
  expect(await hoursToNextQuestion(orderId)).toBe(1)
})

test('an order that expired after a failed attempt is asked about again: the attempt may still pay it', async () => {
  const { member, orderId } = await world.ordered()
  await world.pay(orderId, 'failed', 0)
  world.retell = (order) => ({ ...order, status: 'EXPIRED' })
  expect((await world.verify(member, orderId)).body).toEqual({ balance: 0, status: 'EXPIRED' })
  expect(await hoursToNextQuestion(orderId)).toBe(1)
  world.retell = undefined
  await world.pay(orderId, 'success', 0)
  await world.sweep()
  expect(await world.balanceOf(member)).toBe(10)
})

test('a payment in another currency credits nobody: it waits in SUSPENSE under its currency', async () => {
  const { member, orderId } = await world.ordered()
  await world.control('/faults', { currency: 'USD' })
  await world.pay(orderId, 'success', 0)
  await world.verify(member, orderId)
  expect(await world.balanceOf(member)).toBe(0)
  expect(await world.suspended(orderId)).toEqual([{ reason: 'other_currency', amount: 1000n }])
  expect(await world.db.query(sql`select currency from suspense_item where order_id = ${orderId}::text`)).toEqual([{ currency: 'USD' }])
  // The gateway corrects its answer: the same payment, in rupees.
  await world.control('/faults', {})
  await world.passSpacing()
  await world.wallet.jobs.settle_order({ orderId })
  expect(await world.balanceOf(member)).toBe(10)
})

test('one payment in another currency on an order in rupees credits nobody', async () => {
  const { member, orderId } = await world.paid()
  world.retell = (order) => ({ ...order, payments: order.payments.map((payment) => ({ ...payment, currency: 'JPY' })) })
  await world.verify(member, orderId)
  expect(await world.balanceOf(member)).toBe(0)
  expect(await world.suspended(orderId)).toEqual([{ reason: 'other_currency', amount: 1000n }])
})

test('an order that the gateway makes in another currency is not opened', async () => {
  await world.control('/faults', { currency: 'USD' })
  const member = await makeMember(world.db)
  expect((await world.add(member)).body).toMatchObject({ code: 'gateway_unavailable' })
})

test('FAILED and then SUCCESS, delivered in the wrong order, ends paid', async () => {
  const { member, orderId } = await world.ordered()
  const before = await world.eventCount()
  await world.control('/faults', { delayMs: 600 })
  await world.pay(orderId, 'failed')
  expect((await world.verify(member, orderId)).body).toEqual({ balance: 0, status: 'FAILED' })
  await world.control('/faults', {})
  await world.pay(orderId, 'success')
  await waitFor('the later webhook', async () => (await world.eventCount()) === before + 1)
  await world.passSpacing()
  await world.runDue()
  expect(await world.balanceOf(member)).toBe(10)
  // The webhook of the failed attempt arrives last, and only causes another question.
  await waitFor('the earlier webhook', async () => (await world.eventCount()) === before + 2)
  await world.passSpacing()
  await world.runDue()
  expect((await world.confirm(orderId)).body).toMatchObject({ data: { success: true, orderUserDetails: { order_status: 'PAID' } } })
  expect(await world.balanceOf(member)).toBe(10)
})

test('an expired order without an attempt is asked about again in an hour, and a payment that still arrives is credited', async () => {
  const { member, orderId } = await world.ordered()
  world.retell = (order) => ({ ...order, status: 'EXPIRED' })
  expect((await world.verify(member, orderId)).body).toEqual({ balance: 0, status: 'EXPIRED' })
  expect([timesAsked(orderId), await hoursToNextQuestion(orderId)]).toEqual([1, 1])
  world.retell = undefined
  await world.pay(orderId, 'success')
  await world.passSpacing()
  await waitFor('the webhook', async () => {
    await world.runDue()
    return (await world.balanceOf(member)) === 10
  })
  expect((await world.verify(member, orderId)).body).toEqual({ balance: 10, status: 'PAID' })
})

test.each([
  ['PENDING', 'PENDING'],
  ['EXPIRED', 'EXPIRED'],
] as const)('a successful payment on an order that says %s is credited only once the order says PAID', async (told, shown) => {
  const { member, orderId } = await world.paid()
  world.retell = (order) => ({ ...order, status: told })
  expect((await world.verify(member, orderId)).body).toEqual({ balance: 0, status: shown })
  world.retell = undefined
  await world.sweep()
  expect((await world.verify(member, orderId)).body).toEqual({ balance: 10, status: 'PAID' })
})

test('an unavailable gateway leaves the order pending, and the sweep asks ever more rarely', async () => {
  const { member, orderId } = await world.ordered()
  await world.control('/faults', { api: 'rate_limit' })
  expect((await world.verify(member, orderId)).body).toEqual({ balance: 0, status: 'PENDING' })
  const waits: number[] = []
  for (let round = 0; round < 3; round++) {
    await world.sweep()
    const [check] = await world.db.query<{ seconds: number }>(sql`
      select round(extract(epoch from ask_at - asked_at))::int as seconds from order_check where order_id = ${orderId}::text`)
    waits.push(check?.seconds ?? 0)
  }
  expect(waits).toEqual([30, 60, 120])
  await world.control('/faults', {})
  await world.pay(orderId, 'success', 0)
  await world.sweep()
  expect(await world.balanceOf(member)).toBe(10)
})

test.each([
  ['dropped', 'FAILED'],
  ['pending', 'PENDING'],
])('an attempt that was %s reads %s', async (outcome, status) => {
  const { member, orderId } = await world.ordered()
  await world.pay(orderId, outcome, 0)
  expect((await world.verify(member, orderId)).body).toEqual({ balance: 0, status })
})

test('an order is asked about at most once in 5 s; an earlier question is delayed, not dropped', async () => {
  const { member, orderId } = await world.ordered()
  await Promise.all(Array.from({ length: 10 }, () => world.verify(member, orderId)))
  expect(timesAsked(orderId)).toBe(1)
  const [check] = await world.db.query<{ soon: boolean }>(sql`
    select ask_at = asked_at + interval '5 seconds' as soon from order_check where order_id = ${orderId}::text`)
  expect(check).toEqual({ soon: true })
})

test('a question that arrives while the gateway is being asked is asked afterwards, even about a final order', async () => {
  const { orderId } = await world.paid()
  world.retell = async (order) => {
    await world.wallet.jobs.settle_order({ orderId })
    return order
  }
  await world.wallet.jobs.settle_order({ orderId })
  expect(timesAsked(orderId)).toBe(1)
  world.retell = undefined
  await world.passSpacing()
  await world.runDue()
  expect(timesAsked(orderId)).toBe(2)
  await world.passSpacing()
  await world.runDue()
  expect(timesAsked(orderId)).toBe(2)
})

test('a payment of another amount than ours goes to SUSPENSE, and the right one is credited afterwards', async () => {
  const { member, orderId } = await world.paid()
  world.retell = (order) => ({ ...order, orderAmount: paise(500n) })
  await world.verify(member, orderId)
  expect(await world.balanceOf(member)).toBe(0)
  expect(await world.suspended(orderId)).toEqual([{ reason: 'other_amount', amount: 500n }])
  world.retell = undefined
  await world.passSpacing()
  await world.verify(member, orderId)
  expect(await world.balanceOf(member)).toBe(10)
})

test('a surcharge does not change the credit', async () => {
  await world.control('/faults', { surcharge: 2.5 })
  const { member, orderId } = await world.paid()
  expect((await world.verify(member, orderId)).body).toEqual({ balance: 10, status: 'PAID' })
})

test('a second payment of one order goes to SUSPENSE, once, and its owner is told', async () => {
  const { member, orderId } = await world.paid()
  await world.verify(member, orderId)
  world.retell = (order) => ({ ...order, payments: order.payments.flatMap((one) => [one, { ...one, paymentId: `${one.paymentId}-b` }]) })
  for (let round = 0; round < 2; round++) {
    await world.passSpacing()
    await world.wallet.jobs.settle_order({ orderId })
  }
  expect(await world.balanceOf(member)).toBe(10)
  expect(await world.suspended(orderId)).toEqual([{ reason: 'second_payment', amount: 1000n }])
  const told = await world.db.query(sql`
    select kind, data ->> 'amount' as amount from notice where member_id = ${member}::bigint and kind = 'payment_waiting'
    union all select j.kind, payload -> 'data' ->> 'amount' from job j join member m on m.email = payload ->> 'to'
     where m.id = ${member}::bigint and payload ->> 'template' = 'payment_waiting' order by kind`)
  expect(told).toMatchObject([{ kind: 'mail', amount: '₹10.00' }, { kind: 'payment_waiting' }])
})

test('a payment for an order that is not ours goes to SUSPENSE', async () => {
  const orderId = await world.strangeOrder(15)
  const before = await world.eventCount()
  await world.pay(orderId, 'success')
  await waitFor('the webhook', async () => (await world.eventCount()) > before)
  await world.runDue()
  expect(await world.suspended(orderId)).toEqual([{ reason: 'unknown_order', amount: 1500n }])
  expect((await world.confirm(orderId)).status).toBe(404)
})

/** The table refuses every row during the work, like a database that is cut off before the first statement of a question. */
async function refusing(table: 'order_check' | 'dispute_check', work: () => Promise<void>): Promise<void> {
  const mend = await breakRows(world.database, table, 'true')
  try {
    await work()
  } finally {
    await mend()
  }
}
/** Runs the open jobs at once, whatever their next try says. */
async function runOpenJobs(): Promise<void> {
  await world.db.query(sql`update job set due_at = roz_now() where done_at is null`)
  await world.runDue()
}

test('the question about an order that is not ours survives a failure before its first row is written', async () => {
  const orderId = await world.strangeOrder(15)
  const before = await world.eventCount()
  await refusing('order_check', async () => {
    await world.pay(orderId, 'success')
    await waitFor('the webhook', async () => (await world.eventCount()) > before)
    await world.runDue()
  })
  expect(await world.suspended(orderId)).toEqual([])
  await runOpenJobs()
  expect(await world.suspended(orderId)).toEqual([{ reason: 'unknown_order', amount: 1500n }])
})

test('the question about a new dispute survives a failure before its first row is written', async () => {
  const { member, orderId } = await world.paid(20)
  await world.verify(member, orderId)
  const before = await world.eventCount()
  await refusing('dispute_check', async () => {
    await world.control(`/orders/${orderId}/dispute`, {})
    await waitFor('the webhook', async () => (await world.eventCount()) > before)
    await world.runDue()
  })
  expect(await world.balanceOf(member)).toBe(20)
  await runOpenJobs()
  expect(await world.balanceOf(member)).toBe(0)
})

test('a member whom Auto Participate skipped today is joined by a job after the top-up', async () => {
  const member = await makeMember(world.db)
  await world.db.query(sql`
    insert into auto_skip (day, member_id, reason) values (ist_day(roz_now()), ${member}::bigint, 'insufficient_balance')`)
  await world.db.query(sql`update wallet set auto_join = true where member_id = ${member}::bigint`)
  const orderId = await world.newOrder(member)
  await world.pay(orderId, 'success', 0)
  await world.verify(member, orderId)
  await world.runDue()
  expect(world.jobs).toContainEqual({ kind: 'join_after_topup', payload: { memberId: String(member) } })
})

test('another member’s order is not found', async () => {
  const orderId = await world.newOrder(await makeMember(world.db))
  const stranger = await world.verify(await makeMember(world.db), orderId)
  expect(stranger).toMatchObject({ status: 404, body: { code: 'order_not_found' } })
  expect((await world.verify(await makeMember(world.db), 'nothing')).status).toBe(404)
  expect(world.gatewayCalls).toEqual([])
})

test('confirm answers anybody, names nobody, and refuses an invented order', async () => {
  const orderId = await world.newOrder(await makeMember(world.db))
  const { status, body } = await world.confirm(orderId)
  expect(status).toBe(200)
  expect(body).toEqual({ data: { success: false, orderUserDetails: { order_id: orderId, order_amount: 10, order_status: 'PENDING' } } })
  expect(timesAsked(orderId)).toBe(1)
  expect(await world.confirm('0'.repeat(32))).toMatchObject({
    status: 404,
    body: { code: 'order_not_found', message: "We couldn't find any payment information for this order." },
  })
})
