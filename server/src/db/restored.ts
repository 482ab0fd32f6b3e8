/**
 * Whether a database was restored, and has not been joined yet to what came after it (npm run after-restore).
 * - PostgreSQL keeps the target of a recovery among its settings: every recovery to a target leaves it there, also by pgBackRest or
 *   `npm run restore`. So a restore by hand is detected. The target counts until a row of `joined_restore` names it. The row is as
 *   old as the database: a second restore to an earlier time has lost it.
 * - A recovery of the whole log has no target. It starts a new timeline of the log, which no server has noted (heartbeat.ts). It
 *   leaves the restore_command that PostgreSQL needs to read an archive. A failover of some clusters does the same; WITHOUT_TARGET
 *   distinguishes the two (decision 40).
 */
import { beat, CLUSTER, TIMELINE } from './heartbeat.ts'
import { maybeOne, one, type Queryable, type Sql, sql } from './sql.ts'

const TARGETS = sql`array['recovery_target', 'recovery_target_lsn', 'recovery_target_name', 'recovery_target_time', 'recovery_target_xid']`
const TARGET = sql`select name || '=' || setting as target from pg_settings where name = any(${TARGETS}) and setting <> ''`
const UNJOINED_TARGET = sql`${TARGET} and not exists (select from joined_restore where target = name || '=' || setting)`

/**
 * A new timeline is no restore but a failover where
 * - a server ran on it, which has noted it;
 * - PostgreSQL itself has run since before the last sign of life of a server, as a standby does: a restore starts it later;
 * - Patroni runs PostgreSQL, which begins a timeline whenever its cluster starts: it names the cluster on the command line.
 */
const WITHOUT_TARGET = sql`
  select 'without a target, timeline ' || ${TIMELINE} as target from heartbeat
   where cluster = ${CLUSTER} and timeline < ${TIMELINE} and pg_postmaster_start_time() > at
     and exists (select from pg_settings where name = 'restore_command' and setting <> '')
     and not exists (select from pg_settings where name = 'cluster_name' and setting <> '' and source = 'command line')`

/** The setting of `npm run restore`: a name of its own for each restore, also of one without a target. */
export const targetSetting = (at: Date): string => `recovery_target_name = 'roz restored at ${at.toISOString()}'\n`

/** How the database was restored; undefined if not, or if joined. */
export async function findUnjoined(db: Queryable): Promise<string | undefined> {
  // A database of an older release lacks one of the tables or both.
  const { knowsJoined, knowsServers } = await one<{ knowsJoined: boolean; knowsServers: boolean }>(
    db,
    sql`select to_regclass('joined_restore') is not null as "knowsJoined", to_regclass('heartbeat') is not null as "knowsServers"`,
  )
  const asked: readonly Sql[] = [knowsJoined ? UNJOINED_TARGET : TARGET, ...(knowsServers ? [WITHOUT_TARGET] : [])]
  for (const statement of asked) {
    const found = await maybeOne<{ target: string }>(db, statement)
    if (found !== undefined) return found.target
  }
  return undefined
}

/** Notes that the restore is joined. A repeat changes nothing. */
export async function noteJoined(db: Queryable): Promise<void> {
  await db.query(sql`insert into joined_restore (target) ${TARGET} on conflict (target) do nothing`)
  await beat(db)
}
