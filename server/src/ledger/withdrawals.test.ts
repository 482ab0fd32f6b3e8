import { randomUUID } from 'node:crypto'
import { type Paise, wholeRupees } from '@roz/core/money.ts'
import { expect, test } from 'vitest'
import { inTransaction } from '../db/transaction.ts'
import { useTestDatabase } from '../testing/database.ts'
import { newMember } from './testing/fixtures.ts'
import { readWallet } from './wallets.ts'
import { holdWithdrawal, rejectWithdrawal } from './withdrawals.ts'

const database = useTestDatabase({ connectionsMax: 20 })

const hold = (memberId: bigint, amount: Paise, id: string = randomUUID()) =>
  inTransaction(database.db, (tx) => holdWithdrawal(tx, { id, memberId, amount, bankAccountId: 5n, flags: ['new_account'] }))
const reject = (id: string) => inTransaction(database.db, (tx) => rejectWithdrawal(tx, { id, reason: 'no' }))

test('a withdrawal holds its amount at once', async () => {
  const memberId = await newMember(database.db, { rupees: 30 })
  expect(await hold(memberId, wholeRupees(12))).toEqual({ ok: true, value: { balance: 1800n, replayed: false } })
  expect(await readWallet(database.db, memberId)).toMatchObject({ balance: 1800n, held: 1200n })
})

test('parallel withdrawals never overdraw', async () => {
  const memberId = await newMember(database.db, { rupees: 30 })
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => hold(memberId, wholeRupees(10))))
  expect(outcomes.filter((outcome) => outcome.ok)).toHaveLength(3)
  expect(outcomes.filter((outcome) => !outcome.ok && outcome.code === 'insufficient_funds')).toHaveLength(17)
  expect(await readWallet(database.db, memberId)).toMatchObject({ balance: 0n, held: 3000n })
})

test('a repeated id is the same withdrawal, and another amount or member is refused', async () => {
  const [memberId, other] = [await newMember(database.db, { rupees: 30 }), await newMember(database.db, { rupees: 30 })]
  const id = randomUUID()
  const both = await Promise.all([hold(memberId, wholeRupees(10), id), hold(memberId, wholeRupees(10), id)])
  expect(both.map((outcome) => outcome.ok && outcome.value)).toContainEqual({ balance: 2000n, replayed: true })
  expect(await hold(memberId, wholeRupees(11), id)).toEqual({ ok: false, code: 'idempotency_mismatch' })
  expect(await hold(other, wholeRupees(10), id)).toEqual({ ok: false, code: 'idempotency_mismatch' })
  expect(await readWallet(database.db, memberId)).toMatchObject({ balance: 2000n, held: 1000n })
})

test('a withdrawal of a member who may not move money or has no wallet is refused', async () => {
  const memberId = await newMember(database.db, { rupees: 30, mayMove: false })
  expect(await hold(memberId, wholeRupees(10))).toEqual({ ok: false, code: 'may_not_move' })
  expect(await hold(77_777n, wholeRupees(10))).toEqual({ ok: false, code: 'may_not_move' })
})

test('several rejections give the amount back once', async () => {
  const memberId = await newMember(database.db, { rupees: 30 })
  const id = randomUUID()
  await hold(memberId, wholeRupees(10), id)
  const outcomes = await Promise.all([1, 2, 3, 4].map(() => reject(id)))
  expect(outcomes.filter((outcome) => outcome.ok)).toEqual([{ ok: true, value: { memberId, amount: 1000n, balance: 3000n } }])
  expect(outcomes.filter((outcome) => !outcome.ok && outcome.code === 'withdrawal_final')).toHaveLength(3)
  expect(await reject(randomUUID())).toEqual({ ok: false, code: 'withdrawal_not_found' })
  expect(await readWallet(database.db, memberId)).toMatchObject({ balance: 3000n, held: 0n })
})
