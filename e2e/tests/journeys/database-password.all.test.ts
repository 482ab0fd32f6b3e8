/** The password of the server's role is replaced as docs/runbooks/keys.md says. The end state: the old one opens nothing, and nothing is lost. */
import path from 'node:path'
import { type EmbeddedPostgres, startPostgres } from '@roz/server/db/embedded/embedded.ts'
import { connect, type Db, sql } from '@roz/server/db/sql.ts'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask } from '../../harness/calls.ts'
import { runCommand } from '../../harness/command.ts'
import { eventually, newMember, type Person } from '../../harness/people.ts'
import { newDataDir, type Program, setToNoon, startProgram, startUntouched } from '../../harness/program.ts'

const NEW = 'new-password-of-the-server'
/** The operator's own database. */
let postgres: EmbeddedPostgres
let superuser: Db
beforeAll(async () => {
  postgres = await startPostgres({ dataDir: path.join(newDataDir(), 'postgres'), log: () => undefined })
  const url = new URL(postgres.superUrl)
  url.pathname = '/roz'
  superuser = connect({ url: url.href, max: 1 })
})
afterAll(async () => {
  await superuser.close()
  await postgres.stop()
})

const withPassword = (url: string, password: string): string => {
  const changed = new URL(url)
  changed.password = password
  return changed.href
}
/** The SQLSTATE of the refusal, or `open`. */
const knock = async (url: string): Promise<string | undefined> => {
  const client = new pg.Client({ connectionString: url })
  try {
    await client.connect()
    return 'open'
  } catch (error) {
    return error instanceof pg.DatabaseError ? error.code : String(error)
  } finally {
    await client.end()
  }
}
/** A join under this person's own idempotency key. */
const join = async ({ url }: Program, { token, id }: Person): Promise<number> =>
  (await ask(url, 'joinRound', { token, key: `join-${id}`, body: {} })).status
const readiness = async ({ url }: Program): Promise<number> => (await fetch(`${url}/readyz`)).status

test('under a new password of its role the server continues after a restart; until then no answer is a fault, and no join is lost or doubled', async () => {
  const dataDir = newDataDir()
  const settings = (appUrl: string) => ({ DATABASE_URL: appUrl, MIGRATE_DATABASE_URL: postgres.ownerUrl })
  const before = await startProgram({ dataDir, env: settings(postgres.appUrl) })
  await setToNoon(before.url)
  const names = ['Asha Verma', 'Ravi Kumar', 'Meena Iyer', 'Arun Das']
  const people: Person[] = []
  for (const name of names) people.push(await newMember(before, { name, rupees: 10 }))
  const [first, second, third, fourth] = people as [Person, Person, Person, Person]
  expect(await join(before, first)).toBe(200)

  await superuser.query(sql`alter role roz_app password 'new-password-of-the-server'`)
  expect([await knock(postgres.appUrl), await knock(withPassword(postgres.appUrl, NEW))]).toEqual(['28P01', 'open'])
  // Open connections stay.
  expect([await join(before, second), await readiness(before)]).toEqual([200, 200])
  // When they end, new ones are refused: that is an absence of the database, not a fault.
  await superuser.query(sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'roz_app'`)
  await eventually('the end of the open connections', async () => (await readiness(before)) === 503 || undefined)
  expect([await join(before, third), await join(before, first)]).toEqual([503, 503])
  expect((await fetch(`${before.url}/healthz`)).status).toBe(200)
  expect(await before.stop()).toBe(0)

  // A start with the old password ends with one message.
  await expect(startUntouched({ dataDir, env: settings(postgres.appUrl) })).rejects.toThrow(/password authentication failed/)
  const env = settings(withPassword(postgres.appUrl, NEW))
  const after = await startUntouched({ dataDir, env })
  expect(await readiness(after)).toBe(200)
  // Each repeats under its own key: the first two were answered before.
  expect([await join(after, first), await join(after, second), await join(after, third), await join(after, fourth)]).toEqual([
    200, 200, 200, 200,
  ])
  const balances = people.map(async ({ token }) => (await ask(after.url, 'profile', { token })).output.user.wallet.balance)
  expect(await Promise.all(balances)).toEqual([9, 9, 9, 9])
  expect(await superuser.one(sql`select count(*)::int as joins from round_join`)).toEqual({ joins: 4 })
  expect(await runCommand(env, 'audit')).toEqual({ code: 0, text: expect.stringMatching(/All \d+ invariants hold\./) })
  expect(await knock(postgres.appUrl)).toBe('28P01')
})
