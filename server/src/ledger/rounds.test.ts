import type { IstDay } from '@roz/core/ist-day.ts'
import { nextDay, startOfDayMs } from '@roz/core/ist-day.ts'
import { type Paise, wholeRupees } from '@roz/core/money.ts'
import { POLICY_A, policyB, type SplitPolicy, shares } from '@roz/core/split.ts'
import { beforeAll, expect, test } from 'vitest'
import { queryableBy, type Sql, sql } from '../db/sql.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { useTestDatabase } from '../testing/database.ts'
import { ACCOUNTS, poolAccount } from './accounts.ts'
import { recordDraw } from './draw.ts'
import {
  addMoney,
  drawWinners,
  endDay,
  giveRoundBack,
  hashOf,
  holdOpen,
  makeDay,
  newMembers,
  newOrderId,
  openDay,
  payOut,
  untilLockWaits,
} from './testing/fixtures.ts'
import { createJoinBatcher } from './join-batcher.ts'
import { closeRound, findRound, recordSeal } from './rounds.ts'
import { sealDay } from './seal-day.ts'
import { returnRupees, settleRound, voidRound } from './settlement.ts'
import { captureTopup, createTopup } from './topups.ts'
import { readWallet } from './wallets.ts'

const database = useTestDatabase()
let members: bigint[]
beforeAll(async () => {
  members = await newMembers(database.db, 40, { rupees: 200 })
})

let day = '2026-11-20' as IstDay
/** A new day with this many entries, closed at its end. */
async function closedDay(entries: number, policy: SplitPolicy = POLICY_A): Promise<IstDay> {
  day = nextDay(day)
  await openDay(database, day, policy)
  const batcher = createJoinBatcher({ db: database.db })
  const outcomes = await Promise.all(members.slice(0, entries).map((memberId) => batcher.join({ memberId })))
  expect(outcomes.every((outcome) => outcome.ok)).toBe(true)
  expect(await endDay(database, day)).toMatchObject({ entries, pool: BigInt(entries) * 100n, already: false })
  return day
}
const balanceOf = async (memberId: bigint): Promise<Paise> => (await readWallet(database.db, memberId))?.balance as Paise
const account = async (name: string): Promise<bigint> =>
  (
    await database.db.one<{ sum: bigint }>(
      sql`select coalesce(sum(amount), 0)::bigint as sum from leg where account = (select id from account where name = ${name}::text)`,
    )
  ).sum

test('a second making of a round changes nothing', async () => {
  await makeDay(database.db, '2026-12-30' as IstDay)
  await makeDay(database.db, '2026-12-30' as IstDay, policyB(3))
  expect(await findRound(database.db, '2026-12-30' as IstDay)).toMatchObject({
    status: 'open',
    policy: POLICY_A,
    opensAt: new Date('2026-12-29T18:30:00Z'),
    closesAt: new Date('2026-12-30T18:30:00Z'),
  })
  expect(await findRound(database.db, '2030-01-01' as IstDay)).toBeUndefined()
})

test.each([
  [1, POLICY_A],
  [7, POLICY_A],
  [33, POLICY_A],
  [1, policyB(3)],
  [2, policyB(3)],
  [7, policyB(3)],
  [11, policyB(7)],
] as const)('%i entries under policy %o are paid out to the paisa', async (entries, policy) => {
  const closed = await closedDay(entries, policy)
  const cut = shares(wholeRupees(entries), entries, policy)
  const winners = members.slice(0, entries).toReversed().slice(0, cut.winners)
  const before = await Promise.all(winners.map(balanceOf))
  const [need, platform] = [await account('HELP_FUND'), await account('PLATFORM')]
  const settled = await payOut(database.db, closed, winners)
  expect(settled).toMatchObject({ need: cut.need, reward: cut.reward, platform: cut.platform, tax: 0n, already: false })
  expect(await Promise.all(winners.map(balanceOf))).toEqual(before.map((balance) => balance + cut.prize))
  expect([await account('HELP_FUND'), await account('PLATFORM')]).toEqual([need + cut.need, platform + cut.platform])
  expect(cut.need + cut.platform + cut.prize * BigInt(winners.length)).toBe(wholeRupees(entries))
  expect(await findRound(database.db, closed)).toMatchObject({ status: 'settled', needPaise: cut.need, rewardPaise: cut.reward, entries })
})

test('a prize is posted on the day it is paid', async () => {
  const closed = await closedDay(3)
  await payOut(database.db, closed, [members[0] as bigint])
  const posted = await database.db.query(sql`select day from transfer where kind = 'prize' and ref = ${`${closed}:1`}::text`)
  expect(posted).toEqual([{ day: nextDay(closed) }])
})

