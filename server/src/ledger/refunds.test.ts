/** Refunds and suspense items: the unused part of each top-up, and how it is returned. Chargebacks: chargebacks.test.ts. */
import { randomUUID } from 'node:crypto'
import { type Paise, paise, wholeRupees } from '@roz/core/money.ts'
import { beforeAll, expect, test } from 'vitest'
import { sql, violatedConstraint } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { useTestDatabase } from '../testing/database.ts'
import { addMoney, DAY, endDay, newMember, newOrderId, newPayer, openDay, payOut } from './testing/fixtures.ts'
import { createJoinBatcher } from './join-batcher.ts'
import { listMovements } from './movements.ts'
import { requestRefund, stopRefund } from './refunds.ts'
import { creditSuspense } from './suspense.ts'
import { refundOperations } from './testing/refund-operations.ts'
import { captureTopup, createTopup } from './topups.ts'
import { rejectWithdrawal } from './withdrawals.ts'

const database = useTestDatabase({ connectionsMax: 20 })
beforeAll(async () => {
  await openDay(database, DAY)
})

const { ask, withdraw, tell, approve, reject, send, wallet, unused, suspended, refundItem, creditItem } = refundOperations(
  () => database.db,
)

const credit = async (memberId: bigint, amount: Paise): Promise<void> => {
  // Money that is no top-up, like a prize.
  const orderId = newOrderId()
  await inTransaction(database.db, async (tx) => captureTopup(tx, { orderId, paymentId: `x_${orderId}`, orderAmount: amount }))
  const { id } = await database.db.one<{ id: bigint }>(sql`select id from suspense_item where order_id = ${orderId}::text`)
  await inTransaction(database.db, (tx) => creditSuspense(tx, { itemId: id, memberId, decidedBy: 1n }))
}

test('spending uses top-ups first in, first out', async () => {
  const memberId = await newMember(database.db)
  const [first, second] = [await addMoney(database.db, memberId, wholeRupees(10)), await addMoney(database.db, memberId, wholeRupees(20))]
  expect(await unused(memberId)).toEqual({ [first]: 1000n, [second]: 2000n })
  await withdraw(memberId, 10)
  expect(await unused(memberId)).toEqual({ [second]: 2000n })
  await createJoinBatcher({ db: database.db }).join({ memberId })
  expect(await unused(memberId)).toEqual({ [second]: 1900n })
  const back = randomUUID()
  await withdraw(memberId, 15, back)
  expect(await unused(memberId)).toEqual({ [second]: 400n })
  await inTransaction(database.db, (tx) => rejectWithdrawal(tx, { id: back, reason: 'no' }))
  expect(await unused(memberId)).toEqual({ [second]: 1900n })
})

test('a refund takes from its own top-up, whatever its age, and returns to it when rejected', async () => {
  const memberId = await newMember(database.db)
  const [first, second] = [await addMoney(database.db, memberId, wholeRupees(10)), await addMoney(database.db, memberId, wholeRupees(20))]
  const id = randomUUID()
  expect(await ask(memberId, second, 15, id)).toMatchObject({ ok: true, value: { balance: 1500n } })
  expect(await unused(memberId)).toEqual({ [first]: 1000n, [second]: 500n })
  expect(await ask(memberId, second, 6)).toEqual({ ok: false, code: 'refund_exceeds_unused' })
  expect(await wallet(memberId)).toEqual([1500n, 1500n])
  await withdraw(memberId, 12)
  expect(await unused(memberId)).toEqual({ [second]: 300n })
  await reject(id)
  expect(await unused(memberId)).toEqual({ [second]: 1800n })
  expect(await wallet(memberId)).toEqual([1800n, 1200n])
})

