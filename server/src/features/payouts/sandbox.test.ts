/** Payouts and refunds without scripts: the real adapters against the gateway sandbox, over HTTP, with its webhooks. */
import { expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { readWallet } from '../../ledger/wallets.ts'
import { makeMember } from '../../testing/calls.ts'
import { openGatewayWorld } from '../../testing/gateway-world.ts'
import { BANK, waitFor } from '../../testing/wallet-world.ts'
import { perFile } from '../../testing/fixture.ts'

const world = perFile(openGatewayWorld)

/** A member who paid ₹30 at the gateway, and the order of that payment. */
async function payer(): Promise<{ member: bigint; orderId: string }> {
  const member = await makeMember(world.db)
  const added = await world.calls.ask('POST /wallet/add', { as: member, body: { amount: 30, phoneNumber: '9876543210' } })
  const orderId = String(added.body.order_id)
  await world.play(`/orders/${orderId}/pay`, { outcome: 'success' })
  await untilBalance(member, 3000n)
  return { member, orderId }
}
const untilBalance = (member: bigint, balance: bigint) =>
  waitFor(`a balance of ${balance}`, async () => {
    await world.goOn()
    return (await readWallet(world.db, member))?.balance === balance
  })
const untilStatus = (table: 'withdrawal' | 'refund', id: string, status: string) =>
  waitFor(`${table} ${status}`, async () => {
    await world.goOn()
    const row =
      table === 'withdrawal'
        ? await world.db.one<{ status: string }>(sql`select status from withdrawal where id = ${id}::uuid`)
        : await world.db.one<{ status: string }>(sql`select status from refund where id = ${id}::uuid`)
    return row.status === status
  })

test('a withdrawal is paid by the gateway, and is reversed days later', async () => {
  const { member } = await payer()
  const asked = await world.calls.ask('POST /wallet/withdraw', { as: member, body: { amount: 10, bankDetail: BANK } })
  const { id } = asked.body.withdrawal
  await world.decide(`withdrawals/${id}`)
  await untilStatus('withdrawal', id, 'sending')
  const transfer = `/transfers/${id.replaceAll('-', '')}`
  await world.play(transfer, { status: 'SUCCESS' })
  await untilStatus('withdrawal', id, 'paid')
  expect(await readWallet(world.db, member)).toMatchObject({ balance: 2000n, held: 0n })
  const events = () => world.db.query(sql`select 1 from payout_event where transfer_id = ${id.replaceAll('-', '')}::text`)
  await waitFor('the webhook', async () => (await events()).length > 0)
  const shown = (await world.calls.ask('GET /wallet/withdrawals', { as: member })).body.withdrawals[0]
  expect(shown).toMatchObject({ status: 'completed', reference: expect.stringMatching(/\S/) })
  await world.play(transfer, { status: 'REVERSED' })
  await untilStatus('withdrawal', id, 'reversed')
  expect(await readWallet(world.db, member)).toMatchObject({ balance: 3000n, held: 0n })
  expect(world.alarms).toEqual([])
})

const ORDER_NOTICES = ['AUTO_REFUND_STATUS_WEBHOOK', 'PAYMENT_CHARGES_WEBHOOK']
const PAYOUT_NOTICES = ['BULK_TRANSFER_REJECTED', 'BENEFICIARY_INCIDENT', 'CREDIT_CONFIRMATION', 'LOW_BALANCE_ALERT']

test('webhooks that name no step of ours are answered with 200 and move nothing', async () => {
  const { member, orderId } = await payer()
  const orderNotices = `/orders/${orderId}/notices`
  for (const type of ORDER_NOTICES) await world.play(orderNotices, { type })
  for (const type of PAYOUT_NOTICES) await world.play('/payouts/notices', { type })
  type Shown = { readonly type: string; readonly attempts: readonly { readonly status: number | null }[] }
  const answered = async (): Promise<string[]> => {
    const views = [
      await world.play(orderNotices, { type: ORDER_NOTICES[0], webhooks: 0 }),
      await world.play('/payouts/notices', { type: PAYOUT_NOTICES[0], webhooks: 0 }),
    ]
    return views.flatMap(({ webhooks }) => webhooks as Shown[]).flatMap(({ type, attempts }) => (attempts[0]?.status === 200 ? [type] : []))
  }
  await expect.poll(answered, { timeout: 10_000 }).toEqual(expect.arrayContaining([...ORDER_NOTICES, ...PAYOUT_NOTICES]))
  await world.goOn()
  expect(await readWallet(world.db, member)).toMatchObject({ balance: 3000n, held: 0n })
  expect(await world.db.query(sql`select from refund where order_id = ${orderId}::text`)).toEqual([])
  expect(world.alarms).toEqual([])
})

test('a gateway that revokes a failure is believed: a loss is booked, with an alarm', async () => {
  const { member } = await payer()
  const asked = await world.calls.ask('POST /wallet/withdraw', { as: member, body: { amount: 10, bankDetail: BANK } })
  const { id } = asked.body.withdrawal
  await world.decide(`withdrawals/${id}`)
  const transfer = `/transfers/${id.replaceAll('-', '')}`
  await world.play(transfer, { status: 'FAILED' })
  await untilStatus('withdrawal', id, 'failed')
  await world.play(transfer, { status: 'SUCCESS', force: true })
  await waitFor('the alarm', async () => {
    await world.goOn()
    return world.alarms.length > 0
  })
  expect(world.alarms).toMatchObject([{ withdrawalId: id, ours: 'failed', booked: 'conflict' }])
  expect(await readWallet(world.db, member)).toMatchObject({ balance: 3000n, held: 0n })
})

test('a refund is paid to its order, and a failed one returns to the wallet', async () => {
  const { member, orderId } = await payer()
  const refund = async (amount: number): Promise<string> => {
    const body = { order_id: orderId, amount, reason: 'Added too much' }
    const asked = await world.calls.ask('POST /wallet/refunds', { as: member, body })
    expect(asked.status).toBe(200)
    await world.decide(`refunds/${asked.body.refund.id}`)
    return asked.body.refund.id
  }
  const paid = await refund(12.5)
  await world.play(`/refunds/${paid.replaceAll('-', '')}`, { status: 'SUCCESS' })
  await untilStatus('refund', paid, 'paid')
  expect(await readWallet(world.db, member)).toMatchObject({ balance: 1750n, held: 0n })
  const failed = await refund(17.5)
  await world.play(`/refunds/${failed.replaceAll('-', '')}`, { status: 'CANCELLED' })
  await untilStatus('refund', failed, 'failed')
  expect(await readWallet(world.db, member)).toMatchObject({ balance: 1750n, held: 0n })
})
