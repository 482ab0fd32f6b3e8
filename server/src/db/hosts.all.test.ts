/** Tests an address with several hosts, on two real servers; one refuses writes as a standby does. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { temporaryPostgres } from './embedded/embedded.ts'
import { addressesOf, openConnection } from './hosts.ts'
import { connect, DatabaseUnavailableError, type Db, sql } from './sql.ts'
import { inTransaction } from './transaction.ts'

const PASSWORD = 'hosts'
type Host = { readonly admin: Db; readonly place: string; readonly stop: () => Promise<void> }

let hosts: readonly [Host, Host]
let db: Db
beforeAll(async () => {
  hosts = [await startHost(), await startHost()]
}, 120_000)
afterAll(() => Promise.all(hosts.map(({ stop }) => stop())))
beforeEach(() => {
  db = connect({ url: addressOf(hosts.map(({ place }) => place)), max: 4 })
})
afterEach(() => db.close())

async function startHost(): Promise<Host> {
  const server = await temporaryPostgres()
  const admin = connect({ url: server.superUrl, max: 1, named: false })
  await admin.query(sql`create table mark (host text)`)
  await admin.query(sql`grant all on mark to roz_app`)
  await admin.query(sql`alter role roz_app password 'hosts'`)
  const stop = async (): Promise<void> => {
    await admin.close()
    await server.stop()
  }
  return { admin, place: new URL(server.superUrl).host, stop }
}

const addressOf = (places: readonly string[], role = 'roz_app'): string => `postgres://${role}:${PASSWORD}@${places.join()}/postgres`

/** Makes this host alone accept writes. Running sessions follow when the servers have reloaded their settings. */
async function makePrimary(primary: Host): Promise<void> {
  for (const host of hosts) {
    const setting =
      host === primary ? sql`alter system reset default_transaction_read_only` : sql`alter system set default_transaction_read_only = on`
    // ALTER SYSTEM writes no row, so a host that is already read-only runs it too.
    await host.admin.query(setting)
    await host.admin.query(sql`select pg_reload_conf()`)
    const wanted = host === primary ? 'off' : 'on'
    await expect
      .poll(async () => (await host.admin.one<{ is: string }>(sql`select current_setting('default_transaction_read_only') as is`)).is)
      .toBe(wanted)
  }
}

const write = (): Promise<string> =>
  inTransaction(
    db,
    async (tx) => (await tx.one<{ port: string }>(sql`insert into mark values (current_setting('port')) returning host as port`)).port,
  )
const portOf = ({ place }: Host): string => new URL(`http://${place}`).port

test('each host gets its own address with the other parts unchanged, but without libpq’s target_session_attrs', () => {
  expect(addressesOf('postgres://u:p%2C@one,two:5433/roz?sslmode=verify-full&target_session_attrs=read-write')).toEqual([
    'postgres://u:p%2C@one/roz?sslmode=verify-full',
    'postgres://u:p%2C@two:5433/roz?sslmode=verify-full',
  ])
  expect(addressesOf('postgres://u:p@one:5432/roz?x=a,b')).toEqual(['postgres://u:p@one:5432/roz?x=a,b'])
})

test('the writable host is found behind a host that is down and a read-only host', async () => {
  await makePrimary(hosts[1])
  await db.close()
  db = connect({ url: addressOf(['127.0.0.1:1', hosts[0].place, hosts[1].place]), max: 4 })
  expect(await Promise.all(Array.from({ length: 8 }, write))).toEqual(Array.from({ length: 8 }, () => portOf(hosts[1])))
  const client = await openConnection(addressOf(['127.0.0.1:1', hosts[0].place, hosts[1].place]), 'roz-test')
  expect((await client.query<{ port: string }>(`select current_setting('port') as port`)).rows[0]?.port).toBe(portOf(hosts[1]))
  await client.end()
})

test('a host that turns read-only counts as a lost connection, which is dropped; the next write goes to the new primary', async () => {
  await makePrimary(hosts[0])
  expect(await write()).toBe(portOf(hosts[0]))
  await makePrimary(hosts[1])
  await expect(write()).rejects.toBeInstanceOf(DatabaseUnavailableError)
  expect(await write()).toBe(portOf(hosts[1]))
  const left = () => hosts[0].admin.query(sql`select from pg_stat_activity where usename = 'roz_app'`)
  await expect.poll(left).toEqual([])
})

test('with one host a read-only answer counts as a lost connection too', async () => {
  await makePrimary(hosts[0])
  await db.close()
  db = connect({ url: addressOf([hosts[0].place]), max: 4 })
  await write()
  await makePrimary(hosts[1])
  await expect(db.query(sql`insert into mark values ('x')`)).rejects.toBeInstanceOf(DatabaseUnavailableError)
  await expect(write()).rejects.toBeInstanceOf(DatabaseUnavailableError)
  await makePrimary(hosts[0])
  expect(await write()).toBe(portOf(hosts[0]))
})

test('with one host that is read-only, a write does not cost a new connection', async () => {
  await makePrimary(hosts[1])
  await db.close()
  db = connect({ url: addressOf([hosts[0].place]), max: 1 })
  const pid = async (): Promise<number> => (await db.one<{ pid: number }>(sql`select pg_backend_pid() as pid`)).pid
  const before = await pid()
  await expect(write()).rejects.toBeInstanceOf(DatabaseUnavailableError)
  await expect(db.query(sql`insert into mark values ('x')`)).rejects.toBeInstanceOf(DatabaseUnavailableError)
  expect(await pid()).toBe(before)
})

test('with no writable host the error is a lost connection, after each host was tried once', async () => {
  await makePrimary(hosts[0])
  await db.close()
  db = connect({ url: addressOf(['127.0.0.1:1', hosts[1].place]), max: 4 })
  await expect(db.query(sql`select 1`)).rejects.toBeInstanceOf(DatabaseUnavailableError)
})
