/**
 * Detects a restored database that `roz restore finish` has not yet joined to the events after the restored instant.
 * - Every recovery to a target, by hand or by pgBackRest, leaves the target among PostgreSQL's settings. The target
 *   counts until a row of `joined_restore` names it. A second restore to an earlier instant loses this row, so the target counts again.
 * - A recovery of the whole WAL has no target. It starts a new timeline, which no server has noted (heartbeat.ts), and leaves the
 *   restore_command that PostgreSQL needs to read an archive. A failover of some clusters does the same: WITHOUT_TARGET distinguishes
 *   the two (decision 40).
 */
import { beat, CLUSTER, TIMELINE } from './heartbeat.ts'
import { type Queryable, type Sql, sql } from './sql.ts'

const TARGETS = sql`array['recovery_target', 'recovery_target_lsn', 'recovery_target_name', 'recovery_target_time', 'recovery_target_xid']`
const TARGET = sql`select name || '=' || setting as target from pg_settings where name = any(${TARGETS}) and setting <> ''`
const UNJOINED_TARGET = sql`${TARGET} and not exists (select from joined_restore where target = name || '=' || setting)`

/**
 * A new timeline comes from a failover, not from a restore, if one of these is true:
 * - A server has run on it and noted it.
 * - PostgreSQL started before the last heartbeat, as a standby does. A restore starts it later.
 * - Patroni runs PostgreSQL and names the cluster on the command line. It starts a new timeline whenever its cluster starts.
 */
const WITHOUT_TARGET = sql`
  select 'without a target, timeline ' || ${TIMELINE} as target from heartbeat
   where cluster = ${CLUSTER} and timeline < ${TIMELINE} and pg_postmaster_start_time() > at
     and exists (select from pg_settings where name = 'restore_command' and setting <> '')
     and not exists (select from pg_settings where name = 'cluster_name' and setting <> '' and source = 'command line')`

/** The recovery target of a restore that is not joined yet; undefined if there is none. */
export async function findUnjoined(db: Queryable): Promise<string | undefined> {
  // A database of an older release lacks one of the tables or both.
  const { knowsJoined, knowsServers } = await db.one<{ knowsJoined: boolean; knowsServers: boolean }>(
    sql`select to_regclass('joined_restore') is not null as "knowsJoined", to_regclass('heartbeat') is not null as "knowsServers"`,
  )
  const asked: readonly Sql[] = [knowsJoined ? UNJOINED_TARGET : TARGET, ...(knowsServers ? [WITHOUT_TARGET] : [])]
  for (const statement of asked) {
    const found = await db.maybeOne<{ target: string }>(statement)
    if (found !== undefined) return found.target
  }
  return undefined
}

/** Notes that the restore is joined. A repeat changes nothing. */
export async function noteJoined(db: Queryable): Promise<void> {
  await db.query(sql`insert into joined_restore (target) ${TARGET} on conflict (target) do nothing`)
  await beat(db)
}
