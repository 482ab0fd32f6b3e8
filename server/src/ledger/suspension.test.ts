/** Suspension and hold against everything that moves a member's money, alone and at the same moment. */
import { randomUUID } from 'node:crypto'
import { paise } from '@roz/core/money.ts'
import { beforeAll, expect, test } from 'vitest'
import { sql } from '../db/sql.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { useTestDatabase } from '../testing/database.ts'
import { joinAfterTopup, runAutoJoin } from './auto-join.ts'
import { giveRest } from './closing.ts'
import { addMoney, APPROVER, DAY, giveAccounts, holdOpen, makeApprover, newMember, openDay, untilLockWaits } from './testing/fixtures.ts'
import { createJoinBatcher } from './join-batcher.ts'
import { requestRefund } from './refunds.ts'
import { holdMember, reinstateMember, releaseMember, suspendMember } from './suspension.ts'
import { approveWithdrawal, completeWithdrawal, holdWithdrawal, showAccount, startSending } from './withdrawals.ts'
import { readWallet, setAutoJoin } from './wallets.ts'

const database = useTestDatabase()
beforeAll(async () => {
  await openDay(database, DAY)
  await makeApprover(database.db)
})

const TEN_RUPEES = paise(1000n)
const inTx = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => inTransaction(database.db, work)
async function member(options: { readonly autoJoin?: boolean } = {}): Promise<bigint> {
  const id = await newMember(database.db, { rupees: 30, ...options })
  await giveAccounts(database.db, [id])
  return id
}
const suspend = (id: bigint) => inTx((tx) => suspendMember(tx, id))
const reinstate = (id: bigint) => inTx((tx) => reinstateMember(tx, id))
const join = (id: bigint) => createJoinBatcher({ db: database.db }).join({ memberId: id })
const request = (memberId: bigint, id: string = randomUUID()) =>
  inTx((tx) => holdWithdrawal(tx, { id, memberId, amount: TEN_RUPEES, bankAccountId: 1n }))
const balance = async (id: bigint) => (await readWallet(database.db, id))?.balance

test('a suspended member neither joins, withdraws, asks for a refund nor gives the rest; reinstated, all of it works again', async () => {
  const id = await member()
  const orderId = await addMoney(database.db, id, TEN_RUPEES)
  expect(await suspend(id)).toBe(true)
  const refund = () =>
    inTx((tx) => requestRefund(tx, { id: randomUUID(), memberId: id, orderId, amount: paise(100n), reason: 'It was added twice.' }))
  expect(await join(id)).toEqual({ ok: false, code: 'may_not_move' })
  expect(await joinAfterTopup(database.db, id)).toEqual({ ok: false, code: 'may_not_move' })
  expect(await request(id)).toEqual({ ok: false, code: 'may_not_move' })
  expect(await refund()).toEqual({ ok: false, code: 'may_not_move' })
  expect(await inTx((tx) => giveRest(tx, { memberId: id, ref: randomUUID() }))).toEqual({ ok: false, code: 'may_not_move' })
  expect(await balance(id)).toBe(4000n)
  expect(await reinstate(id)).toBe(true)
  expect(await join(id)).toMatchObject({ ok: true })
  expect(await request(id)).toMatchObject({ ok: true })
  expect(await refund()).toMatchObject({ ok: true })
})

test('money that arrives for a suspended member is credited', async () => {
  const id = await member()
  await suspend(id)
  await addMoney(database.db, id, TEN_RUPEES)
  expect(await balance(id)).toBe(4000n)
})

test('an account without a confirmed address stays closed to movements when it is reinstated', async () => {
  const id = await member()
  await database.db.query(sql`update member set email_verified_at = null where id = ${id}::bigint`)
  await database.db.query(sql`update wallet set may_move = false where member_id = ${id}::bigint`)
  await suspend(id)
  expect(await reinstate(id)).toBe(true)
  expect((await readWallet(database.db, id))?.mayMove).toBe(false)
  expect(await join(id)).toEqual({ ok: false, code: 'may_not_move' })
})

