/**
 * The pace of calls to the gateway, over all processes: 50 a minute of each kind, and up to 8 at once. The gateway takes 60.
 * - `due_at` is the time at which the next call would be due if calls came evenly; a call may come up to 8 places early.
 * - A time far ahead is of a clock that was set back since: it counts as now.
 */
import { type Db, sql } from '../../db/sql.ts'

export type Paced = 'create' | 'raise' | 'read' | 'cancel'
const SPACING = sql`interval '1.2 seconds'`
const AHEAD = sql`interval '8.4 seconds'`
const FARTHEST = sql`interval '10 minutes'`

/** Takes a call's place. False: the gateway is not called now. */
export async function takePlace(db: Db, call: Paced): Promise<boolean> {
  const taken = await db.query(sql`
    insert into gateway_pace as p (call, due_at) values (${call}::text, roz_now() + ${SPACING})
    on conflict (call) do update
      set due_at = case when p.due_at > roz_now() + ${FARTHEST} then roz_now() else greatest(p.due_at, roz_now()) end + ${SPACING}
      where p.due_at <= roz_now() + ${AHEAD} or p.due_at > roz_now() + ${FARTHEST}
    returning 1`)
  return taken.length === 1
}

/** The gateway asked for a pause: until then no call of this kind is made. */
export async function rest(db: Db, call: Paced, forMs: number): Promise<void> {
  const wait = Math.min(forMs, 300_000)
  await db.query(sql`
    insert into gateway_pace as p (call, due_at) values (${call}::text, roz_now() + make_interval(secs => ${wait / 1000 + 8.4}::float8))
    on conflict (call) do update set due_at = greatest(p.due_at, excluded.due_at)`)
}
