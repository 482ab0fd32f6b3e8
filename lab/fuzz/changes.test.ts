/** The notes of changed rows, by which a refused request is judged. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect, type Db, sql } from '@roz/server/db/sql.ts'
import { urlOf } from '../../e2e/harness/database.ts'
import { type Program, startProgram } from '../../e2e/harness/program.ts'
import { holdWorker, jobsLeft, takeChanges, watchChanges } from './changes.ts'

let roz: Program
let db: Db
beforeAll(async () => {
  roz = await startProgram()
  db = connect({ url: urlOf(roz.dataDir), max: 1, applicationName: 'roz-fuzz' })
  await watchChanges(db)
  await holdWorker(db, true)
  await takeChanges(db)
})
afterAll(() => db.close())

const changed = async () => (await takeChanges(db)).map(({ table, op, columns }) => [op, table, columns])

test('a committed change is noted with its columns, a rolled-back change is not', async () => {
  await db.query(sql`update member set name = name || ' II' where role = 'admin'`)
  expect(await changed()).toEqual([['UPDATE', 'member', 'name']])
  await db.query(sql`do $$ begin update member set name = 'x'; raise exception 'no'; exception when others then null; end $$`)
  await db.query(sql`update member set name = name`)
  expect(await changed()).toEqual([])
})

test('the use of a session is no change, and its end is one', async () => {
  await fetch(`${roz.url}/api/admin/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'admin@roz.local', password: 'admin-password' }),
  })
  expect((await changed()).map(([op, table]) => `${op} ${table}`)).toContain('INSERT session')
  await db.query(sql`update session set last_used_at = roz_now() + interval '1 s', expires_at = expires_at + interval '1 s'`)
  expect(await changed()).toEqual([])
  await db.query(sql`delete from session`)
  expect(await changed()).toEqual([['DELETE', 'session', '']])
})

test('while the worker is paused no job is claimed; afterwards each one is done', async () => {
  await db.query(
    sql`insert into job (kind, key, payload, due_at) values ('remove_file', 'fuzz', '{"name": "avatars/none.webp"}', roz_now())`,
  )
  await new Promise((resolve) => setTimeout(resolve, 1500))
  const { due, running } = await jobsLeft(db)
  expect([due > 0, running]).toEqual([true, 0])
  await holdWorker(db, false)
  await expect.poll(() => jobsLeft(db), { timeout: 20_000 }).toEqual({ due: 0, running: 0 })
})
