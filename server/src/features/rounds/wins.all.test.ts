/** A winner passes a reward on: once, within 30 days, never more than the reward or the balance, after the debts; or ahead. */
import { paise, wholeRupees } from '@roz/core/money.ts'
import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import { noticeText } from '@roz/core/notices.ts'
import { beforeAll, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { openDebt } from '../../ledger/debts.ts'
import { passOn as passOnPrize } from '../../ledger/pass-on.ts'
import { holdWithdrawal } from '../../ledger/withdrawals.ts'
import { setMayMove, setPassesOn } from '../../ledger/wallets.ts'
import { useRoundsWorld } from '../../testing/rounds-world.ts'

const world = useRoundsWorld()
let asha: bigint
const FIRST = '2026-11-21' as IstDay
const midnight = (day: string): string => `${day}T00:00:01+05:30`

beforeAll(async () => {
  asha = await world.member(20, { name: 'Asha Verma' })
})

let day = FIRST
/** The next day's round, which the member wins alone: a reward of 30 paise. */
async function win(member: bigint): Promise<IstDay> {
  expect((await world.join(member)).status).toBe(200)
  const won = day
  day = addDays(day, 1)
  await world.goTo(midnight(day))
  return won
}
const passOn = (as: bigint, won: string, key?: string, amount = 0.3) =>
  world.ask(`POST /user/wins/${won}/pass-on`, {
    as,
    body: { amount },
    ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
  })
const wins = async (as: bigint): Promise<Record<string, unknown>[]> => (await world.ask('GET /user/wins', { as })).body.wins
const balanceOf = async (memberId: bigint): Promise<bigint> =>
  (await world.db.one<{ balance: bigint }>(sql`select balance from wallet where member_id = ${memberId}::bigint`)).balance
const giftsOf = (memberId: bigint) =>
  world.db.query<{ ref: string; amount: bigint; day: string }>(sql`
    select ref, amount, day::text as day from transfer where kind = 'gift' and debit = ${memberId}::bigint order by transfer_id`)

test('a reward is passed on once, also by two requests at once and by a repeated key', async () => {
  const won = await win(asha)
  expect(await wins(asha)).toEqual([{ day: won, prize: 0.3, left: 0.3, until: addDays(day, 30), passedOn: null }])
  const before = await balanceOf(asha)
  const [left, right] = await Promise.all([passOn(asha, won, 'first'), passOn(asha, won, 'other')])
  expect([left.status, right.status].sort()).toEqual([200, 409])
  const [given, refused] = left.status === 200 ? [left, right] : [right, left]
  expect(given.body).toEqual({ passedOn: 0.3, balance: Number(before - 30n) / 100 })
  expect(refused.body).toMatchObject({ code: 'prize_passed_on', message: 'You have passed this reward on already.' })
  expect((await passOn(asha, won, left.status === 200 ? 'first' : 'other')).body).toEqual(given.body)
  expect(await giftsOf(asha)).toEqual([{ ref: `${won}:1`, amount: 30n, day }])
  expect(await wins(asha)).toMatchObject([{ left: 0, passedOn: 0.3 }])
})

test('the public figures count the winners who passed their reward on', async () => {
  const { totals, days } = (await world.ask('GET /public/days', {})).body
  expect(totals).toMatchObject({ winners: 1, passedOn: 1 })
  expect(days[0]).toMatchObject({ day: FIRST, gifts: 0 })
})

test('a withdrawal at the same moment leaves no more to pass on than there is', async () => {
  const ravi = await world.member(1)
  const won = await win(ravi)
  expect(await balanceOf(ravi)).toBe(30n)
  const [held, passed] = await Promise.all([
    inTransaction(world.db, (tx) => holdWithdrawal(tx, { id: crypto.randomUUID(), memberId: ravi, amount: paise(20n), bankAccountId: 1n })),
    passOn(ravi, won),
  ])
  // The second of the two took the rest, or was refused.
  expect(passed.status).toBe(200)
  expect(passed.body.passedOn).toBe(held.ok ? 0.1 : 0.3)
  expect(await balanceOf(ravi)).toBe(0n)
})

test('no more is given than the member confirmed, also where money was added since; nothing and less are refused', async () => {
  const nila = await world.member(1)
  const won = await win(nila)
  for (const amount of [0, -0.1]) expect((await passOn(nila, won, undefined, amount)).body.code).toBe('nothing_left')
  await world.fund(nila, wholeRupees(5))
  expect((await passOn(nila, won, undefined, 0.1)).body).toMatchObject({ passedOn: 0.1, balance: 5.2 })
})

test('what was spent cannot be passed on, nor the reward of another member or of no round', async () => {
  const meera = await world.member(1)
  const won = await win(meera)
  await world.fund(meera, wholeRupees(1))
  const hold = (amount: bigint) =>
    inTransaction(world.db, (tx) =>
      holdWithdrawal(tx, { id: crypto.randomUUID(), memberId: meera, amount: paise(amount), bankAccountId: 1n }),
    )
  expect((await hold(130n)).ok).toBe(true)
  expect(await wins(meera)).toMatchObject([{ left: 0 }])
  expect((await passOn(meera, won)).body).toMatchObject({ code: 'nothing_left', message: 'Nothing of this reward is left in your wallet.' })
  for (const unknown of [won, '2020-01-01', 'yesterday']) expect((await passOn(asha, unknown)).status).toBe(404)
})

test('a debt comes first, a suspended member moves nothing, and after 30 days it is too late', async () => {
  const dev = await world.member(1)
  const won = await win(dev)
  for (const mayMove of [false, true]) {
    await inTransaction(world.db, (tx) => setMayMove(tx, dev, mayMove))
    if (!mayMove) expect((await passOn(dev, won)).body.code).toBe('on_hold')
  }
  const owing = inTransaction(world.db, async (tx) => {
    await openDebt(tx, { ref: 'dp1', memberId: dev, amount: wholeRupees(1) })
    expect(await passOnPrize(tx, { memberId: dev, day: won })).toEqual({ ok: false, code: 'debt_first' })
    throw new Error('rolled back: the debt has no chargeback')
  })
  await expect(owing).rejects.toThrow('rolled back')
  await world.goTo(midnight(addDays(day, 31)))
  day = addDays(day, 31)
  expect((await passOn(dev, won)).body).toMatchObject({ code: 'prize_too_old' })
  expect(await wins(dev)).toEqual([])
})

test('with the switch on, the settlement passes the reward on, the notice says so, and the switch off stops it', async () => {
  const uma = await world.member(3)
  await inTransaction(world.db, (tx) => setPassesOn(tx, uma, true))
  const won = await win(uma)
  expect(await giftsOf(uma)).toEqual([{ ref: `${won}:1`, amount: 30n, day }])
  expect(await balanceOf(uma)).toBe(200n)
  const { data } = await world.db.one<{ data: Record<string, string> }>(
    sql`select data from notice where kind = 'won' and member_id = ${uma}::bigint`,
  )
  expect(noticeText('won', data, 'en').body).toContain('₹0.30 of it went on to the help fund, as you chose in your profile.')
  expect((await passOn(uma, won)).body.code).toBe('prize_passed_on')
  await inTransaction(world.db, (tx) => setPassesOn(tx, uma, false))
  await win(uma)
  expect(await giftsOf(uma)).toHaveLength(1)
  expect(await balanceOf(uma)).toBe(130n)
})
