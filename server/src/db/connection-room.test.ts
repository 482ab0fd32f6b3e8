/** Tests which lack of connections stops a start, and which is a warning. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { useConnection, useTestDatabase } from '../testing/database.ts'
import { expectRoom } from './connection-room.ts'
import { sql } from './sql.ts'

const database = useTestDatabase()
const superuser = useConnection(() => database.superUrl)
let warnings: string[]
beforeAll(async () => {
  // One connection of another instance.
  await database.db.query(sql`select`)
})
beforeEach(() => {
  warnings = []
})

/** The database's own limit: other test files use the same server and role. */
const limit = (connections: number) =>
  superuser.query(sql`select set_config('test.limit', ${String(connections)}, false)`).then(() =>
    superuser.query(sql`
      do $$ begin execute format('alter database %I connection limit %s', current_database(), current_setting('test.limit')); end $$`),
  )
const check = (wanted: number) =>
  expectRoom({
    url: database.appUrl,
    wanted,
    remedy: 'raise it',
    warn: (line) => void warnings.push(line),
  })

test('a limit below the need stops the start', async () => {
  await limit(44)
  await expect(check(45)).rejects.toThrow('it allows 44 connections, and DATABASE_CONNECTIONS is 45: lower it, or raise it')
  expect(warnings).toEqual([])
})

test('connections in use by others cause a warning, and the start continues', async () => {
  await limit(45)
  await check(45)
  // The test's superuser and its pool have one each.
  expect(warnings).toEqual(['the database has 43 free connections at this moment, and this server needs up to 45'])
  warnings = []
  await limit(47)
  await check(45)
  expect(warnings).toEqual([])
})

test('if the use of connections cannot be read there is one warning, and the start continues', async () => {
  await superuser.query(sql`revoke select on pg_stat_activity from public`)
  await check(15)
  expect(warnings).toEqual(['how many of the database’s connections others use cannot be seen'])
  await superuser.query(sql`grant select on pg_stat_activity to public`)
})
