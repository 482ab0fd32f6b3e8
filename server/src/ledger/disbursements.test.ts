/** Disbursements of the help fund: never more than its balance, once per id, once per receipt. */
import { randomUUID } from 'node:crypto'
import { wholeRupees } from '@roz/core/money.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inTransaction } from '../db/transaction.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { giveRest } from './closing.ts'
import { bookDisbursement } from './disbursements.ts'
import { DAY, hashOf, newMember, openDay } from './fixtures.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase({ connectionsMax: 10 })
  await openDay(database, DAY)
})
afterAll(() => database.drop())

const disburse = (id: string, rupees: number, receipt: string) =>
  inTransaction(database.db, (tx) => bookDisbursement(tx, { id, amount: wholeRupees(rupees), evidence: hashOf(receipt) }))
async function fill(rupees: number): Promise<void> {
  const memberId = await newMember(database.db, { rupees })
  await inTransaction(database.db, (tx) => giveRest(tx, { memberId, ref: randomUUID() }))
}

test('disbursements at the same time never exceed the help fund', async () => {
  expect(await disburse('none', 1, 'none')).toEqual({ ok: false, code: 'insufficient_funds' })
  await fill(30)
  expect(await disburse('more', 31, 'more')).toEqual({ ok: false, code: 'insufficient_funds' })
  const all = await Promise.all([1, 2, 3, 4].map((n) => disburse(`n${n}`, 20, `receipt ${n}`)))
  expect(all.filter(({ ok }) => ok)).toHaveLength(1)
  expect(await disburse('rest', 10, 'rest')).toEqual({ ok: true, value: { replayed: false } })
  expect(await disburse('again', 1, 'again')).toEqual({ ok: false, code: 'insufficient_funds' })
})

test('a repeated id is the same disbursement, and another amount or a used receipt is refused', async () => {
  await fill(30)
  expect(await disburse('rice', 10, 'rice')).toEqual({ ok: true, value: { replayed: false } })
  expect(await disburse('rice', 10, 'rice')).toEqual({ ok: true, value: { replayed: true } })
  expect(await disburse('rice', 11, 'rice')).toEqual({ ok: false, code: 'idempotency_mismatch' })
  expect(await disburse('oil', 5, 'rice')).toEqual({ ok: false, code: 'receipt_used' })
})
