import { beforeEach, expect, test } from 'vitest'
import { paise } from '@roz/core/money.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { bankTransferGateway } from '../../adapters/payments/bank-transfer.ts'
import { createAttempt } from '../../jobs/parking.ts'
import { captureTopup } from '../../ledger/topups.ts'
import { readWallet } from '../../ledger/wallets.ts'
import { makeMember, makeStaff, publicIdOf, testSecrets } from '../../testing/calls.ts'
import { usePayoutsWorld } from '../../testing/payouts-world.ts'
import { readTodo } from '../desk/todo.ts'
import { createPayouts } from './payouts.ts'

const world = usePayoutsWorld()
let member: bigint
let orderId: string
beforeEach(async () => {
  world.refunds.sendings.length = 0
  world.alarms.length = 0
  member = await makeMember(world.db)
  orderId = await world.pay(member, 20)
})

const ask = (amount: unknown, change: object = {}, headers: Record<string, string> = {}) =>
  world.calls.ask('POST /wallet/refunds', { as: member, headers, body: { order_id: orderId, amount, reason: 'Added too much', ...change } })
const asked = async (amount = 10): Promise<string> => (await ask(amount)).body.refund.id
/** Decides as an administrator who sees the refund's present state, unless `body` names another. */
async function decide(id: string, what: string, body: object = {}) {
  const found = await world.db.maybeOne<{ status: string }>(sql`select status from refund where id::text = ${id}::text`)
  return world.calls.ask(`POST /admin/refunds/${id}/${what}`, { as: world.admin, body: { status: found?.status ?? 'requested', ...body } })
}
const approved = async (id: string): Promise<void> => {
  expect((await decide(id, 'approve')).status).toBe(200)
  await world.runDue()
}
const list = async () => (await world.calls.ask('GET /wallet/refunds', { as: member })).body
/** State, balance and held money, in rupees. */
const stateOf = async (id: string) => {
  const { status } = await world.db.one<{ status: string }>(sql`select status from refund where id = ${id}::uuid`)
  const wallet = await readWallet(world.db, member)
  return [status, Number(wallet?.balance ?? 0n) / 100, Number(wallet?.held ?? 0n) / 100]
}
const timesSent = (id: string): number => world.refunds.sent.filter(({ refundId }) => refundId === id.replaceAll('-', '')).length

test('a refund is requested and held, approved, sent to its order under its own id, and paid', async () => {
  const { status, body } = await ask(12.5)
  expect(status).toBe(200)
  await world.runDue()
  expect(await world.toldOf(member, 'refund_requested')).toEqual([['mail', { amount: '₹12.50' }]])
  expect(body).toEqual({
    balance: 7.5,
    refund: {
      id: expect.any(String),
      order_id: orderId,
      amount: 12.5,
      status: 'pending',
      reason: 'Added too much',
      decision: null,
      reference: null,
      createdAt: expect.any(String),
    },
  })
  const { id } = body.refund
  expect((await list()).refundable).toMatchObject([{ order_id: orderId, amount: 20, unused: 7.5 }])
  await approved(id)
  expect(world.refunds.sent.at(-1)).toEqual({ orderId, refundId: id.replaceAll('-', ''), amount: 1250n, currency: 'INR' })
  world.gatewayRefunds(id, 'paid')
  expect((await world.refundWebhook({ type: 'REFUND_STATUS_WEBHOOK', orderId, refundId: id.replaceAll('-', '') })).status).toBe(200)
  await world.pass(20)
  expect(await stateOf(id)).toEqual(['paid', 7.5, 0])
  expect((await list()).refunds).toMatchObject([{ id, status: 'completed', reference: 'ARN7' }])
  const { transactions } = (await world.calls.ask('GET /wallet/transactions', { as: member, headers: { 'accept-language': 'hi' } })).body
  expect(transactions[0]).toMatchObject({ description: 'उसी तरीके से रिफ़ंड जिससे पेमेंट हुआ था', type: 'debit', status: 'completed' })
  await world.runDue()
  expect(await world.noticesOf(member)).toEqual(['refund_paid'])
  const log = await world.db.query(sql`select action, actor_id from audit_log where subject = ${`refund:${id}`}::text`)
  expect(log).toEqual([{ action: 'refund.approve', actor_id: world.admin }])
})