test('a top-up is marked refunded when its last part is refunded', async () => {
  const { memberId, orderId } = await newPayer(database.db, 20)
  const statusOf = () => database.db.one(sql`select status from topup where order_id = ${orderId}::text`)
  for (const [rupees, status] of [
    [5, 'captured'],
    [15, 'refunded'],
  ] as const) {
    const id = randomUUID()
    expect(await ask(memberId, orderId, rupees, id)).toMatchObject({ ok: true })
    expect([(await approve(id)).ok, await send(id)]).toEqual([true, true])
    expect(await tell(id, 'paid')).toMatchObject({ result: 'paid' })
    expect(await statusOf()).toEqual({ status })
  }
  expect(await wallet(memberId)).toEqual([0n, 0n])
  expect(await ask(memberId, orderId, 1)).toEqual({ ok: false, code: 'refund_exceeds_unused' })
})

test('a refund is at least a rupee, or the whole of a smaller rest', async () => {
  const { memberId, orderId } = await newPayer(database.db, 10)
  const askFor = (amount: bigint) =>
    inTransaction(database.db, (tx) =>
      requestRefund(tx, { id: randomUUID(), memberId, orderId, amount: paise(amount), reason: 'too much' }),
    )
  for (const amount of [1n, 99n]) expect(await askFor(amount)).toEqual({ ok: false, code: 'refund_too_small' })
  expect(await askFor(100n)).toMatchObject({ ok: true })
  expect(await askFor(850n)).toMatchObject({ ok: true })
  expect(await askFor(49n)).toEqual({ ok: false, code: 'refund_too_small' })
  expect(await askFor(50n)).toMatchObject({ ok: true })
  expect(await wallet(memberId)).toEqual([0n, 1000n])
})

test('of twelve requests at the same time five are open; the end of a request makes room for another', async () => {
  const { memberId, orderId } = await newPayer(database.db, 20)
  const ids = Array.from({ length: 12 }, () => randomUUID())
  const outcomes = await Promise.all(ids.map((id) => ask(memberId, orderId, 1, id)))
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(5)
  expect(outcomes.filter(({ ok }) => !ok)).toEqual(Array.from({ length: 7 }, () => ({ ok: false, code: 'refunds_open' })))
  expect(await wallet(memberId)).toEqual([1500n, 500n])
  const [first = ''] = ids.filter((_, place) => outcomes[place]?.ok === true)
  await reject(first)
  expect(await Promise.all([ask(memberId, orderId, 1), ask(memberId, orderId, 1)])).toEqual(
    expect.arrayContaining([expect.objectContaining({ ok: true }), { ok: false, code: 'refunds_open' }]),
  )
})

test('a refund is refused after seven days, for the order of another member and for an unpaid order', async () => {
  const memberId = await newMember(database.db)
  const other = await newMember(database.db, { rupees: 30 })
  const orderId = await addMoney(database.db, memberId, wholeRupees(20))
  const unpaid = newOrderId()
  await inTransaction(database.db, (tx) => createTopup(tx, { orderId: unpaid, memberId, amount: wholeRupees(10) }))
  expect(await ask(other, orderId, 1)).toEqual({ ok: false, code: 'order_not_found' })
  expect(await ask(memberId, unpaid, 1)).toEqual({ ok: false, code: 'refund_not_possible' })
  await database.db.query(sql`update topup set captured_at = captured_at - interval '7 days 1 second' where order_id = ${orderId}::text`)
  expect(await ask(memberId, orderId, 1)).toEqual({ ok: false, code: 'refund_not_possible' })
  expect(await wallet(memberId)).toEqual([2000n, 0n])
})

test('refunds and spending at the same time use no rupee twice', async () => {
  for (let round = 0; round < 8; round++) {
    const { memberId, orderId } = await newPayer(database.db, 20)
    const outcomes = await Promise.all([
      ask(memberId, orderId, 15),
      withdraw(memberId, 15),
      ask(memberId, orderId, 15),
      withdraw(memberId, 15),
      createJoinBatcher({ db: database.db }).join({ memberId }),
    ])
    expect(outcomes.slice(0, 4).filter((outcome) => outcome.ok)).toHaveLength(1)
    const left = 500n - (outcomes[4].ok ? 100n : 0n)
    expect(await wallet(memberId)).toEqual([left, 1500n])
  }
})