test('settlements at the same time move the money once', async () => {
  const closed = await closedDay(10, policyB(3))
  const winners = members.slice(2, 5)
  await drawWinners(database.db, closed, winners)
  const before = await Promise.all(winners.map(balanceOf))
  const all = await Promise.all(Array.from({ length: 6 }, () => inTransaction(database.db, (tx) => settleRound(tx, closed))))
  expect(all.filter((outcome) => outcome.ok && !outcome.value.already)).toHaveLength(1)
  expect(all.filter((outcome) => outcome.ok && outcome.value.already)).toHaveLength(5)
  expect(await Promise.all(winners.map(balanceOf))).toEqual(before.map((balance) => balance + 100n))
})

test('tax is withheld from a prize, and the reward share includes it', async () => {
  const closed = await closedDay(10)
  await inTransaction(database.db, async (tx) => {
    await recordSeal(tx, closed, { root: hashOf('root'), drawAt: new Date() })
    await recordDraw(tx, {
      day: closed,
      randomness: hashOf('r'),
      seed: hashOf('s'),
      winners: [members[0] as bigint],
      taxOn: (prize) => (prize / 5n) as Paise,
    })
  })
  const before = await account('TAX_WITHHELD')
  const settled = await inTransaction(database.db, (tx) => settleRound(tx, closed))
  expect(settled).toMatchObject({ ok: true, value: { reward: 300n, tax: 60n, winners: [{ amount: 240n, tax: 60n }] } })
  expect((await account('TAX_WITHHELD')) - before).toBe(60n)
})

test('need receives the reward when the draw is switched off', async () => {
  const closed = await closedDay(10)
  expect(await payOut(database.db, closed, [])).toMatchObject({ need: 900n, reward: 0n, platform: 100n, winners: [] })
})

test('a draw with a stranger, a repeated winner or too many winners is refused and keeps nothing', async () => {
  const closed = await closedDay(5, policyB(2))
  const seal = { root: hashOf('root'), drawAt: new Date() }
  await inTransaction(database.db, (tx) => recordSeal(tx, closed, seal))
  const draw = (winners: bigint[]) =>
    inTransaction(database.db, (tx) => recordDraw(tx, { day: closed, randomness: hashOf('r'), seed: hashOf('s'), winners }))
  await expect(draw([members[0] as bigint, members[20] as bigint])).rejects.toThrow('has not joined')
  await expect(draw([members[0] as bigint, members[0] as bigint])).rejects.toThrow('draw_winner')
  await expect(draw(members.slice(0, 3))).rejects.toThrow('3 winners where 2 are due')
  expect(await inTransaction(database.db, (tx) => settleRound(tx, closed))).toEqual({ ok: false, code: 'not_drawn' })
  await expect(inTransaction(database.db, (tx) => recordSeal(tx, closed, { ...seal, root: hashOf('another') }))).rejects.toThrow()
  await payOut(database.db, closed, members.slice(0, 2)).catch(() => undefined)
  expect((await findRound(database.db, closed))?.status).toBe('closed')
  await draw(members.slice(0, 2))
  await inTransaction(database.db, (tx) => settleRound(tx, closed))
})

test('a close before the end is refused, an early close counts once, and an empty round cannot be closed early', async () => {
  day = nextDay(day)
  await openDay(database, day)
  const close = (early: boolean) => inTransaction(database.db, (tx) => closeRound(tx, day, { early }))
  expect(await close(false)).toEqual({ ok: false, code: 'too_early' })
  expect(await close(true)).toEqual({ ok: false, code: 'no_participants' })
  expect((await findRound(database.db, day))?.status).toBe('open')
  await createJoinBatcher({ db: database.db }).join({ memberId: members[0] as bigint })
  const both = await Promise.all([close(true), close(true)])
  expect(both.map((outcome) => outcome.ok && outcome.value.already).sort()).toEqual([false, true])
  // Compared in the database, which keeps microseconds: a Date would hide a clock read twice.
  const times = await database.db.one<{ same: boolean }>(sql`select closes_at = closed_at as same from round where day = ${day}::date`)
  expect(times.same).toBe(true)
  const tomorrow = nextDay(day)
  await makeDay(database.db, tomorrow)
  expect(await inTransaction(database.db, (tx) => closeRound(tx, tomorrow, { early: true }))).toEqual({ ok: false, code: 'too_early' })
  expect(await inTransaction(database.db, (tx) => closeRound(tx, '2031-01-01' as IstDay))).toEqual({ ok: false, code: 'round_not_found' })
})