test.each([
  [0, {}, 400, 'invalid_input'],
  [-5, {}, 400, 'invalid_input'],
  ['5', {}, 400, 'invalid_input'],
  [5, { reason: 'x' }, 400, 'invalid_input'],
  [5, { more: 1 }, 400, 'invalid_input'],
  [5, { order_id: 'f'.repeat(32) }, 404, 'order_not_found'],
  [20.01, {}, 409, 'refund_exceeds_unused'],
  [0.01, {}, 409, 'refund_too_small'],
  [0.99, {}, 409, 'refund_too_small'],
])('refuses ₹%s with %j: %i %s', async (amount, change, status, code) => {
  expect(await ask(amount, change)).toMatchObject({ status, body: { code } })
  expect((await list()).refunds).toEqual([])
})

test('a refund is refused after seven days, and the list does not offer it', async () => {
  await world.db.query(sql`update topup set captured_at = captured_at - interval '7 days 1 second' where order_id = ${orderId}::text`)
  expect((await ask(5)).body.code).toBe('refund_not_possible')
  expect((await list()).refundable).toEqual([])
})

test('a failed or rejected refund returns the money, which can be requested again', async () => {
  const failed = await asked(20)
  await approved(failed)
  world.gatewayRefunds(failed, 'failed', { description: 'The bank did not take it' })
  await world.pass(20)
  expect(await stateOf(failed)).toEqual(['failed', 20, 0])
  const rejected = await asked(20)
  expect((await decide(rejected, 'reject', { reason: 'Already used' })).body.refund).toMatchObject({
    status: 'rejected',
    decision: 'Already used',
  })
  expect(await stateOf(rejected)).toEqual(['rejected', 20, 0])
  expect((await list()).refunds.map((refund: { decision: string }) => refund.decision)).toEqual([
    'Already used',
    'The bank did not take it',
  ])
  expect((await decide(rejected, 'approve')).body.code).toBe('refund_final')
  const { transactions } = (await world.calls.ask('GET /wallet/transactions', { as: member })).body
  expect(transactions.map((one: { description: string; reason: string }) => [one.description, one.reason]).slice(0, 3)).toEqual([
    ['Refund returned', 'Already used'],
    ['Refund to your original payment method', 'Already used'],
    ['Refund returned', null],
  ])
  const { receipt } = (await world.calls.ask(`GET /wallet/transactions/${transactions[1].id}`, { as: member })).body
  expect(receipt).toMatchObject({ status: 'rejected', reason: 'Already used' })
  await world.runDue()
  expect(await world.noticesOf(member)).toEqual(['refund_rejected', 'refund_returned'])
  expect(await world.toldOf(member, 'refund_rejected')).toEqual([
    ['mail', { amount: '₹20.00', reason: 'Already used' }],
    ['notice', { amount: '₹20.00', reason: 'Already used' }],
  ])
})

test('a lost sending is sent again under its id; a refused one waits for a second approval', async () => {
  world.refunds.sendings.push('lose')
  const lost = await asked(5)
  await approved(lost)
  for (const seconds of [16, 31, 61, 121, 241]) await world.pass(seconds)
  expect([await stateOf(lost), timesSent(lost)]).toEqual([['sending', 15, 5], 1])
  await world.pass(481)
  expect(timesSent(lost)).toBe(2)
  world.refunds.sendings.push('refuse')
  const refused = await asked(5)
  await approved(refused)
  const shown = (await world.calls.ask(`GET /admin/refunds?q=${refused}`, { as: world.admin })).body.refunds
  expect(shown).toMatchObject([{ id: refused, status: 'approved', problem: 'refund_amount_invalid', member: { name: expect.any(String) } }])
  await approved(refused)
  world.gatewayRefunds(refused, 'paid')
  await world.pass(60)
  expect(await stateOf(refused)).toEqual(['paid', 10, 5])
})

/** The program after a change to bank transfers and payouts by hand. */
function withoutGateway() {
  const { db } = world
  const quiet = () => undefined
  return createPayouts({
    db,
    attempt: createAttempt({ db, log: { warn: quiet, error: quiet } }),
    payouts: undefined,
    gateway: bankTransferGateway({ db }),
    secrets: testSecrets,
    approvalAbove: paise(100_000n),
    warn: quiet,
    alarm: quiet,
  })
}

