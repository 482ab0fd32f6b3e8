/** Debts: opened by a chargeback that the wallet could not pay, paid before anything else, given back exactly. */
import { randomUUID } from 'node:crypto'
import { nextDay } from '@roz/core/ist-day.ts'
import { wholeRupees } from '@roz/core/money.ts'
import { beforeAll, expect, test } from 'vitest'
import { sql, violatedConstraint } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { useTestDatabase } from '../testing/database.ts'
import { closeWallet, giveRest } from './closing.ts'
import { readDebt } from './debts.ts'
import { bookDispute } from './disputes.ts'
import {
  addMoney,
  APPROVER,
  chargeBack,
  DAY,
  disputed,
  endDay,
  holdOpen,
  newMember,
  newOrderId,
  newPayer,
  openDay,
  payOut,
  untilLockWaits,
} from './testing/fixtures.ts'
import { createJoinBatcher } from './join-batcher.ts'
import { closeRound } from './rounds.ts'
import { returnRupees, settleRound, voidRound } from './settlement.ts'
import { paySuspense } from './suspense.ts'
import { refundOperations } from './testing/refund-operations.ts'
import { captureTopup, createTopup } from './topups.ts'
import { approveWithdrawal, bookPayout, rejectWithdrawal, startSending } from './withdrawals.ts'

const database = useTestDatabase({ connectionsMax: 20 })
beforeAll(async () => {
  await openDay(database, DAY)
})

const { ask, withdraw, tell, approve, reject, send, wallet, suspended, creditItem } = refundOperations(() => database.db)
const doing = <T>(work: Parameters<typeof inTransaction<T>>[1]) => inTransaction(database.db, work)

const dispute = (disputeId: string, orderId: string, rupees: number, word: 'taken' | 'returned', paymentId?: string) =>
  chargeBack(database.db, disputeId, orderId, wholeRupees(rupees), word === 'taken', paymentId)
const owed = (memberId: bigint) => readDebt(database.db, memberId)
const lossesOf = async (...disputes: string[]): Promise<bigint> =>
  (
    await database.db.one<{ sum: bigint }>(sql`
      select coalesce(sum(case when credit = 9 then amount else -amount end), 0)::bigint as sum from transfer
           where subject_of(ref) = any(${disputes}::text[]) and 9 in (debit, credit)`)
  ).sum

/** A member whose whole ₹30 is held for a withdrawal when the bank takes the ₹30 back. */
async function inDebt(disputeId: string): Promise<{ memberId: bigint; orderId: string; withdrawal: string }> {
  const { memberId, orderId } = await newPayer(database.db, 30)
  const withdrawal = randomUUID()
  await withdraw(memberId, 30, withdrawal)
  await dispute(disputeId, orderId, 30, 'taken')
  expect([await owed(memberId), await lossesOf(disputeId)]).toEqual([3000n, -3000n])
  return { memberId, orderId, withdrawal }
}

test('a refund rejected after the chargeback of its payment pays the debt', async () => {
  const { memberId, orderId } = await newPayer(database.db, 30)
  const id = randomUUID()
  await ask(memberId, orderId, 30, id)
  await dispute('r1', orderId, 30, 'taken')
  expect(await approve(id)).toEqual({ ok: false, code: 'payment_taken_back' })
  expect(await reject(id)).toMatchObject({ ok: true })
  expect(await wallet(memberId)).toEqual([0n, 0n])
  expect([await owed(memberId), await lossesOf('r1')]).toEqual([0n, 0n])
})

test('a withdrawal of a member in debt is not approved, and pays the debt when it is rejected', async () => {
  const { memberId, withdrawal } = await inDebt('w1')
  expect(await doing((tx) => approveWithdrawal(tx, withdrawal, APPROVER))).toEqual({ ok: false, code: 'member_in_debt' })
  const rejected = await doing((tx) => rejectWithdrawal(tx, { id: withdrawal, reason: 'no' }))
  expect(rejected).toMatchObject({ ok: true, value: { balance: 0n } })
  expect(await wallet(memberId)).toEqual([0n, 0n])
  expect([await owed(memberId), await lossesOf('w1')]).toEqual([0n, 0n])
})

