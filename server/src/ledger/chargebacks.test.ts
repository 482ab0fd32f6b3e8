/** Chargebacks: the member pays as far as the balance reaches, LOSSES bears the rest, once in each direction. */
import { randomUUID } from 'node:crypto'
import { wholeRupees } from '@roz/core/money.ts'
import { beforeAll, expect, test } from 'vitest'
import { sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { useTestDatabase } from '../testing/database.ts'
import { ACCOUNTS } from './accounts.ts'
import { readBalances } from './balances.ts'
import { closeWallet } from './closing.ts'
import { readDebt } from './debts.ts'
import { addMoney, chargeBack, DAY, newMember, newOrderId, newPayer, openDay } from './testing/fixtures.ts'
import { createJoinBatcher } from './join-batcher.ts'
import { startRefund } from './refunds.ts'
import { paySuspense } from './suspense.ts'
import { refundOperations } from './testing/refund-operations.ts'
import { moveSystem } from './transfer.ts'
import { captureTopup, createTopup } from './topups.ts'
import { listUnusedTopups } from './unused-topups.ts'

const database = useTestDatabase({ connectionsMax: 20 })
beforeAll(async () => {
  await openDay(database, DAY)
})

const { ask, withdraw, tell, approve, reject, send, wallet, unused, suspended, refundItem, creditItem } = refundOperations(
  () => database.db,
)

const dispute = (disputeId: string, orderId: string, rupees: number, word: 'taken' | 'returned', paymentId?: string) =>
  chargeBack(database.db, disputeId, orderId, wholeRupees(rupees), word === 'taken', paymentId)

test('a chargeback takes the balance, the rest is a loss and a debt, and a won dispute returns all of it', async () => {
  const { memberId, orderId } = await newPayer(database.db, 30)
  await withdraw(memberId, 18)
  const all = await Promise.all([1, 2, 3].map(() => dispute('d1', orderId, 30, 'taken')))
  const taken = { what: 'taken', memberId, fromMember: 1200n, suspended: 0n, lost: 1800n, debtPaid: 0n }
  expect(all.flatMap(({ moved }) => moved ?? [])).toEqual([taken])
  expect(await wallet(memberId)).toEqual([0n, 1800n])
  expect(await ask(memberId, orderId, 1)).toMatchObject({ ok: false })
  const back = await Promise.all([1, 2, 3].map(() => dispute('d1', orderId, 30, 'returned')))
  expect(back.flatMap(({ moved }) => moved ?? [])).toEqual([{ ...taken, what: 'returned' }])
  expect(await wallet(memberId)).toEqual([1200n, 1800n])
  expect(await unused(memberId)).toEqual({ [orderId]: 1200n })
  expect(await ask(memberId, orderId, 2)).toMatchObject({ ok: true })
  // Lost after all: the dispute takes again, from the current balance.
  expect((await dispute('d1', orderId, 30, 'taken')).moved).toEqual({
    what: 'taken',
    memberId,
    fromMember: 1000n,
    suspended: 0n,
    lost: 2000n,
    debtPaid: 0n,
  })
  expect((await dispute('d1', orderId, 30, 'returned')).moved).toMatchObject({ what: 'returned', fromMember: 1000n, lost: 2000n })
  expect(await wallet(memberId)).toEqual([1000n, 2000n])
})

test('a chargeback beyond its payment is refused, and the dispute keeps the reason', async () => {
  const { memberId, orderId } = await newPayer(database.db, 10)
  expect((await dispute('d2', orderId, 11, 'taken')).problem).toBe('more_than_paid')
  expect((await dispute('d2', orderId, 11, 'taken')).problem).toBeUndefined()
  const nobodys = newOrderId()
  expect((await dispute('d3', nobodys, 1, 'taken')).problem).toBe('unknown_payment')
  expect((await dispute('d3', nobodys, 1, 'returned')).moved).toBeUndefined()
  const both = await Promise.all([dispute('d4', orderId, 6, 'taken'), dispute('d5', orderId, 6, 'taken')])
  expect(both.flatMap(({ problem }) => problem ?? [])).toEqual(['more_than_paid'])
  expect(await wallet(memberId)).toEqual([400n, 0n])
  expect(
    await database.db.query(sql`select id, problem from dispute where problem is not null and id in ('d2', 'd3') order by id`),
  ).toEqual([{ id: 'd2', problem: 'more_than_paid' }])
})

test('a dispute reported with another payment moves nothing and keeps what it took', async () => {
  const memberId = await newMember(database.db)
  const [own, other] = [await addMoney(database.db, memberId, wholeRupees(10)), await addMoney(database.db, memberId, wholeRupees(20))]
  expect((await dispute('d60', own, 4, 'taken')).moved).toMatchObject({ fromMember: 400n })
  expect(await dispute('d60', other, 20, 'taken')).toEqual({ moved: undefined, problem: 'unknown_payment', isNew: false })
  expect(await dispute('d60', other, 20, 'returned')).toEqual({ moved: undefined, problem: undefined, isNew: false })
  expect(await wallet(memberId)).toEqual([2600n, 0n])
  expect((await dispute('d60', own, 4, 'returned')).moved).toMatchObject({ fromMember: 400n })
  expect((await dispute('d60', other, 20, 'taken')).problem).toBe('unknown_payment')
  expect(await wallet(memberId)).toEqual([3000n, 0n])
})

test('a chargeback of an empty wallet is all our loss, and the top-up cannot be refunded', async () => {
  const { memberId, orderId } = await newPayer(database.db, 10)
  await dispute('d6', orderId, 4, 'taken')
  expect(await ask(memberId, orderId, 1)).toEqual({ ok: false, code: 'refund_not_possible' })
  await withdraw(memberId, 6)
  expect((await dispute('d7', orderId, 6, 'taken')).moved).toMatchObject({ fromMember: 0n, lost: 600n })
  await dispute('d7', orderId, 6, 'returned')
  // The other dispute still has its part of the payment.
  expect(await ask(memberId, orderId, 1)).toMatchObject({ ok: false })
})

/** A payment of this much that belongs to nobody: its item, and its ids at the gateway. */
async function nobodys(rupees: number) {
  const itemId = await suspended(rupees)
  const { orderId } = await database.db.one<{ orderId: string }>(
    sql`select order_id as "orderId" from suspense_item where id = ${itemId}::bigint`,
  )
  const paymentId = `s_${orderId}`
  const turn = (id: string, part: number, word: 'taken' | 'returned') => dispute(id, orderId, part, word, paymentId)
  return { itemId, orderId, paymentId, turn }
}
const balancesOf = async (): Promise<readonly [suspense: bigint, losses: bigint]> => {
  const { SUSPENSE, LOSSES } = await readBalances(database.db)
  return [SUSPENSE, LOSSES]
}
/** By how much SUSPENSE and LOSSES have changed since. */
async function changes(): Promise<() => Promise<readonly [bigint, bigint]>> {
  const [suspense, losses] = await balancesOf()
  return async () => {
    const [now, lost] = await balancesOf()
    return [now - suspense, lost - losses]
  }
}
const openItemOf = async (orderId: string) => (await itemsOf(orderId)).find(({ status }) => status === 'open')

test('a dispute about a payment that is nobody’s takes its item: no loss, and nothing is left to decide', async () => {
  const changed = await changes()
  const { itemId, orderId, turn } = await nobodys(10)
  const all = await Promise.all([1, 2, 3].map(() => turn('d8', 10, 'taken')))
  const taken = { what: 'taken', memberId: undefined, fromMember: 0n, suspended: 1000n, lost: 0n, debtPaid: 0n }
  expect(all.flatMap(({ moved }) => moved ?? [])).toEqual([taken])
  expect([await refundItem(itemId), await changed()]).toEqual([{ ok: false, code: 'suspense_decided' }, [0n, 0n]])
  // Won, lost, and won again: an item of its own each time.
  expect((await turn('d8', 10, 'returned')).moved).toEqual({ ...taken, what: 'returned' })
  expect((await turn('d8', 10, 'taken')).moved).toEqual(taken)
  expect((await turn('d8', 10, 'returned')).moved).toMatchObject({ suspended: 1000n, lost: 0n })
  expect((await itemsOf(orderId)).map(({ status }) => status)).toEqual(['taken', 'taken', 'open'])
  expect(await refundItem((await openItemOf(orderId))?.id ?? 0n)).toMatchObject({ ok: true, value: { amount: 1000n } })
})

test('the rest of a payment that was disputed in part is decided, and a second dispute finds who has it', async () => {
  const changed = await changes()
  const memberId = await newMember(database.db)
  const { orderId, turn } = await nobodys(30)
  expect((await turn('d9', 4, 'taken')).moved).toMatchObject({ suspended: 400n, lost: 0n })
  const rest = await openItemOf(orderId)
  expect(await creditItem(rest?.id ?? 0n, memberId)).toMatchObject({ ok: true, value: { amount: 2600n } })
  expect([await wallet(memberId), await changed()]).toEqual([
    [2600n, 0n],
    [0n, 0n],
  ])
  await withdraw(memberId, 6)
  expect((await turn('d9b', 26, 'taken')).moved).toMatchObject({ memberId, fromMember: 2000n, suspended: 0n, lost: 600n })
  // Money that was nobody's is nobody's again.
  expect((await turn('d9', 4, 'returned')).moved).toMatchObject({ fromMember: 0n, suspended: 400n })
  expect(await openItemOf(orderId)).toMatchObject({ amount: 400n })
  await turn('d9b', 26, 'returned')
  expect([await wallet(memberId), await changed()]).toEqual([
    [2000n, 600n],
    [400n, 0n],
  ])
})

test.each([
  // The item of ₹4 pays the debt; what is left of it is the member's.
  { owed: 3, balance: 100n, debt: 0n },
  { owed: 6, balance: 0n, debt: 200n },
])('a loss of ₹$owed that a member owes is not taken from an item of the same payment', async ({ owed, balance, debt }) => {
  const changed = await changes()
  const memberId = await newMember(database.db)
  const { orderId, turn } = await nobodys(30)
  await turn(`part${owed}`, 4, 'taken')
  await creditItem((await openItemOf(orderId))?.id ?? 0n, memberId)
  await withdraw(memberId, owed)
  expect((await turn(`rest${owed}`, 26, 'taken')).moved).toMatchObject({ memberId, lost: wholeRupees(owed) })
  await turn(`part${owed}`, 4, 'returned')
  expect(await creditItem((await openItemOf(orderId))?.id ?? 0n, memberId)).toEqual({ ok: true, value: { amount: 400n, balance } })
  expect([await readDebt(database.db, memberId), await changed()]).toEqual([debt, [0n, -debt]])
  await turn(`rest${owed}`, 26, 'returned')
  expect([await wallet(memberId), await changed()]).toEqual([
    [wholeRupees(30 - owed), wholeRupees(owed)],
    [0n, 0n],
  ])
})

test('a loss that a member owes is not taken from the surplus of the payment that credited the order', async () => {
  const memberId = await newMember(database.db)
  const orderId = newOrderId()
  await inTransaction(database.db, (tx) => createTopup(tx, { orderId, memberId, amount: wholeRupees(10) }))
  for (const rupees of [12, 10])
    await inTransaction(database.db, (tx) => captureTopup(tx, { orderId, paymentId: `pay_${orderId}`, orderAmount: wholeRupees(rupees) }))
  await withdraw(memberId, 1)
  expect((await dispute('d17', orderId, 10, 'taken')).moved).toMatchObject({ fromMember: 900n, lost: 100n })
  expect(await refundItem((await openItemOf(orderId))?.id ?? 0n)).toMatchObject({ ok: true, value: { amount: 200n } })
  expect(await readDebt(database.db, memberId)).toBe(100n)
  await dispute('d17', orderId, 10, 'returned')
  expect([await wallet(memberId), await readDebt(database.db, memberId)]).toEqual([[900n, 100n], 0n])
})

test('a dispute and a credit of the item at the same time: only one of them gets the money from SUSPENSE', async () => {
  for (let round = 0; round < 8; round++) {
    const changed = await changes()
    const memberId = await newMember(database.db)
    const { itemId, turn } = await nobodys(10)
    const [credited, { moved }] = await Promise.all([creditItem(itemId, memberId), turn(`meets${round}`, 10, 'taken')])
    expect(moved).toMatchObject(credited.ok ? { memberId, fromMember: 1000n, suspended: 0n } : { fromMember: 0n, suspended: 1000n })
    if (!credited.ok) expect(credited.code).toBe('suspense_decided')
    expect([await wallet(memberId), await changed()]).toEqual([
      [0n, 0n],
      [0n, 0n],
    ])
  }
})

test('a loss of a dispute that met a refund is taken from the item once the refund has failed', async () => {
  const changed = await changes()
  const { itemId, orderId, turn } = await nobodys(30)
  const refund = randomUUID()
  expect(await refundItem(itemId, refund)).toMatchObject({ ok: true })
  expect((await turn('d15', 20, 'taken')).moved).toMatchObject({ suspended: 0n, lost: 2000n })
  expect(await send(refund)).toBe(false)
  expect(await reject(refund)).toMatchObject({ ok: true })
  expect(await changed()).toEqual([3000n, -2000n])
  // A decision finds the item taken, and the rest open.
  expect(await refundItem(itemId)).toEqual({ ok: false, code: 'suspense_decided' })
  expect(await changed()).toEqual([1000n, 0n])
  expect(await openItemOf(orderId)).toMatchObject({ amount: 1000n })
  expect((await turn('d15', 20, 'returned')).moved).toMatchObject({ suspended: 2000n, lost: 0n })
  expect(await changed()).toEqual([3000n, 0n])
})

test('a loss that an earlier release booked is taken from its open item', async () => {
  const changed = await changes()
  const { itemId, orderId, paymentId } = await nobodys(30)
  await database.db.query(sql`
    insert into dispute (id, order_id, payment_id, amount, type, status, state, is_taken)
    values ('d16', ${orderId}::text, ${paymentId}::text, 3000, 'CHARGEBACK', 'X', 'lost', true)`)
  const { LOSSES, GATEWAY } = ACCOUNTS
  await inTransaction(database.db, (tx) =>
    moveSystem(tx, { kind: 'chargeback', ref: 'd16#loss', debit: LOSSES, credit: GATEWAY, amount: wholeRupees(30) }),
  )
  const decisions = await Promise.all([refundItem(itemId), refundItem(itemId)])
  for (const decision of decisions) expect(decision).toEqual({ ok: false, code: 'suspense_decided' })
  expect([await changed(), await openItemOf(orderId)]).toEqual([[0n, 0n], undefined])
  expect((await dispute('d16', orderId, 30, 'returned', paymentId)).moved).toMatchObject({ suspended: 3000n, lost: 0n })
})

test('a dispute about another payment of the order does not block a refund', async () => {
  const { memberId, orderId } = await newPayer(database.db, 10)
  const second = { orderId, paymentId: `second_${orderId}`, orderAmount: wholeRupees(10) }
  expect(await inTransaction(database.db, (tx) => captureTopup(tx, second))).toEqual({ result: 'suspense', reason: 'second_payment' })
  const isRefundable = async () => (await listUnusedTopups(database.db, memberId))[0]?.isRefundable
  await dispute('d12', orderId, 10, 'taken', second.paymentId)
  expect(await isRefundable()).toBe(true)
  await dispute('d13', orderId, 4, 'taken')
  expect(await isRefundable()).toBe(false)
  // The other payment's dispute neither releases nor blocks the refund.
  await dispute('d12', orderId, 10, 'returned', second.paymentId)
  expect(await isRefundable()).toBe(false)
  await dispute('d12', orderId, 10, 'taken', second.paymentId)
  await dispute('d13', orderId, 4, 'returned')
  expect(await isRefundable()).toBe(true)
})

test('a payment of which the bank took a part out of SUSPENSE does not credit its order any more', async () => {
  const memberId = await newMember(database.db)
  const orderId = newOrderId()
  await inTransaction(database.db, (tx) => createTopup(tx, { orderId, memberId, amount: wholeRupees(10) }))
  const told = (rupees: number) =>
    inTransaction(database.db, (tx) => captureTopup(tx, { orderId, paymentId: `pay_${orderId}`, orderAmount: wholeRupees(rupees) }))
  expect(await told(12)).toMatchObject({ reason: 'other_amount' })
  await dispute('d14', orderId, 10, 'taken')
  expect(await told(10)).toEqual({ result: 'duplicate' })
  expect([await wallet(memberId), await openItemOf(orderId)]).toMatchObject([[0n, 0n], { amount: 200n }])
})

test('a refund requested before a chargeback is neither approved nor sent while the bank has the money', async () => {
  const { memberId, orderId } = await newPayer(database.db, 30)
  const [asked, approved] = [randomUUID(), randomUUID()]
  await ask(memberId, orderId, 10, asked)
  await ask(memberId, orderId, 10, approved)
  await approve(approved)
  await dispute('d11', orderId, 30, 'taken')
  expect(await approve(asked)).toEqual({ ok: false, code: 'payment_taken_back' })
  expect(await send(approved)).toBe(false)
  expect(await database.db.one(sql`select status, problem from refund where id = ${approved}::uuid`)).toEqual({
    status: 'approved',
    problem: 'payment_taken_back',
  })
  expect(await approve(approved)).toEqual({ ok: false, code: 'payment_taken_back' })
  await dispute('d11', orderId, 30, 'returned')
  expect(await approve(asked)).toMatchObject({ ok: true })
  expect(await approve(approved)).toMatchObject({ ok: true })
  expect([await send(asked), await send(approved)]).toEqual([true, true])
  // Charged back while `sending` and certainly lost: it is not sent again, and the gateway's status is still booked.
  await dispute('d11', orderId, 10, 'taken')
  expect(await inTransaction(database.db, (tx) => startRefund(tx, asked, { again: true }))).toBe(false)
  expect(await tell(asked, 'paid')).toMatchObject({ result: 'paid', contradicts: true })
})

test('a chargeback at the same time as withdrawals, joins and refunds uses no rupee twice', async () => {
  for (let round = 0; round < 6; round++) {
    const { memberId, orderId } = await newPayer(database.db, 20)
    const [asked, drawn, joined, { moved }] = await Promise.all([
      ask(memberId, orderId, 12),
      withdraw(memberId, 12),
      createJoinBatcher({ db: database.db }).join({ memberId }),
      dispute(`race${round}`, orderId, 20, 'taken'),
    ])
    const [balance, held] = await wallet(memberId)
    const gone = (asked.ok ? 1200n : 0n) + (drawn.ok ? 1200n : 0n)
    expect([balance, held]).toEqual([2000n - gone - (joined.ok ? 100n : 0n) - (moved?.fromMember ?? 0n), gone])
    expect((moved?.fromMember ?? 0n) + (moved?.lost ?? 0n)).toBe(2000n)
    await dispute(`race${round}`, orderId, 20, 'returned')
  }
})

/** A member who paid ₹10, lost it to a chargeback, and left. */
async function leftWithout(disputeId: string): Promise<{ readonly memberId: bigint; readonly orderId: string }> {
  const { memberId, orderId } = await newPayer(database.db, 10)
  await dispute(disputeId, orderId, 10, 'taken')
  expect(await inTransaction(database.db, (tx) => closeWallet(tx, memberId))).toMatchObject({ ok: true })
  return { memberId, orderId }
}
const itemsOf = (orderId: string) =>
  database.db.query<{ id: bigint; status: string; amount: bigint }>(
    sql`select id, status, amount from suspense_item where order_id = ${orderId}::text order by id`,
  )
const pay = (itemId: bigint) => inTransaction(database.db, (tx) => paySuspense(tx, { itemId, reference: 'UTR1', decidedBy: 1n }))

test('money returned for a closed account is taken from SUSPENSE again, however often the bank turns', async () => {
  const { memberId, orderId } = await leftWithout('d20')
  const back = { memberId, fromMember: 0n, suspended: 1000n, lost: 0n, debtPaid: 0n }
  expect((await dispute('d20', orderId, 10, 'returned')).moved).toEqual({ what: 'returned', ...back })
  expect((await dispute('d20', orderId, 10, 'taken')).moved).toEqual({ what: 'taken', ...back })
  expect((await dispute('d20', orderId, 10, 'taken')).moved).toBeUndefined()
  expect((await dispute('d20', orderId, 10, 'returned')).moved).toEqual({ what: 'returned', ...back })
  expect(await itemsOf(orderId)).toMatchObject([
    { status: 'taken', amount: 1000n },
    { status: 'open', amount: 1000n },
  ])
  // Less than the item: the rest stays in SUSPENSE, and may be given out.
  expect((await dispute('d20', orderId, 4, 'taken')).moved).toMatchObject({ suspended: 400n, lost: 0n })
  const rest = (await itemsOf(orderId)).at(-1)
  expect(rest).toMatchObject({ status: 'open', amount: 600n })
  expect(await pay(rest?.id ?? 0n)).toMatchObject({ ok: true })
  await dispute('d20', orderId, 4, 'returned')
  for (const { id, status } of await itemsOf(orderId)) if (status === 'open') expect(await pay(id)).toMatchObject({ ok: true })
  // The owner has the money: the next chargeback is our loss.
  expect((await dispute('d20', orderId, 10, 'taken')).moved).toMatchObject({ suspended: 0n, lost: 1000n, debtPaid: 0n })
})

test('a payment by hand and a chargeback at the same time: only one of them gets the money', async () => {
  for (let round = 0; round < 8; round++) {
    const { orderId } = await leftWithout(`hand${round}`)
    await dispute(`hand${round}`, orderId, 10, 'returned')
    const [item] = await itemsOf(orderId)
    const [paid, { moved }] = await Promise.all([pay(item?.id ?? 0n), dispute(`hand${round}`, orderId, 10, 'taken')])
    expect(moved).toMatchObject(paid.ok ? { suspended: 0n, lost: 1000n } : { suspended: 1000n, lost: 0n })
    if (!paid.ok) expect(['suspense_decided', 'payment_taken_back']).toContain(paid.code)
  }
})