test('a refund whose answer was lost stays on its way while money is added by bank transfers', async () => {
  world.refunds.sendings.push('lose')
  const id = await asked()
  await approved(id)
  const { db } = world
  const { sweeps } = withoutGateway()
  for (let hour = 0; hour < 6; hour++) {
    await db.query(sql`select set_clock_offset((select offset_ms from clock_offset) + 3600000)`)
    for (const sweep of sweeps) await sweep()
  }
  expect(await stateOf(id)).toEqual(['sending', 10, 10])
  expect((await decide(id, 'reject', { reason: 'It was not sent' })).body.code).toBe('refund_final')
  // The former gateway is asked again: it had paid.
  world.gatewayRefunds(id, 'paid')
  await world.pass(3700)
  expect(await stateOf(id)).toEqual(['paid', 10, 0])
})

test('a refund and a payout of a former gateway are listed for finance while they have no end', async () => {
  const refund = await asked()
  await approved(refund)
  const withdrawal = await world.withdraw(await world.funded(30))
  await world.decide(withdrawal, 'approve')
  await world.runDue()
  expect([(await stateOf(refund))[0], (await world.stateOf(withdrawal))[0]]).toEqual(['sending', 'sending'])
  const query = { status: 'not_sent', limit: 100 }
  const call = { query, session: { memberId: world.admin } } as never
  const listed = async ({ handlers }: typeof world.payouts): Promise<readonly [refunds: string[], withdrawals: string[]]> => {
    const [refunds, withdrawals] = [await handlers.adminRefunds(call), await handlers.adminWithdrawals(call)]
    if (!refunds.ok || !withdrawals.ok) throw new Error('the lists are refused')
    return [refunds.value.refunds.map(({ id }) => id), withdrawals.value.withdrawals.map(({ id }) => id)]
  }
  const areListed = ([refunds, withdrawals]: Awaited<ReturnType<typeof listed>>) => [
    refunds.includes(refund),
    withdrawals.includes(withdrawal),
  ]
  expect(areListed(await listed(world.payouts))).toEqual([false, false])
  const [refunds, withdrawals] = await listed(withoutGateway())
  expect(areListed([refunds, withdrawals])).toEqual([true, true])
  const viewer = { memberId: world.admin, staffRole: 'owner' } as const
  const todo = await readTodo(world.db, { viewer, payoutsByHand: true, byTransfer: true })
  const counted = (code: string) => todo.find((line) => line.code === code)?.count
  expect([counted('failed_refunds'), counted('failed_payouts')]).toEqual([refunds.length, withdrawals.length])
})

test('a gateway state that contradicts an end is booked, raises an alarm, and flags refund and member', async () => {
  const id = await asked(10)
  await approved(id)
  world.gatewayRefunds(id, 'failed')
  await world.pass(20)
  world.gatewayRefunds(id, 'paid')
  await world.pass(86_400)
  await world.pass(86_400)
  expect(world.alarms).toMatchObject([{ refundId: id, ours: 'failed', booked: 'conflict' }])
  expect(await stateOf(id)).toEqual(['failed', 20, 0])
  expect(await world.db.query(sql`select kind from member_flag where subject = ${`refund:${id}`}::text`)).toEqual([
    { kind: 'gateway_conflict' },
  ])
  expect(await world.noticesOf(member)).toEqual(['refund_returned'])
  const problem = async () => (await world.db.query(sql`select problem from refund where id = ${id}::uuid`))[0]
  expect(await problem()).toEqual({ problem: 'gateway_conflict' })
  // The payment came back: nobody has to look any more.
  world.gatewayRefunds(id, 'failed')
  await world.pass(86_400)
  expect(await problem()).toEqual({ problem: null })
})

test('a refund in another currency than its payment is not booked and raises an alarm', async () => {
  const id = await asked()
  await approved(id)
  world.gatewayRefunds(id, 'paid', { currency: 'USD' })
  await world.pass(20)
  expect(await stateOf(id)).toEqual(['sending', 10, 10])
  expect(world.alarms).toMatchObject([{ refundId: id }])
  world.gatewayRefunds(id, 'paid', { currency: 'INR' })
  await world.pass(3600)
  expect(await stateOf(id)).toEqual(['paid', 10, 0])
})