test('an approval and a rejection at the same time take effect once, and so do paid and failed', async () => {
  for (let round = 0; round < 6; round++) {
    const { memberId, orderId } = await newPayer(database.db, 20)
    const id = randomUUID()
    await ask(memberId, orderId, 20, id)
    const rejecting = reject(id)
    const [, , rejected] = await Promise.all([approve(id), approve(id), rejecting])
    if (rejected.ok) {
      expect([await send(id), await wallet(memberId)]).toEqual([false, [2000n, 0n]])
      continue
    }
    expect(await send(id)).toBe(true)
    const told = await Promise.all([tell(id, 'paid'), tell(id, 'failed'), tell(id, 'paid')])
    expect(told.filter((one) => one?.contradicts === false && one.result !== 'unchanged')).toHaveLength(1)
  }
})

test('a refund that the gateway declined stays approved, and can be approved again or rejected', async () => {
  const { memberId, orderId } = await newPayer(database.db, 20)
  const id = randomUUID()
  await ask(memberId, orderId, 20, id)
  await approve(id)
  expect(await approve(id)).toEqual({ ok: false, code: 'refund_final' })
  await send(id)
  await inTransaction(database.db, (tx) => stopRefund(tx, id, 'refund_amount_invalid'))
  expect(await approve(id)).toMatchObject({ ok: true })
  expect(await reject(id)).toMatchObject({ ok: true })
  // The gateway paid what we had given back: LOSSES bears it, each time the gateway changes its status.
  const words = ['paid', 'paid', 'failed', 'paid', 'failed', 'failed'] as const
  const booked: (string | undefined)[] = []
  for (const word of words) booked.push((await tell(id, word))?.result)
  expect(booked).toEqual(['conflict', 'unchanged', 'conflict_back', 'conflict', 'conflict_back', 'unchanged'])
  expect(await wallet(memberId)).toEqual([2000n, 0n])
  expect(await approve(randomUUID())).toEqual({ ok: false, code: 'refund_not_found' })
  const movements = await listMovements(database.db, { memberId, limit: 10 })
  expect(movements.ok && movements.value.movements.map(({ kind, status }) => [kind, status])).toEqual([
    ['refund_failed', null],
    ['refund_hold', 'rejected'],
    ['topup', null],
  ])
})

test('a suspense item is decided once by several decisions at the same time', async () => {
  const memberId = await newMember(database.db)
  for (let round = 0; round < 5; round++) {
    const itemId = await suspended(10)
    const outcomes = await Promise.all([creditItem(itemId, memberId), refundItem(itemId), creditItem(itemId, memberId), refundItem(itemId)])
    expect(outcomes.filter((outcome) => outcome.ok)).toHaveLength(1)
    expect(outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.code]))).toEqual(Array(3).fill('suspense_decided'))
  }
  const itemId = await suspended(10)
  expect(await creditItem(itemId, 77_777n)).toEqual({ ok: false, code: 'member_not_found' })
  expect(await creditItem(99_999n, memberId)).toEqual({ ok: false, code: 'suspense_not_found' })
})

test('a failed or rejected refund of a suspense item reopens the item', async () => {
  const memberId = await newMember(database.db)
  const [itemId, refundId] = [await suspended(10), randomUUID()]
  await refundItem(itemId, refundId)
  expect(await send(refundId)).toBe(true)
  expect(await tell(refundId, 'failed')).toMatchObject({ result: 'failed' })
  const again = randomUUID()
  expect((await refundItem(itemId, again)).ok).toBe(true)
  await reject(again)
  expect(await creditItem(itemId, memberId)).toEqual({ ok: true, value: { amount: 1000n, balance: 1000n } })
  expect(await creditItem(itemId, memberId)).toEqual({ ok: false, code: 'suspense_decided' })
})

