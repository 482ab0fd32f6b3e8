import { paise } from '@roz/core/money.ts'
import { beforeEach, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { creditSuspense } from '../../ledger/suspense.ts'
import { captureTopup } from '../../ledger/topups.ts'
import { makeMember } from '../../testing/calls.ts'
import { useWalletWorld, type WalletWorld } from '../../testing/wallet-world.ts'

const world = useWalletWorld()
beforeEach(() => world.reset())

test('a new member has no transactions', async () => {
  expect(await world.transactions(await makeMember(world.db))).toEqual({ transactions: [], nextCursor: null })
})

test('transactions are listed newest first, described in the reader’s language', async () => {
  const member = await world.funded(20)
  const open = await world.newOrder(member)
  const failed = await world.newOrder(member)
  await world.pay(failed, 'failed', 0)
  await world.verify(member, failed)
  await world.withdraw(member, 10)
  const { transactions: list } = await world.transactions(member)
  expect(list).toMatchObject([
    { type: 'debit', description: 'Withdrawal to HDFC Bank ••9012', amount: 10, status: 'pending' },
    { id: failed, type: 'credit', description: 'Adding money', amount: 10, status: 'failed' },
    { id: open, type: 'credit', description: 'Adding money', amount: 10, status: 'pending' },
    { type: 'credit', description: 'Money added', amount: 20, status: 'completed' },
  ])
  const hindi = await world.transactions(member, '', { 'accept-language': 'hi' })
  expect(hindi.transactions.map((one) => one.description)).toEqual(['HDFC Bank ••9012 में निकासी', 'पैसे जोड़ना', 'पैसे जोड़ना', 'पैसे जोड़े गए'])
})

test('a captured order keeps its id', async () => {
  const { member, orderId } = await world.paid()
  await world.verify(member, orderId)
  expect((await world.transactions(member)).transactions).toMatchObject([{ id: orderId, status: 'completed', description: 'Money added' }])
})

test('pages neither repeat nor skip a transaction while new ones are made', async () => {
  const member = await makeMember(world.db)
  for (let index = 0; index < 7; index++) await world.credit(member, 10 + index)
  const seen: number[] = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<WalletWorld['transactions']>> = await world.transactions(
      member,
      `?limit=3${cursor === null ? '' : `&cursor=${cursor}`}`,
    )
    seen.push(...page.transactions.map((one) => one.amount))
    cursor = page.nextCursor
    await world.credit(member, 30)
  } while (cursor !== null)
  expect(seen).toEqual([16, 15, 14, 13, 12, 11, 10])
})

test('a foreign cursor answers 400', async () => {
  const member = await makeMember(world.db)
  for (const cursor of ['nonsense', Buffer.from('["1","\'"]').toString('base64url'), Buffer.from('["x","y"]').toString('base64url')]) {
    const answer = await world.calls.ask(`GET /wallet/transactions?cursor=${encodeURIComponent(cursor)}`, { as: member })
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_input', fields: { cursor: 'This page cursor is not valid' } } })
  }
  expect((await world.calls.ask('GET /wallet/transactions?limit=101', { as: member })).status).toBe(400)
})

test('a payment that waits is a line in words, never a completed one; the receipt names the gateway’s number', async () => {
  const member = await world.funded(20)
  const other = await makeMember(world.db)
  const paid = async (orderAmount: number, currency = 'INR'): Promise<{ readonly orderId: string; readonly itemId: bigint }> => {
    const orderId = await world.newOrder(member)
    const capture = { orderId, paymentId: `wait-${orderId}`, orderAmount: paise(BigInt(orderAmount)), currency }
    await inTransaction(world.db, (tx) => captureTopup(tx, capture))
    const found = await world.db.one<{ id: bigint }>(sql`select id from suspense_item where order_id = ${orderId}::text`)
    return { orderId, itemId: found.id }
  }
  const [open, foreign, elsewhere, own] = [await paid(1200), await paid(1300, 'USD'), await paid(1400), await paid(1500)]
  for (const [{ itemId }, memberId] of [
    [elsewhere, other],
    [own, member],
  ] as const)
    await inTransaction(world.db, (tx) => creditSuspense(tx, { itemId, memberId, decidedBy: 1n }))
  const { transactions: list } = await world.transactions(member)
  expect(list).toMatchObject([
    { type: 'credit', description: 'Payment added after a check', amount: 15, status: 'completed' },
    { id: `waiting:${elsewhere.itemId}`, description: 'Payment added to another wallet after a check', amount: 14, status: 'closed' },
    { id: `waiting:${foreign.itemId}`, description: 'Payment received, being checked (USD 13)', amount: 0, status: 'pending' },
    { id: `waiting:${open.itemId}`, type: 'credit', description: 'Payment received, being checked', amount: 12, status: 'pending' },
    { description: 'Money added', amount: 20, status: 'completed' },
  ])
  const completed = list.filter(({ status }) => status === 'completed').reduce((sum, { amount }) => sum + amount, 0)
  expect(completed).toBe(await world.balanceOf(member))
  const hindi = await world.transactions(member, '', { 'accept-language': 'hi' })
  expect(hindi.transactions[3]?.description).toBe('पेमेंट मिल गया, जाँच चल रही है')
  const exported = await world.wallet.exports.transactions(member, 'en')
  expect(exported.map(({ id }) => id)).toEqual(list.map(({ id }) => id))
  const receipt = await world.calls.ask(`GET /wallet/transactions/${encodeURIComponent(`waiting:${open.itemId}`)}`, { as: member })
  expect(receipt.body).toMatchObject({
    receipt: { status: 'pending', balanceAfter: null, orderId: open.orderId, reference: `wait-${open.orderId}`, from: 'Your payment' },
  })
})
