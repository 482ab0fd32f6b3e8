import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EmbeddedPostgres, temporaryPostgres } from '@roz/server/db/embedded/embedded.ts'
import { connect, type Db, DatabaseUnavailableError, sql } from '@roz/server/db/sql.ts'
import { inTransaction } from '@roz/server/db/transaction.ts'
import { type Moment, type PgProxy, startPgProxy } from './pg-proxy.ts'

let postgres: EmbeddedPostgres
let proxy: PgProxy
let direct: Db
let through: Db
beforeAll(async () => {
  postgres = await temporaryPostgres()
  proxy = await startPgProxy(() => postgres.port)
  const url = new URL(postgres.superUrl)
  direct = connect({ url: url.href, max: 1 })
  url.port = String(proxy.port)
  through = connect({ url: url.href, max: 2 })
  await direct.query(sql`create table transfer (id int primary key)`)
  await direct.query(sql`create table note (id int primary key)`)
})
afterAll(async () => {
  await through.close()
  await direct.close()
  await proxy.close()
  await postgres.stop()
})

const isCommitted = async (id: number): Promise<boolean> =>
  (await direct.query(sql`select 1 from transfer where id = ${id}::int`)).length === 1
const alone = (id: number) => through.query(sql`insert into transfer (id) values (${id}::int)`)
const together = (id: number) => inTransaction(through, (tx) => tx.query(sql`insert into transfer (id) values (${id}::int)`))

let ids = 0
const CASES: readonly [Moment, boolean | undefined][] = [
  ['before-send', false],
  // The database executes it without a client: both outcomes are right.
  ['after-send', undefined],
  ['after-commit', true],
]
for (const [name, insert] of [
  ['a statement alone', alone],
  ['a transaction', together],
] as const) {
  test.each(CASES)(`cut %s, ${name} has no answer, and is committed: %s`, async (moment, shouldCommit) => {
    const id = ++ids
    const cut = proxy.cutNext(moment)
    await expect(insert(id)).rejects.toThrow(DatabaseUnavailableError)
    await cut
    if (shouldCommit !== undefined) expect(await isCommitted(id)).toBe(shouldCommit)
    // Exactly one cut: the next insert passes.
    const again = ++ids
    await insert(again)
    expect(await isCommitted(again)).toBe(true)
  })
}

test('a statement without money passes while a cut is armed', async () => {
  void proxy.cutNext('after-commit')
  await through.query(sql`insert into note (id) values (1)`)
  await inTransaction(through, (tx) => tx.query(sql`insert into note (id) values (2)`))
  proxy.disarm()
  expect(await direct.query(sql`select id from note`)).toHaveLength(2)
})

test('every connection is cut at once, and new ones pass', async () => {
  const answers = Promise.allSettled([through.query(sql`select pg_sleep(5)`), through.query(sql`select pg_sleep(5)`)])
  while ((await direct.query(sql`select 1 from pg_stat_activity where query like 'select pg_sleep%' and state = 'active'`)).length < 2);
  expect(proxy.cutAll()).toBe(2)
  expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await through.query(sql`select 1 as one`)).toEqual([{ one: 1 }])
})