test('a withdrawal approved before the chargeback is neither sent nor sent again until the debt ends', async () => {
  const { memberId, orderId } = await newPayer(database.db, 30)
  const [approved, sending] = [randomUUID(), randomUUID()]
  for (const id of [approved, sending]) {
    await withdraw(memberId, 10, id)
    await doing((tx) => approveWithdrawal(tx, id, APPROVER))
  }
  await doing((tx) => startSending(tx, sending, { again: false }))
  await dispute('w2', orderId, 30, 'taken')
  expect(await owed(memberId)).toBe(2000n)
  expect(await doing((tx) => startSending(tx, approved, { again: false }))).toBe(false)
  expect(await doing((tx) => startSending(tx, sending, { again: true }))).toBe(false)
  expect(await database.db.query(sql`select status, problem from withdrawal where member_id = ${memberId}::bigint`)).toEqual([
    { status: 'approved', problem: 'member_in_debt' },
    { status: 'approved', problem: 'member_in_debt' },
  ])
  await doing((tx) => rejectWithdrawal(tx, { id: approved, reason: 'no' }))
  expect(await owed(memberId)).toBe(1000n)
  expect(await doing((tx) => startSending(tx, sending, { again: false }))).toBe(false)
  await dispute('w2', orderId, 30, 'returned')
  expect(await doing((tx) => startSending(tx, sending, { again: false }))).toBe(true)
  // ₹10 that the wallet had paid, and ₹10 that the rejected withdrawal had paid.
  expect(await wallet(memberId)).toEqual([2000n, 1000n])
})

test('a refund of another payment is neither approved nor sent for a member in debt', async () => {
  const { memberId } = await inDebt('w3')
  const other = await addMoney(database.db, memberId, wholeRupees(20))
  const [asked, late] = [randomUUID(), randomUUID()]
  for (const id of [asked, late]) expect(await ask(memberId, other, 5, id)).toMatchObject({ ok: true })
  expect(await approve(asked)).toEqual({ ok: false, code: 'member_in_debt' })
  await doing((tx) => tx.query(sql`update refund set status = 'approved' where id = ${late}::uuid`))
  expect(await send(late)).toBe(false)
  expect(await tell(late, 'failed')).toMatchObject({ result: 'failed' })
  expect([await owed(memberId), ...(await wallet(memberId))]).toEqual([2500n, 1000n, 3500n])
})

test('added money pays no debt; a prize, a returned rupee and a credited suspense item do', async () => {
  const { memberId } = await inDebt('p1')
  await addMoney(database.db, memberId, wholeRupees(10))
  expect([await owed(memberId), ...(await wallet(memberId))]).toEqual([3000n, 1000n, 3000n])
  expect(await creditItem(await suspended(4), memberId)).toMatchObject({ ok: true, value: { amount: 400n, balance: 1000n } })
  expect([await owed(memberId), ...(await wallet(memberId))]).toEqual([2600n, 1000n, 3000n])
  const other = await newMember(database.db, { rupees: 10 })
  const batcher = createJoinBatcher({ db: database.db })
  await Promise.all([memberId, other].map((id) => batcher.join({ memberId: id })))
  const next = nextDay(DAY)
  await endDay(database, DAY)
  await payOut(database.db, DAY, [memberId])
  expect([await owed(memberId), ...(await wallet(memberId))]).toEqual([2540n, 900n, 3000n])
  expect(await doing((tx) => settleRound(tx, DAY))).toMatchObject({ value: { already: true } })
  await openDay(database, next)
  await Promise.all([memberId, other].map((id) => batcher.join({ memberId: id })))
  await doing((tx) => closeRound(tx, next, { early: true }))
  expect(await doing((tx) => voidRound(tx, next))).toMatchObject({ value: { isOver: false } })
  for (const isOver of [false, true]) expect(await doing((tx) => returnRupees(tx, next, 1))).toMatchObject({ value: { isOver } })
  expect([await owed(memberId), ...(await wallet(memberId))]).toEqual([2440n, 800n, 3000n])
  expect((await wallet(other))[0]).toBe(900n)
})