test('a void round gives every rupee back once, page by page, and an empty one ends at once', async () => {
  const closed = await closedDay(7)
  const before = await Promise.all(members.map((member) => balanceOf(member)))
  const decided = await Promise.all([1, 2, 3].map(() => inTransaction(database.db, (tx) => voidRound(tx, closed))))
  expect(decided.map((outcome) => outcome.ok && !outcome.value.already).filter(Boolean)).toHaveLength(1)
  expect((await findRound(database.db, closed))?.status).toBe('closed')
  const page = () => inTransaction(database.db, (tx) => returnRupees(tx, closed, 3))
  expect(await page()).toEqual({ ok: true, value: { isOver: false, failing: [] } })
  // A page that fails leaves nothing, and the next page starts at the same place.
  const broken = inTransaction(database.db, async (tx) => {
    await returnRupees(tx, closed, 3)
    throw new Error('as when the process dies')
  })
  await expect(broken).rejects.toThrow('dies')
  await Promise.all([page(), page(), page()])
  expect(await page()).toEqual({ ok: true, value: { isOver: true, failing: [] } })
  expect((await findRound(database.db, closed))?.status).toBe('void')
  const after = await Promise.all(members.map((member) => balanceOf(member)))
  expect(after.map((balance, index) => balance - (before[index] as bigint))).toEqual(members.map((_, index) => (index < 7 ? 100n : 0n)))
  expect(await inTransaction(database.db, (tx) => settleRound(tx, closed))).toEqual({ ok: false, code: 'not_drawn' })
  const empty = await closedDay(0)
  expect(await inTransaction(database.db, (tx) => voidRound(tx, empty))).toEqual({ ok: true, value: { isOver: true, already: false } })
})

test('a void round cannot be drawn after its decision, and the day of its returns is sealed after the last of them', async () => {
  const closed = await closedDay(5)
  const decidedOn = nextDay(closed)
  await openDay(database, decidedOn)
  day = decidedOn
  await inTransaction(database.db, (tx) => voidRound(tx, closed))
  await expect(drawWinners(database.db, closed, [members[0] as bigint])).rejects.toThrow('given back')
  const page = () => inTransaction(database.db, (tx) => returnRupees(tx, closed, 3))
  await page()
  await database.setClock(new Date(startOfDayMs(nextDay(decidedOn)) + 1000))
  await inTransaction(database.db, (tx) => closeRound(tx, decidedOn))
  const seal = () => inTransaction(database.db, (tx) => sealDay(tx, decidedOn))
  expect(await seal()).toEqual({ ok: false, code: 'returns_open' })
  const sealing = database.db.query(sql`update ledger_day set sealed_at = roz_now() where day = ${decidedOn}::date`)
  await expect(sealing).rejects.toThrow('being given back')
  await page()
  expect(await database.db.query(sql`select distinct day from transfer where debit = pool_account(${closed}::date)`)).toEqual([
    { day: decidedOn },
  ])
  expect(await seal()).toEqual({ ok: true, value: { sealedNow: true } })
  await inTransaction(database.db, (tx) => giveRoundBack(tx, decidedOn))
})

test('a drawn or open round cannot be voided', async () => {
  const closed = await closedDay(3)
  await drawWinners(database.db, closed, [members[0] as bigint])
  expect(await inTransaction(database.db, (tx) => voidRound(tx, closed))).toEqual({ ok: false, code: 'not_closed' })
  await inTransaction(database.db, (tx) => settleRound(tx, closed))
  day = nextDay(day)
  await openDay(database, day)
  expect(await inTransaction(database.db, (tx) => voidRound(tx, day))).toEqual({ ok: false, code: 'not_closed' })
})

test('the table refuses a round whose status contradicts its columns', async () => {
  const break_ = (set: string) =>
    database.db.query(sql([`update round set ${set} where day = '${day}'`] as unknown as TemplateStringsArray))
  for (const set of [
    "status = 'closed'",
    "status = 'settled'",
    "status = 'paid'",
    'entries = 3',
    'pool = 100',
    'need = 70',
    "closes_at = closes_at + interval '1 second'",
  ]) {
    await expect(break_(set), set).rejects.toThrow('round')
  }
})

