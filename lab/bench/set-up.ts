/**
 * Sets up the measured databases in one PostgreSQL, started as the product starts it, with fsync.
 *
 * - The product's database has members, wallets, sessions and ticket keys. The peer and pgbench have their own databases.
 * - All data is in a temporary folder and is deleted at the end.
 */
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { lockSession } from '@roz/server/db/advisory-locks.ts'
import { startPostgres } from '@roz/server/db/embedded/embedded.ts'
import { migrate } from '@roz/server/db/migrate.ts'
import { connect, type Db, sql } from '@roz/server/db/sql.ts'
import { createSecrets } from '@roz/server/secrets/secrets.ts'
import { ENCRYPTED_KEY_BYTES } from '@roz/server/tickets/flat-list.ts'
import { keyContextOf } from '@roz/server/tickets/ticket.ts'

export const SECRET_KEY = 'the secret of the bench, of no use elsewhere'
/** Far above the ids of the accounts that a first start creates. */
const FIRST_MEMBER = 100_001
/** Enough for a join on each day of the run, and above the threshold of the low-balance notice. */
const BALANCE_PAISE = 5_000
const PORTION = 20_000

export type SetUp = {
  readonly folder: string
  /** `db` has the server's role; `root` is the superuser, for setup that the server's role may not do. */
  readonly db: Db
  readonly root: Db
  readonly appUrl: string
  readonly ownerUrl: string
  readonly urlOf: (database: string) => string
  /** CPU time of the whole database so far in ms, including ended backends. */
  readonly databaseCpuMs: () => number
  readonly stop: () => Promise<void>
}

export const memberAt = (index: number): bigint => BigInt(FIRST_MEMBER + index)
/** Session token of a member, identical in database and load generator. */
export const tokenAt = (index: number): string => createHash('sha256').update(`bench ${index}`).digest('base64url')

/** Without `makesBooks` the books of past days and their checks are blocked, so they are not measured. */
export async function openSetUp({ makesBooks = false }: { readonly makesBooks?: boolean } = {}): Promise<SetUp> {
  const folder = await mkdtemp(path.join(tmpdir(), 'roz-bench-'))
  // PostgreSQL may run as another user, who needs to traverse this folder.
  await chmod(folder, 0o711)
  // 200 connections: pgbench and the peer need some beside the product's.
  const postgres = await startPostgres({ dataDir: path.join(folder, 'postgres'), log: () => undefined, flags: ['max_connections=200'] })
  await migrate(postgres.ownerUrl, { production: false, appRole: 'roz_app' })
  const urlOf = (database: string): string => postgres.superUrl.replace(/\/postgres$/, `/${database}`)
  const db = connect({ url: postgres.appUrl, max: 40, queryTimeoutMs: 120_000 })
  // Ten million members: a vacuum of their wallets takes minutes.
  const root = connect({ url: urlOf('roz'), max: 3, queryTimeoutMs: 600_000 })
  const postmaster = Number.parseInt(await readFile(path.join(folder, 'postgres', 'cluster', 'postmaster.pid'), 'utf8'), 10)
  const released = Promise.withResolvers<void>()
  const holding = makesBooks ? undefined : holdBooks(root, released.promise)
  if (!makesBooks) await leaveOutAudits(root)
  return {
    folder,
    db,
    root,
    appUrl: postgres.appUrl,
    ownerUrl: postgres.ownerUrl,
    urlOf,
    databaseCpuMs: () => cpuMsOf(postmaster) + childrenOf(postmaster).reduce((sum, pid) => sum + cpuMsOf(pid), 0),
    stop: async () => {
      released.resolve()
      await holding
      // Queries still running after 1 s lose their connection.
      const closing = [db.close(), root.close()]
      await Promise.race([Promise.all(closing), sleep(1000)])
      await postgres.stop()
      await Promise.all(closing)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Linux reports CPU time in ticks of 10 ms (USER_HZ = 100), whatever the kernel's own HZ is. */
const TICK_MS = 10

/** CPU time in ms of a process, its threads and its reaped children; 0 if the process is gone. */
export function cpuMsOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Skip the name, which may contain spaces: then fields 12 to 15 are utime, stime, cutime, cstime.
    const times = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 15)
    return times.reduce((sum, ticks) => sum + Number(ticks) * TICK_MS, 0)
  } catch {
    return 0
  }
}
const childrenOf = (pid: number): number[] => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)

/** Takes the lock of the books for the whole run: books and liabilities of past days would otherwise run during measurements. */
const holdBooks = (root: Db, until: Promise<void>): Promise<void> =>
  root.withConnection(async (connection) => {
    await lockSession(connection, 'books')
    await until
  })

