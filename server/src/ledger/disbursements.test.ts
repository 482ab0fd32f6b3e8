/** Disbursements of the help fund: of the oldest open days, never more than a day's share, once per id, once per bill, corrected by entries. */
import { randomUUID } from 'node:crypto'
import { addDays, type IstDay, nextDay, startOfDayMs } from '@roz/core/ist-day.ts'
import { paise } from '@roz/core/money.ts'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { giveRest } from './closing.ts'
import { bookDisbursement, correctDisbursement } from './disbursements.ts'
import { addMoney, DAY, drawWinners, endDay, hashOf, holdOpen, newMember, newMembers, openDay, untilLockWaits } from './testing/fixtures.ts'
import { createJoinBatcher } from './join-batcher.ts'
import { sealDay } from './seal-day.ts'
import { settleRound } from './settlement.ts'

const databases: TestDatabase[] = []
let database: TestDatabase
let today: IstDay
beforeEach(async () => {
  database = await createTestDatabase({ connectionsMax: 10 })
  databases.push(database)
  today = DAY
  await openDay(database, today)
})
afterAll(async () => {
  for (const each of databases) await each.drop()
})

const booked = (id: string, amount: number, ...receipts: readonly string[]) => ({
  id,
  amount: paise(BigInt(amount)),
  evidence: (receipts.length === 0 ? [id] : receipts).map(hashOf),
})
const disburse = (id: string, amount: number, ...receipts: readonly string[]) =>
  inTransaction(database.db, (tx) => bookDisbursement(tx, booked(id, amount, ...receipts)))
const correct = (id: string, corrects: string, amount: number, ...receipts: readonly string[]) =>
  inTransaction(database.db, (tx) => correctDisbursement(tx, { ...booked(id, amount, ...receipts), corrects }))

/** Gives to the fund on the day that the clock shows. */
async function give(amount: number): Promise<void> {
  const memberId = await newMember(database.db)
  await addMoney(database.db, memberId, paise(BigInt(amount)))
  await inTransaction(database.db, (tx) => giveRest(tx, { memberId, ref: randomUUID() }))
}
/** Two join today, the day ends, and its round is drawn: settled, its share is 120 paise. */
async function endRound(): Promise<IstDay> {
  const day = today
  const members = await newMembers(database.db, 2, { rupees: 10 })
  const batcher = createJoinBatcher({ db: database.db })
  for (const memberId of members) await batcher.join({ memberId })
  await endDay(database, day)
  await drawWinners(database.db, day, members.slice(0, 1))
  today = nextDay(day)
  await openDay(database, today)
  return day
}
const settle = (day: IstDay) => inTransaction(database.db, (tx) => settleRound(tx, day))
const taken = (...parts: readonly (readonly [IstDay, number])[]) => ({
  ok: true,
  value: { replayed: false, days: parts.map(([day, amount]) => ({ day, paise: BigInt(amount) })) },
})
const openDays = async () =>
  (await database.db.query<{ day: IstDay; open: bigint }>(sql`select day, open from help_day where open > 0 order by day`)).map(
    ({ day, open }) => [day, Number(open)],
  )
const no = (code: string) => ({ ok: false, code })

test('a disbursement takes the oldest days first, and none gives more than its share', async () => {
  const first = await endRound()
  const second = await endRound()
  await settle(second)
  expect(await disburse('new', 30)).toEqual(taken([second, 30]))
  // An older round is settled later: from then on its day is the oldest.
  await settle(first)
  await give(50)
  expect(await openDays()).toEqual([
    [first, 120],
    [second, 90],
    [today, 50],
  ])
  expect(await disburse('both', 220)).toEqual(taken([first, 120], [second, 90], [today, 10]))
  expect(await disburse('more', 41)).toEqual(no('insufficient_funds'))
  expect(await disburse('rest', 40)).toEqual(taken([today, 40]))
  expect(await openDays()).toEqual([])
  expect(await disburse('none', 1)).toEqual(no('insufficient_funds'))
})

