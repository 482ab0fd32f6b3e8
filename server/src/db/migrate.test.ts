import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { APP_ROLE } from '../testing/server-urls.ts'
import { migrate } from './migrate.ts'
import { connect, DatabaseUnavailableError, one, sql } from './sql.ts'
import { afterCommit, inTransaction } from './transaction.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

test('two simultaneous starts on a migrated database apply nothing and both succeed', async () => {
  const again = () => migrate(database.ownerUrl, { appRole: APP_ROLE, production: false })
  expect(await Promise.all([again(), again()])).toEqual([[], []])
})

test('a migration that was changed or removed after it ran stops the start', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'roz-migrations-'))
  const url = pathToFileURL(`${folder}/`)
  try {
    await expect(migrate(database.ownerUrl, { production: false, folder: url })).rejects.toThrow('which this version does not know')
    const { name } = await one<{ name: string }>(connectOwner, sql`select name from schema_migration order by name limit 1`)
    const { rows } = { rows: await connectOwner.query<{ name: string }>(sql`select name from schema_migration`) }
    for (const row of rows) await writeFile(path.join(folder, row.name), '-- another text')
    await expect(migrate(database.ownerUrl, { production: false, folder: url })).rejects.toThrow(
      `migration ${name} was changed after it ran`,
    )
  } finally {
    await rm(folder, { recursive: true })
  }
})

let connectOwner: ReturnType<typeof connect>
beforeAll(() => {
  connectOwner = connect({ url: database.ownerUrl, max: 1 })
})
afterAll(() => connectOwner.close())

test('bigint, day, instant, bytes and arrays come back in their types', async () => {
  const row = await one<Record<string, unknown>>(
    database.db,
    sql`select 9007199254740993::bigint as big, '2026-11-21'::date as day, '2026-11-21T00:00:00Z'::timestamptz as at, '\\x00ff'::bytea as bytes,
      array[1, 2]::bigint[] as ids, array['2026-11-21']::date[] as days`,
  )
  expect(row).toEqual({
    big: 9007199254740993n,
    day: '2026-11-21',
    at: new Date('2026-11-21T00:00:00Z'),
    bytes: Buffer.from([0, 255]),
    ids: [1n, 2n],
    days: ['2026-11-21'],
  })
})

test('a lost connection throws DatabaseUnavailableError, and the next statement succeeds', async () => {
  const killer = database.db
  await expect(killer.query(sql`select pg_terminate_backend(pg_backend_pid())`)).rejects.toBeInstanceOf(DatabaseUnavailableError)
  expect(await one(killer, sql`select 1 as alive`)).toEqual({ alive: 1 })
  const nowhere = connect({ url: 'postgres://a:b@127.0.0.1:1/x' })
  await expect(nowhere.query(sql`select 1`)).rejects.toBeInstanceOf(DatabaseUnavailableError)
  await nowhere.close()
})

test('a hook runs after a commit and never after a rollback', async () => {
  const ran: string[] = []
  await inTransaction(database.db, async (tx) => {
    afterCommit(tx, () => ran.push('committed'))
    expect(ran).toEqual([])
  })
  await expect(
    inTransaction(database.db, async (tx) => {
      afterCommit(tx, () => ran.push('rolled back'))
      throw new Error('no')
    }),
  ).rejects.toThrow('no')
  expect(ran).toEqual(['committed'])
})

test('a transaction whose statement error was swallowed fails at the commit', async () => {
  const swallowed = inTransaction(database.db, async (tx) => {
    await tx.query(sql`insert into job (kind, key, payload, due_at) values ('mail', 'swallowed', '{}', roz_now())`)
    await tx.query(sql`select 1 / 0`).catch(() => undefined)
    return 'done'
  })
  await expect(swallowed).rejects.toThrow('nothing was committed')
  expect(await database.db.query(sql`select 1 from job where key = 'swallowed'`)).toEqual([])
})

test('a statement after the end of its transaction is refused', async () => {
  const tx = await inTransaction(database.db, async (open) => open)
  await expect(tx.query(sql`select 1`)).rejects.toThrow('has ended')
})

test('two transactions that deadlock both succeed: one is retried', async () => {
  await connectOwner.query(sql`create table pair (id int primary key, n int not null)`)
  await connectOwner.query(sql`insert into pair values (1, 0), (2, 0)`)
  const owner = connect({ url: database.ownerUrl, max: 2 })
  const bump = (first: number, second: number) =>
    inTransaction(owner, async (tx) => {
      await tx.query(sql`update pair set n = n + 1 where id = ${first}::int`)
      await tx.query(sql`select pg_sleep(0.1)`)
      await tx.query(sql`update pair set n = n + 1 where id = ${second}::int`)
    })
  await Promise.all([bump(1, 2), bump(2, 1)])
  expect(await owner.query(sql`select n from pair order by id`)).toEqual([{ n: 2 }, { n: 2 }])
  await owner.close()
})

test('the clock runs on from the instant it is set to, days follow it, and production cannot set it', async () => {
  const at = new Date('2028-02-29T18:29:00Z')
  await database.setClock(at)
  const before = await one<{ now: Date; day: string }>(database.db, sql`select roz_now() as now, ist_day(roz_now()) as day`)
  expect(before.now.getTime() - at.getTime()).toBeLessThan(30_000)
  expect(before.day).toBe('2028-02-29')
  expect(await one(database.db, sql`select ist_day(${new Date('2028-02-29T18:30:00Z')}::timestamptz) as day`)).toEqual({
    day: '2028-03-01',
  })
  await migrate(database.ownerUrl, { appRole: APP_ROLE, production: true })
  await expect(database.setClock(at)).rejects.toThrow('the clock cannot be set in production')
  const real = await one<{ now: Date }>(database.db, sql`select roz_now() as now`)
  expect(Math.abs(real.now.getTime() - Date.now())).toBeLessThan(1000)
  await migrate(database.ownerUrl, { appRole: APP_ROLE, production: false })
})
