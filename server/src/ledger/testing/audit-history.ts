/** A history for the audit to read: withdrawals, refunds, disputes and debts that ended in each way. */
import { randomUUID } from 'node:crypto'
import { paise, wholeRupees } from '@roz/core/money.ts'
import { expect } from 'vitest'
import { type Db, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { readDebt } from '../debts.ts'
import { bookDisbursement, correctDisbursement } from '../disbursements.ts'
import { addMoney, APPROVER, chargeBack, hashOf, newOrderId } from './fixtures.ts'
import { bookSettlement } from '../gateway-settlements.ts'
import { bookHouseEntry } from '../house-entries.ts'
import { bookRefund, rejectRefund, requestRefund } from '../refunds.ts'
import { refundSuspense } from '../suspense.ts'
import { captureTopup } from '../topups.ts'
import { approveWithdrawal, bookPayout, holdWithdrawal, rejectWithdrawal, startSending } from '../withdrawals.ts'

export const [reversed, lost] = [randomUUID(), randomUUID()]
export const [asked, refunded, refusedRefund, ofItem, cameBack] = [randomUUID(), randomUUID(), randomUUID(), randomUUID(), randomUUID()]

const outlay = (id: string, amount: bigint) => ({ id, amount: paise(amount), evidence: [hashOf(id)] })

/** A disbursement, money of it that came back, a part of the platform's share that was paid out, and a settlement of the gateway. */
export async function payHelp(db: Db): Promise<void> {
  await inTransaction(db, async (tx) => {
    expect(await bookDisbursement(tx, outlay('shoes', 200n))).toMatchObject({ ok: true })
    expect(await correctDisbursement(tx, { ...outlay('back', 50n), corrects: 'shoes' })).toMatchObject({ ok: true })
    expect(await bookHouseEntry(tx, { ...outlay('rent', 20n), kind: 'platform_out' })).toMatchObject({ ok: true })
    const settled = { ...outlay('settled', 90n), reference: 'UTR1', fee: paise(2n) }
    expect(await bookSettlement(tx, settled)).toMatchObject({ ok: true })
  })
}

/** Rows of outlays that are broken on purpose, and the subject that the audit names. */
export const HELP_BREAKS = [
  ['help_is_of_days', "update help_allotment set paise = paise + 1 where entry_id = 'shoes'", 'entry shoes'],
  ['help_is_of_days', "delete from help_allotment where entry_id = 'back'", 'entry back'],
  ['help_is_of_days', "update disbursement set corrects = null where id = 'back'", 'entry back'],
  ['help_is_of_days', "delete from disbursement where id = 'shoes'", 'entry shoes'],
  ['help_is_of_days', "insert into disbursement (id, amount) values ('nowhere', 1)", 'disbursement nowhere'],
  ['help_is_of_days', "update help_allotment set disbursement_id = 'rice' where entry_id = 'back'", 'correction back'],
  ['help_is_of_days', "update help_allotment set paise = 2 * paise where entry_id = 'shoes'", 'help of '],
  ['help_day_not_overspent', 'update help_allotment set posted_on = posted_on - 9', ' at the end of '],
  ['help_is_of_days', "update help_allotment set paise = 9 * paise where entry_id = 'back'", 'disbursement shoes'],
  ['help_is_of_days', "update transfer set amount = amount + 1 where kind = 'disbursement_back'", 'HELP_FUND'],
  ['outlay_is_proven', "delete from evidence where ref = 'rent'", 'platform_out rent'],
  ['outlay_is_proven', "update evidence set ref = 'nothing' where ref = 'shoes'", 'bill '],
  ['settlement_is_proven', "delete from evidence where ref = 'settled'", 'settlement settled#fee'],
  ['settlement_is_proven', "delete from transfer where ref = 'settled'", 'settlement settled#fee'],
  ['settlement_is_proven', "update gateway_settlement set entry_id = 'other'", 'settlement UTR1'],
  ['house_accounts_not_overdrawn', "update transfer set amount = 99 where kind = 'platform_out'", 'PLATFORM at the end of '],
] as const

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
    for (const isTaken of words) await chargeBack(db, disputeId, orderId, wholeRupees(12), isTaken)
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
    const { balance } = await db.one<{ balance: bigint }>(sql`select balance from wallet where member_id = ${memberId}::bigint`)
    for (const [id, amount] of [
      [small, 100n],
      [big, balance - 100n],
    ] as const)
      await inTransaction(db, (tx) => holdWithdrawal(tx, { id, memberId, amount: paise(amount), bankAccountId: 1n }))
    for (const isTaken of words) {
      await chargeBack(db, disputeId, orderId, wholeRupees(3), isTaken)
      if (isTaken) await inTransaction(db, (tx) => rejectWithdrawal(tx, { id: small, reason: 'no' }))
    }
    expect(await readDebt(db, memberId)).toBe(disputeId === 'owed' ? 200n : 0n)
    if (disputeId === 'repaid') await inTransaction(db, (tx) => rejectWithdrawal(tx, { id: big, reason: 'no' }))
  }
}
