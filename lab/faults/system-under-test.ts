/**
 * The system under test: one or several servers, their database on a small disk, the proxy between them, and members.
 * - After `close` nothing that it started runs, whatever was killed or stopped in between.
 * - This process restarts a killed database on its old port.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { type EmbeddedPostgres, startPostgres } from '@roz/server/db/embedded/embedded.ts'
import { processesIn, signal, waitUntil } from '@roz/server/db/embedded/process.ts'
import { connect, type Db, sql } from '@roz/server/db/sql.ts'
import type { runAudit } from '@roz/server/ledger/audit.ts'
import { databaseProcesses, type Program } from '../../e2e/harness/program.ts'
import { type End, openWithEnds } from './cleanup.ts'
import { type Journal, openJournal } from './journal.ts'
import type { Saver } from './autopay.ts'
import * as ownMembers from './members.ts'
import * as ownOutlays from './outlays.ts'
import { type PgProxy, startPgProxy } from '../../e2e/harness/pg-proxy.ts'
import { startServers, type Version } from './servers.ts'
import { makeSmallDisk, type SmallDisk } from './small-disk.ts'
import { makeTeam } from './team.ts'

const DATABASE_FLAGS = ['max_wal_size=64MB', 'min_wal_size=32MB', 'checkpoint_timeout=30s']
const BACK_WITHIN_MS = 60_000

export type SystemUnderTest = Awaited<ReturnType<typeof openSystem>>

type Options = {
  readonly members: number
  readonly instances: number
  /** The version that makes the database; this checkout, if undefined. */
  readonly version?: Version
  readonly env?: Readonly<Record<string, string>>
}

export const openSystem = (options: Options) => openWithEnds((ends) => build(options, ends))

