/** The order of requests for help as everybody reads it: before the draw, after it, and on a day without one. Both verifiers check it. */
import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import { POLICY_A } from '@roz/core/split.ts'
import { afterEach, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { makeStaff } from '../../testing/calls.ts'
import { openRoundsWorld, type RoundsWorld } from '../../testing/rounds-world.ts'
import { verifyDay, verifyDayByTwin, VERDICT } from '../../testing/verifier.ts'

const DAY = '2026-11-21' as IstDay
const [SECOND, THIRD] = [addDays(DAY, 1), addDays(DAY, 2)]
const NUMBERS = ['0001', '3F9A', '7K2M', 'ZZZZ']

let world: RoundsWorld
afterEach(() => world.close())

const midnight = (day: IstDay) => world.goTo(`${day}T00:00:05+05:30`)
const shown = async () => (await world.ask('GET /public/days?limit=5')).body
const freeze = async (day: IstDay): Promise<unknown> =>
  world.db.query(
    sql`insert into help_order (day, numbers, frozen_by) values (${day}::date, ${NUMBERS}::text[], ${await makeStaff(world.db, 'editor')}::bigint)`,
  )

test('a list is public before its draw; with and without rewards the seed orders it, and both verifiers find a forged order', async () => {
  // As with DRAW=off: nobody wins, and the day has a seed.
  world = await openRoundsWorld({ policy: { ...POLICY_A, winners: 0 } })
  await freeze(DAY)
  expect((await shown()).frozen).toEqual([{ day: DAY, numbers: NUMBERS }])
  for (let count = 0; count < 3; count++) await world.join(await world.member(30))
  await midnight(SECOND)
  const { frozen, days } = await shown()
  expect([frozen, days[0].winners, days[0].helpOrder.isDrawn]).toEqual([[], [], true])
  const order: string[] = days[0].helpOrder.numbers
  expect(order.toSorted()).toEqual(NUMBERS)
  expect((await world.ask(`GET /public/days/${DAY}`)).body.day.helpOrder).toEqual({ numbers: order, isDrawn: true })
  const forged = [order[1], order[0], ...order.slice(2)]
  for (const verify of [verifyDay, verifyDayByTwin]) {
    const sound = await verify({ url: world.url, day: DAY }, '--order', order.join(','))
    expect(sound.code, sound.text).toBe(VERDICT.weak)
    expect(sound.text).toContain('the seed gives the order of these 4 requests for help')
    const wrong = await verify({ url: world.url, day: DAY }, '--order', forged.join(','))
    expect(wrong.code, wrong.text).toBe(VERDICT.fail)
    expect(wrong.text).toContain(`the seed gives the order ${order.join(',')}`)
  }
})

test('a day that nobody joined has no seed: its list is shown without an order', async () => {
  world = await openRoundsWorld()
  await midnight(SECOND)
  await freeze(SECOND)
  await midnight(THIRD)
  expect((await world.ask(`GET /public/days/${SECOND}`)).body.day.helpOrder).toEqual({ numbers: NUMBERS, isDrawn: false })
  expect((await world.ask(`GET /public/days/${DAY}`)).body.day.helpOrder).toBeNull()
})
