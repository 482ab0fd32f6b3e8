/** A finding of an audit stays open until a later audit of the same days, or a later comparison of all wallets, finds none. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sql } from '../db/sql.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { listFindings } from './audit-findings.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  await database.db.query(sql`delete from audit_run`)
  await database.db.query(sql`delete from wallet_check`)
})

/** `since`: a recent run. Returns its id. */
async function begin(since: string | null = null): Promise<bigint> {
  const [run] = await database.db.query<{ id: bigint }>(sql`
    insert into audit_run (scope, since) values (case when ${since}::date is null then 'full' else 'recent' end, ${since}::date) returning id`)
  return run?.id ?? 0n
}
async function end(id: bigint, ...broken: readonly string[]): Promise<void> {
  const found = broken.map((invariant) => ({
    invariant,
    sentence: `${invariant}.`,
    rows: [{ subject: 'day 1', found: 'two' }],
    hasMore: false,
  }))
  await database.db.query(
    sql`update audit_run set finished_at = roz_now(), broken = ${JSON.stringify(found)}::jsonb where id = ${id}::bigint`,
  )
}
const night = (day: string, broken: number, isFinished = true) =>
  database.db.query(sql`
    insert into wallet_check (night, last_id, wallets, broken, finished_at)
    values (${day}::date, 9, 9, ${broken}::int, case when ${isFinished}::boolean then roz_now() end)`)
const standing = async (): Promise<string[]> => (await listFindings(database.db)).map(({ invariant }) => invariant)

test('a recent run ends no finding of a full run; the next full run ends all', async () => {
  await end(await begin(), 'credited')
  await end(await begin('2026-11-21'), 'zero')
  await end(await begin('2026-11-22'))
  expect(await listFindings(database.db)).toEqual([
    { invariant: 'credited', sentence: 'credited.', rows: 1, first: 'day 1: two', at: expect.any(Date) },
    expect.objectContaining({ invariant: 'zero' }),
  ])
  const unfinished = await begin()
  expect(await standing()).toEqual(['credited', 'zero'])
  await end(unfinished)
  expect(await standing()).toEqual([])
})

test('a recent run ends the finding of an earlier one only if it reads the same days', async () => {
  await end(await begin('2026-11-21'), 'zero')
  await end(await begin('2026-11-22'))
  expect(await standing()).toEqual(['zero'])
  await end(await begin('2026-11-21'))
  expect(await standing()).toEqual([])
})

test('a full run that ends after a later recent run is not overlooked', async () => {
  const long = await begin()
  await end(await begin('2026-11-22'), 'zero')
  await end(long, 'credited')
  expect(await standing()).toEqual(['credited', 'zero'])
})

test('a finding of a night ends when all wallets have been compared once more', async () => {
  await night('2026-11-20', 2)
  const [first] = await listFindings(database.db)
  expect(first).toMatchObject({ invariant: 'wallet_is_sum_of_legs', rows: 2, first: expect.stringContaining('night of 2026-11-20') })
  await night('2026-11-21', 0, false)
  expect(await standing()).toEqual(['wallet_is_sum_of_legs'])
  await night('2026-11-22', 0)
  expect(await standing()).toEqual([])
  // The comparison under way counts at once.
  await night('2026-11-23', 1, false)
  expect(await standing()).toEqual(['wallet_is_sum_of_legs'])
})
