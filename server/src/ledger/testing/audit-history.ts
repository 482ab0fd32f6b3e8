/** A history for the audit to read: withdrawals, refunds, disputes and debts that ended in each way. */
import { randomUUID } from 'node:crypto'
import { paise, wholeRupees } from '@roz/core/money.ts'
import { expect } from 'vitest'
import { type Db, one, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { readDebt } from '../debts.ts'
import { bookDispute } from '../disputes.ts'
import { addMoney, APPROVER, newOrderId } from '../fixtures.ts'
import { bookRefund, rejectRefund, requestRefund } from '../refunds.ts'
import { refundSuspense } from '../suspense.ts'
import { captureTopup } from '../topups.ts'
import { approveWithdrawal, bookPayout, holdWithdrawal, rejectWithdrawal, startSending } from '../withdrawals.ts'

export const [reversed, lost] = [randomUUID(), randomUUID()]
export const [asked, refunded, refusedRefund, ofItem, cameBack] = [randomUUID(), randomUUID(), randomUUID(), randomUUID(), randomUUID()]

/** Withdrawals and refunds that ended in each way, and a suspense item that is being refunded. */
export async function moveOut(db: Db, memberId: bigint): Promise<void> {
  const orderId = await addMoney(db, memberId, wholeRupees(30))
  for (const [id, words] of [
    [reversed, ['paid', 'reversed']],
    [lost, ['failed', 'paid']],
  ] as const) {
    await inTransaction(db, (tx) => holdWithdrawal(tx, { id, memberId, amount: wholeRupees(10), bankAccountId: 1n }))
    await inTransaction(db, (tx) => approveWithdrawal(tx, id, APPROVER))
    await inTransaction(db, (tx) => startSending(tx, id, { again: false }))
    for (const word of words) await inTransaction(db, (tx) => bookPayout(tx, { id, word }))
  }
  for (const id of [asked, refunded, refusedRefund, cameBack]) {
    const asking = { id, memberId, orderId, amount: wholeRupees(5), reason: 'changed my mind' }
    expect(await inTransaction(db, (tx) => requestRefund(tx, asking))).toMatchObject({ ok: true })
  }
  await inTransaction(db, (tx) => bookRefund(tx, { id: refunded, word: 'paid' }))
  await inTransaction(db, (tx) => rejectRefund(tx, { id: refusedRefund, reason: 'no' }))
  for (const word of ['paid', 'failed'] as const) await inTransaction(db, (tx) => bookRefund(tx, { id: cameBack, word }))
  for (const [disputeId, words] of [
    ['taken', [true]],
    ['returned', [true, false]],
  ] as const) {
    const told = { disputeId, orderId, paymentId: `pay_${orderId}`, amount: wholeRupees(12), type: 'CHARGEBACK', status: '' }
    for (const isTaken of words)
      await inTransaction(db, (tx) => bookDispute(tx, { ...told, isTaken, state: isTaken ? 'lost' : 'won', respondBy: undefined }))
  }
  await oweInParts(db, memberId, orderId)
  const strange = newOrderId()
  await inTransaction(db, (tx) => captureTopup(tx, { orderId: strange, paymentId: 'strange', orderAmount: wholeRupees(10) }))
  const [item] = await db.query<{ id: bigint }>(sql`select id from suspense_item where payment_id = 'strange'`)
  await inTransaction(db, (tx) => refundSuspense(tx, { itemId: item?.id ?? 0n, refundId: ofItem, reason: 'nobody', approver: APPROVER }))
}

/** A debt that is paid in part, and a debt that was paid and returned. */
async function oweInParts(db: Db, memberId: bigint, orderId: string): Promise<void> {
  for (const [disputeId, words] of [
    ['repaid', [true, false]],
    ['owed', [true]],
  ] as const) {
    const [small, big] = [randomUUID(), randomUUID()]
    const { balance } = await one<{ balance: bigint }>(db, sql`select balance from wallet where member_id = ${memberId}::bigint`)
    for (const [id, amount] of [
      [small, 100n],
      [big, balance - 100n],
    ] as const)
      await inTransaction(db, (tx) => holdWithdrawal(tx, { id, memberId, amount: paise(amount), bankAccountId: 1n }))
    for (const isTaken of words) {
      const told = { disputeId, orderId, paymentId: `pay_${orderId}`, amount: wholeRupees(3), type: 'CHARGEBACK', status: '' }
      await inTransaction(db, (tx) => bookDispute(tx, { ...told, isTaken, state: isTaken ? 'lost' : 'won', respondBy: undefined }))
      if (isTaken) await inTransaction(db, (tx) => rejectWithdrawal(tx, { id: small, reason: 'no' }))
    }
    expect(await readDebt(db, memberId)).toBe(disputeId === 'owed' ? 200n : 0n)
    if (disputeId === 'repaid') await inTransaction(db, (tx) => rejectWithdrawal(tx, { id: big, reason: 'no' }))
  }
}
