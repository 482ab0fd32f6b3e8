/** The published files of settled days, checked by programs that share no code with the server. */
import { beforeAll, expect, test } from 'vitest'
import { addDays, type IstDay } from '@roz/core/ist-day.ts'
import { policyB } from '@roz/core/split.ts'
import { paise } from '@roz/core/money.ts'
import { useRoundsWorld } from '../../testing/rounds-world.ts'
import { verifyDay, verifyDayByTwin, VERDICT } from '../../testing/verifier.ts'

const world = useRoundsWorld({ policy: policyB(3), tax: { percent: 31, above: paise(100n) } })
const DAY = '2026-11-21' as IstDay
const members: bigint[] = []

beforeAll(async () => {
  for (let n = 0; n < 11; n++) members.push(await world.member(5 + n, { auto: n < 4 }))
  for (const member of members.slice(0, 9)) expect((await world.join(member)).status).toBe(200)
  // Two days with entries, then a day during which the server did not run.
  await world.goTo('2026-11-22T00:00:05+05:30')
  await world.goTo('2026-11-24T10:00:00+05:30')
})

test.each([
  ['with several winners', DAY, VERDICT.weak],
  ['with joins by Auto Participate', addDays(DAY, 1), VERDICT.weak],
  ['during which the server did not run', addDays(DAY, 2), VERDICT.pass],
])('a day %s is complete and passes both verifiers', async (_which, day, expected) => {
  const verdicts = await Promise.all([verifyDay({ url: world.url, day }), verifyDayByTwin({ url: world.url, day })])
  for (const { code, text } of verdicts) expect(code, text).toBe(expected)
})
