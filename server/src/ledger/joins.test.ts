import { randomUUID } from 'node:crypto'
import { type IstDay, startOfDayMs } from '@roz/core/ist-day.ts'
import { wholeRupees } from '@roz/core/money.ts'
import { POLICY_A } from '@roz/core/split.ts'
import { beforeAll, expect, test } from 'vitest'
import { connect, DatabaseUnavailableError, type Db, queryableBy, sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { useTestDatabase } from '../testing/database.ts'
import { addMoney, DAY, holdOpen, newMember, newMembers, openDay, untilLockWaits } from './testing/fixtures.ts'
import { createJoinBatcher, type JoinBatcher } from './join-batcher.ts'
import { joinMembers } from './join-statement.ts'
import { closeRound, lockRound, makeRound } from './rounds.ts'
import { captureTopup, createTopup } from './topups.ts'
import { createRoundTotals } from './totals.ts'
import { lockWallet } from './transfer.ts'
import { readWallet, setMayMove } from './wallets.ts'
import { holdWithdrawal } from './withdrawals.ts'

const database = useTestDatabase({ connectionsMax: 20 })
let batcher: JoinBatcher
beforeAll(async () => {
  batcher = createJoinBatcher({ db: database.db })
  await openDay(database, DAY)
})

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const entriesOf = async (memberId: bigint): Promise<number> =>
  (await database.db.one<{ n: number }>(sql`select count(*)::int as n from round_join where member_id = ${memberId}::bigint`)).n

test('a join takes one rupee and answers with the balance, the day and the batch', async () => {
  const memberId = await newMember(database.db, { rupees: 10 })
  expect(await batcher.join({ memberId })).toEqual({
    ok: true,
    value: { balance: wholeRupees(9), day: DAY, at: expect.any(Date), batchId: expect.any(BigInt), replayed: false },
  })
  expect(await readWallet(database.db, memberId)).toMatchObject({ balance: wholeRupees(9), lastRound: DAY, joins: 1 })
})

test('a refused join takes nothing, whatever the refusal', async () => {
  const [joined, poor, held] = [
    await newMember(database.db, { rupees: 10 }),
    await newMember(database.db),
    await newMember(database.db, { rupees: 10, mayMove: false }),
  ]
  await batcher.join({ memberId: joined })
  expect(await batcher.join({ memberId: joined })).toEqual({ ok: false, code: 'already_joined' })
  expect(await batcher.join({ memberId: poor })).toEqual({ ok: false, code: 'insufficient_balance' })
  expect(await batcher.join({ memberId: held })).toEqual({ ok: false, code: 'may_not_move' })
  expect(await batcher.join({ memberId: 999_999n })).toEqual({ ok: false, code: 'may_not_move' })
  await inTransaction(database.db, (tx) => setMayMove(tx, held, true))
  expect((await batcher.join({ memberId: held })).ok).toBe(true)
  expect((await readWallet(database.db, joined))?.balance).toBe(wholeRupees(9))
})

test('a repeated idempotency key gets the first answer, and another key or none is refused', async () => {
  const memberId = await newMember(database.db, { rupees: 10 })
  const first = await batcher.join({ memberId, idempotencyKey: 'click-1' })
  if (!first.ok) throw new Error(first.code)
  const again = await Promise.all([
    batcher.join({ memberId, idempotencyKey: 'click-1' }),
    batcher.join({ memberId, idempotencyKey: 'click-1' }),
  ])
  for (const outcome of again) expect(outcome).toEqual({ ok: true, value: { ...first.value, replayed: true } })
  expect(await batcher.join({ memberId, idempotencyKey: 'click-2' })).toEqual({ ok: false, code: 'already_joined' })
  expect(await batcher.join({ memberId })).toEqual({ ok: false, code: 'already_joined' })
  expect((await readWallet(database.db, memberId))?.balance).toBe(wholeRupees(9))
})

test('a refused join is not remembered: the same key joins after a top-up', async () => {
  const memberId = await newMember(database.db)
  expect((await batcher.join({ memberId, idempotencyKey: 'k' })).ok).toBe(false)
  await addMoney(database.db, memberId, wholeRupees(10))
  expect(await batcher.join({ memberId, idempotencyKey: 'k' })).toMatchObject({ ok: true, value: { replayed: false } })
})

test('50 parallel joins of one member from five processes take one rupee', async () => {
  const memberId = await newMember(database.db, { rupees: 10 })
  const processes = Array.from({ length: 5 }, () => connect({ url: database.appUrl, max: 4 }))
  const batchers = processes.map((db) => createJoinBatcher({ db }))
  const outcomes = await Promise.all(batchers.flatMap((each) => Array.from({ length: 10 }, () => each.join({ memberId }))))
  expect(outcomes.filter((outcome) => outcome.ok)).toHaveLength(1)
  expect(outcomes.every((outcome) => outcome.ok || outcome.code === 'already_joined')).toBe(true)
  expect((await readWallet(database.db, memberId))?.balance).toBe(wholeRupees(9))
  await Promise.all(processes.map((db) => db.close()))
})

test('requests that arrive while a statement runs share one batch', async () => {
  const sizes: number[] = []
  const watched = createJoinBatcher({ db: database.db, onBatch: ({ asked }) => sizes.push(asked) })
  const members = await newMembers(database.db, 40, { rupees: 10 })
  const outcomes = await Promise.all(members.map((memberId) => watched.join({ memberId })))
  expect(outcomes.every((outcome) => outcome.ok)).toBe(true)
  expect(sizes.length).toBeLessThanOrEqual(4)
  await watched.idle()
})

test('each member of a batch gets their own outcome, whatever the order of the requests', async () => {
  const { db } = database
  const asked = (await Promise.all([30, 0, 20, 10].map((rupees) => newMember(db, { rupees })))).map((memberId) => ({ memberId }))
  // The statement works in ascending id: this order is neither that nor its reverse.
  const [a, b, c, d] = asked.toSorted((left, right) => Number(right.memberId - left.memberId)) as [Asked, Asked, Asked, Asked]
  const inOrder = [b, a, d, c]
  const rupees = await Promise.all(inOrder.map(async ({ memberId }) => (await readWallet(db, memberId))?.balance ?? 0n))
  const outcomes = await Promise.all(inOrder.map((one) => batcher.join(one)))
  expect(outcomes.map((outcome) => (outcome.ok ? outcome.value.balance : outcome.code))).toEqual(
    rupees.map((balance) => (balance === 0n ? 'insufficient_balance' : balance - wholeRupees(1))),
  )
})
type Asked = { readonly memberId: bigint }

test('a request that fails in the look-up of a repeated key leaves the queue once', async () => {
  const { db } = database
  const [known, fresh] = [await newMember(db, { rupees: 10 }), await newMember(db, { rupees: 10 })]
  await batcher.join({ memberId: known, idempotencyKey: 'first' })
  let statements = 0
  const leaves: Db = {
    ...db,
    ...queryableBy((statement) => (++statements === 2 ? Promise.reject(new DatabaseUnavailableError('away')) : db.query(statement))),
  }
  const alone = createJoinBatcher({ db: leaves, queueMax: 2 })
  const outcomes = await Promise.allSettled([alone.join({ memberId: fresh }), alone.join({ memberId: known, idempotencyKey: 'first' })])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  await alone.idle()
  // The queue has room for two again, and not for a third.
  const three = await Promise.all([1, 2, 3].map(() => alone.join({ memberId: fresh })))
  expect(three.map((outcome) => !outcome.ok && outcome.code)).toEqual(['already_joined', 'already_joined', 'overloaded'])
})

test('a join is refused at once when the queue is full', async () => {
  const small = createJoinBatcher({ db: database.db, queueMax: 3 })
  const members = await newMembers(database.db, 5, { rupees: 10 })
  const outcomes = await Promise.all(members.map((memberId) => small.join({ memberId })))
  expect(outcomes.map((outcome) => (outcome.ok ? 'joined' : outcome.code))).toEqual([
    'joined',
    'joined',
    'joined',
    'overloaded',
    'overloaded',
  ])
})

test('a locked wallet does not delay other members, and its member joins when it is unlocked', async () => {
  const members = await newMembers(database.db, 200, { rupees: 10 })
  const locked = members[7] as bigint
  const held = await holdOpen(database.db, (tx) => lockWallet(tx, locked))
  let done = false
  const slow = Promise.all([batcher.join({ memberId: locked, idempotencyKey: 'a' }), batcher.join({ memberId: locked })]).finally(() => {
    done = true
  })
  const others = await Promise.all(members.filter((id) => id !== locked).map((memberId) => batcher.join({ memberId })))
  expect(others.every((outcome) => outcome.ok)).toBe(true)
  expect(done).toBe(false)
  await held.commit()
  const [first, second] = await slow
  expect([first?.ok, second]).toEqual([true, { ok: false, code: 'already_joined' }])
})

test('a statement that hangs delays only its own members', async () => {
  const [hung, other, third, last] = (await newMembers(database.db, 4, { rupees: 10 })) as [bigint, bigint, bigint, bigint]
  const released = Promise.withResolvers<void>()
  let statements = 0
  const db: Db = {
    ...database.db,
    ...queryableBy(async (statement) => {
      if (statements++ === 0) await released.promise
      return database.db.query(statement)
    }),
  }
  const hanging = createJoinBatcher({ db, lateMs: 40, batchMax: 1 })
  // Two requests at once: the batch has room for the first only.
  const [first, beside] = [hanging.join({ memberId: hung }), hanging.join({ memberId: other })]
  const second = hanging.join({ memberId: hung })
  expect(await beside).toMatchObject({ ok: true })
  await sleep(100)
  // `last` arrives while the statement of `third` is still young, and no request follows.
  const [quick, behind] = [hanging.join({ memberId: third }), sleep(1).then(() => hanging.join({ memberId: last }))]
  expect([await quick, await behind]).toMatchObject([{ ok: true }, { ok: true }])
  expect(statements).toBe(4)
  released.resolve()
  expect([await first, await second]).toMatchObject([{ ok: true }, { ok: false, code: 'already_joined' }])
})

test('a join and a withdrawal at once take the last rupee once', async () => {
  for (let round = 0; round < 10; round++) {
    const memberId = await newMember(database.db, { rupees: 1 })
    const [join, hold] = await Promise.all([
      batcher.join({ memberId }),
      inTransaction(database.db, (tx) => holdWithdrawal(tx, { id: randomUUID(), memberId, amount: wholeRupees(1), bankAccountId: 1n })),
    ])
    expect([join.ok, hold.ok].filter(Boolean)).toHaveLength(1)
    expect(await readWallet(database.db, memberId)).toMatchObject({ balance: 0n, held: hold.ok ? 100n : 0n })
  }
})

test('a join that waits for an uncommitted top-up sees its money', async () => {
  const memberId = await newMember(database.db)
  const orderId = randomUUID().replaceAll('-', '')
  const topup = await holdOpen(database.db, async (tx) => {
    await createTopup(tx, { orderId, memberId, amount: wholeRupees(10) })
    await captureTopup(tx, { orderId, paymentId: `p${orderId}`, orderAmount: wholeRupees(10) })
  })
  const joining = batcher.join({ memberId })
  await untilLockWaits(database.db)
  await topup.commit()
  expect(await joining).toMatchObject({ ok: true, value: { balance: wholeRupees(9) } })
})

test('a join that waited for a wallet judges and charges the new balance', async () => {
  const { db } = database
  const [richer, poorer] = [await newMember(db, { rupees: 20 }), await newMember(db, { rupees: 10 })]
  for (const [memberId, verdict, balance] of [
    [richer, 'joined', wholeRupees(9)],
    [poorer, 'busy', null],
  ] as const) {
    const holding = await holdOpen(db, (tx) =>
      holdWithdrawal(tx, { id: randomUUID(), memberId, amount: wholeRupees(10), bankAccountId: 1n }),
    )
    const joining = joinMembers(db, { uuid: randomUUID(), via: 'member', memberIds: [memberId], keyPrefixes: [null], held: 'wait' })
    await untilLockWaits(db)
    await holding.commit()
    expect(await joining).toMatchObject([{ memberId, verdict, balance }])
  }
  expect(await readWallet(db, richer)).toMatchObject({ balance: wholeRupees(9), joins: 1 })
  expect(await readWallet(db, poorer)).toMatchObject({ balance: 0n, joins: 0 })
})

test('a top-up that commits while a batch waits for the round is seen, and no join fails', async () => {
  const [poor, other] = [await newMember(database.db), await newMember(database.db, { rupees: 10 })]
  const closing = await holdOpen(database.db, (tx) => lockRound(tx, DAY))
  const alone = createJoinBatcher({ db: database.db })
  const joining = Promise.all([alone.join({ memberId: other }), alone.join({ memberId: poor })])
  const together = createJoinBatcher({ db: database.db }).join({ memberId: poor })
  await untilLockWaits(database.db)
  await addMoney(database.db, poor, wholeRupees(10))
  await closing.commit()
  expect((await joining)[0]).toMatchObject({ ok: true, value: { balance: wholeRupees(9) } })
  const both = [(await joining)[1], await together]
  expect(both.filter((outcome) => outcome.ok)).toEqual([{ ok: true, value: expect.objectContaining({ balance: wholeRupees(9) }) }])
  expect(both).toContainEqual({ ok: false, code: 'already_joined' })
})

test('totals are counted at most once a second, and at once after a change by this process', async () => {
  const totals = createRoundTotals(database.db)
  const before = await totals.of(DAY)
  await batcher.join({ memberId: await newMember(database.db, { rupees: 10 }) })
  expect(await totals.of(DAY)).toEqual(before)
  totals.forget(DAY)
  expect(await totals.of(DAY)).toEqual({ entries: before.entries + 1, pool: before.pool + 100n })
})

test('a close during joins counts every accepted join, and every other join is refused', async () => {
  const day = '2026-11-22' as IstDay
  await openDay(database, day)
  const members = await newMembers(database.db, 120, { rupees: 2 })
  // A round that closes before anybody has joined would end without entries.
  const first = await batcher.join({ memberId: await newMember(database.db, { rupees: 2 }) })
  const joining = members.map(async (memberId, index) => {
    await sleep(index % 40)
    return batcher.join({ memberId })
  })
  await sleep(15)
  const closed = await inTransaction(database.db, (tx) => closeRound(tx, day, { early: true }))
  const outcomes = await Promise.all(joining)
  const joined = [first, ...outcomes].filter((outcome) => outcome.ok).length
  expect(closed).toEqual({ ok: true, value: { entries: joined, pool: BigInt(joined) * 100n, already: false } })
  expect(outcomes.every((outcome) => outcome.ok || outcome.code === 'round_closed')).toBe(true)
})

test('a close waits for a join in flight and counts it', async () => {
  const day = '2026-11-23' as IstDay
  await openDay(database, day)
  const memberId = await newMember(database.db, { rupees: 10 })
  await batcher.join({ memberId: await newMember(database.db, { rupees: 10 }) })
  const joining = await holdOpen(database.db, (tx) =>
    joinMembers(tx, { uuid: randomUUID(), via: 'member', memberIds: [memberId], keyPrefixes: [null], held: 'skip' }),
  )
  const closing = inTransaction(database.db, (tx) => closeRound(tx, day, { early: true }))
  await Promise.race([untilLockWaits(database.db), closing])
  await joining.commit()
  expect(await closing).toMatchObject({ ok: true, value: { entries: 2 } })
})

test('a key repeated after the close or after midnight gets the first join', async () => {
  const day = '2026-11-24' as IstDay
  await openDay(database, day)
  const memberId = await newMember(database.db, { rupees: 10 })
  const first = await batcher.join({ memberId, idempotencyKey: 'late' })
  if (!first.ok) throw new Error(first.code)
  await inTransaction(database.db, (tx) => closeRound(tx, day, { early: true }))
  expect(await batcher.join({ memberId, idempotencyKey: 'late' })).toEqual({ ok: true, value: { ...first.value, replayed: true } })
  await openDay(database, '2026-11-25' as IstDay)
  expect(await batcher.join({ memberId, idempotencyKey: 'late' })).toEqual({ ok: true, value: { ...first.value, replayed: true } })
  expect(await entriesOf(memberId)).toBe(1)
  expect(await batcher.join({ memberId, idempotencyKey: 'next' })).toMatchObject({
    ok: true,
    value: { day: '2026-11-25', replayed: false },
  })
  // A key is valid on its day and the next. Later the same key is a new request.
  await openDay(database, '2026-11-27' as IstDay)
  expect(await batcher.join({ memberId, idempotencyKey: 'next' })).toMatchObject({
    ok: true,
    value: { day: '2026-11-27', replayed: false },
  })
})

test('a join is refused without a round, before the round opens and after it ends', async () => {
  const memberId = await newMember(database.db, { rupees: 10 })
  await database.setClock(new Date(startOfDayMs('2026-12-05' as IstDay) + 60_000))
  expect(await batcher.join({ memberId })).toEqual({ ok: false, code: 'round_closed' })
  await inTransaction(database.db, (tx) => makeRound(tx, { day: '2026-12-06' as IstDay, policy: POLICY_A, mode: 'drand' }))
  expect(await batcher.join({ memberId })).toEqual({ ok: false, code: 'round_closed' })
  await database.setClock(new Date(startOfDayMs('2026-12-06' as IstDay)))
  expect(await batcher.join({ memberId })).toMatchObject({ ok: true, value: { day: '2026-12-06' } })
  await database.setClock(new Date(startOfDayMs('2026-12-07' as IstDay)))
  expect(await batcher.join({ memberId })).toEqual({ ok: false, code: 'round_closed' })
})

test('a join that meets a close in progress waits for it, and is refused', async () => {
  const day = '2026-12-08' as IstDay
  await openDay(database, day)
  await batcher.join({ memberId: await newMember(database.db, { rupees: 10 }) })
  const late = await newMember(database.db, { rupees: 10 })
  const closing = await holdOpen(database.db, (tx) => closeRound(tx, day, { early: true }))
  const joining = batcher.join({ memberId: late })
  await untilLockWaits(database.db)
  await closing.commit()
  expect(await joining).toMatchObject({ ok: false, code: 'round_closed' })
  expect(await readWallet(database.db, late)).toMatchObject({ balance: wholeRupees(10), joins: 0 })
})
