/** Settlements of the gateway: each number once, never more than the gateway owes, and the fee out of the platform's share. */
import { beforeAll, expect, test } from 'vitest'
import { paise, wholeRupees } from '@roz/core/money.ts'
import { sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { useTestDatabase } from '../testing/database.ts'
import { readBalances } from './balances.ts'
import { addMoney, DAY, hashOf, newMember, openDay } from './testing/fixtures.ts'
import { bookSettlement } from './gateway-settlements.ts'

const database = useTestDatabase()
/** The gateway owes ₹100. */
beforeAll(async () => {
  await openDay(database, DAY)
  await addMoney(database.db, await newMember(database.db), wholeRupees(100))
})

const no = (code: string) => ({ ok: false, code })
const DONE = { ok: true, value: { replayed: false } }
type Given = { readonly id?: string; readonly amount: number; readonly fee?: number; readonly receipt?: string }
const book = (reference: string, { id = reference, amount, fee = 0, receipt = id }: Given) =>
  inTransaction(database.db, (tx) =>
    bookSettlement(tx, { id, reference, amount: paise(BigInt(amount)), fee: paise(BigInt(fee)), evidence: [hashOf(receipt)] }),
  )
const balances = async () => {
  const { GATEWAY, BANK, GATEWAY_FEES } = await readBalances(database.db)
  return [GATEWAY, BANK, GATEWAY_FEES]
}

test('a settlement moves the net amount to the bank and the fee to the fees', async () => {
  expect(await book('UTR1', { amount: 3000, fee: 70 })).toEqual(DONE)
  expect(await balances()).toEqual([-6930n, -3000n, -70n])
})

test('a settlement is booked once for its id and once for its number, and its report proves nothing else', async () => {
  expect(await book('UTR1', { amount: 3000, fee: 70 })).toEqual({ ok: true, value: { replayed: true } })
  for (const other of [{ amount: 3001, fee: 70 }, { amount: 3000, fee: 71 }, { amount: 3000 }, { amount: 3000, fee: 70, receipt: 'x' }])
    expect(await book('UTR1', other)).toEqual(no('idempotency_mismatch'))
  expect(await book('UTR2', { id: 'UTR1', amount: 3000, fee: 70 })).toEqual(no('idempotency_mismatch'))
  expect(await book('UTR1', { id: 'again', amount: 3000, fee: 70 })).toEqual(no('settlement_known'))
  expect(await book('UTR2', { amount: 10, receipt: 'UTR1' })).toEqual(no('receipt_used'))
  expect(await balances()).toEqual([-6930n, -3000n, -70n])
})

test('no settlement takes more than the gateway owes, its fee included', async () => {
  expect(await book('UTR3', { amount: 6931 })).toEqual(no('settlement_exceeds_owed'))
  expect(await book('UTR3', { amount: 6900, fee: 31 })).toEqual(no('settlement_exceeds_owed'))
})

test('of two at the same time that together take too much, and of two with one number, one is booked', async () => {
  const tooMuch = await Promise.all([book('UTR4', { amount: 4000 }), book('UTR5', { amount: 4000 })])
  expect(tooMuch.filter(({ ok }) => ok)).toEqual([DONE])
  expect(tooMuch).toContainEqual(no('settlement_exceeds_owed'))
  const sameNumber = await Promise.all([book('UTR6', { id: 'a', amount: 10 }), book('UTR6', { id: 'b', amount: 10 })])
  expect(sameNumber.filter(({ ok }) => ok)).toEqual([DONE])
  expect(sameNumber).toContainEqual(no('settlement_known'))
})

const insertNet = sql`insert into transfer (kind, ref, debit, credit, amount, day) values ('gateway_settled', 'raw', 2, 1, 5, ${DAY}::date)`
const insertFee = sql`insert into transfer (kind, ref, debit, credit, amount, day) values ('gateway_settled', 'raw#fee', 8, 1, 1, ${DAY}::date)`
const insertNumber = sql`insert into gateway_settlement (reference, entry_id) values ('RAW', 'raw')`
const insertReport = sql`insert into evidence (hash, kind, ref) values (${hashOf('raw')}::bytea, 'gateway_settled', 'raw')`

test('the database refuses a settlement without its number, its report or its net amount', async () => {
  // Judged when the transaction ends.
  for (const statements of [[insertNet], [insertNet, insertNumber], [insertNet, insertReport], [insertNumber, insertFee]])
    await expect(
      inTransaction(database.db, async (tx) => {
        for (const statement of statements) await tx.query(statement)
      }),
    ).rejects.toThrow(/without its number, its report or its net amount/)
  const [row] = await database.db.query<{ n: number }>(sql`select count(*)::int as n from gateway_settlement where entry_id = 'raw'`)
  expect(row?.n).toBe(0)
})

test('the database refuses a bill of a transfer that no bill proves', async () => {
  const { ref } = await database.db.one<{ ref: string }>(sql`select ref from transfer where kind = 'topup'`)
  const insert = sql`insert into evidence (hash, kind, ref) values (${hashOf('topup')}::bytea, 'topup', ${ref}::text)`
  await expect(database.db.query(insert)).rejects.toThrow(/parts that were not booked with it/)
})
