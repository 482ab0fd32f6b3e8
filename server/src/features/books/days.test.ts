/** Days of the books: a need share is given first in, first out, over any number of days, and taken back by corrections. */
import { expect, test } from 'vitest'
import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import { paise } from '@roz/core/money.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { bookDisbursement } from '../../ledger/disbursements.ts'
import { useRoundsWorld } from '../../testing/rounds-world.ts'

const world = useRoundsWorld()

const DAY = '2026-11-21' as IstDay
type View = { readonly day: string; readonly disbursed: number; readonly receipts: readonly { readonly amount: number }[] }

test('a disbursement is shown with the days whose rupees it spent, whether or not their books are made', async () => {
  const members = [await world.member(30), await world.member(30), await world.member(30)]
  // For each day: its entries, and the disbursements of the day after. The need share is 60 paise of a rupee.
  const story: readonly (readonly [number, readonly bigint[]])[] = [
    [3, []],
    [1, [100n]],
    [0, [20n, 20n]],
    [2, []],
    [3, [130n, 10n, 100n]],
    [1, [1n]],
  ]
  const spent: { readonly upTo: bigint; readonly amount: bigint }[] = []
  for (const [n, [entries, amounts]] of story.entries()) {
    for (const member of members.slice(0, entries)) expect((await world.join(member)).status).toBe(200)
    await world.goTo(`${addDays(DAY, n + 1)}T00:00:05+05:30`)
    for (const amount of amounts) {
      const evidence = Buffer.alloc(32, `${n} ${spent.length}`)
      const booked = await inTransaction(world.db, (tx) =>
        bookDisbursement(tx, { id: `help-${spent.length}`, amount: paise(amount), evidence: [evidence] }),
      )
      expect(booked.ok).toBe(true)
      spent.push({ amount, upTo: (spent.at(-1)?.upTo ?? 0n) + amount })
    }
    const { days, totals } = (await world.ask('GET /public/days?limit=50')).body as unknown as {
      readonly days: readonly View[]
      readonly totals: { readonly disbursed: number; readonly helpFund: number }
    }
    const out = spent.at(-1)?.upTo ?? 0n
    let before = 0n
    for (const [index, [joined]] of story.slice(0, n + 1).entries()) {
      const end = before + BigInt(joined) * 60n
      const used = out <= before ? 0n : out >= end ? end - before : out - before
      const receipts = spent.filter(({ upTo, amount }) => end > before && upTo > before && upTo - amount < end)
      expect(days.find(({ day }) => day === addDays(DAY, index))).toMatchObject({
        disbursed: Number(used) / 100,
        receipts: receipts.map(({ amount }) => ({ amount: Number(amount) / 100 })),
      })
      before = end
    }
    expect(totals).toMatchObject({ disbursed: Number(out) / 100, helpFund: Number(before - out) / 100 })
    // One day alone reads as it does in the list.
    expect((await world.ask(`GET /public/days/${addDays(DAY, n)}`)).body['day']).toEqual(days[0])
  }
  const [newest] = await world.db.query(sql`select help_in as came, help_out as went from books_day order by day desc limit 1`)
  expect(newest).toEqual({ came: 540n, went: 380n })
})

test('a round drawn before its day is over is in the totals with all its parts, and no part counts as a gift', async () => {
  type Totals = Readonly<Record<'days' | 'intake' | 'disbursed' | 'helpFund', number>> & { readonly split: { readonly need: number } }
  const totals = async (): Promise<Totals> => (await world.ask('GET /public/days?limit=1')).body['totals'] as Totals
  const gifts = ({ helpFund, disbursed, split }: Totals): number => Math.round((helpFund + disbursed - split.need) * 100)
  const before = await totals()
  expect((await world.join(await world.member(30))).status).toBe(200)
  expect((await world.trigger()).body).toMatchObject({ round: { status: 'settled' } })
  const after = await totals()
  expect([gifts(before), gifts(after)]).toEqual([0, 0])
  expect([after.days - before.days, after.intake - before.intake]).toEqual([1, 1])
})
