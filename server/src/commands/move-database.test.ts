/** The move of everything into another database: from the local one to an operator's and back, refused, and damaged on the way. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { copyDatabase } from '../db/copy-database.ts'
import { startPostgres } from '../db/embedded/embedded.ts'
import { openConnection } from '../db/hosts.ts'
import { noteJoined } from '../db/restored.ts'
import { connect, type Db, one, sql } from '../db/sql.ts'
import { makeMember } from '../testing/calls.ts'
import { cloneTemplate, type TestDatabase } from '../testing/database.ts'
import { type LocalDatabase, newRoot, pay, startLocal } from '../testing/local-database.ts'
import { moveDatabaseNow } from './move-database.ts'

const { root, remove } = newRoot()
const dataDir = path.join(root, 'data')
let said: string[] = []
let local: LocalDatabase
let target: TestDatabase
let member: bigint
const say = (line: string): void => void said.push(line)

beforeAll(async () => {
  local = await startLocal(dataDir)
  member = await makeMember(local.db)
  for (let count = 0; count < 5; count++) await pay(local.db, member)
  // A month that a new database would not make.
  const owner = await openConnection(local.postgres.ownerUrl, 'test')
  await owner.query(`create table round_join_old partition of round_join for values from ('2020-01-01') to ('2020-02-01')`)
  await owner.end()
  target = await cloneTemplate(inject('postgres'))
})
afterAll(async () => {
  await target.drop()
  remove()
})

const stateOf = (db: Db) =>
  one<{ balance: bigint; moved: bigint }>(
    db,
    sql`select (select balance from wallet where member_id = ${member}::bigint) as balance, (select max(transfer_id) from transfer) as moved`,
  )

test('a database in use is refused, and words that are none', async () => {
  expect(await moveDatabaseNow({ DATA_DIR: dataDir, TO_DATABASE_URL: target.ownerUrl }, [], say)).toBe(1)
  expect(said.join('\n')).toContain('stop every server first')
  await local.stop()
  for (const words of [[], ['--to'], ['--into', path.join(root, 'into')]])
    expect(await moveDatabaseNow({ DATA_DIR: dataDir }, words, say)).toBe(2)
})

test('a password among the words is refused before anything is opened, and its words are not repeated', async () => {
  const { password } = new URL(target.ownerUrl)
  const hosts = target.ownerUrl.replace(/@[^/]+/, '@one:5432,two:5432')
  for (const to of [target.ownerUrl, hosts, `postgres://owner@host/roz?password=${password}`]) {
    said = []
    expect(await moveDatabaseNow({ DATA_DIR: path.join(root, 'nowhere') }, ['--to', to], say)).toBe(2)
    expect(said.join('\n')).toContain('put the address into TO_DATABASE_URL')
    expect(said.join('\n')).not.toContain(password)
  }
  const both = { DATA_DIR: path.join(root, 'nowhere'), TO_DATABASE_URL: target.ownerUrl }
  expect(await moveDatabaseNow(both, ['--to', path.join(root, 'into')], say)).toBe(2)
  expect(existsSync(path.join(root, 'into'))).toBe(false)
})

test('everything arrives in an operator’s database, whose next rows follow, and comes back into a new folder', async () => {
  said = []
  expect([await moveDatabaseNow({ DATA_DIR: dataDir, TO_DATABASE_URL: target.ownerUrl }, [], say), said.join('\n')]).toEqual([
    0,
    expect.stringMatching(/counts and hashes are equal on both sides\.[^]*All \d+ invariants hold\./),
  ])
  const moved = connect({ url: target.appUrl, max: 2 })
  const before = await stateOf(moved)
  expect(before.balance).toBe(5000n)
  await pay(moved, member)
  expect(await stateOf(moved)).toEqual({ balance: 6000n, moved: before.moved + 1n })
  await expect(moved.query(sql`update transfer set amount = 1`)).rejects.toThrow()
  expect(await moveDatabaseNow({ DATA_DIR: dataDir, TO_DATABASE_URL: target.ownerUrl }, [], say)).toBe(1)
  expect(said.join('\n')).toContain('the new database is not empty')
  await moved.close()
  const back = path.join(root, 'back')
  const env = { DATA_DIR: path.join(root, 'nowhere'), DATABASE_URL: target.appUrl, MIGRATE_DATABASE_URL: target.ownerUrl }
  said = []
  expect([await moveDatabaseNow(env, ['--to', back], say), said.join('\n')]).toEqual([0, expect.stringContaining('invariants hold')])
  const again = await startLocal(back)
  expect(await stateOf(again.db)).toEqual({ balance: 6000n, moved: before.moved + 1n })
  await again.stop()
  expect(await moveDatabaseNow(env, ['--to', back], say)).toBe(1)
  expect(existsSync(path.join(root, 'nowhere'))).toBe(false)
})

test('a restored database is moved only after it is joined to what came after its second', async () => {
  const folder = path.join(dataDir, 'postgres')
  const flags = ['recovery_target_name=roz restored at noon']
  // The move finds the database running, as its server of a moment ago left it.
  const restored = await startPostgres({ dataDir: folder, flags, log: () => undefined })
  const db = connect({ url: restored.appUrl, max: 1 })
  said = []
  const env = { DATABASE_URL: restored.appUrl, MIGRATE_DATABASE_URL: restored.ownerUrl }
  const back = path.join(root, 'back of a restore')
  expect([await moveDatabaseNow(env, ['--to', back], say), said.join('\n')]).toEqual([1, expect.stringContaining('npm run after-restore')])
  expect(existsSync(back)).toBe(false)
  await noteJoined(db)
  await db.close()
  expect(await moveDatabaseNow(env, ['--to', back], say)).toBe(0)
  await restored.stop()
})

test('a database that is not empty is refused before a migration changes it', async () => {
  const other = await cloneTemplate(inject('postgres'))
  const owner = await openConnection(other.ownerUrl, 'test')
  // As one of an older release, which has a member.
  await owner.query(
    `drop table backup_note; delete from app_grant where object = 'table backup_note'; delete from schema_migration where name like '%backup_note%'`,
  )
  await makeMember(other.db)
  said = []
  expect(await moveDatabaseNow({ DATA_DIR: dataDir, TO_DATABASE_URL: other.ownerUrl }, [], say)).toBe(1)
  expect(said.join('\n')).toContain('the new database is not empty')
  const { rows } = await owner.query<{ name: string | null }>(`select to_regclass('backup_note')::text as name`)
  expect(rows).toEqual([{ name: null }])
  await owner.end()
  await other.dropUnaudited()
})

test('a server that starts during the copy can write nothing that the copy would miss', async () => {
  const other = await cloneTemplate(inject('postgres'))
  const again = await startLocal(dataDir)
  const [from, to] = [await openConnection(again.postgres.ownerUrl, 'test'), await openConnection(other.ownerUrl, 'test')]
  const holder = await openConnection(other.ownerUrl, 'test')
  // The copy waits there for this reader, in the middle of its work.
  await holder.query('begin; select from member')
  const copying = copyDatabase(from, to, say)
  const isLocked = async (): Promise<boolean> => {
    const found = await again.db.query(sql`select from pg_locks where relation = 'member'::regclass and mode = 'ShareLock' and granted`)
    return found.length > 0
  }
  await expect.poll(isLocked, { timeout: 15_000 }).toBe(true)
  const late = await openConnection(again.postgres.appUrl, 'test')
  await late.query(`set lock_timeout = '100ms'`)
  await expect(late.query(`insert into contact_message default values`)).rejects.toThrow('lock timeout')
  await holder.query('rollback')
  await copying
  for (const client of [late, holder, from, to]) await client.end()
  await again.stop()
  await other.dropUnaudited()
})

test('a table whose rows arrive changed stops the move, and the new database stays empty', async () => {
  const other = await cloneTemplate(inject('postgres'))
  const again = await startLocal(dataDir)
  const [from, to] = [await openConnection(again.postgres.ownerUrl, 'test'), await openConnection(other.ownerUrl, 'test')]
  // As a database that stores another value than it was given.
  await to.query('alter table member drop constraint member_phone_check; alter table member alter column phone type char(40)')
  await expect(copyDatabase(from, to, say)).rejects.toThrow('the rows of member differ')
  for (const client of [from, to]) await client.end()
  const db = connect({ url: other.appUrl, max: 1 })
  expect(await db.query(sql`select from member`)).toEqual([])
  await db.close()
  await again.stop()
  await other.dropUnaudited()
})
