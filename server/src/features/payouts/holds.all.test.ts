/** No money of a member on hold leaves: it waits with its reason, and continues when the hold ends. */
import { paise } from '@roz/core/money.ts'
import { beforeEach, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { captureTopup } from '../../ledger/topups.ts'
import { usePayoutsWorld } from '../../testing/payouts-world.ts'

const world = usePayoutsWorld()
const byHand = usePayoutsWorld({ byHand: true })
let member: bigint
let order: string
beforeEach(async () => {
  Object.assign(world.script, { sendings: [], beneficiary: 'ready', beneficiaries: [], isSilent: false })
  world.refunds.sendings.length = 0
  member = await world.funded(10)
  order = await world.pay(member, 20)
})

const hold = ({ db } = world, who = member) => db.query(sql`update member set suspended_at = roz_now() where id = ${who}::bigint`)
const release = ({ db } = world, who = member) => db.query(sql`update member set suspended_at = null where id = ${who}::bigint`)
const shown = async (list: 'withdrawals' | 'refunds', q: string) =>
  (await world.calls.ask(`GET /admin/${list}?q=${q}`, { as: world.admin })).body[list][0]
const decideRefund = (id: string, what: string, status: string) =>
  world.calls.ask(`POST /admin/refunds/${id}/${what}`, { as: world.admin, body: { status } })
const timesRefunded = (id: string) => world.refunds.sent.filter(({ refundId }) => refundId === id.replaceAll('-', '')).length
async function refund(): Promise<string> {
  const body = { order_id: order, amount: 5, reason: 'Added too much' }
  return (await world.calls.ask('POST /wallet/refunds', { as: member, body })).body.refund.id
}

test('a withdrawal approved before the hold is not sent, names its problem, and continues after the hold', async () => {
  const id = await world.withdraw(member)
  await world.decide(id, 'approve')
  await hold()
  await world.runDue()
  await world.pass(86_400)
  expect([world.timesSent(id), world.script.beneficiaries.length, await world.stateOf(id)]).toEqual([0, 0, ['approved', 20, 10]])
  expect(await shown('withdrawals', id)).toMatchObject({ status: 'approved', problem: 'member_on_hold', onHold: true })
  expect((await world.decide(id, 'retry')).body.code).toBe('member_on_hold')
  await release()
  await world.pass(1)
  expect([world.timesSent(id), await shown('withdrawals', id)]).toMatchObject([1, { status: 'sending', problem: null, onHold: false }])
  world.gatewaySays(id, 'paid')
  await world.pass(20)
  expect(await world.stateOf(id)).toEqual(['paid', 20, 0])
})

test('a lost sending is not repeated during the hold, but the gateway is still asked about it', async () => {
  const id = await world.withdraw(member)
  world.script.sendings = ['lose']
  await world.decide(id, 'approve')
  await world.runDue()
  expect(world.timesSent(id)).toBe(1)
  await hold()
  const asked = world.script.asked.length
  for (const seconds of [16, 31, 61, 121, 241, 481, 1000, 2000]) await world.pass(seconds)
  expect((await world.decide(id, 'retry')).status).toBe(200)
  await world.pass(10)
  expect([world.timesSent(id), world.script.asked.length > asked]).toEqual([1, true])
  expect(await shown('withdrawals', id)).toMatchObject({ status: 'sending', problem: 'member_on_hold' })
  await release()
  await world.pass(3700)
  expect([world.timesSent(id), (await shown('withdrawals', id)).problem]).toEqual([2, null])
})

test('a hold that begins while the account is registered at the gateway stops the sending', async () => {
  const id = await world.withdraw(member)
  await world.decide(id, 'approve')
  world.script.beforeReady = async () => void (await hold())
  await world.runDue()
  expect([world.script.beneficiaries.length, world.timesSent(id)]).toEqual([1, 0])
  expect(await shown('withdrawals', id)).toMatchObject({ status: 'approved', problem: 'member_on_hold' })
})

test('an approved refund waits for the hold to end and then continues', async () => {
  const id = await refund()
  await decideRefund(id, 'approve', 'requested')
  await hold()
  await world.runDue()
  await world.pass(86_400)
  expect([timesRefunded(id), await shown('refunds', id)]).toMatchObject([
    0,
    { status: 'approved', problem: 'member_on_hold', onHold: true },
  ])
  expect((await decideRefund(id, 'approve', 'approved')).body.code).toBe('member_on_hold')
  await release()
  await world.pass(1)
  expect([timesRefunded(id), await shown('refunds', id)]).toMatchObject([1, { status: 'sending', problem: null, onHold: false }])
})

test('a lost refund is not sent again during the hold', async () => {
  const id = await refund()
  world.refunds.sendings.push('lose')
  await decideRefund(id, 'approve', 'requested')
  await world.runDue()
  await hold()
  for (const seconds of [16, 31, 61, 121, 241, 481, 1000]) await world.pass(seconds)
  expect(timesRefunded(id)).toBe(1)
  await release()
  await world.pass(3700)
  expect(timesRefunded(id)).toBe(2)
})

test('the second payment of an order of a member on hold stays in suspense, and its refund waits', async () => {
  const second = { orderId: order, paymentId: `second-${order}`, orderAmount: paise(2000n) }
  await inTransaction(world.db, (tx) => captureTopup(tx, second))
  const { id } = await world.db.one<{ id: bigint }>(sql`select id from suspense_item where order_id = ${order}::text`)
  const back = () => world.calls.ask(`POST /admin/suspense/${id}/refund`, { as: world.admin, body: { status: 'open' } })
  await hold()
  expect((await back()).body.code).toBe('member_on_hold')
  const [item] = (await world.calls.ask(`GET /admin/suspense?q=${order}`, { as: world.admin })).body.suspense
  expect(item).toMatchObject({ status: 'open', onHold: true })
  await release()
  expect((await back()).status).toBe(200)
  await hold()
  await world.runDue()
  const waiting = await shown('refunds', order)
  expect(waiting).toMatchObject({ status: 'approved', problem: 'member_on_hold', onHold: true, suspenseId: String(id) })
  await release()
  await world.pass(1)
  expect(timesRefunded(waiting.id)).toBe(1)
})

test('several sweeps at once send a payout that a hold had stopped once', async () => {
  const id = await world.withdraw(member)
  await world.decide(id, 'approve')
  await hold()
  await world.runDue()
  await release()
  await Promise.all([1, 2, 3, 4].flatMap(() => world.payouts.sweeps.map((sweep) => sweep())))
  await world.runDue()
  expect(world.timesSent(id)).toBe(1)
})

test('by hand: during a hold nobody is shown the account or records a payment; “not paid” still returns the money', async () => {
  const who = await byHand.funded(30)
  const [first, second] = [await byHand.withdraw(who), await byHand.withdraw(who)]
  const paid = { bankReference: 'UTR1234' }
  for (const id of [first, second]) await byHand.decide(id, 'approve')
  expect((await byHand.decide(second, 'bank')).status).toBe(200)
  await hold(byHand, who)
  expect((await byHand.decide(first, 'bank')).body.code).toBe('member_on_hold')
  expect((await byHand.decide(second, 'complete', paid)).body.code).toBe('member_on_hold')
  expect((await byHand.decide(second, 'not-paid', { reason: 'Stopped in time' })).status).toBe(200)
  await release(byHand, who)
  expect((await byHand.decide(first, 'bank')).status).toBe(200)
  expect((await byHand.decide(first, 'complete', paid)).status).toBe(200)
})