test('money that came in on a later day than the disbursement, by a clock that was set back, is not given', async () => {
  await give(30)
  await database.setClock(new Date(startOfDayMs(nextDay(today)) + 1000))
  await give(20)
  await database.setClock(new Date(startOfDayMs(nextDay(today)) - 1000))
  expect(await disburse('early', 31)).toEqual(no('insufficient_funds'))
  expect(await disburse('rice', 30)).toEqual(taken([today, 30]))
})

test('an outlay is never posted on a day before the outlay that precedes it', async () => {
  await give(100)
  await database.setClock(new Date(startOfDayMs(nextDay(today)) + 1000))
  await disburse('late', 60)
  await database.setClock(new Date(startOfDayMs(nextDay(today)) - 1000))
  await disburse('after', 20)
  expect(await correct('back', 'late', 5)).toMatchObject({ ok: true })
  const posted = await database.db.query<{ ref: string; day: IstDay }>(
    sql`select ref, day from transfer where kind in ('disbursement', 'disbursement_back') order by transfer_id`,
  )
  expect(posted.map(({ ref, day }) => [ref, day])).toEqual(['late', 'after', 'back'].map((ref) => [ref, nextDay(today)]))
})

test('of disbursements at the same time for the last rupees one is booked', async () => {
  await give(3000)
  const all = await Promise.all([1, 2, 3, 4].map((n) => disburse(`n${n}`, 2000)))
  expect(all.filter(({ ok }) => ok)).toHaveLength(1)
  expect(all.filter((each) => !each.ok)).toEqual([no('insufficient_funds'), no('insufficient_funds'), no('insufficient_funds')])
  expect(await openDays()).toEqual([[today, 1000]])
})

test('one disbursement that is sent twice at the same time is booked once', async () => {
  await give(100)
  const both = await Promise.all([disburse('rice', 70), disburse('rice', 70)])
  expect(both.map((each) => each.ok && each.value.replayed).toSorted()).toEqual([false, true])
  expect(await openDays()).toEqual([[today, 30]])
})

test('a disbursement waits for no settlement, and a settlement for no disbursement', async () => {
  const round = await endRound()
  await give(50)
  const held = await holdOpen(database.db, (tx) => settleRound(tx, round))
  // The share is not there yet, so none of it is given.
  expect(await disburse('big', 51)).toEqual(no('insufficient_funds'))
  expect(await disburse('small', 10)).toEqual(taken([today, 10]))
  await held.commit()
  const spending = await holdOpen(database.db, (tx) => bookDisbursement(tx, booked('next', 130)))
  const next = await endRound()
  expect((await settle(next)).ok).toBe(true)
  await spending.commit()
  expect(await openDays()).toEqual([[addDays(round, 1), 30 + 120]])
})

test('a day is sealed after the disbursement that is being posted into it', async () => {
  await give(100)
  await endDay(database, today)
  await database.setClock(new Date(startOfDayMs(nextDay(today)) - 1000))
  const held = await holdOpen(database.db, (tx) => bookDisbursement(tx, booked('late', 60)))
  await database.setClock(new Date(startOfDayMs(nextDay(today)) + 60_000))
  const sealing = inTransaction(database.db, (tx) => sealDay(tx, today))
  await untilLockWaits(database.db, '%ledger_day%')
  await held.commit()
  expect(await sealing).toEqual({ ok: true, value: { sealedNow: true } })
  const given = sql`select given from ledger_day_total where day = ${today}::date and account = 2`
  expect(await database.db.maybeOne(given)).toEqual({ given: 60n })
})

test('a repeated id is the same disbursement, and another amount or receipt is refused', async () => {
  await give(3000)
  expect(await disburse('rice', 1000, 'bill', 'photo')).toEqual(taken([today, 1000]))
  expect(await disburse('rice', 1000, 'photo', 'bill')).toMatchObject({ value: { replayed: true, days: [{ day: today, paise: 1000n }] } })
  expect(await disburse('rice', 1001, 'bill', 'photo')).toEqual(no('idempotency_mismatch'))
  expect(await disburse('rice', 1000, 'bill')).toEqual(no('idempotency_mismatch'))
  expect(await correct('rice', 'rice', 1000, 'bill', 'photo')).toEqual(no('idempotency_mismatch'))
  for (const receipts of [['photo'], ['new', 'bill'], ['new', 'new']])
    expect(await disburse('oil', 500, ...receipts)).toEqual(no('receipt_used'))
  expect(await disburse('oil', 500, 'new')).toMatchObject({ ok: true })
  expect(await correct('back', 'oil', 100, 'new')).toEqual(no('receipt_used'))
})

