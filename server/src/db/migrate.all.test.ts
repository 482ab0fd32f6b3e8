import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, useTestDatabase, type TestDatabase } from '../testing/database.ts'
import { APP_ROLE } from '../testing/server-urls.ts'
import { migrate, type MigrateOptions, MIGRATIONS } from './migrate.ts'
import { connect, DatabaseUnavailableError, sql } from './sql.ts'
import { afterCommit, inTransaction } from './transaction.ts'

const database = useTestDatabase()

test('two simultaneous starts on a migrated database apply nothing and both succeed', async () => {
  const again = () => migrate(database.ownerUrl, { appRole: APP_ROLE, production: false })
  expect(await Promise.all([again(), again()])).toEqual([[], []])
})

describe('beside the previous release', () => {
  let copy: TestDatabase
  let owner: ReturnType<typeof connect>
  let folder: string
  beforeEach(async () => {
    copy = await createTestDatabase()
    owner = connect({ url: copy.ownerUrl, max: 2 })
    folder = await mkdtemp(path.join(tmpdir(), 'roz-migrations-'))
    await cp(MIGRATIONS, folder, { recursive: true })
  })
  afterEach(async () => {
    await owner.close()
    await copy.drop()
    await rm(folder, { recursive: true })
  })
  const add = (name: string, text: string) => writeFile(path.join(folder, name), text)
  const start = (options: Partial<MigrateOptions> = {}) =>
    migrate(copy.ownerUrl, { production: false, folder: pathToFileURL(`${folder}/`), ...options })

  test('a migration that was changed or removed after it ran stops the start', async () => {
    await add('0001_foundation.sql', '-- another text')
    await expect(start()).rejects.toThrow('migration 0001_foundation.sql was changed after it ran')
    await rm(path.join(folder, '0001_foundation.sql'))
    await expect(start()).rejects.toThrow('migration 0001_foundation.sql, which this version does not know')
  })

  test('a server starts on the schema of a newer release that only expanded it, and says so', async () => {
    await add('9001_expand.sql', 'alter table contact_message add column later text;\n')
    expect(await start()).toEqual(['9001_expand.sql'])
    const said: string[] = []
    expect(await migrate(copy.ownerUrl, { production: false, version: '1.0.0', warn: (line) => void said.push(line) })).toEqual([])
    expect(said).toEqual(['The database is of a newer release than 1.0.0. This version goes on working with it.'])
  })

  test('a server refuses a schema without what it uses, and names the version to start; the release that stopped using it starts', async () => {
    await add('9002_contract.sql', '-- contracts after 1.2.0\nalter table contact_message drop column name;\n')
    await start({ version: '1.3.0' })
    const older = (version: string) => migrate(copy.ownerUrl, { production: false, version })
    await expect(older('1.1.9')).rejects.toThrow(
      'migration 9002_contract.sql, which needs at least version 1.2.0, and this is 1.1.9: start a newer version',
    )
    expect(await older('1.2.0')).toEqual([])
  })

  test('a migration gives way to a long transaction: requests do not queue behind it, and it succeeds later', async () => {
    await add('9003_waits.sql', 'alter table contact_message add column later text;\n')
    const reading = await holdTable(copy.ownerUrl)
    const started = start()
    // A request behind a waiting migration waits at most as long as the migration does.
    for (let n = 0; n < 4; n++) {
      await owner.query(sql`select count(*) from contact_message`)
      await new Promise((resolve) => setTimeout(resolve, 700))
    }
    await reading.end()
    expect(await started).toEqual(['9003_waits.sql'])
  })

  test('an index is made concurrently beside writes, while another start waits; a start that was cut off in it is repeated', async () => {
    const text =
      '-- outside a transaction\ndrop index concurrently if exists message_later;\ncreate index concurrently message_later on contact_message (id);\n'
    await add('9004_index.sql', text)
    expect((await Promise.all([start(), start()])).flat()).toEqual(['9004_index.sql'])
    await owner.query(sql`delete from schema_migration where name = '9004_index.sql'`)
    expect(await start()).toEqual(['9004_index.sql'])
    const valid = await owner.query(sql`select indisvalid as ok from pg_index where indexrelid = 'message_later'::regclass`)
    expect(valid).toEqual([{ ok: true }])
  })
})

/** An open transaction that has read the table. */
async function holdTable(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('begin')
  await client.query('select count(*) from contact_message')
  return client
}

let connectOwner: ReturnType<typeof connect>
beforeAll(() => {
  connectOwner = connect({ url: database.ownerUrl, max: 1 })
})
afterAll(() => connectOwner.close())

test('bigint, day, instant, bytes and arrays come back in their types', async () => {
  const row = await database.db.one<Record<string, unknown>>(sql`
    select 9007199254740993::bigint as big, '2026-11-21'::date as day, '2026-11-21T00:00:00Z'::timestamptz as at, '\\x00ff'::bytea as bytes,
      array[1, 2]::bigint[] as ids, array['2026-11-21']::date[] as days`)
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
  expect(await killer.one(sql`select 1 as alive`)).toEqual({ alive: 1 })
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

test('the clock runs on from the instant it is set to, days follow it, and production cannot set it', async () => {
  const at = new Date('2028-02-29T18:29:00Z')
  await database.setClock(at)
  const before = await database.db.one<{ now: Date; day: string }>(sql`select roz_now() as now, ist_day(roz_now()) as day`)
  expect(before.now.getTime() - at.getTime()).toBeLessThan(30_000)
  expect(before.day).toBe('2028-02-29')
  expect(await database.db.one(sql`select ist_day(${new Date('2028-02-29T18:30:00Z')}::timestamptz) as day`)).toEqual({
    day: '2028-03-01',
  })
  await migrate(database.ownerUrl, { appRole: APP_ROLE, production: true })
  await expect(database.setClock(at)).rejects.toThrow('the clock cannot be set in production')
  const real = await database.db.one<{ now: Date }>(sql`select roz_now() as now`)
  expect(Math.abs(real.now.getTime() - Date.now())).toBeLessThan(1000)
  await migrate(database.ownerUrl, { appRole: APP_ROLE, production: false })
})