test('a transfer posted during the sealing of its day is in the sealed sum or on the next day', async () => {
  // A day without other transfers.
  day = '2027-03-01' as IstDay
  await openDay(database, day)
  const seal = (of: IstDay) => inTransaction(database.db, (tx) => sealDay(tx, of))
  expect(await seal(day)).toEqual({ ok: false, code: 'day_not_over' })
  await addMoney(database.db, members[0] as bigint, wholeRupees(10))
  const midnight = startOfDayMs(nextDay(day))
  await database.setClock(new Date(midnight + 1000))
  expect(await seal(day)).toEqual({ ok: false, code: 'round_open' })
  await inTransaction(database.db, (tx) => closeRound(tx, day))
  // A top-up takes its day before midnight and commits after it.
  await database.setClock(new Date(midnight - 3_600_000))
  const orderId = newOrderId()
  const late = await holdOpen(database.db, async (tx) => {
    await createTopup(tx, { orderId, memberId: members[0] as bigint, amount: wholeRupees(20) })
    await captureTopup(tx, { orderId, paymentId: orderId, orderAmount: wholeRupees(20) })
  })
  await database.setClock(new Date(midnight + 1000))
  const sealing = seal(day)
  await Promise.race([untilLockWaits(database.db), sealing])
  await late.commit()
  expect(await sealing).toEqual({ ok: true, value: { sealedNow: true } })
  expect(await seal(day)).toEqual({ ok: true, value: { sealedNow: false } })
  const total = await database.db.one<{ given: bigint }>(sql`select given from ledger_day_total where day = ${day}::date and account = 0`)
  expect(total.given).toBe(3000n)
  await inTransaction(database.db, (tx) => giveRoundBack(tx, day))
  await addMoney(database.db, members[0] as bigint, wholeRupees(10))
  expect(await database.db.query(sql`select day from transfer order by transfer_id desc limit 1`)).toEqual([{ day: nextDay(day) }])
})

test('a day that a transaction has taken for its transfers is not sealed before it ends', async () => {
  day = '2027-04-01' as IstDay
  await openDay(database, day)
  await database.setClock(new Date(startOfDayMs(nextDay(day)) - 1000))
  const late = await holdOpen(database.db, (tx) => tx.query(sql`select posting_day()`))
  await database.setClock(new Date(startOfDayMs(nextDay(day)) + 1000))
  await inTransaction(database.db, (tx) => closeRound(tx, day))
  const sealing = inTransaction(database.db, (tx) => sealDay(tx, day))
  const first = await Promise.race([untilLockWaits(database.db).then(() => 'waits'), sealing.then(() => 'is sealed')])
  expect(first).toBe('waits')
  await late.commit()
  expect(await sealing).toEqual({ ok: true, value: { sealedNow: true } })
})

test('the sums of a sealed day contain each transfer and each entry of its round once', async () => {
  day = '2027-04-30' as IstDay
  const closed = await closedDay(4)
  await database.setClock(new Date(startOfDayMs(closed) + 1000))
  await addMoney(database.db, members[0] as bigint, wholeRupees(10))
  await database.setClock(new Date(startOfDayMs(nextDay(closed)) + 1000))
  expect(await inTransaction(database.db, (tx) => sealDay(tx, closed))).toEqual({ ok: true, value: { sealedNow: true } })
  const totals = sql`select account, taken, given from ledger_day_total where day = ${closed}::date order by account desc`
  expect(await database.db.query(totals)).toEqual([
    { account: ACCOUNTS.GATEWAY, taken: 1000n, given: 0n },
    { account: 0n, taken: 400n, given: 1000n },
    { account: poolAccount(closed), taken: 0n, given: 400n },
  ])
})

test('a settlement across midnight is posted to the day on which it began, and later transfers to the next day', async () => {
  const ended = await closedDay(3)
  await drawWinners(database.db, ended, members.slice(0, 1))
  const today = nextDay(ended)
  const settled = await inTransaction(database.db, async (tx) => {
    const meetingMidnight = queryableBy(async <Row extends object>(statement: Sql) => {
      const rows = await tx.query<Row>(statement)
      if (statement.text.includes("'prize'")) await database.setClock(new Date(startOfDayMs(nextDay(today)) + 1000))
      return rows
    }) as Tx
    return settleRound(meetingMidnight, ended)
  })
  expect(settled.ok).toBe(true)
  const posted = await database.db.query(sql`select kind, day from transfer where debit = pool_account(${ended}::date) order by kind`)
  expect(posted).toEqual(['need', 'platform', 'prize'].map((kind) => ({ kind, day: today })))
  await addMoney(database.db, members[0] as bigint, wholeRupees(10))
  expect(await database.db.query(sql`select day from transfer order by transfer_id desc limit 1`)).toEqual([{ day: nextDay(today) }])
})
