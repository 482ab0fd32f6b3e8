import type { IstDay } from '@roz/core/ist-day.ts'
import { nextDay } from '@roz/core/ist-day.ts'
import { wholeRupees } from '@roz/core/money.ts'
import { beforeAll, expect, test } from 'vitest'
import { queryableBy, sql } from '../db/sql.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { useTestDatabase } from '../testing/database.ts'
import { ACCOUNTS, poolAccount } from './accounts.ts'
import { endDay, newMembers, openDay } from './testing/fixtures.ts'
import { createJoinBatcher } from './join-batcher.ts'
import { findRound } from './rounds.ts'
import { returnRupees, voidRound } from './settlement.ts'
import { moveSystem } from './transfer.ts'

const database = useTestDatabase()
let members: bigint[]
beforeAll(async () => {
  members = await newMembers(database.db, 7, { rupees: 200 })
})

let day = '2026-11-20' as IstDay
/** A new day with this many entries, closed at its end and given up. */
async function voidDay(entries: number): Promise<IstDay> {
  day = nextDay(day)
  await openDay(database, day)
  const batcher = createJoinBatcher({ db: database.db })
  await Promise.all(members.slice(0, entries).map((memberId) => batcher.join({ memberId })))
  expect(await endDay(database, day)).toMatchObject({ entries })
  await inTransaction(database.db, (tx) => voidRound(tx, day))
  return day
}

/** Gives a round's next page of three members back; `heard` gets each statement. */
const returnPage = (of: IstDay, heard: string[] = []) =>
  inTransaction(database.db, (tx) => {
    const listening = queryableBy((statement) => {
      heard.push(statement.text)
      return tx.query(statement)
    }) as Tx
    return returnRupees(listening, of, 3)
  })

test('the last page of a void round compares counted entries and does not add up its refunds', async () => {
  const closed = await voidDay(7)
  const heard: string[] = []
  const pages = [await returnPage(closed, heard), await returnPage(closed, heard), await returnPage(closed, heard)]
  expect(pages.map((page) => page.ok && page.value.isOver)).toEqual([false, false, true])
  expect(heard.filter((text) => text.includes('sum(amount)'))).toEqual([])
})

test('a void round whose first pages were not counted ends once its pool is added up', async () => {
  const closed = await voidDay(5)
  await returnPage(closed)
  await database.db.query(sql`update round set returned_entries = null where day = ${closed}::date`)
  const heard: string[] = []
  expect(await returnPage(closed, heard)).toMatchObject({ ok: true, value: { isOver: true } })
  expect(heard.filter((text) => text.includes('sum(amount)'))).toHaveLength(1)
  expect((await findRound(database.db, closed))?.status).toBe('void')
})

test('a void round does not end while a member has no rupee back, or when money left its pool another way', async () => {
  const closed = await voidDay(6)
  await returnPage(closed)
  const skipping = inTransaction(database.db, async (tx) => {
    await tx.query(sql`update round set returned_to = returned_to + 1 where day = ${closed}::date`)
    await returnRupees(tx, closed, 3)
  })
  await expect(skipping).rejects.toThrow('100 paise are left in the pool')
  for (const [kind, account] of [
    ['need', ACCOUNTS.HELP_FUND],
    ['platform', ACCOUNTS.PLATFORM],
    ['tax', ACCOUNTS.TAX_WITHHELD],
  ] as const) {
    const leaking = inTransaction(database.db, async (tx) => {
      await moveSystem(tx, { kind, credit: account, ref: closed, debit: poolAccount(closed), amount: wholeRupees(1) })
      await returnRupees(tx, closed, 3)
    })
    await expect(leaking, kind).rejects.toThrow('-100 paise are left in the pool')
  }
  await returnPage(closed)
  expect((await findRound(database.db, closed))?.status).toBe('void')
})
