/** Helpers for tests of refunds and suspense items: the acts of members, administrators and the gateway. */
import { randomUUID } from 'node:crypto'
import { wholeRupees } from '@roz/core/money.ts'
import { type Db, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { APPROVER, newOrderId } from './fixtures.ts'
import { approveRefund, bookRefund, rejectRefund, requestRefund, startRefund } from '../refunds.ts'
import { creditSuspense, refundSuspense } from '../suspense.ts'
import { captureTopup } from '../topups.ts'
import { listUnusedTopups } from '../unused-topups.ts'
import { readWallet } from '../wallets.ts'
import { holdWithdrawal } from '../withdrawals.ts'

export function refundOperations(db: () => Db) {
  const ask = (memberId: bigint, orderId: string, rupees: number, id: string = randomUUID()) =>
    inTransaction(db(), (tx) => requestRefund(tx, { id, memberId, orderId, amount: wholeRupees(rupees), reason: 'changed my mind' }))
  const withdraw = (memberId: bigint, rupees: number, id: string = randomUUID()) =>
    inTransaction(db(), (tx) => holdWithdrawal(tx, { id, memberId, amount: wholeRupees(rupees), bankAccountId: 1n }))
  const tell = (id: string, word: 'paid' | 'failed') =>
    inTransaction(db(), (tx) => bookRefund(tx, { id, word, reference: 'ARN1', decision: word }))
  const approve = (id: string) => inTransaction(db(), (tx) => approveRefund(tx, id, APPROVER))
  const reject = (id: string) => inTransaction(db(), (tx) => rejectRefund(tx, { id, reason: 'no' }))
  const send = (id: string) => inTransaction(db(), (tx) => startRefund(tx, id, { again: false }))
  const wallet = async (memberId: bigint): Promise<readonly [bigint | undefined, bigint | undefined]> => {
    const found = await readWallet(db(), memberId)
    return [found?.balance, found?.held]
  }
  const unused = async (memberId: bigint): Promise<Record<string, bigint>> =>
    Object.fromEntries((await listUnusedTopups(db(), memberId)).map((topup) => [topup.orderId, topup.unused]))
  async function suspended(rupees: number): Promise<bigint> {
    const orderId = newOrderId()
    await inTransaction(db(), (tx) => captureTopup(tx, { orderId, paymentId: `s_${orderId}`, orderAmount: wholeRupees(rupees) }))
    return (await db().one<{ id: bigint }>(sql`select id from suspense_item where order_id = ${orderId}::text`)).id
  }
  const refundItem = (itemId: bigint, refundId: string = randomUUID()) =>
    inTransaction(db(), (tx) => refundSuspense(tx, { itemId, refundId, reason: 'nobody’s', approver: APPROVER }))
  const creditItem = (itemId: bigint, memberId: bigint) =>
    inTransaction(db(), (tx) => creditSuspense(tx, { itemId, memberId, decidedBy: 1n }))
  return { ask, withdraw, tell, approve, reject, send, wallet, unused, suspended, refundItem, creditItem }
}