const PAID_BY: readonly (readonly [string, (withdrawal: string) => Promise<unknown>])[] = [
  ['rejected', (id) => doing((tx) => rejectWithdrawal(tx, { id, reason: 'no' }))],
  ['failed', (id) => doing((tx) => bookPayout(tx, { id, word: 'failed' }))],
  [
    'paid and then reversed',
    async (id) => {
      await doing((tx) => bookPayout(tx, { id, word: 'paid' }))
      await doing((tx) => bookPayout(tx, { id, word: 'reversed' }))
    },
  ],
]
test.each(PAID_BY)(
  'a dispute won after the withdrawal was %s gives the wallet all of it, and takes all of it when lost again',
  async (way, end) => {
    const { memberId, orderId, withdrawal } = await inDebt(`x-${way}`)
    await end(withdrawal)
    expect([await owed(memberId), ...(await wallet(memberId))]).toEqual([0n, 0n, 0n])
    expect((await dispute(`x-${way}`, orderId, 30, 'returned')).moved).toMatchObject({ fromMember: 3000n, lost: 0n })
    expect([...(await wallet(memberId)), await lossesOf(`x-${way}`)]).toEqual([3000n, 0n, 0n])
    expect((await dispute(`x-${way}`, orderId, 30, 'taken')).moved).toMatchObject({ fromMember: 3000n, lost: 0n })
    expect([...(await wallet(memberId)), await owed(memberId)]).toEqual([0n, 0n, 0n])
  },
)

test.each(PAID_BY)('a dispute won before the withdrawal was %s repays LOSSES, and the hold comes back whole', async (way, end) => {
  const { memberId, orderId, withdrawal } = await inDebt(`y-${way}`)
  expect((await dispute(`y-${way}`, orderId, 30, 'returned')).moved).toMatchObject({ fromMember: 0n, lost: 3000n })
  expect([...(await wallet(memberId)), await owed(memberId), await lossesOf(`y-${way}`)]).toEqual([0n, 3000n, 0n, 0n])
  await end(withdrawal)
  expect(await wallet(memberId)).toEqual([3000n, 0n])
})

test('a dispute won after a part of the debt was paid gives that part to the wallet and the rest to LOSSES', async () => {
  const { memberId, orderId } = await newPayer(database.db, 30)
  const [small, big] = [randomUUID(), randomUUID()]
  await withdraw(memberId, 5, small)
  await withdraw(memberId, 17, big)
  expect((await dispute('part', orderId, 30, 'taken')).moved).toMatchObject({ fromMember: 800n, lost: 2200n })
  await doing((tx) => bookPayout(tx, { id: big, word: 'paid' }))
  await doing((tx) => rejectWithdrawal(tx, { id: small, reason: 'no' }))
  expect([await owed(memberId), await lossesOf('part')]).toEqual([1700n, -1700n])
  const all = await Promise.all([1, 2, 3].map(() => dispute('part', orderId, 30, 'returned')))
  expect(all.flatMap(({ moved }) => moved ?? [])).toMatchObject([{ fromMember: 1300n, lost: 1700n }])
  expect([...(await wallet(memberId)), await owed(memberId), await lossesOf('part')]).toEqual([1300n, 0n, 0n, 0n])
})

test('the older of two debts is paid first, and money returned by its dispute pays the other', async () => {
  const memberId = await newMember(database.db)
  const [first, second] = [await addMoney(database.db, memberId, wholeRupees(10)), await addMoney(database.db, memberId, wholeRupees(10))]
  const [one_, two] = [randomUUID(), randomUUID()]
  await withdraw(memberId, 12, one_)
  await withdraw(memberId, 8, two)
  await dispute('two-a', first, 10, 'taken')
  await dispute('two-b', second, 10, 'taken')
  await doing((tx) => rejectWithdrawal(tx, { id: one_, reason: 'no' }))
  expect([await owed(memberId), await lossesOf('two-a'), await lossesOf('two-b')]).toEqual([800n, 0n, -800n])
  expect((await dispute('two-a', first, 10, 'returned')).moved).toMatchObject({ fromMember: 1000n, debtPaid: 800n })
  expect([await owed(memberId), ...(await wallet(memberId)), await lossesOf('two-a', 'two-b')]).toEqual([0n, 200n, 800n, 0n])
  await dispute('two-b', second, 10, 'returned')
  expect([...(await wallet(memberId)), await lossesOf('two-a', 'two-b')]).toEqual([1200n, 800n, 0n])
  await doing((tx) => rejectWithdrawal(tx, { id: two, reason: 'no' }))
  expect(await wallet(memberId)).toEqual([2000n, 0n])
})