test('a payment in another currency cannot be credited, and is refunded in that currency', async () => {
  const foreign = crypto.randomUUID().replaceAll('-', '')
  const payment = { orderId: foreign, paymentId: `pay_${foreign}`, orderAmount: paise(1000n), currency: 'USD' }
  await inTransaction(world.db, (tx) => captureTopup(tx, payment))
  const [item] = (await world.calls.ask(`GET /admin/suspense?q=${foreign}`, { as: world.admin })).body.suspense
  expect(item).toMatchObject({ amount: 10, currency: 'USD', status: 'open' })
  const publicId = await publicIdOf(world.db, member)
  const credit = await world.calls.ask(`POST /admin/suspense/${item.id}/credit`, {
    as: world.admin,
    body: { memberId: publicId, status: 'open' },
  })
  expect([credit.status, credit.body.code]).toEqual([409, 'suspense_other_currency'])
  expect((await world.calls.ask(`POST /admin/suspense/${item.id}/refund`, { as: world.admin, body: { status: 'open' } })).status).toBe(200)
  await world.runDue()
  const sent = world.refunds.sent.at(-1)
  expect(sent).toMatchObject({ orderId: foreign, amount: 1000n, currency: 'USD' })
  const { id } = await world.db.one<{ id: string }>(sql`select id from refund where order_id = ${foreign}::text`)
  world.gatewayRefunds(id, 'paid', { currency: 'INR' })
  await world.pass(20)
  expect(world.alarms).toMatchObject([{ refundId: id }])
  world.gatewayRefunds(id, 'paid', { currency: 'USD' })
  await world.pass(3600)
  expect(await world.db.query(sql`select status from refund where id = ${id}::uuid`)).toEqual([{ status: 'paid' }])
})

test('a refund that comes back days after it was paid returns the money and tells the member, with an alarm', async () => {
  const id = await asked(10)
  await approved(id)
  world.gatewayRefunds(id, 'paid')
  await world.pass(20)
  expect(await stateOf(id)).toEqual(['paid', 10, 0])
  world.gatewayRefunds(id, 'failed', { description: 'Account closed' })
  await world.pass(86_400)
  expect(await stateOf(id)).toEqual(['failed', 20, 0])
  expect(world.alarms).toMatchObject([{ refundId: id, ours: 'paid', booked: 'reversed' }])
  expect(await world.noticesOf(member)).toEqual(['refund_paid', 'refund_returned'])
})

test('the same key requests once; refunds and withdrawals at once never take a rupee twice', async () => {
  const key = { 'idempotency-key': `r-${orderId}` }
  const answers = await Promise.all([1, 2, 3].map(() => ask(5, {}, key)))
  expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1)
  expect((await ask(6, {}, key)).body.code).toBe('idempotency_mismatch')
  const both = await Promise.all([ask(15), world.withdraw(member, 15).catch(() => undefined), ask(15)])
  const [balance, held] = [(await readWallet(world.db, member))?.balance, (await readWallet(world.db, member))?.held]
  expect([balance, held]).toEqual([0n, 2000n])
  expect(both.filter((one) => typeof one === 'string' || one?.status === 200)).toHaveLength(1)
})

test('only a member who is not suspended requests, and only an administrator after a step-up decides', async () => {
  const id = await asked(5)
  await world.db.query(sql`update member set suspended_at = roz_now() where id = ${member}::bigint`)
  expect((await ask(5)).body.code).toBe('on_hold')
  expect((await decide(id, 'approve')).body.code).toBe('member_on_hold')
  const stale = await world.calls.ask(`POST /admin/refunds/${id}/approve`, { as: world.admin, isStale: true })
  expect(stale.body.code).toBe('step_up_required')
  expect((await world.calls.ask('GET /admin/refunds', { as: member })).status).toBe(403)
  expect((await decide('nonsense', 'approve')).body.code).toBe('refund_not_found')
  const all = (await world.calls.ask('GET /admin/refunds?status=requested&limit=1', { as: world.admin })).body
  expect(all.refunds).toHaveLength(1)
})

