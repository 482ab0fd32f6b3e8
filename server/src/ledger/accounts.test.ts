import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../db/sql.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { ACCOUNTS, poolAccount, TRANSFER_KINDS } from './accounts.ts'
import { DAY } from './fixtures.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

test('the database knows the same accounts by the same numbers', async () => {
  const rows = await database.db.query<{ name: string; id: bigint }>(sql`select name, id::bigint as id from account`)
  expect(Object.fromEntries(rows.map((row) => [row.name, row.id]))).toEqual(ACCOUNTS)
  expect(await database.db.query(sql`select pool_account(${DAY}::date) as pool`)).toEqual([{ pool: poolAccount(DAY) }])
})

test('every kind of transfer may stand between the same accounts in the database and here', async () => {
  const sides = { member: 1001n, pool: poolAccount(DAY), ...ACCOUNTS }
  const expected: string[] = []
  for (const [kind, allowed] of Object.entries(TRANSFER_KINDS)) {
    for (const debit of allowed.debit) for (const credit of allowed.credit) expected.push(`${kind} ${debit} ${credit}`)
  }
  const names = Object.keys(sides)
  const ids = Object.values(sides)
  const rows = await database.db.query<{ found: string }>(
    sql`with side as (select * from unnest(${names}::text[], ${ids}::bigint[]) as s(name, id)),
             kind as (select unnest(${[...Object.keys(TRANSFER_KINDS), 'unknown']}::text[]) as kind)
        select kind || ' ' || d.name || ' ' || c.name as found from kind cross join side d cross join side c where transfer_allowed(kind, d.id, c.id)`,
  )
  expect(rows.map((row) => row.found).sort()).toEqual(expected.sort())
})

test('a transfer between accounts of the wrong kind is refused by the table itself', async () => {
  const wrong = sql`insert into transfer (kind, ref, debit, credit, amount, day) values ('need', 'x', 6, 7, 100, ${DAY}::date)`
  await expect(database.db.query(wrong)).rejects.toThrow('transfer_sides')
})