/** Leaves out the audits that the moved clock would make due in the middle of a measurement. */
export async function leaveOutAudits(root: Db): Promise<void> {
  await root.query(sayAudited)
}

/** Marks audits as done for every half hour of 60 days. The clock jumps by days, so they would otherwise fall due during measurements. */
const sayAudited = sql`
  insert into audit_run (scope, since, started_at, finished_at, broken)
  select scope, since, at, at, '[]'
    from generate_series(roz_now(), roz_now() + interval '60 days', interval '30 minutes') at,
         (values ('full', null), ('recent', date '-infinity')) as run (scope, since)`

/**
 * Adds the members of an index range with everything that a join needs.
 *
 * - Each balance comes from a transfer, so the ledger's audit passes.
 * - `sessions` adds profiles and sessions, for members who join over HTTP.
 */
export async function addMembers(
  { root }: SetUp,
  from: number,
  to: number,
  options: { readonly autoJoin: boolean; readonly sessions: boolean; readonly balance?: number },
): Promise<void> {
  const [first, last] = [memberAt(from), memberAt(to - 1)]
  const balance = options.balance ?? BALANCE_PAISE
  if (options.sessions) {
    await root.query(sql`
      insert into member (id, name, email, role, email_verified_at, created_at) overriding system value
      select id, 'Asha Verma', 'member' || id || '@bench.test', 'member', roz_now(), roz_now() from generate_series(${first}::bigint, ${last}::bigint) id`)
  }
  // One statement: the schema wants a wallet and the transfer that fills it together.
  await root.query(sql`
    with opened as (
      insert into wallet (member_id, balance, seq, may_move, auto_join)
      select id, ${balance}::bigint, 1, true, ${options.autoJoin}::boolean from generate_series(${first}::bigint, ${last}::bigint) id)
    insert into transfer (kind, ref, debit, credit, amount, wallet_seq, balance_after, day)
    select 'topup', 'first-' || id, 1, id, ${balance}::bigint, 1, ${balance}::bigint, day
      from generate_series(${first}::bigint, ${last}::bigint) id cross join (select posting_day() as day) fence`)
  await addKeys(root, from, to)
  if (!options.sessions) return
  for (let start = from; start < to; start += PORTION) {
    const tokens = Array.from({ length: Math.min(PORTION, to - start) }, (_, offset) => tokenAt(start + offset))
    await root.query(sql`
      insert into session (token_hash, member_id, kind, expires_at)
      select sha256(token::bytea), ${memberAt(start)}::bigint + n - 1, 'member', roz_now() + interval '400 days'
        from unnest(${tokens}::text[]) with ordinality as u(token, n)`)
  }
}

/** Adds ticket keys encrypted as the server does, so closing a day decrypts a million different keys. */
async function addKeys(root: Db, from: number, to: number): Promise<void> {
  const secrets = createSecrets({ secretKey: SECRET_KEY })
  let writing: Promise<unknown> = Promise.resolve()
  for (let start = from; start < to; start += PORTION) {
    const count = Math.min(PORTION, to - start)
    const keys = Buffer.concat(
      Array.from({ length: count }, (_, offset) => secrets.encrypt(randomBytes(32), keyContextOf(memberAt(start + offset)))),
    )
    await writing
    writing = root.query(sql`
      insert into ticket_key (member_id, serves_from, sealed_key, custodial)
      select ${memberAt(start)}::bigint + n, '-infinity', substring(${keys}::bytea from n * ${ENCRYPTED_KEY_BYTES}::int + 1 for ${ENCRYPTED_KEY_BYTES}::int), true
        from generate_series(0, ${count - 1}::int) n`)
  }
  await writing
}

/** Gives one member a long history: `movements` top-ups, each one transfer. */
export async function addHistory({ root }: SetUp, index: number, movements: number): Promise<void> {
  const id = memberAt(index)
  const added = (movements - 1) * 100
  // Triggers are off (`replica`): they require each statement to be one movement.
  await root.withConnection(async (connection) => {
    await connection.query(sql`set session_replication_role = replica`)
    await connection.query(sql`
      insert into transfer (kind, ref, debit, credit, amount, wallet_seq, balance_after, day)
      select 'topup', 'more-' || n, 1, ${id}::bigint, 100, n, ${BALANCE_PAISE}::bigint + (n - 1) * 100, ist_day(roz_now())
        from generate_series(2, ${movements}::int) n`)
    await connection.query(
      sql`update wallet set seq = ${movements}::bigint, balance = balance + ${added}::bigint where member_id = ${id}::bigint`,
    )
    await connection.query(sql`reset session_replication_role`)
  })
}