/** A payment of an unknown order. */
async function suspended(): Promise<string> {
  const strange = crypto.randomUUID().replaceAll('-', '')
  await inTransaction(world.db, (tx) => captureTopup(tx, { orderId: strange, paymentId: `s-${strange}`, orderAmount: paise(1000n) }))
  return String((await world.db.one<{ id: bigint }>(sql`select id from suspense_item where order_id = ${strange}::text`)).id)
}
const decideItem = (id: string, what: string, body: object = {}, headers: Record<string, string> = {}) =>
  world.calls.ask(`POST /admin/suspense/${id}/${what}`, { as: world.admin, headers, body: { status: 'open', ...body } })

test('a payment without a destination is listed, and credited to a member once', async () => {
  const id = await suspended()
  const publicId = await publicIdOf(world.db, member)
  const listed = (await world.calls.ask('GET /admin/suspense?status=open&limit=1', { as: world.admin })).body
  expect(listed.suspense).toMatchObject([{ id, amount: 10, reason: 'unknown_order', status: 'open', waitingHours: 0, member: null }])
  const [later, more] = [await suspended(), '/admin/suspense?status=open&limit=1&order=oldest']
  await world.db.query(sql`update suspense_item set created_at = created_at - interval '50 hours' where id = ${id}::bigint`)
  const oldest = (await world.calls.ask(`GET ${more}`, { as: world.admin })).body
  expect(oldest.suspense).toMatchObject([{ id, waitingHours: 50 }])
  const next = (await world.calls.ask(`GET ${more}&cursor=${oldest.nextCursor}`, { as: world.admin })).body
  expect(next.suspense).toMatchObject([{ id: later }])
  expect((await decideItem(id, 'credit', { memberId: 'nobody' })).body.code).toBe('member_not_found')
  const key = { 'idempotency-key': `s-${id}` }
  // The payment has no owner, so the first person only names the member.
  const other = await makeStaff(world.db, 'finance')
  const named = await world.calls.ask(`POST /admin/suspense/${id}/credit`, { as: other, body: { status: 'open', memberId: publicId } })
  expect(named.body.item).toMatchObject({ status: 'awaiting_second', first: { payee: { id: publicId }, reference: null } })
  const seen = { status: 'awaiting_second', memberId: publicId }
  const answers = await Promise.all([1, 2, 3].map(() => decideItem(id, 'credit', seen, key)))
  expect(answers[0]?.body.item).toMatchObject({ id, status: 'credited', waitingHours: null, member: { id: publicId } })
  expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1)
  expect((await decideItem(id, 'refund')).body.code).toBe('changed_since_seen')
  expect((await decideItem(id, 'refund', { status: 'credited' })).body.code).toBe('suspense_decided')
  expect((await readWallet(world.db, member))?.balance).toBe(3000n)
  await world.runDue()
  expect(await world.noticesOf(member)).toEqual(['payment_assigned'])
  expect(await world.toldOf(member, 'payment_assigned')).toEqual([
    ['mail', { amount: '₹10.00' }],
    ['notice', { amount: '₹10.00' }],
  ])
})

test('a suspense item is refunded to its source, and is open again if that fails', async () => {
  const id = await suspended()
  expect((await decideItem(id, 'refund')).body.item).toMatchObject({ status: 'refunded' })
  await world.runDue()
  const { refunds } = (await world.calls.ask('GET /admin/refunds?limit=1', { as: world.admin })).body
  expect(refunds).toMatchObject([{ suspenseId: id, member: null, status: 'sending', amount: 10 }])
  world.gatewayRefunds(refunds[0].id, 'failed')
  await world.pass(20)
  const again = (await world.calls.ask(`GET /admin/suspense?q=${refunds[0].order_id}`, { as: world.admin })).body
  expect(again.suspense).toMatchObject([{ id, status: 'open', decidedAt: null }])
  await decideItem(id, 'refund')
  await world.runDue()
  const [second] = (await world.calls.ask('GET /admin/refunds?limit=1', { as: world.admin })).body.refunds
  world.gatewayRefunds(second.id, 'paid')
  await world.pass(20)
  expect((await world.calls.ask(`GET /admin/refunds?q=${second.refundId}`, { as: world.admin })).body.refunds).toMatchObject([
    { status: 'paid' },
  ])
  expect((await decideItem('999999', 'refund')).body.code).toBe('suspense_not_found')
  expect((await decideItem('x', 'refund')).body.code).toBe('suspense_not_found')
})
