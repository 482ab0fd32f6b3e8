import { type Paise, paise, wholeRupees } from '@roz/core/money.ts'
import { expect, test } from 'vitest'
import { sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { useTestDatabase } from '../testing/database.ts'
import { newMember, newOrderId } from './testing/fixtures.ts'
import { type Captured, captureTopup, createTopup, markTopup } from './topups.ts'
import { readWallet } from './wallets.ts'

const database = useTestDatabase()

const order = async (amount: Paise): Promise<{ memberId: bigint; orderId: string }> => {
  const memberId = await newMember(database.db)
  const orderId = newOrderId()
  await inTransaction(database.db, (tx) => createTopup(tx, { orderId, memberId, amount }))
  return { memberId, orderId }
}
const capture = (orderId: string, paymentId: string, orderAmount: Paise): Promise<Captured> =>
  inTransaction(database.db, (tx) => captureTopup(tx, { orderId, paymentId, orderAmount }))
const balanceOf = async (memberId: bigint) => (await readWallet(database.db, memberId))?.balance
const statusOf = async (orderId: string) =>
  (await database.db.one<{ status: string }>(sql`select status from topup where order_id = ${orderId}::text`)).status
const suspense = () =>
  database.db.query(sql`select payment_id as "paymentId", amount, reason, status from suspense_item order by id desc limit 2`)

test('five captures of one payment in parallel give one credit', async () => {
  const { memberId, orderId } = await order(wholeRupees(20))
  const results = await Promise.all(Array.from({ length: 5 }, () => capture(orderId, 'pay-five', wholeRupees(20))))
  expect(results.filter(({ result }) => result === 'credited')).toEqual([
    { result: 'credited', memberId, amount: 2000n, balance: 2000n, missedAutoJoin: false },
  ])
  expect(results.filter(({ result }) => result === 'duplicate')).toHaveLength(4)
  expect(await balanceOf(memberId)).toBe(2000n)
})

test('a failed or expired order that is paid later is credited, and a paid order stays paid', async () => {
  const { memberId, orderId } = await order(wholeRupees(10))
  const mark = (status: 'pending' | 'failed' | 'expired') => inTransaction(database.db, (tx) => markTopup(tx, orderId, status))
  expect([await mark('pending'), await mark('pending'), await mark('failed'), await mark('pending'), await mark('expired')]).toEqual([
    true,
    false,
    true,
    true,
    true,
  ])
  expect(await mark('failed')).toBe(false)
  expect((await capture(orderId, 'pay-late', wholeRupees(10))).result).toBe('credited')
  expect(await mark('failed')).toBe(false)
  expect([await statusOf(orderId), await balanceOf(memberId)]).toEqual(['captured', 1000n])
})

test('a payment for an unknown order is booked to SUSPENSE once, however often it is reported', async () => {
  const orderId = newOrderId()
  const results = await Promise.all([1, 2, 3].map(() => capture(orderId, 'pay-unknown', wholeRupees(15))))
  expect(results.map(({ result }) => result).sort()).toEqual(['duplicate', 'duplicate', 'suspense'])
  expect((await suspense())[0]).toEqual({ paymentId: 'pay-unknown', amount: 1500n, reason: 'unknown_order', status: 'open' })
})

test('a second payment for a paid order is booked to SUSPENSE, and the member is credited once', async () => {
  const { memberId, orderId } = await order(wholeRupees(10))
  await capture(orderId, 'pay-first', wholeRupees(10))
  expect(await capture(orderId, 'pay-second', wholeRupees(10))).toEqual({ result: 'suspense', reason: 'second_payment' })
  expect(await capture(orderId, 'pay-second', wholeRupees(10))).toEqual({ result: 'duplicate' })
  expect(await balanceOf(memberId)).toBe(1000n)
})

test('a payment for an account without a wallet is booked to SUSPENSE once', async () => {
  const staff = 900_001n
  const orderId = newOrderId()
  await inTransaction(database.db, (tx) => createTopup(tx, { orderId, memberId: staff, amount: wholeRupees(10) }))
  const results = await Promise.all([1, 2, 3].map(() => capture(orderId, 'pay-staff', wholeRupees(10))))
  expect(results.map(({ result }) => result).sort()).toEqual(['duplicate', 'duplicate', 'suspense'])
  expect((await suspense())[0]).toEqual({ paymentId: 'pay-staff', amount: 1000n, reason: 'no_wallet', status: 'open' })
})

test('two payments of one order at the same time give one credit and one suspense item', async () => {
  const { memberId, orderId } = await order(wholeRupees(10))
  const results = await Promise.all(['a', 'b'].map((name) => capture(orderId, `pay-both-${name}`, wholeRupees(10))))
  expect(results.map(({ result }) => result).sort()).toEqual(['credited', 'suspense'])
  expect(await balanceOf(memberId)).toBe(1000n)
})

test.each([
  ['less', paise(999n), []],
  ['more', paise(1250n), [{ paymentId: 'pay-more#rest', amount: 250n, reason: 'other_amount', status: 'open' }]],
])('an event with %s than the order is suspended, and the right event then credits exactly the order', async (name, told, left) => {
  const { memberId, orderId } = await order(wholeRupees(10))
  const paymentId = `pay-${name}`
  expect(await capture(orderId, paymentId, told)).toEqual({ result: 'suspense', reason: 'other_amount' })
  expect(await balanceOf(memberId)).toBe(0n)
  expect(await capture(orderId, paymentId, wholeRupees(10))).toMatchObject({ result: 'credited', balance: 1000n })
  expect(await capture(orderId, paymentId, wholeRupees(10))).toEqual({ result: 'duplicate' })
  expect(await balanceOf(memberId)).toBe(1000n)
  expect(
    (await suspense()).filter((item) => 'status' in item && item.status === 'open' && 'reason' in item && item.reason === 'other_amount'),
  ).toEqual(left)
})

test('the table refuses an order id that is not 32 hex digits', async () => {
  const memberId = await newMember(database.db)
  await expect(
    inTransaction(database.db, (tx) => createTopup(tx, { orderId: 'order-1', memberId, amount: wholeRupees(10) })),
  ).rejects.toThrow('topup_order_id_check')
})
