/**
 * Measures how long the server's transactions keep row locks or a snapshot.
 * - Leaves out a transaction with only an advisory lock: it blocks nobody. The transaction with the list's lock has a
 *   snapshot only during each of its short statements.
 * - Leaves out the transaction of /dev/clock too: it does not exist in production.
 */
import { ADVISORY_LOCKS } from '@roz/server/db/advisory-locks.ts'
import { sql } from '@roz/server/db/sql.ts'
import type { SetUp } from './set-up.ts'

const EVERY_MS = 25

type Watch = {
  /** The age in seconds of the oldest transaction seen since the last call. */
  readonly take: () => number
  readonly stop: () => void
}

export function watchDatabase({ root }: SetUp): Watch {
  let longest = 0
  let isOver = false
  const watching = async (): Promise<void> => {
    while (!isOver) {
      const { seconds } = await root.one<{ seconds: number }>(sql`
        select coalesce(max(extract(epoch from clock_timestamp() - xact_start)), 0)::float8 as seconds
              from pg_stat_activity where usename = 'roz_app' and datname = current_database() and (backend_xid is not null or backend_xmin is not null)
               and pid not in (select pid from pg_locks where locktype = 'advisory' and objid = ${ADVISORY_LOCKS.devClock}::bigint)
               and not (backend_xid is null and pid in (select pid from pg_locks where locktype = 'advisory' and objid = ${ADVISORY_LOCKS.dayList}::bigint))`)
      longest = Math.max(longest, seconds)
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
    }
  }
  // The run's end closes this connection during a query: ignore that error.
  watching().catch(() => undefined)
  return {
    take: () => {
      const found = longest
      longest = 0
      return found
    },
    stop: () => {
      isOver = true
    },
  }
}
