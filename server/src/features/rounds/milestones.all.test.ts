/** Days given, milestones and weeks: counted from settled rounds, so that no figure ever falls. */
import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import { expect, test } from 'vitest'
import { inTransaction } from '../../db/transaction.ts'
import { createJoinBatcher } from '../../ledger/join-batcher.ts'
import { DAY, endDay, giveAccounts, giveRoundBack, newMember, openDay, payOut } from '../../ledger/testing/fixtures.ts'
import { createTestDatabase } from '../../testing/database.ts'
import { useRoundsWorld } from '../../testing/rounds-world.ts'
import { readMilestones } from './milestones.ts'

const world = useRoundsWorld()

const FIRST = '2026-11-21' as IstDay
const milestones = async (as: bigint) => (await world.ask('GET /user/milestones', { as })).body

test('the tenth day is a milestone once its round is settled; a week counts with five days, and a missed day takes nothing away', async () => {
  const [asha, other] = [await world.member(20), await world.member(20)]
  expect(await milestones(asha)).toEqual({ days: 0, weeks: 0, reached: [] })
  // Saturday and Sunday, then Monday to Friday; Saturday is missed.
  const days = [0, 1, 2, 3, 4, 5, 6, 8, 9, 10].map((n) => addDays(FIRST, n))
  const last = days.at(-1) as IstDay
  for (let day = FIRST; day <= last; day = addDays(day, 1)) {
    if (days.includes(day)) expect((await world.join(asha)).status).toBe(200)
    if (day === last) expect(await milestones(asha)).toEqual({ days: 9, weeks: 1, reached: [] })
    await world.goTo(`${addDays(day, 1)}T00:00:01+05:30`)
  }
  expect(await milestones(asha)).toEqual({ days: 10, weeks: 1, reached: [{ days: 10, on: last }] })
  await world.goTo(`${addDays(last, 20)}T00:00:01+05:30`)
  expect(await milestones(asha)).toEqual({ days: 10, weeks: 1, reached: [{ days: 10, on: last }] })
  expect(await milestones(other)).toEqual({ days: 0, weeks: 0, reached: [] })
})

test('a day whose rupee came back is no day given', async () => {
  const database = await createTestDatabase()
  const { db } = database
  await openDay(database, DAY)
  const member = await newMember(db, { rupees: 5 })
  await giveAccounts(db, [member])
  const batcher = createJoinBatcher({ db })
  await batcher.join({ memberId: member })
  await endDay(database, DAY)
  await inTransaction(db, (tx) => giveRoundBack(tx, DAY))
  expect(await readMilestones(db, member)).toEqual({ days: 0, weeks: 0, reached: [] })
  const next = addDays(DAY, 1)
  await openDay(database, next)
  await batcher.join({ memberId: member })
  await endDay(database, next)
  expect(await readMilestones(db, member)).toEqual({ days: 0, weeks: 0, reached: [] })
  await payOut(db, next, [member])
  expect(await readMilestones(db, member)).toEqual({ days: 1, weeks: 0, reached: [] })
  await database.drop()
})