async function build(options: Options, ends: End[]) {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'roz-faults-')))
  ends.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  chmodSync(folder, 0o711)
  const disk: SmallDisk | undefined = makeSmallDisk(folder)
  ends.push(() => disk?.remove())
  const databaseDir = path.join(disk?.folder ?? folder, 'database', 'postgres')
  mkdirSync(path.dirname(databaseDir), { mode: 0o711 })
  const databaseLog: string[] = []
  const postgres: EmbeddedPostgres = await startPostgres({
    dataDir: databaseDir,
    flags: DATABASE_FLAGS,
    log: (line) => void databaseLog.push(line),
  })
  ends.push(async () => {
    for (const pid of databaseProcesses(path.dirname(databaseDir))) signal(pid, 'SIGCONT')
    await postgres.stop()
    const cluster = path.join(databaseDir, 'cluster')
    for (const pid of processesIn(cluster)) signal(pid, 'SIGKILL')
    await waitUntil(() => processesIn(cluster).length === 0, 2000)
  })
  const proxy: PgProxy = await startPgProxy(() => postgres.port)
  ends.push(() => proxy.close())
  const url = new URL(postgres.appUrl)
  url.port = String(proxy.port)
  const db: Db = connect({ url: postgres.superUrl.replace(/\/postgres$/, '/roz'), max: 3, applicationName: 'roz-faults' })
  ends.push(() => db.close())
  let commitsInMemory = false
  /** The server refuses to start with synchronous_commit off: it is set once the server runs. */
  const weaken = async (): Promise<void> => {
    await db.query(sql`alter role roz_app set synchronous_commit = off`)
    await db.query(sql`alter system set wal_writer_delay = '10s'`)
    await db.query(sql`select pg_reload_conf()`)
    // Only new connections use the setting.
    await db.query(sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'roz_app'`)
  }
  const starting = async (start: () => Promise<Program>): Promise<Program> => {
    if (commitsInMemory) await db.query(sql`alter role roz_app reset synchronous_commit`)
    const program = await start()
    if (commitsInMemory) await weaken()
    return program
  }
  const env = { DATABASE_URL: url.href, MIGRATE_DATABASE_URL: postgres.ownerUrl, LOG_LEVEL: 'error', ...ownOutlays.TAXED, ...options.env }
  const { version, instances: count } = options
  const servers = await startServers({ count, folder, env, ends, starting, version })
  const journal: Journal = openJournal(path.join(folder, 'journal.jsonl'))
  ends.push(() => journal.close())
  const writing = connect({ url: postgres.appUrl, max: 2, applicationName: 'roz-faults' })
  let served = version
  const { makeMembers, makeDesk } = await makersOf(version)
  const members: ownMembers.Member[] = await makeMembers(writing, journal, options.members)
  const desk = await makeDesk(writing, members[0]?.id ?? '')
  await writing.close()
  await makeTeam(db)

  return {
    disk,
    db,
    journal,
    members,
    /** Filled by a run that wants AutoPay. */
    savers: [] as Saver[],
    desk,
    proxy,
    postgres,
    databaseLog,
    servers,
    /** The audit of the newest version that has served: it knows the schema, and rows that an older one does not; undefined if that is this checkout. */
    audit: () => {
      served = [served, ...servers.versions()].reduce((newest, one) => (isNewer(one, newest) ? one : newest))
      return auditOf(served)
    },
    /** Sets synchronous_commit off, on purpose: the judge must find the commits that a power cut loses. */
    async commitInMemory(): Promise<void> {
      commitsInMemory = true
      await weaken()
    },
    /** The postmaster first. */
    databasePids: (): number[] => databaseProcesses(path.dirname(databaseDir)),
    /** A backend that is executing a statement of the server, if there is one. */
    async busyBackend(): Promise<number | undefined> {
      const [row] = await db.query<{ pid: number }>(sql`
        select pid from pg_stat_activity
         where application_name = 'roz' and backend_type = 'client backend'
         order by state = 'idle', (xact_start is null), random() limit 1`)
      return row?.pid
    },
    now: async (): Promise<Date> => (await db.one<{ now: Date }>(sql`select roz_now() as now`)).now,
    /** Sets the product's clock; the server's own tick finds the due work, as at any midnight. */
    setClock: async (atMs: number): Promise<void> => {
      await db.query(sql`select set_clock_offset(${Math.round(atMs - Date.now())}::bigint)`)
    },
    /** Waits until the database answers again. */
    async databaseBack(): Promise<void> {
      const until = performance.now() + BACK_WITHIN_MS
      for (;;) {
        if (
          await db.query(sql`select 1 as one`).then(
            () => true,
            () => false,
          )
        )
          return
        if (performance.now() > until) throw new Error(`the database did not restart in time:\n${databaseLog.join('\n')}`)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
  }
}

type Makers = Pick<typeof ownMembers & typeof ownOutlays, 'makeMembers' | 'makeDesk'>

/** Another version's own functions: they know the schema that it has made. */
async function makersOf(version: Version | undefined): Promise<Makers> {
  if (version === undefined) return { ...ownMembers, ...ownOutlays }
  const folder = ['lab/faults', 'e2e/faults'].find((name) => existsSync(path.join(version.folder, name))) ?? ''
  const [members, outlays] = [await partOf(version, `${folder}/members.ts`), await partOf(version, `${folder}/outlays.ts`)]
  return { ...members, ...outlays } as Makers
}

/** This checkout, which has no name, is the only version of its run. */
const isNewer = (one: Version | undefined, other: Version | undefined): boolean =>
  one !== undefined && other !== undefined && one.name.localeCompare(other.name, 'en', { numeric: true }) > 0

async function auditOf(version: Version | undefined): Promise<typeof runAudit | undefined> {
  if (version === undefined) return undefined
  return ((await partOf(version, 'server/src/ledger/audit.ts')) as { readonly runAudit: typeof runAudit }).runAudit
}

const partOf = ({ folder }: Version, name: string): Promise<object> =>
  import(pathToFileURL(path.join(folder, name)).href) as Promise<object>