test('a member who leaves pays the debt first, and money for the closed account pays the rest', async () => {
  const { memberId, orderId } = await newPayer(database.db, 30)
  const withdrawal = randomUUID()
  await withdraw(memberId, 30, withdrawal)
  await doing((tx) => bookPayout(tx, { id: withdrawal, word: 'paid' }))
  await dispute('left', orderId, 20, 'taken')
  await addMoney(database.db, memberId, wholeRupees(5))
  expect(await doing((tx) => giveRest(tx, { memberId, ref: randomUUID() }))).toEqual({ ok: true, value: 0n })
  expect([await owed(memberId), ...(await wallet(memberId))]).toEqual([1500n, 0n, 0n])
  expect(await doing((tx) => closeWallet(tx, memberId))).toMatchObject({ ok: true })
  await doing((tx) => bookPayout(tx, { id: withdrawal, word: 'reversed' }))
  expect([await owed(memberId), await lossesOf('left')]).toEqual([0n, 0n])
  const items = await database.db.query<{ id: bigint; status: string; amount: bigint }>(
    sql`select id, status, amount from suspense_item where order_id = ${withdrawal.replaceAll('-', '')}::text order by id`,
  )
  expect(items).toMatchObject([
    { status: 'taken', amount: 3000n },
    { status: 'open', amount: 1500n },
  ])
  const rest = items[1]?.id ?? 0n
  expect(await doing((tx) => paySuspense(tx, { itemId: rest, reference: 'UTR1', decidedBy: 1n }))).toMatchObject({ ok: true })
  // Won: the payments of the debt go to SUSPENSE for their owner.
  expect((await dispute('left', orderId, 20, 'returned')).moved).toMatchObject({ fromMember: 0n, suspended: 2000n, lost: 0n })
  expect(await lossesOf('left')).toBe(0n)
})

test('a chargeback of a closed account takes its suspense items, and the rest is a debt', async () => {
  const { memberId, orderId } = await newPayer(database.db, 30)
  const [small, big] = [randomUUID(), randomUUID()]
  for (const [id, rupees] of [
    [small, 10],
    [big, 20],
  ] as const) {
    await withdraw(memberId, rupees, id)
    await doing((tx) => bookPayout(tx, { id, word: 'paid' }))
  }
  await doing((tx) => closeWallet(tx, memberId))
  await doing((tx) => bookPayout(tx, { id: small, word: 'reversed' }))
  expect((await dispute('gone', orderId, 30, 'taken')).moved).toMatchObject({ suspended: 1000n, lost: 2000n })
  expect(await owed(memberId)).toBe(2000n)
  await doing((tx) => bookPayout(tx, { id: big, word: 'reversed' }))
  expect([await owed(memberId), await lossesOf('gone')]).toEqual([0n, 0n])
  expect(
    await database.db.query(
      sql`select 1 from suspense_item where status = 'open' and order_id in (${small.replaceAll('-', '')}::text, ${big.replaceAll('-', '')}::text)`,
    ),
  ).toEqual([])
})

test('a chargeback of a payment credited from SUSPENSE takes it from the member who was credited', async () => {
  const memberId = await newMember(database.db)
  const itemId = await suspended(10)
  await creditItem(itemId, memberId)
  await withdraw(memberId, 6)
  const of = await database.db.one<{ orderId: string; paymentId: string }>(
    sql`select order_id as "orderId", payment_id as "paymentId" from suspense_item where id = ${itemId}::bigint`,
  )
  expect((await dispute('credited', of.orderId, 10, 'taken', of.paymentId)).moved).toMatchObject({ memberId, fromMember: 400n, lost: 600n })
  expect([await owed(memberId), ...(await wallet(memberId))]).toEqual([600n, 0n, 600n])
  await dispute('credited', of.orderId, 10, 'returned', of.paymentId)
  expect([await owed(memberId), ...(await wallet(memberId))]).toEqual([0n, 400n, 600n])
})