test('a correction opens the days of its disbursement again, the newest first, and never more than was given', async () => {
  const round = await endRound()
  await settle(round)
  await give(50)
  await disburse('shoes', 150)
  expect(await correct('back', 'shoes', 40)).toEqual(taken([today, 30], [round, 10]))
  expect(await correct('back', 'shoes', 40)).toMatchObject({
    value: {
      replayed: true,
      days: [
        { day: today, paise: 30n },
        { day: round, paise: 10n },
      ],
    },
  })
  expect(await correct('back', 'shoes', 41)).toEqual(no('idempotency_mismatch'))
  expect(await disburse('back', 40)).toEqual(no('idempotency_mismatch'))
  expect(await openDays()).toEqual([
    [round, 10],
    [today, 50],
  ])
  expect(await correct('too much', 'shoes', 111)).toEqual(no('correction_too_large'))
  expect(await correct('all', 'shoes', 110)).toEqual(taken([round, 110]))
  expect(await correct('none', 'shoes', 1)).toEqual(no('correction_too_large'))
  expect(await correct('of nothing', 'nobody', 1)).toEqual(no('disbursement_not_found'))
  expect(await correct('of itself', 'back', 1)).toEqual(no('disbursement_not_found'))
})

test('of two corrections at the same time that are more than the disbursement together one is booked', async () => {
  await give(100)
  await disburse('shoes', 60)
  const both = await Promise.all([correct('a', 'shoes', 40), correct('b', 'shoes', 40)])
  expect(both.filter(({ ok }) => ok)).toHaveLength(1)
  expect(both.find(({ ok }) => !ok)).toEqual(no('correction_too_large'))
  expect(await openDays()).toEqual([[today, 80]])
})

test('the database refuses an outlay without its bill, days or money, and parts that come later', async () => {
  await give(100)
  await disburse('shoes', 60)
  const insert = (...statements: readonly ReturnType<typeof sql>[]) =>
    inTransaction(database.db, async (tx) => {
      for (const statement of statements) await tx.query(statement)
    })
  const row = sql`insert into transfer (kind, ref, debit, credit, amount, day) values ('disbursement', 'x', 6, 2, 10, ${today}::date)`
  const named = sql`insert into disbursement (id, amount) values ('x', 10)`
  const receipt = sql`insert into evidence (hash, kind, ref) values (${hashOf('x')}::bytea, 'disbursement', 'x')`
  const part = (amount: bigint) => sql`
    insert into help_allotment (entry_id, disbursement_id, day, paise, posted_on) values ('x', 'x', ${today}::date, ${amount}::bigint, ${today}::date)`
  await expect(insert(row)).rejects.toThrow(/without its receipt/)
  await expect(insert(row, named, part(10n))).rejects.toThrow(/without its receipt/)
  await expect(insert(row, named, receipt)).rejects.toThrow(/without its receipt/)
  await expect(insert(row, named, receipt, part(9n))).rejects.toThrow(/without its receipt/)
  await expect(insert(row, named, receipt, part(41n))).rejects.toThrow(/more than its share/)
  await expect(insert(named, part(10n))).rejects.toThrow(/not booked with it/)
  await expect(insert(receipt)).rejects.toThrow(/not booked with it/)
  const late = sql`insert into evidence (hash, kind, ref) values (${hashOf('late')}::bytea, 'disbursement', 'shoes')`
  await expect(insert(late)).rejects.toThrow(/not booked with it/)
  for (const table of ['evidence', 'help_allotment', 'disbursement'])
    for (const change of [
      `delete from ${table}`,
      `truncate ${table}`,
      `update ${table} set ${table === 'evidence' ? "ref = 'x'" : 'disbursement_id = disbursement_id'}`,
    ])
      await expect(database.db.query(sql([change] as unknown as TemplateStringsArray)), change).rejects.toThrow(
        /permission denied|does not exist/,
      )
})
