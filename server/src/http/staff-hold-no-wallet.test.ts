/**
 * Tests that staff have no wallet.
 * - A token of the portal opens no call that moves a member's money.
 * - A payment on an order of a staff account goes to SUSPENSE and does not block other due work.
 */
import { paise } from '@roz/core/money.ts'
import { beforeAll, expect, test } from 'vitest'
import { inTransaction } from '../db/transaction.ts'
import { createTopup } from '../ledger/topups.ts'
import { makeMember, makeStaff } from '../testing/calls.ts'
import { ADD, BANK, useWalletWorld } from '../testing/wallet-world.ts'
import { useServicesWorld } from '../testing/services-world.ts'

const services = useServicesWorld()
const wallet = useWalletWorld()
let staff: bigint
beforeAll(async () => {
  staff = await makeStaff(services.database.db)
})

const REFUND = { order_id: '0'.repeat(32), amount: 5, reason: 'Added too much' }
const MONEY: readonly (readonly [call: string, body: unknown])[] = [
  ['POST /wallet/add', ADD],
  ['POST /wallet/withdraw', { amount: 10, bankDetail: BANK }],
  ['POST /wallet/refunds', REFUND],
  ['POST /rounds/join', {}],
  ['POST /user/close', { gift: true }],
  ['DELETE /user', undefined],
  ['PUT /user/ticket-key', { ticketKey: 'a'.repeat(64) }],
  ['PUT /user', { autoParticipate: true }],
]

test.each(MONEY)('%s is refused to a token of the portal', async (call, body) => {
  const { status, body: answer } = await services.calls.ask(call, { as: staff, ...(body === undefined ? {} : { body }) })
  expect([status, answer.code]).toEqual([403, 'forbidden'])
})

test('a payment on an order of a staff account goes to SUSPENSE, and other due work is done', async () => {
  const { db } = wallet
  const owner = await makeStaff(db)
  const member = await makeMember(db)
  const theirs = await wallet.strangeOrder(10)
  await inTransaction(db, (tx) => createTopup(tx, { orderId: theirs, memberId: owner, amount: paise(1000n) }))
  const other = await wallet.newOrder(member)
  await wallet.pay(theirs, 'success', 0)
  await wallet.pay(other, 'success', 0)
  const { status, body } = await wallet.confirm(theirs)
  expect([status, body.data.orderUserDetails.order_status]).toEqual([200, 'PENDING'])
  await wallet.makeDue()
  await wallet.runDue()
  expect(await wallet.suspended(theirs)).toEqual([{ reason: 'no_wallet', amount: 1000n }])
  expect(await wallet.balanceOf(member)).toBe(10)
})
