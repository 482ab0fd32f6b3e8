/** Tests that a recovery of the whole log is distinguished from a failover, and the figures of standbys, on real PostgreSQL servers. */
import { type ChildProcess, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readFigures } from '../operation/figures.ts'
import { binaries, type Binaries } from './embedded/binaries.ts'
import { startPostgres } from './embedded/embedded.ts'
import { identityOf, isRoot } from './embedded/identity.ts'
import { freePort } from './embedded/process.ts'
import { type Passwords, readPasswords, urlAs } from './embedded/roles.ts'
import { beat } from './heartbeat.ts'
import { migrate } from './migrate.ts'
import { findUnjoined, noteJoined } from './restored.ts'
import { connect, type Db, sql } from './sql.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'roz-restored-'))
const [first, copy] = [path.join(folder, 'first'), path.join(folder, 'copy')]
const RESTORED = 'without a target, timeline 2'
/** An archive without a segment: a recovery ends with the WAL in the folder. */
const ARCHIVE = 'restore_command=false'
let programs: Binaries
let passwords: Passwords
const running = new Set<ChildProcess>()

type Server = { readonly db: Db; readonly port: number; readonly stop: () => Promise<void> }

/** Starts PostgreSQL on a folder, as an operator would. */
async function start(dataDir: string, ...settings: string[]): Promise<Server> {
  const cluster = path.join(dataDir, 'cluster')
  const port = await freePort()
  const common = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off']
  const child = (await identityOf(cluster, programs)).spawn(
    programs.postgres,
    ['-D', cluster, ...[...common, ...settings].flatMap((setting) => ['-c', setting])],
    { cwd: '/', env: programs.env, stdio: 'ignore' },
  )
  running.add(child)
  const db = connect({ url: `postgres://postgres:${passwords.postgres}@127.0.0.1:${port}/roz`, max: 1 })
  await expect.poll(() => db.query(sql`select 1`).then(Boolean, () => false), { timeout: 20_000 }).toBe(true)
  return {
    db,
    port,
    stop: async () => {
      await db.close()
      const ended = once(child, 'exit')
      child.kill('SIGINT')
      await ended
      running.delete(child)
    },
  }
}

/** Writes a file into the cluster's folder, owned by the user that runs the cluster. */
function write(dataDir: string, name: string, text = ''): void {
  const cluster = path.join(dataDir, 'cluster')
  const { uid, gid } = statSync(cluster)
  writeFileSync(path.join(cluster, name), text, { mode: 0o600 })
  if (isRoot()) chownSync(path.join(cluster, name), uid, gid)
}

const isRecovering = async ({ db }: Server) => (await db.one<{ is: boolean }>(sql`select pg_is_in_recovery() as is`)).is
/** Beats as a server that has run until now. */
async function serveUntilNow({ db }: Server): Promise<void> {
  await db.query(sql`update heartbeat set at = at - interval '1 minute'`)
  await beat(db)
}

beforeAll(async () => {
  chmodSync(folder, 0o711)
  programs = await binaries(path.join(folder, 'postgres-lib'))
  const made = await startPostgres({ dataDir: first, log: () => undefined, durable: false })
  await migrate(made.ownerUrl, { production: false, appRole: 'roz_app' })
  const app = connect({ url: made.appUrl, max: 1 })
  // The rights of the server's role are enough.
  await beat(app)
  expect(await findUnjoined(app)).toBeUndefined()
  await app.close()
  await made.stop()
  passwords = await readPasswords(path.join(first, 'passwords.json'))
  expect(spawnSync('cp', ['-a', first, copy]).status).toBe(0)
}, 60_000)
afterAll(async () => {
  for (const child of running) {
    const ended = once(child, 'exit')
    child.kill('SIGQUIT')
    await ended
  }
  rmSync(folder, { recursive: true, force: true })
})

/** The settings of a standby of this primary. */
const follow = ({ port }: Server): string => `primary_conninfo=host=127.0.0.1 port=${port} user=postgres password=${passwords.postgres}`

