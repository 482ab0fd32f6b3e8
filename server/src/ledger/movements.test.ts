import { randomUUID } from 'node:crypto'
import { addDays } from '@roz/core/ist-day.ts'
import { wholeRupees } from '@roz/core/money.ts'
import { beforeAll, expect, test } from 'vitest'
import { inTransaction } from '../db/transaction.ts'
import { useTestDatabase } from '../testing/database.ts'
import { addMoney, DAY, endDay, newMember, newOrderId, openDay, payOut } from './testing/fixtures.ts'
import { createJoinBatcher } from './join-batcher.ts'
import { gatherMovements, listMovements, type Movement } from './movements.ts'
import { createTopup, markTopup } from './topups.ts'
import { holdWithdrawal, rejectWithdrawal } from './withdrawals.ts'

const database = useTestDatabase()
let memberId: bigint
beforeAll(async () => {
  await openDay(database, DAY)
  memberId = await newMember(database.db)
})

async function page(cursor: string | undefined, limit: number) {
  const listed = await listMovements(database.db, { memberId, cursor, limit })
  if (!listed.ok) throw new Error(listed.code)
  return listed.value
}

test('the list shows every movement and unpaid order, newest first, with its status', async () => {
  const { db } = database
  const open = newOrderId()
  const failed = newOrderId()
  await inTransaction(db, (tx) => createTopup(tx, { orderId: open, memberId, amount: wholeRupees(10) }))
  await inTransaction(db, (tx) => createTopup(tx, { orderId: failed, memberId, amount: wholeRupees(20) }))
  await inTransaction(db, (tx) => markTopup(tx, failed, 'failed'))
  const paid = await addMoney(db, memberId, wholeRupees(30))
  await createJoinBatcher({ db }).join({ memberId })
  const [held, rejected] = [randomUUID(), randomUUID()]
  for (const id of [held, rejected])
    await inTransaction(db, (tx) => holdWithdrawal(tx, { id, memberId, amount: wholeRupees(10), bankAccountId: 1n }))
  await inTransaction(db, (tx) => rejectWithdrawal(tx, { id: rejected, reason: 'no' }))
  await endDay(database, DAY)
  await payOut(db, DAY, [memberId])
  const { movements, nextCursor } = await page(undefined, 25)
  expect(nextCursor).toBeNull()
  const short = movements.map(({ kind, direction, amount, balanceAfter, ref, status, seq }) => [
    kind,
    direction,
    amount,
    balanceAfter,
    ref,
    status,
    seq,
  ])
  expect(short).toEqual([
    ['prize', 'credit', 30n, 1930n, `${DAY}:1`, null, 6n],
    ['wd_back', 'credit', 1000n, 1900n, rejected, null, 5n],
    ['wd_hold', 'debit', 1000n, 900n, rejected, 'rejected', 4n],
    ['wd_hold', 'debit', 1000n, 1900n, held, 'requested', 3n],
    ['join', 'debit', 100n, 2900n, DAY, null, 2n],
    ['topup', 'credit', 3000n, 3000n, `pay_${paid}`, null, 1n],
    ['order', 'credit', 2000n, null, failed, 'failed', null],
    ['order', 'credit', 1000n, null, open, 'created', null],
  ])
})

test('pages of any size show every movement once, in the same order', async () => {
  const { db } = database
  for (let n = 1; n <= 12; n++) {
    await openDay(database, addDays(DAY, n * 5))
    await createJoinBatcher({ db }).join({ memberId })
    const orderId = newOrderId()
    if (n % 3 === 0) await inTransaction(db, (tx) => createTopup(tx, { orderId, memberId, amount: wholeRupees(10) }))
    if (n % 4 === 0) await addMoney(db, memberId, wholeRupees(10))
  }
  const all = (await page(undefined, 100)).movements
  expect(all).toHaveLength(8 + 12 + 4 + 3)
  expect(all.map(({ at }) => at.getTime())).toEqual(all.map(({ at }) => at.getTime()).toSorted((a, b) => b - a))
  for (const limit of [1, 2, 5, 26, 27]) {
    const seen: Movement[] = []
    let cursor: string | null | undefined
    do {
      const listed = await page(cursor ?? undefined, limit)
      seen.push(...listed.movements)
      cursor = listed.nextCursor
    } while (cursor !== null)
    expect(seen, `pages of ${limit}`).toEqual(all)
  }
})

test('an invalid cursor is refused', async () => {
  for (const cursor of [
    'x',
    'AAAA',
    Buffer.from('2026-02-31|1|1|').toString('base64url'),
    Buffer.from('0000-01-01|1|1|').toString('base64url'),
    Buffer.from("2026-01-01|1|1|'").toString('base64url'),
  ]) {
    expect(await listMovements(database.db, { memberId, cursor, limit: 5 })).toEqual({ ok: false, code: 'cursor_invalid' })
  }
})

test("a member sees no other member's movements", async () => {
  const other = await newMember(database.db, { rupees: 10 })
  const listed = await listMovements(database.db, { memberId: other, limit: 10 })
  expect(listed.ok && listed.value.movements.map(({ kind }) => kind)).toEqual(['topup'])
})

test('pages that share a statement keep their own member, size and cursor', async () => {
  const { db } = database
  const other = await newMember(db, { rupees: 10 })
  const { nextCursor } = await page(undefined, 4)
  const asked = [
    { memberId, limit: 4 },
    { memberId: other, limit: 10 },
    { memberId, limit: 3, cursor: nextCursor ?? '' },
    { memberId: 1n, limit: 10 },
    { memberId, limit: 100 },
  ]
  const read = gatherMovements(db)
  const together = await Promise.all([...asked, { memberId, limit: 1, cursor: 'x' }].map(read))
  expect(together.at(-1)).toEqual({ ok: false, code: 'cursor_invalid' })
  for (const [index, query] of asked.entries()) expect(together[index]).toEqual(await listMovements(db, query))
  expect(together.slice(0, 4).map((one) => one.ok && one.value.movements.length)).toEqual([4, 1, 3, 0])
})
