/**
 * What is measured stands here: one PostgreSQL as the product starts it, with fsync, in a temporary
 * folder; the product's database with members, wallets, sessions and ticket keys; the peer's and
 * pgbench's beside it. Nothing of it outlives the run.
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
import { SEALED_KEY_BYTES } from '@roz/server/tickets/flat-list.ts'
import { keyContextOf } from '@roz/server/tickets/ticket.ts'

export const SECRET_KEY = 'the secret of the bench, of no use elsewhere'
/** Far above the accounts that a start makes. */
const FIRST_MEMBER = 100_001
/** Enough for a join on each day of the run, and never so little that a member is told of it. */
const BALANCE_PAISE = 5_000
const PORTION = 20_000

export type Scene = {
  readonly folder: string
  /** As the server's own role; as the superuser, for what a user of the product cannot do. */
  readonly db: Db
  readonly root: Db
  readonly appUrl: string
  readonly ownerUrl: string
  readonly urlOf: (database: string) => string
  /** Processor time of the whole database so far, backends that have ended included. */
  readonly databaseCpuMs: () => number
  readonly stop: () => Promise<void>
}

export const memberAt = (index: number): bigint => BigInt(FIRST_MEMBER + index)
/** A session's token, the same in the database and in the generator. */
export const tokenAt = (index: number): string => createHash('sha256').update(`bench ${index}`).digest('base64url')

/** Without `makesBooks` the books of past days and their checks are left for later: they are not what is measured. */
export async function openScene({ makesBooks = false }: { readonly makesBooks?: boolean } = {}): Promise<Scene> {
  const folder = await mkdtemp(path.join(tmpdir(), 'roz-bench-'))
  // PostgreSQL may run as another user, who must pass through here.
  await chmod(folder, 0o711)
  // More connections than the product asks for: pgbench and the peer have theirs beside it.
  const postgres = await startPostgres({ dataDir: path.join(folder, 'postgres'), log: () => undefined, flags: ['max_connections=200'] })
  await migrate(postgres.ownerUrl, { production: false, appRole: 'roz_app' })
  const urlOf = (database: string): string => postgres.superUrl.replace(/\/postgres$/, `/${database}`)
  const db = connect({ url: postgres.appUrl, max: 40, queryTimeoutMs: 120_000 })
  const root = connect({ url: urlOf('roz'), max: 3, queryTimeoutMs: 120_000 })
  const postmaster = Number.parseInt(await readFile(path.join(folder, 'postgres', 'cluster', 'postmaster.pid'), 'utf8'), 10)
  const released = Promise.withResolvers<void>()
  const holding = makesBooks ? undefined : holdBooks(root, released.promise)
  if (!makesBooks) {
    await root.query(sayChecked)
    await root.query(sayCompared)
  }
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
      // Whoever is still at work when it is stopped loses the connection.
      const closing = [db.close(), root.close()]
      await Promise.race([Promise.all(closing), sleep(1000)])
      await postgres.stop()
      await Promise.all(closing)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A hundred ticks a second, whatever the kernel counts by. */
const TICK_MS = 10

/** Processor time of a process with all of its threads, and of children that it has seen end; none of one that is gone. */
export function cpuMsOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // After the name, which may hold spaces: utime, stime, cutime, cstime are the 12th to the 15th.
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

/**
 * Books and liabilities of a day are made after it, beside the next one, and take their time: whoever
 * holds their lock keeps them out of what is measured.
 */
const holdBooks = (root: Db, until: Promise<void>): Promise<void> =>
  root.withConnection(async (connection) => {
    await lockSession(connection, 'books')
    await until
  })

/**
 * The scheduled check of the books is made once an hour; by a clock that passes a day in a moment it would
 * fall due in the middle of every second measurement. So it has just been made, whatever the hour.
 */
const sayChecked = sql`
  insert into audit_run (scope, started_at, finished_at, broken)
  select 'full', at, at, '[]' from generate_series(roz_now(), roz_now() + interval '60 days', interval '30 minutes') at`

/** And every wallet has been compared with its movements in each of these nights. */
const sayCompared = sql`
  insert into wallet_check (night, last_id, finished_at)
  select ist_day(at), 0, at from generate_series(roz_now(), roz_now() + interval '60 days', interval '1 day') at`

/**
 * Members from one index to another, with all that joining needs and books that hold: each balance has
 * come by a transfer. Profiles and sessions only for those who will come over HTTP.
 */
export async function addMembers(
  { root }: Scene,
  from: number,
  to: number,
  options: { readonly autoJoin: boolean; readonly sessions: boolean },
): Promise<void> {
  const [first, last] = [memberAt(from), memberAt(to - 1)]
  if (options.sessions) {
    await root.query(sql`
      insert into member (id, name, email, role, email_verified_at, created_at) overriding system value
      select id, 'Asha Verma', 'member' || id || '@bench.test', 'member', roz_now(), roz_now() from generate_series(${first}::bigint, ${last}::bigint) id`)
  }
  // One statement: a wallet opens with the movement that fills it.
  await root.query(sql`
    with opened as (
      insert into wallet (member_id, balance, seq, may_move, auto_join)
      select id, ${BALANCE_PAISE}::bigint, 1, true, ${options.autoJoin}::boolean from generate_series(${first}::bigint, ${last}::bigint) id)
    insert into transfer (kind, ref, debit, credit, amount, wallet_seq, balance_after, day)
    select 'topup', 'first-' || id, 1, id, ${BALANCE_PAISE}::bigint, 1, ${BALANCE_PAISE}::bigint, day
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

/** Sealed as the server seals them, so that the close of a day opens a million different ones. */
async function addKeys(root: Db, from: number, to: number): Promise<void> {
  const secrets = createSecrets({ secretKey: SECRET_KEY })
  let writing: Promise<unknown> = Promise.resolve()
  for (let start = from; start < to; start += PORTION) {
    const count = Math.min(PORTION, to - start)
    const keys = Buffer.concat(
      Array.from({ length: count }, (_, offset) => secrets.seal(randomBytes(32), keyContextOf(memberAt(start + offset)))),
    )
    await writing
    writing = root.query(sql`
      insert into ticket_key (member_id, serves_from, sealed_key, custodial)
      select ${memberAt(start)}::bigint + n, '-infinity', substring(${keys}::bytea from n * ${SEALED_KEY_BYTES}::int + 1 for ${SEALED_KEY_BYTES}::int), true
        from generate_series(0, ${count - 1}::int) n`)
  }
  await writing
}

/** One member with a long history: so many top-ups, each a movement of the ledger. */
export async function addHistory({ root }: Scene, index: number, movements: number): Promise<void> {
  const id = memberAt(index)
  const added = (movements - 1) * 100
  // As a superuser does who brings old books along: one statement would have to be one movement.
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