test('a standby is counted while it streams, a running base backup is not, and the lag needs the right to read it', async () => {
  const primary = await start(first)
  const app = connect({ url: urlAs('roz_app', passwords, primary.port), max: 1 })
  const figures = async (): Promise<(number | undefined)[]> => {
    const values = await readFigures({ db: app, witnesses: { keys: [], quorum: 2 }, dataDir: first })
    return [values.get('roz_standbys'), values.get('roz_replication_lag_seconds')]
  }
  expect(await figures()).toEqual([0, 0])
  write(copy, 'standby.signal')
  const standby = await start(copy, ARCHIVE, follow(primary))
  await expect.poll(figures, { timeout: 20_000 }).toEqual([1, expect.any(Number)])
  expect((await figures())[1]).toBeGreaterThanOrEqual(0)
  await primary.db.query(sql`revoke pg_read_all_stats from roz_app`)
  expect(await figures()).toEqual([1, -1])
  await primary.db.query(sql`grant pg_read_all_stats to roz_app`)

  // Connects as pg_basebackup does.
  const url = `${urlAs('postgres', passwords, primary.port)}?replication=true`
  const copying = new pg.Client({ connectionString: url, application_name: 'pg_basebackup' })
  await copying.connect()
  expect(await primary.db.one<{ count: number }>(sql`select count(*)::int as count from pg_stat_replication`)).toEqual({ count: 2 })
  expect(await figures()).toEqual([1, expect.any(Number)])
  await copying.end()

  await standby.stop()
  await expect.poll(figures, { timeout: 20_000 }).toEqual([0, 0])
  await app.close()
  await primary.stop()
}, 60_000)

test('a standby that is promoted has a new timeline and is not taken for a restore', async () => {
  const primary = await start(first)
  write(copy, 'standby.signal')
  const standby = await start(copy, ARCHIVE, follow(primary))
  await serveUntilNow(primary)
  const { lsn } = await primary.db.one<{ lsn: string }>(sql`select pg_current_wal_lsn()::text as lsn`)
  const hasAll = sql`select pg_last_wal_replay_lsn() >= ${lsn}::pg_lsn as is`
  await expect.poll(async () => (await standby.db.one<{ is: boolean }>(hasAll)).is, { timeout: 20_000 }).toBe(true)
  await primary.stop()
  await standby.db.query(sql`select pg_promote()`)
  expect([await isRecovering(standby), await findUnjoined(standby.db)]).toEqual([false, undefined])
  await standby.stop()

  // No server has noted the timeline, and PostgreSQL was started again: this could be a restore, unless Patroni runs it.
  const again = await start(copy, ARCHIVE)
  expect(await findUnjoined(again.db)).toBe(RESTORED)
  await again.stop()
  const ofPatroni = await start(copy, ARCHIVE, 'cluster_name=roz')
  expect(await findUnjoined(ofPatroni.db)).toBeUndefined()
  // A server that runs notes it, and no later start takes it for a restore.
  await beat(ofPatroni.db)
  await ofPatroni.stop()
  const later = await start(copy, ARCHIVE)
  expect(await findUnjoined(later.db)).toBeUndefined()
  await later.stop()
}, 60_000)

test('a recovery of the whole WAL without a target is detected, also after a restart, until it is joined', async () => {
  write(first, 'recovery.signal')
  const restored = await start(first, ARCHIVE)
  await expect.poll(() => isRecovering(restored), { timeout: 20_000 }).toBe(false)
  expect(await findUnjoined(restored.db)).toBe(RESTORED)
  await restored.stop()
  const again = await start(first, ARCHIVE)
  expect(await findUnjoined(again.db)).toBe(RESTORED)
  await noteJoined(again.db)
  expect(await findUnjoined(again.db)).toBeUndefined()
  await again.stop()
}, 60_000)

test('rows copied from another cluster into one with an archive do not count as a restore', async () => {
  write(first, 'recovery.signal')
  const restored = await start(first, ARCHIVE)
  await expect.poll(() => isRecovering(restored), { timeout: 20_000 }).toBe(false)
  expect(await findUnjoined(restored.db)).toBe('without a target, timeline 3')
  await restored.db.query(sql`update heartbeat set cluster = '1'`)
  expect(await findUnjoined(restored.db)).toBeUndefined()
  await restored.stop()
}, 60_000)