test('a second suspension, reinstatement, hold or release changes nothing, also at the same moment', async () => {
  const id = await member()
  expect((await Promise.all([suspend(id), suspend(id)])).sort()).toEqual([false, true])
  expect((await Promise.all([reinstate(id), reinstate(id)])).sort()).toEqual([false, true])
  const hold = () => inTx((tx) => holdMember(tx, id, 'staff'))
  const release = () => inTx((tx) => releaseMember(tx, id))
  expect((await Promise.all([hold(), hold()])).sort()).toEqual([false, true])
  expect((await Promise.all([release(), release()])).sort()).toEqual([false, true])
})

test('a join that waits for the suspension of its member is refused; a join that came first stays', async () => {
  const [late, early] = [await member(), await member()]
  const suspension = await holdOpen(database.db, (tx) => suspendMember(tx, late))
  const joining = join(late)
  await suspension.commit()
  expect(await joining).toEqual({ ok: false, code: 'may_not_move' })
  expect(await balance(late)).toBe(3000n)
  const [joined, suspended] = await Promise.all([join(early), suspend(early)])
  expect(suspended).toBe(true)
  expect(await balance(early)).toBe(joined.ok ? 2900n : 3000n)
})

test('a withdrawal that waits for the suspension of its member is refused, and holds nothing', async () => {
  const id = await member()
  const suspension = await holdOpen(database.db, (tx) => suspendMember(tx, id))
  const asked = request(id)
  await untilLockWaits(database.db)
  await suspension.commit()
  expect(await asked).toEqual({ ok: false, code: 'may_not_move' })
  expect(await readWallet(database.db, id)).toMatchObject({ balance: 3000n, held: 0n })
})

test('a page of auto-join passes over a member who is being suspended, and joins the others', async () => {
  const [stopped, other] = [await member({ autoJoin: true }), await member({ autoJoin: true })]
  const suspension = await holdOpen(database.db, (tx) => suspendMember(tx, stopped))
  const running = runAutoJoin(database.db, DAY)
  await untilLockWaits(database.db)
  await suspension.commit()
  expect(await running).toMatchObject({ state: 'done' })
  expect([await balance(stopped), await balance(other)]).toEqual([3000n, 2900n])
  await inTx((tx) => setAutoJoin(tx, other, false))
})

test('a hold or suspension that an approval waits for stops it, and so the sending and the payment by hand', async () => {
  for (const stop of [(tx: Tx, id: bigint) => holdMember(tx, id, 'staff'), suspendMember]) {
    const id = await member()
    const [asked, approved, shown] = [randomUUID(), randomUUID(), randomUUID()]
    await request(id, asked)
    await request(id, approved)
    await request(id, shown)
    await inTx((tx) => approveWithdrawal(tx, approved, APPROVER))
    await inTx((tx) => approveWithdrawal(tx, shown, APPROVER))
    await inTx((tx) => showAccount(tx, { id: shown, by: 1n }))
    const stopping = await holdOpen(database.db, (tx) => stop(tx, id))
    const decided = Promise.all([
      inTx((tx) => approveWithdrawal(tx, asked, APPROVER)),
      inTx((tx) => completeWithdrawal(tx, { id: shown, by: 1n, reference: 'UTR1' })),
    ])
    await untilLockWaits(database.db, '%wallet%', 2)
    await stopping.commit()
    expect(await decided).toEqual([
      { ok: false, code: 'member_on_hold' },
      { ok: false, code: 'member_on_hold' },
    ])
    expect(await inTx((tx) => startSending(tx, approved, { again: false }))).toBe(false)
    const row = await database.db.one(sql`select status, problem from withdrawal where id = ${approved}::uuid`)
    expect(row).toEqual({ status: 'approved', problem: 'member_on_hold' })
  }
})