test('a payment that the bank took out of SUSPENSE credits nobody, and nobody owes it', async () => {
  const memberId = await newMember(database.db)
  const orderId = newOrderId()
  await doing((tx) => createTopup(tx, { orderId, memberId, amount: wholeRupees(10) }))
  const told = (rupees: number) =>
    doing((tx) => captureTopup(tx, { orderId, paymentId: `pay_${orderId}`, orderAmount: wholeRupees(rupees) }))
  await told(12)
  await dispute('early', orderId, 10, 'taken')
  expect(await told(10)).toEqual({ result: 'duplicate' })
  expect([...(await wallet(memberId)), await owed(memberId), await lossesOf('early')]).toEqual([0n, 0n, 0n, 0n])
})

test('an approval that meets a chargeback waits for it and is refused', async () => {
  const { memberId, orderId } = await newPayer(database.db, 30)
  const [withdrawal, refund] = [randomUUID(), randomUUID()]
  await withdraw(memberId, 30, withdrawal)
  await ask(memberId, await addMoney(database.db, memberId, wholeRupees(10)), 10, refund)
  for (const [word, say] of [
    ['yes-1', () => doing((tx) => approveWithdrawal(tx, withdrawal, APPROVER))],
    ['yes-2', () => approve(refund)],
  ] as const) {
    const taking = await holdOpen(database.db, (tx) => bookDispute(tx, disputed(word, orderId, wholeRupees(10))))
    const answer = say()
    try {
      await untilLockWaits(database.db)
    } finally {
      await taking.commit()
    }
    expect(await answer).toEqual({ ok: false, code: 'member_in_debt' })
    await dispute(word, orderId, 10, 'returned')
  }
})

test('an approval, a rejection and a chargeback at once leave no debt beside money in the wallet', async () => {
  for (let round = 0; round < 6; round++) {
    const { memberId, orderId } = await newPayer(database.db, 20)
    const [one_, two] = [randomUUID(), randomUUID()]
    for (const id of [one_, two]) await withdraw(memberId, 10, id)
    const [approved] = await Promise.all([
      doing((tx) => approveWithdrawal(tx, two, APPROVER)),
      doing((tx) => rejectWithdrawal(tx, { id: one_, reason: 'no' })),
      dispute(`race-${round}`, orderId, 15, 'taken'),
    ])
    if (!approved.ok) expect(approved.code).toBe('member_in_debt')
    expect([await owed(memberId), ...(await wallet(memberId))]).toEqual([500n, 0n, 1000n])
    expect(await doing((tx) => startSending(tx, two, { again: false }))).toBe(false)
  }
})

test('the tables refuse a debt that grows or reopens, a payment without a debt, and a return of what was not paid', async () => {
  await inDebt('table')
  const refusalOf = (...statements: readonly ReturnType<typeof sql>[]) =>
    doing(async (tx) => {
      for (const statement of statements) await tx.query(statement)
      throw new Error('all were taken')
    }).catch((error: unknown) => violatedConstraint(error))
  const change = (what: ReturnType<typeof sql>) => sql`update debt set ${what} where ref = 'table'`
  expect(await refusalOf(change(sql`amount = amount + 1`))).toBe('debt_moves')
  expect(await refusalOf(change(sql`paid = amount + 1`))).toBe('debt_check')
  expect(await refusalOf(change(sql`paid = 2`), change(sql`paid = 1`))).toBe('debt_moves')
  expect(await refusalOf(change(sql`returned_at = roz_now()`), change(sql`returned_at = null`))).toBe('debt_moves')
  const book = (kind: string, ref: string, debit: bigint, credit: bigint) =>
    sql`insert into transfer (kind, ref, debit, credit, amount, day)
        values (${kind}::text, ${ref}::text, ${debit}::bigint, ${credit}::bigint, 1, posting_day())`
  expect(await refusalOf(book('debt_paid', 'never#debt1', 5n, 9n))).toBe('debt_order')
  expect(await refusalOf(book('debt_back', 'table#debt1', 9n, 5n))).toBe('debt_order')
  expect(await refusalOf(book('debt_paid', 'table#debt1', 5n, 9n), book('debt_back', 'table#debt1', 9n, 5n))).toBeUndefined()
})
