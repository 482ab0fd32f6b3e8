/** How long help waits, and the alarm for help that waits too long. */
import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import { beforeAll, expect, test } from 'vitest'
import { listAlarms } from '../operation/alarms.ts'
import { makeStaff } from '../testing/calls.ts'
import { type PaidHelp, payHelp, takeBack } from '../testing/help.ts'
import { useRoundsWorld } from '../testing/rounds-world.ts'
import { readHelpWaits } from './help-waits.ts'

const world = useRoundsWorld()
let finance: bigint
const FIRST = '2026-11-21' as IstDay
const on = (days: number): Promise<unknown> => world.goTo(`${addDays(FIRST, days)}T00:00:01+05:30`)
const help = (amount: number): Promise<PaidHelp> => payHelp(world.db, { amount, askedBy: finance, decidedBy: finance })

beforeAll(async () => {
  finance = await makeStaff(world.db, 'finance')
  const member = await world.member(10)
  for (let day = 0; day < 3; day++) {
    expect((await world.join(member)).status).toBe(200)
    await on(day + 1)
  }
})

test('before any help is paid out there is no median, and the oldest day waits', async () => {
  expect(await readHelpWaits(world.db)).toEqual({ medianDays: null, oldest: { day: FIRST, days: 3 } })
})

test('the median is of the money: half of it waited no longer', async () => {
  const paid = await help(70)
  // 60 paise waited 3 days, 10 paise waited 2.
  expect(await readHelpWaits(world.db)).toEqual({ medianDays: 3, oldest: { day: addDays(FIRST, 1), days: 2 } })
  await on(5)
  await help(110)
  // Of ₹1.80, 10 paise waited 2 days, 120 paise 3 days, 50 paise 4.
  expect(await readHelpWaits(world.db)).toEqual({ medianDays: 3, oldest: null })
  await takeBack(world.db, paid, 70, finance)
  expect(await readHelpWaits(world.db)).toEqual({ medianDays: 3, oldest: { day: FIRST, days: 5 } })
})

test('help that waits for more than 14 days alarms the portal, and only then', async () => {
  await on(14)
  expect(await listAlarms(world.db)).toEqual([])
  await on(15)
  expect(await listAlarms(world.db)).toEqual([{ code: 'help_waiting', day: FIRST, waiting: 0 }])
  await on(16)
  expect(await listAlarms(world.db)).toEqual([{ code: 'help_waiting', day: FIRST, waiting: 1 }])
  await help(70)
  expect(await listAlarms(world.db)).toEqual([])
})