test('a refund that comes back after it was paid returns to the member, and its top-up is captured again', async () => {
  const { memberId, orderId } = await newPayer(database.db, 20)
  const id = randomUUID()
  await ask(memberId, orderId, 20, id)
  await approve(id)
  await send(id)
  const words = ['paid', 'failed', 'failed', 'paid', 'failed'] as const
  const booked: (string | undefined)[] = []
  for (const word of words) booked.push((await tell(id, word))?.result)
  expect(booked).toEqual(['paid', 'reversed', 'unchanged', 'conflict', 'conflict_back'])
  expect(await wallet(memberId)).toEqual([2000n, 0n])
  expect(await unused(memberId)).toEqual({ [orderId]: 2000n })
  expect(await database.db.one(sql`select status from topup where order_id = ${orderId}::text`)).toEqual({ status: 'captured' })
  expect(await ask(memberId, orderId, 20)).toMatchObject({ ok: true })
})

test('an item whose refund comes back is open again; credited and refunded as well, it is a loss', async () => {
  const memberId = await newMember(database.db)
  const [itemId, refundId] = [await suspended(10), randomUUID()]
  await refundItem(itemId, refundId)
  await send(refundId)
  expect(await tell(refundId, 'paid')).toMatchObject({ result: 'paid', contradicts: false })
  expect(await tell(refundId, 'failed')).toMatchObject({ result: 'reversed', contradicts: true })
  expect(await creditItem(itemId, memberId)).toMatchObject({ ok: true })
  expect(await tell(refundId, 'paid')).toMatchObject({ result: 'conflict', contradicts: true })
  expect(await wallet(memberId)).toEqual([1000n, 0n])
})

test('money credited from SUSPENSE is spent in its order, and cannot be refunded as a top-up', async () => {
  const memberId = await newMember(database.db)
  await credit(memberId, wholeRupees(5))
  const orderId = await addMoney(database.db, memberId, wholeRupees(10))
  expect(await unused(memberId)).toEqual({ [orderId]: 1000n })
  await withdraw(memberId, 6)
  expect(await unused(memberId)).toEqual({ [orderId]: 900n })
  expect(await ask(memberId, orderId, 10)).toEqual({ ok: false, code: 'refund_exceeds_unused' })
})

test('winnings are spent last', async () => {
  const { memberId, orderId } = await newPayer(database.db, 10)
  await createJoinBatcher({ db: database.db }).join({ memberId })
  await endDay(database, DAY)
  await payOut(database.db, DAY, [memberId])
  expect((await wallet(memberId))[0]).toBeGreaterThan(900n)
  expect(await unused(memberId)).toEqual({ [orderId]: 900n })
  await withdraw(memberId, 8)
  expect(await unused(memberId)).toEqual({ [orderId]: 100n })
  await withdraw(memberId, 1)
  expect(await unused(memberId)).toEqual({})
})

test('the tables refuse to reopen an ended refund or a credited item, and a second open refund of an item', async () => {
  const refusalOf = async (statement: ReturnType<typeof sql>): Promise<string | undefined> =>
    database.db.query(statement).then(
      () => undefined,
      (error: unknown) => violatedConstraint(error),
    )
  const [itemId, refundId] = [await suspended(10), randomUUID()]
  await refundItem(itemId, refundId)
  await send(refundId)
  await tell(refundId, 'paid')
  expect(await refusalOf(sql`update refund set status = 'sending', ended_at = null where id = ${refundId}::uuid`)).toBe('refund_moves')
  expect(await refusalOf(sql`update refund set amount = ${paise(1n)}::bigint where id = ${refundId}::uuid`)).toBe('refund_moves')
  expect(await refusalOf(sql`update suspense_item set amount = 1 where id = ${itemId}::bigint`)).toBe('suspense_moves')
  const second = sql`insert into refund (id, order_id, suspense_id, amount, status, reason) values (gen_random_uuid(), 'x', ${itemId}::bigint, 1000, 'approved', 'x')`
  expect(await refusalOf(second)).toBe('refund_of_suspense_once')
  const credited = await suspended(10)
  await creditItem(credited, await newMember(database.db))
  expect(await refusalOf(sql`update suspense_item set status = 'open', decided_at = null where id = ${credited}::bigint`)).toBe(
    'suspense_moves',
  )
})
