/** Disputes from the payer's bank to the books: adapter, webhook, job and sweep, against the gateway sandbox. */
import { beforeEach, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { bookPayout } from '../../ledger/withdrawals.ts'
import { useWalletWorld, waitFor } from '../../testing/wallet-world.ts'
import { noticesTo } from '../../testing/notices.ts'

const world = useWalletWorld()
beforeEach(() => world.reset())

/** A member whose only money is one paid order. */
async function payer(rupees = 30): Promise<{ readonly member: bigint; readonly orderId: string }> {
  const { member, orderId } = await world.paid(rupees)
  await world.verify(member, orderId)
  expect(await world.balanceOf(member)).toBe(rupees)
  return { member, orderId }
}
const raise = async (orderId: string, body: object = {}): Promise<string> =>
  String((await world.control(`/orders/${orderId}/dispute`, body))['dispute_id'])
const move = (disputeId: string, body: object) => world.control(`/disputes/${disputeId}`, body)
const WORDS = ['payment_', 'debt_']
const told = async (member: bigint): Promise<unknown[]> =>
  (await noticesTo(world.db, member)).flatMap(({ kind, data }) => (WORDS.some((word) => kind.startsWith(word)) ? [[kind, data]] : []))
const mailed = async (member: bigint): Promise<unknown[]> => {
  const { email } = await world.db.one<{ email: string }>(sql`select email from member where id = ${member}::bigint`)
  return world.jobs.flatMap(({ kind, payload }) => {
    const mail = payload as { to?: string; template: string; data: unknown }
    return kind === 'mail' && mail.to === email && mail.template.startsWith('payment_') ? [[mail.template, mail.data]] : []
  })
}
const stateOf = (disputeId: string) => world.db.query(sql`select state, is_taken as "isTaken" from dispute where id = ${disputeId}::text`)

/** Runs due work until the condition is true: webhooks arrive at any time. */
const until = (what: string, holds: () => Promise<boolean>) =>
  waitFor(what, async () => {
    await world.runDue()
    return holds()
  })
const passDay = () => world.db.query(sql`update dispute_check set ask_at = roz_now() where ask_at is not null`)

test('a chargeback takes the money once for all its webhooks, returns it when won, and tells the member both times', async () => {
  const { member, orderId } = await payer()
  const id = await raise(orderId, { webhooks: 3 })
  await until('the money is taken', async () => (await world.balanceOf(member)) === 0)
  await move(id, { step: 'UNDER_REVIEW' })
  await move(id, { step: 'MERCHANT_WON' })
  await until('the money is back', async () => (await world.balanceOf(member)) === 30)
  expect(await stateOf(id)).toEqual([{ state: 'won', isTaken: false }])
  expect(await told(member)).toEqual([
    ['payment_taken_back', { amount: '₹30.00' }],
    ['payment_given_back', { amount: '₹30.00' }],
  ])
  expect(await mailed(member)).toMatchObject([
    ['payment_taken_back', { amount: '₹30.00', owed: '', open: 'yes' }],
    ['payment_given_back', { amount: '₹30.00', owed: '' }],
  ])
  expect(world.alarms).toMatchObject([{ disputeId: id, orderId, message: 'a payer disputes a payment' }])
  const flags = await world.db.query(sql`select kind from member_flag where member_id = ${member}::bigint`)
  expect(flags).toEqual([{ kind: 'dispute' }])
  const { transactions } = await world.transactions(member)
  expect(transactions.slice(0, 2).map(({ description, type, amount }) => [description, type, amount])).toEqual([
    ['Payment returned by the bank', 'credit', 30],
    ['Payment taken back by the bank', 'debit', 30],
  ])
})

test('a dispute takes money only when lost, up to the balance, says so, and the rest becomes a debt; a retrieval takes nothing', async () => {
  const { member, orderId } = await payer()
  const asked = await raise(orderId, { stage: 'RETRIEVAL' })
  await move(asked, { step: 'INSUFFICIENT_EVIDENCE' })
  const id = await raise(orderId, { stage: 'DISPUTE' })
  await until('both are known', async () => (await stateOf(id)).length + (await stateOf(asked)).length === 2)
  expect(await world.balanceOf(member)).toBe(30)
  expect((await world.withdraw(member, 20)).status).toBe(200)
  await move(id, { step: 'MERCHANT_ACCEPTED' })
  await until('the rest is taken', async () => (await world.balanceOf(member)) === 0)
  expect((await told(member)).toSorted()).toEqual([
    ['payment_lost', { amount: '₹10.00' }],
    ['payment_owed', { amount: '₹20.00' }],
  ])
  expect(await mailed(member)).toMatchObject([['payment_taken_back', { amount: '₹10.00', owed: '₹20.00', open: '' }]])
  const parts = await world.db.query(sql`
    select debit = 9 as "isLoss", amount from transfer where kind = 'chargeback' and subject_of(ref) = ${id}::text order by 2`)
  expect(parts).toEqual([
    { isLoss: false, amount: 1000n },
    { isLoss: true, amount: 2000n },
  ])
  // Held money stays held. The withdrawal that fails later pays the debt.
  const [row] = await world.db.query<{ id: string }>(sql`select id from withdrawal where member_id = ${member}::bigint`)
  await inTransaction(world.db, (tx) => bookPayout(tx, { id: row?.id ?? '', word: 'failed' }))
  expect(await world.balanceOf(member)).toBe(0)
  const { transactions } = await world.transactions(member)
  expect(transactions[0]).toMatchObject({ description: 'Paid for a payment the bank took back', type: 'debit', amount: 20 })
  await move(id, { stage: 'PRE_ARBITRATION', step: 'CREATED' })
  await move(id, { step: 'MERCHANT_WON' })
  await until('the money is back', async () => (await world.balanceOf(member)) === 30)
})

test('a dispute won while the debt is unpaid returns what the wallet gave, and tells the member that the debt is over', async () => {
  const { member, orderId } = await payer()
  expect((await world.withdraw(member, 20)).status).toBe(200)
  const id = await raise(orderId)
  await until('the money is taken', async () => (await world.balanceOf(member)) === 0)
  await move(id, { step: 'MERCHANT_WON' })
  await until('the money is back', async () => (await world.balanceOf(member)) === 10)
  const [, returned] = await mailed(member)
  expect(returned).toMatchObject(['payment_given_back', { amount: '₹10.00', owed: '₹20.00' }])
  expect((await told(member)).slice(2).toSorted()).toEqual([
    ['debt_ended', { amount: '₹20.00' }],
    ['payment_given_back', { amount: '₹10.00' }],
  ])
})

test('lost or forged webhooks change nothing in the end, because the gateway is asked daily', async () => {
  const { member, orderId } = await payer()
  const id = await raise(orderId)
  await until('the money is taken', async () => (await world.balanceOf(member)) === 0)
  await move(id, { step: 'MERCHANT_WON', webhooks: 0 })
  await world.runDue()
  expect(await world.balanceOf(member)).toBe(0)
  await passDay()
  await world.runDue()
  expect(await world.balanceOf(member)).toBe(30)
  // The dispute moves to the next stage weeks after it was won.
  await move(id, { stage: 'PRE_ARBITRATION', step: 'CREATED', webhooks: 0 })
  await passDay()
  await world.runDue()
  expect(await world.balanceOf(member)).toBe(0)
  await move(id, { step: 'MERCHANT_LOST', webhooks: 0 })
  await passDay()
  await world.runDue()
  expect(await stateOf(id)).toEqual([{ state: 'lost', isTaken: true }])
})

test('of two statuses within a second the decision stays; a later stage opens the dispute again', async () => {
  const { member, orderId } = await payer()
  const id = await raise(orderId, { webhooks: 0 })
  /** Asks about the status, which began in the second of the booked one. */
  const askSameSecond = async (status: Record<string, unknown>) => {
    await world.db.query(sql`update dispute set told_at = ${String(status['updated_at'])}::timestamptz where id = ${id}::text`)
    await world.disputes.jobs.check_dispute({ disputeId: id })
    return [await world.balanceOf(member), ...(await stateOf(id))]
  }
  await world.disputes.jobs.check_dispute({ disputeId: id })
  const won = [30, { state: 'won', isTaken: false }]
  expect(await askSameSecond(await move(id, { step: 'MERCHANT_WON', webhooks: 0 }))).toEqual(won)
  // The status before the decision, as an old answer tells it.
  expect(await askSameSecond(await move(id, { step: 'CREATED', force: true, webhooks: 0 }))).toEqual(won)
  const later = await move(id, { stage: 'PRE_ARBITRATION', step: 'CREATED', force: true, webhooks: 0 })
  expect(await askSameSecond(later)).toEqual([0, { state: 'open', isTaken: true }])
})

test('a gateway that does not answer is asked again', async () => {
  const { member, orderId } = await payer()
  await world.control('/faults', { api: 'rate_limit' })
  const id = await raise(orderId)
  await until(
    'it was asked for',
    async () => (await world.db.query(sql`select from dispute_check where dispute_id = ${id}::text`)).length === 1,
  )
  expect(await world.balanceOf(member)).toBe(30)
  await world.control('/faults', {})
  await passDay()
  await world.runDue()
  expect(await world.balanceOf(member)).toBe(0)
})

test('a dispute above the payment, or of an unknown payment, is not booked and raises one alarm', async () => {
  const { member, orderId } = await payer(10)
  const more = await raise(orderId, { amount: 10.5 })
  const strange = await world.strangeOrder(20)
  await world.pay(strange, 'success', 0)
  const foreign = await raise(strange)
  await until('both are known', async () => (await stateOf(more)).length + (await stateOf(foreign)).length === 2)
  await passDay()
  await world.runDue()
  expect(await world.balanceOf(member)).toBe(10)
  expect(world.alarms.map((alarm) => (alarm as { problem?: string }).problem).sort()).toEqual(['more_than_paid', 'unknown_payment'])
})

test('a dispute in another currency takes nothing and raises an alarm; corrected to rupees it takes the money', async () => {
  const { member, orderId } = await payer()
  const id = await raise(orderId, { webhooks: 0 })
  await world.control('/faults', { currency: 'USD' })
  await world.disputes.jobs.check_dispute({ disputeId: id })
  expect(await world.balanceOf(member)).toBe(30)
  expect(world.alarms).toMatchObject([{ disputeId: id, problem: 'other_currency' }])
  await world.control('/faults', {})
  await world.disputes.jobs.check_dispute({ disputeId: id })
  expect(await world.balanceOf(member)).toBe(0)
})
