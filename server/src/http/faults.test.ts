import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../db/sql.ts'
import { useTestDatabase } from '../testing/database.ts'
import { startTestApp, type TestApp } from '../testing/http.ts'

const database = useTestDatabase()
let app: TestApp
let state = ''
beforeAll(async () => {
  app = await startTestApp({
    handlers: {},
    sessions: { find: async () => undefined },
    mount: (server) => {
      server.get('/fails', () => database.db.query(sql([`do $$ begin raise exception 'no' using errcode = '${state}'; end $$`] as never)))
    },
  })
})
afterAll(() => app.close())

test.each([
  ['53100', 503, 'overloaded'],
  ['53200', 503, 'overloaded'],
  ['22012', 500, 'internal'],
])('the database’s error %s answers %i, with Retry-After if the database ran out of disk or memory', async (errorCode, status, code) => {
  state = errorCode
  const answer = await app.ask('GET root:/fails')
  expect([answer.status, answer.body.code]).toEqual([status, code])
  expect(answer.headers.get('retry-after')).toBe(status === 503 ? '2' : null)
})
