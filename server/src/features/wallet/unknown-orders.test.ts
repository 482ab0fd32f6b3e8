/** Orders that the gateway says it does not know. Its “no” is in its own form here; a stranger's is no answer at all. */
import { beforeEach, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { makeMember } from '../../testing/calls.ts'
import { useWalletWorld, waitFor } from '../../testing/wallet-world.ts'

const world = useWalletWorld()
beforeEach(() => world.reset())

const forget = (): void => {
  world.retell = () => undefined
}
const age = (orderId: string) =>
  world.db.query(sql`update topup set created_at = created_at - interval '1 hour' where order_id = ${orderId}::text`)
const ask = async (): Promise<void> => {
  await world.sweep()
}
const statusOf = async (orderId: string): Promise<string> =>
  (await world.db.one<{ status: string }>(sql`select status from topup where order_id = ${orderId}::text`)).status
const hoursToNext = async (orderId: string): Promise<number | null | undefined> =>
  (
    await world.db.maybeOne<{ hours: number | null }>(
      sql`select round(extract(epoch from ask_at - roz_now()) / 3600, 1)::float8 as hours from order_check where order_id = ${orderId}::text`,
    )
  )?.hours
/** An order whose creation was not answered. */
async function unanswered(member: bigint, api: 'error_after_commit' | 'bank_failure'): Promise<string> {
  await world.control('/faults', { api })
  expect((await world.add(member)).status).toBe(502)
  await world.control('/faults', {})
  const { id } = await world.db.one<{ id: string }>(sql`select order_id as id from topup where member_id = ${member}::bigint`)
  await age(id)
  return id
}

test('an order whose creation was answered is never given up: a “no” is told to the operator, and the payment is credited after it', async () => {
  const { member, orderId } = await world.ordered()
  await age(orderId)
  await world.pay(orderId, 'success', 0)
  forget()
  for (let times = 0; times < 5; times++) await ask()
  expect([await statusOf(orderId), world.alarms]).toMatchObject(['pending', [{ work: 'order', item: orderId, tries: 5 }]])
  world.retell = undefined
  await ask()
  expect([await world.balanceOf(member), await statusOf(orderId)]).toEqual([10, 'captured'])
  expect(await world.db.query(sql`select from parked_work where item = ${orderId}::text`)).toEqual([])
})

test('so is an order of which a webhook came, although its creation was not answered', async () => {
  const member = await makeMember(world.db)
  const orderId = await unanswered(member, 'error_after_commit')
  const before = await world.eventCount()
  forget()
  await world.pay(orderId, 'success')
  await waitFor('the webhook', async () => (await world.eventCount()) > before)
  await world.runDue()
  expect([await world.answerToWebhook(orderId), await statusOf(orderId)]).toEqual([200, 'created'])
  for (let times = 0; times < 4; times++) await ask()
  expect([await statusOf(orderId), world.alarms.length]).toEqual(['created', 1])
  world.retell = undefined
  await ask()
  expect(await world.balanceOf(member)).toBe(10)
})

test('a “no” ends no watch over a paid order', async () => {
  const { orderId } = await world.ordered()
  await age(orderId)
  await world.pay(orderId, 'success', 0)
  await ask()
  forget()
  await ask()
  world.retell = undefined
  await world.control(`/orders/${orderId}/pay`, { outcome: 'success', again: true, webhooks: 0 })
  await ask()
  expect(await world.suspended(orderId)).toEqual([{ reason: 'second_payment', amount: 1000n }])
})

test('an order that was never made reads as failed, is asked about for six hours, then four times more, and is paid if it exists after all', async () => {
  const member = await makeMember(world.db)
  const orderId = await unanswered(member, 'bank_failure')
  for (let times = 0; times < 6; times++) await ask()
  expect([await statusOf(orderId), world.alarms]).toEqual(['failed', []])
  expect(await hoursToNext(orderId)).toBeLessThan(1)
  await world.db.query(sql`update order_check set missing_since = missing_since - interval '6 hours' where order_id = ${orderId}::text`)
  const waits: unknown[] = []
  for (const hours of [0, 1, 23, 48, 168]) {
    await world.db.query(
      sql`update order_check set final_at = final_at - make_interval(hours => ${hours}::int) where order_id = ${orderId}::text`,
    )
    await ask()
    waits.push(await hoursToNext(orderId))
  }
  expect(waits).toEqual([1, 23, 48, 168, null])
})

test('an order that is not ours ends in the same way, without an alarm: a test of the gateway’s dashboard invents one', async () => {
  const orderId = 'test_order_of_the_dashboard'
  await world.wallet.jobs.settle_order({ orderId })
  for (let times = 0; times < 6; times++) await ask()
  expect(world.alarms).toEqual([])
  await world.db.query(sql`update order_check set missing_since = missing_since - interval '6 hours' where order_id = ${orderId}::text`)
  await ask()
  expect(await hoursToNext(orderId)).toBe(1)
})
