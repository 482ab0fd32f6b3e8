import { addDays, type IstDay, startOfDayMs } from '@roz/core/ist-day.ts'
import { expect, test } from 'vitest'
import { useTestDatabase } from '../testing/database.ts'
import { runAutoJoin } from './auto-join.ts'
import { addMoney, makeDay, newMember } from './testing/fixtures.ts'
import { createJoinBatcher } from './join-batcher.ts'
import { wholeRupees } from '@roz/core/money.ts'
import { sql } from '../db/sql.ts'
import { readWallet } from './wallets.ts'

const database = useTestDatabase()

test('the 366th join of a leap year is refused, and the new year counts from zero', async () => {
  const memberId = await newMember(database.db, { rupees: 370 })
  const auto = await newMember(database.db, { autoJoin: true })
  await addMoney(database.db, auto, wholeRupees(370))
  const batcher = createJoinBatcher({ db: database.db })
  const first = '2028-01-01' as IstDay
  const join = async (day: IstDay) => {
    await makeDay(database.db, day)
    await database.setClock(new Date(startOfDayMs(day) + 60_000))
    const [own, run] = [await batcher.join({ memberId }), await runAutoJoin(database.db, day, { lanes: 1 })]
    return { own: own.ok ? 'joined' : own.code, auto: run.joined }
  }
  for (let n = 0; n < 365; n++) expect(await join(addDays(first, n)), `day ${n}`).toEqual({ own: 'joined', auto: 1 })
  const last = addDays(first, 365)
  expect(last).toBe('2028-12-31')
  expect(await join(last)).toEqual({ own: 'yearly_maximum', auto: 0 })
  expect(await readWallet(database.db, memberId)).toMatchObject({ balance: 500n, joins: 365 })
  expect(await database.db.one(sql`select reason from auto_skip where day = ${last}::date`)).toEqual({ reason: 'yearly_maximum' })
  expect(await join('2029-01-01' as IstDay)).toEqual({ own: 'joined', auto: 1 })
})
