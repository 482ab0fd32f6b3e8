/**
 * The servers' heartbeat in the database: one row a minute, however many servers run.
 * - It counts, by the machine's clock, how long servers have run since the last audit ended. Time without a server, and jumps of the
 *   product's clock, do not count. Heartbeat and audit have separate lanes, so a hanging audit does not stop the count.
 * - `confirmed_at` tells a server that confirms the database's clock (adapters/clock.ts) from one of a release that did not.
 * - It stores the timeline of the database. A later start compares it to detect a restored database (restored.ts).
 */
import { type Queryable, sql } from './sql.ts'

const EVERY_MS = 60_000
/** Every server tries to write once a minute. This limits all of them together to one write a minute. */
const EVERY = sql`interval '50 seconds'`
/** A longer gap between two beats is time without a running server. */
const PAUSE = sql`interval '2 minutes'`

export const CLUSTER = sql`(select system_identifier::text from pg_control_system())`
/** The timeline of the WAL file in use. pg_control_checkpoint() names a new timeline only some minutes later. */
export const TIMELINE = sql`('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int`

export async function beat(db: Queryable): Promise<void> {
  await db.query(sql`
    insert into heartbeat (at, confirmed_at, cluster, timeline) select at, at, ${CLUSTER}, ${TIMELINE} from (select machine_clock() as at) as clock
    on conflict (one) do update
      set at = excluded.at, confirmed_at = excluded.at, cluster = excluded.cluster, timeline = excluded.timeline,
          unaudited = heartbeat.unaudited + greatest(least(excluded.at - heartbeat.at, ${PAUSE}), interval '0')
    where not excluded.at - heartbeat.at between - ${EVERY} and ${EVERY}
       or (excluded.cluster, excluded.timeline) <> (heartbeat.cluster, heartbeat.timeline)`)
}

/** Seconds that servers have run since an audit ended. */
export const UNAUDITED_SECONDS = sql`coalesce((
  select extract(epoch from unaudited + greatest(least(clock_timestamp() - at, ${PAUSE}), interval '0')) from heartbeat), 0)`

/** Restarts the count when an audit has ended. */
export async function noteAudited(db: Queryable): Promise<void> {
  await db.query(sql`update heartbeat set unaudited = '0'`)
}

export function createHeartbeat(db: Queryable) {
  let lookedAt = Number.NEGATIVE_INFINITY
  return {
    due: async (): Promise<boolean> => {
      if (performance.now() - lookedAt < EVERY_MS) return false
      lookedAt = performance.now()
      await beat(db)
      return false
    },
  }
}
