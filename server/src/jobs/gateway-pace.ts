/**
 * The pace of one kind of call to the gateway, over all processes: a place every `everySeconds`, and a few early ones.
 * - `due_at` is the time at which the next call would be due if calls came evenly; a call may come up to `early` places sooner.
 * - A time far ahead is of a clock that was set back since: it counts as now.
 */
import { type Db, sql } from '../db/sql.ts'

export type Pace = { readonly call: string; readonly everySeconds: number; readonly early: number }
const FARTHEST = sql`interval '10 minutes'`

/** Takes a call's place. False: the gateway is not called now. */
export async function takePlaceOf(db: Db, { call, everySeconds, early }: Pace): Promise<boolean> {
  const taken = await db.query(sql`
    insert into gateway_pace as p (call, due_at) values (${call}::text, roz_now() + make_interval(secs => ${everySeconds}::float8))
    on conflict (call) do update
      set due_at = case when p.due_at > roz_now() + ${FARTHEST} then roz_now() else greatest(p.due_at, roz_now()) end
                   + make_interval(secs => ${everySeconds}::float8)
      where p.due_at <= roz_now() + make_interval(secs => ${everySeconds * early}::float8) or p.due_at > roz_now() + ${FARTHEST}
    returning 1`)
  return taken.length === 1
}

/** Whether `takePlaceOf` would take a place now. */
export async function hasPlaceOf(db: Db, { call, everySeconds, early }: Pace): Promise<boolean> {
  const [ahead] = await db.query(sql`
    select from gateway_pace where call = ${call}::text and due_at > roz_now() + make_interval(secs => ${everySeconds * early}::float8)
       and due_at <= roz_now() + ${FARTHEST}`)
  return ahead === undefined
}

/** The gateway asked for a pause: until then no call of this kind is made. */
export async function restPace(db: Db, { call, everySeconds, early }: Pace, forMs: number): Promise<void> {
  const seconds = Math.min(forMs, 300_000) / 1000 + everySeconds * early
  await db.query(sql`
    insert into gateway_pace as p (call, due_at) values (${call}::text, roz_now() + make_interval(secs => ${seconds}::float8))
    on conflict (call) do update set due_at = greatest(p.due_at, excluded.due_at)`)
}
