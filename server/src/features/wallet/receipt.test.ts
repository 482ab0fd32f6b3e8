/** One transaction as a receipt: the contents for each kind, in both languages, shown only to its owner. */
import { paise } from '@roz/core/money.ts'
import { inTransaction } from '../../db/transaction.ts'
import { captureTopup } from '../../ledger/topups.ts'
import type { Answered } from '../../testing/calls.ts'
import { useWalletWorld } from '../../testing/wallet-world.ts'
import { beforeEach, expect, test } from 'vitest'

const world = useWalletWorld()
beforeEach(() => world.reset())

const receipt = (as: bigint, id: string, language = 'en'): Promise<Answered> =>
  world.calls.ask(`GET /wallet/transactions/${encodeURIComponent(id)}`, { as, headers: { 'accept-language': language } })
const idsOf = async (as: bigint): Promise<string[]> => (await world.transactions(as)).transactions.map(({ id }) => id)

test('a top-up’s receipt has the order, the gateway’s number, the balance, and a number of the wallet', async () => {
  const { member, orderId } = await world.paid(20)
  await world.verify(member, orderId)
  const { status, body } = await receipt(member, orderId)
  expect([status, body]).toMatchObject([
    200,
    {
      receipt: {
        id: orderId,
        type: 'credit',
        description: 'Money added',
        amount: 20,
        status: 'completed',
        from: 'Your payment',
        to: 'Your wallet',
        balanceAfter: 20,
        orderId,
        reference: expect.stringMatching(/./),
        day: null,
        number: expect.stringMatching(/^[0-9A-F]{12}-0001$/),
      },
    },
  ])
})

test('a withdrawal’s receipt has the bank’s last four digits and no more, in the reader’s language', async () => {
  const member = await world.funded(20)
  await world.withdraw(member, 10)
  const [id = ''] = await idsOf(member)
  const { body } = await receipt(member, id, 'hi')
  expect(body).toMatchObject({ receipt: { type: 'debit', from: 'आपका वॉलेट', to: 'HDFC Bank ••9012', balanceAfter: 10, status: 'pending' } })
  expect(JSON.stringify(body)).not.toContain('123456789012')
  expect(JSON.stringify(body)).not.toContain('HDFC0')
})

test('the receipts of a payment that waited in SUSPENSE have its order and the gateway’s number of it', async () => {
  const { member, orderId } = await world.ordered(20)
  for (const amount of [1500n, 2000n])
    await inTransaction(world.db, (tx) => captureTopup(tx, { orderId, paymentId: 'pay_twice', orderAmount: paise(amount) }))
  const { transactions } = await world.transactions(member)
  expect(transactions.map(({ amount }) => amount).sort()).toEqual([15, 5])
  for (const { id } of transactions)
    expect((await receipt(member, id)).body).toMatchObject({ receipt: { from: 'Your payment', orderId, reference: 'pay_twice' } })
})

test('an unpaid order’s receipt has no balance, and the order’s id as its number', async () => {
  const { member, orderId } = await world.ordered()
  expect((await receipt(member, orderId)).body).toMatchObject({
    receipt: { id: orderId, number: orderId, orderId, balanceAfter: null, reference: null, status: 'pending' },
  })
})

test('each transaction in the list has a receipt that agrees with it; another member’s is not found', async () => {
  const member = await world.funded(30)
  const stranger = await world.funded(30)
  await world.newOrder(member)
  await world.withdraw(member, 10)
  const { transactions } = await world.transactions(member)
  expect(transactions).toHaveLength(3)
  for (const transaction of transactions) {
    expect((await receipt(member, transaction.id)).body).toMatchObject({ receipt: transaction })
    expect(await receipt(stranger, transaction.id)).toMatchObject({ status: 404, body: { code: 'transaction_not_found' } })
  }
})

test('an invalid or unknown transaction id is not found', async () => {
  const member = await world.funded(10)
  const names = [
    'x',
    'join:2026-11-21',
    'join:2026-13-41',
    'transfer:0',
    'transfer:999999999999999999',
    'transfer:-1',
    'order:x',
    'a'.repeat(32),
    "1' or 1=1",
  ]
  for (const id of names) expect([id, (await receipt(member, id)).status]).toEqual([id, 404])
  expect((await world.calls.ask('GET /wallet/transactions/transfer%3A1')).status).toBe(401)
})
