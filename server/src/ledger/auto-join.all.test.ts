import type { IstDay } from '@roz/core/ist-day.ts'
import { wholeRupees } from '@roz/core/money.ts'
import { expect, test, vi } from 'vitest'
import { connect, sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { useTestDatabase } from '../testing/database.ts'
import { autoJoinPage, joinAfterTopup, runAutoJoin, startAutoJoin } from './auto-join.ts'
import { DAY, endDay, holdOpen, newMember, newMembers, newOrderId, openDay } from './testing/fixtures.ts'
import { createJoinBatcher } from './join-batcher.ts'
import { captureTopup, createTopup } from './topups.ts'
import { lockWallet } from './transfer.ts'
import { readWallet, setAutoJoin, setMayMove } from './wallets.ts'

const database = useTestDatabase()

const joinedOn = async (day: IstDay): Promise<number> =>
  (await database.db.one<{ n: number }>(sql`select count(*)::int as n from round_join where day = ${day}::date`)).n
const skipped = (day: IstDay) =>
  database.db.query<{ memberId: bigint; reason: string }>(
    sql`select member_id as "memberId", reason from auto_skip where day = ${day}::date order by member_id`,
  )
let willing: bigint[]
let poor: bigint

test('every opted-in member with a rupee joins once, in pages, and a second run takes nothing', async () => {
  willing = await newMembers(database.db, 23, { rupees: 10, autoJoin: true })
  await newMembers(database.db, 3, { rupees: 10 })
  poor = await newMember(database.db, { autoJoin: true })
  const suspended = await newMember(database.db, { rupees: 10, autoJoin: true })
  await inTransaction(database.db, (tx) => setMayMove(tx, suspended, false))
  await openDay(database, DAY)
  const [early] = willing
  if (early !== undefined) await createJoinBatcher({ db: database.db }).join({ memberId: early })
  expect(await runAutoJoin(database.db, DAY, { pageSize: 5 })).toEqual({ state: 'done', joined: 22 })
  expect(await runAutoJoin(database.db, DAY, { pageSize: 5 })).toEqual({ state: 'done', joined: 0 })
  expect(await joinedOn(DAY)).toBe(23)
  expect(await skipped(DAY)).toEqual([{ memberId: poor, reason: 'insufficient_balance' }])
})

test('a stopped run resumes after its last page, also with three runs at once', async () => {
  const day = '2026-11-22' as IstDay
  await endDay(database, DAY)
  await openDay(database, day)
  await startAutoJoin(database.db, day, 1)
  for (const joined of [4, 4]) expect(await autoJoinPage(database.db, day, 0, 4)).toEqual({ state: 'page', scanned: 4, joined })
  expect(await joinedOn(day)).toBe(8)
  const runs = await Promise.all([1, 2, 3].map(() => runAutoJoin(database.db, day, { lanes: 1, pageSize: 4 })))
  expect(runs.reduce((sum, run) => sum + run.joined, 0)).toBe(15)
  expect(await joinedOn(day)).toBe(23)
})

test('a member skipped for lack of a rupee joins after a top-up on the same day', async () => {
  const orderId = newOrderId()
  const captured = await inTransaction(database.db, async (tx) => {
    await createTopup(tx, { orderId, memberId: poor, amount: wholeRupees(10) })
    return captureTopup(tx, { orderId, paymentId: orderId, orderAmount: wholeRupees(10) })
  })
  expect(captured).toMatchObject({ result: 'credited', missedAutoJoin: true })
  expect(await joinAfterTopup(database.db, poor)).toMatchObject({ ok: true, value: { balance: wholeRupees(9) } })
  expect(await joinAfterTopup(database.db, poor)).toEqual({ ok: false, code: 'already_joined' })
  const again = await inTransaction(database.db, async (tx) => {
    const second = newOrderId()
    await createTopup(tx, { orderId: second, memberId: poor, amount: wholeRupees(10) })
    return captureTopup(tx, { orderId: second, paymentId: second, orderAmount: wholeRupees(10) })
  })
  expect(again).toMatchObject({ result: 'credited', missedAutoJoin: false })
})

test('a member whose wallet is locked during its page joins before the run ends', async () => {
  const day = '2026-11-23' as IstDay
  await openDay(database, day)
  const locked = willing[3] as bigint
  const held = await holdOpen(database.db, (tx) => lockWallet(tx, locked))
  const running = runAutoJoin(database.db, day, { pageSize: 5 })
  // The page skips the wallet, and the end of the run waits for it.
  try {
    await vi.waitFor(async () => expect(await skipped(day)).toEqual([{ memberId: locked, reason: 'busy' }]), {
      timeout: 20_000,
      interval: 20,
    })
  } finally {
    await held.commit()
  }
  expect(await running).toEqual({ state: 'done', joined: 24 })
  expect((await readWallet(database.db, locked))?.lastRound).toBe(day)
  expect(await skipped(day)).toEqual([])
})

test('a run is busy while a wallet stays locked, and the next run joins its member', async () => {
  const day = '2026-11-23' as IstDay
  const late = await newMember(database.db, { rupees: 10, autoJoin: true })
  await database.db.query(sql`insert into auto_skip (day, member_id, reason) values (${day}::date, ${late}::bigint, 'busy')`)
  const held = await holdOpen(database.db, (tx) => lockWallet(tx, late))
  expect(await runAutoJoin(database.db, day)).toEqual({ state: 'busy', joined: 0 })
  expect(await skipped(day)).toEqual([{ memberId: late, reason: 'busy' }])
  await held.commit()
  expect(await runAutoJoin(database.db, day)).toEqual({ state: 'done', joined: 1 })
  expect(await skipped(day)).toEqual([])
  await inTransaction(database.db, (tx) => setAutoJoin(tx, late, false))
})

test('a switch turned off during the wait for its wallet is obeyed, at midnight and after a top-up', async () => {
  const day = '2026-11-23' as IstDay
  const leaving = await newMember(database.db, { rupees: 10, autoJoin: true })
  await database.db.query(sql`insert into auto_skip (day, member_id, reason) values (${day}::date, ${leaving}::bigint, 'busy')`)
  const held = await holdOpen(database.db, (tx) => setAutoJoin(tx, leaving, false))
  const running = runAutoJoin(database.db, day)
  await held.commit()
  expect(await running).toEqual({ state: 'done', joined: 0 })
  expect(await skipped(day)).toEqual([])
  expect(await joinAfterTopup(database.db, leaving)).toMatchObject({ ok: false })
  expect(await readWallet(database.db, leaving)).toMatchObject({ balance: 1000n })
})

test('a page of a round that is not open answers closed and keeps its cursor', async () => {
  const day = '2026-11-24' as IstDay
  expect(await runAutoJoin(database.db, day)).toEqual({ state: 'closed', joined: 0 })
  expect(await autoJoinPage(database.db, day, 0)).toEqual({ state: 'closed' })
  await openDay(database, day)
  await inTransaction(database.db, (tx) => setAutoJoin(tx, willing[0] as bigint, false))
  expect(await runAutoJoin(database.db, day)).toEqual({ state: 'done', joined: 23 })
  // Yesterday is over: its page charges nobody.
  expect(await autoJoinPage(database.db, '2026-11-23' as IstDay, 0)).toEqual({ state: 'done' })
})

test('a run that crosses midnight charges nobody for the ended day', async () => {
  const [day, next] = ['2026-11-25' as IstDay, '2026-11-26' as IstDay]
  await openDay(database, day)
  await startAutoJoin(database.db, day, 1)
  expect(await autoJoinPage(database.db, day, 0, 4)).toMatchObject({ state: 'page', joined: 4 })
  // Yesterday's round is not closed yet: its end time refuses the joins.
  await openDay(database, next)
  expect(await runAutoJoin(database.db, day, { lanes: 1, pageSize: 4 })).toEqual({ state: 'closed', joined: 0 })
  expect([await joinedOn(day), await joinedOn(next)]).toEqual([4, 0])
})

test('a join takes at most 120 bytes of table and index', async () => {
  const day = '2027-01-05' as IstDay
  const owner = connect({ url: database.superUrl, max: 1 })
  // The audit needs a top-up behind each balance: these are written in bulk.
  await owner.query(sql`insert into ledger_day values (ist_day(roz_now())) on conflict do nothing`)
  await owner.query(sql`with ids as (select 5000000 + n as id from generate_series(1, 20000) n),
          w as (insert into wallet (member_id, balance, seq, may_move, auto_join) select id, 1000, 1, true, true from ids),
          o as (insert into topup (order_id, member_id, amount, status, payment_id, captured_at)
                select lpad(to_hex(id), 32, '0'), id, 1000, 'captured', 'bulk' || id, roz_now() from ids)
        insert into transfer (kind, ref, debit, credit, amount, wallet_seq, balance_after, day)
        select 'topup', 'bulk' || id, 1, id, 1000, 1, 1000, ist_day(roz_now()) from ids`)
  await owner.query(sql`analyze wallet`)
  await openDay(database, day)
  const run = await runAutoJoin(database.db, day)
  expect(run.joined).toBeGreaterThanOrEqual(20_000)
  const size = await owner.one<{ bytes: number }>(sql`select pg_total_relation_size('round_join_2027_01')::float8 as bytes`)
  expect(size.bytes / run.joined).toBeLessThanOrEqual(120)
  await owner.close()
})
