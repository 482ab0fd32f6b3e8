/** Outages of the database and of the server as an operator sees them, by docs/runbooks/server-away.md. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPostgres, type EmbeddedPostgres } from '@roz/server/db/embedded/embedded.ts'
import { sql } from '@roz/server/db/sql.ts'
import path from 'node:path'
import { type PgProxy, startPgProxy } from '../../harness/pg-proxy.ts'
import { ask } from '../../harness/calls.ts'
import { runCommand } from '../../harness/command.ts'
import { inDatabase } from '../../harness/database.ts'
import { eventually, newMember } from '../../harness/people.ts'
import { newDataDir, startProgram, startUntouched } from '../../harness/program.ts'

const DAY_MS = 86_400_000
const statusAt = async (url: string, place: string): Promise<number> => (await fetch(url + place)).status

test('while the server is down `roz status` says how long the day has waited; after a restart has caught up it says nothing', async () => {
  const dataDir = newDataDir()
  const roz = await startProgram({ dataDir })
  await newMember(roz)
  await roz.kill()
  await inDatabase(dataDir, (db) => db.query(sql`update clock_offset set offset_ms = offset_ms + ${DAY_MS}::bigint`))
  const away = await runCommand(dataDir, 'status')
  expect(away).toEqual({
    code: 1,
    text: expect.stringMatching(/✗ for \d+ hours a round is open after its end \(docs\/runbooks\/queue-behind\.md\)/),
  })
  const again = await startUntouched({ dataDir })
  expect(await statusAt(again.url, '/readyz')).toBe(200)
  const text = async (): Promise<string> => (await runCommand(dataDir, 'status')).text
  await eventually('the end of what waited', async () => !(await text()).includes('queue-behind') || undefined)
  expect((await runCommand(dataDir, 'audit')).code).toBe(0)
})

/** The database of another machine, and the line to it. */
let postgres: EmbeddedPostgres
let line: PgProxy
let isAway = false
/** Nothing listens there. */
const NOBODY = 1
beforeAll(async () => {
  postgres = await startPostgres({ dataDir: path.join(newDataDir(), 'postgres'), log: () => undefined })
  line = await startPgProxy(() => (isAway ? NOBODY : postgres.port))
})
afterAll(async () => {
  await line.close()
  await postgres.stop()
})

test('while the database is down the server is alive but not ready and status exits with 2; both recover without a restart', async () => {
  const url = new URL(postgres.appUrl)
  url.port = String(line.port)
  const env = { DATABASE_URL: url.href, MIGRATE_DATABASE_URL: postgres.ownerUrl }
  const roz = await startProgram({ env })
  const asha = await newMember(roz)
  const status = () => runCommand(env, 'status')
  expect((await status()).code).toBe(0)
  isAway = true
  line.cutAll()
  expect(await status()).toEqual({
    code: 2,
    text: expect.stringMatching(/The database could not be read: .*\(docs\/runbooks\/server-away\.md\)/),
  })
  expect([await statusAt(roz.url, '/healthz'), await statusAt(roz.url, '/readyz')]).toEqual([200, 503])
  expect((await ask(roz.url, 'profile', { token: asha.token })).status).toBe(503)
  isAway = false
  await eventually('readiness', async () => (await statusAt(roz.url, '/readyz')) === 200 || undefined)
  expect((await ask(roz.url, 'profile', { token: asha.token })).status).toBe(200)
  expect((await status()).code).toBe(0)
})
