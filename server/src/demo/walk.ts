/**
 * The walk through the demo's days on the product's own clock. Invariants: each step is written down
 * before it is taken, so that after a crash the clock is set to where it stood and the step is taken
 * again; the walk begins on an empty database alone and ends at real time.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Db, maybeOne, one, sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'

export type Walk = {
  readonly firstDay: IstDay
  /** Where the clock is to stand for the next step. */
  readonly position: Date
  readonly isFinished: boolean
}

/** Days of rounds before today. */
export const DEMO_DAYS = 30

/** The walk that was begun, or a new one; undefined where others have been here first. */
export function findOrBegin(db: Db): Promise<Walk | undefined> {
  return inTransaction(db, async (tx) => {
    const known = await maybeOne<Walk>(
      tx,
      sql`select first_day as "firstDay", position, finished_at is not null as "isFinished" from demo_community for update`,
    )
    if (known !== undefined) return known
    return maybeOne<Walk>(
      tx,
      sql`
      insert into demo_community (first_day, position)
      select ist_day(roz_now()) - ${DEMO_DAYS}::int, start_of_ist_day(ist_day(roz_now()) - ${DEMO_DAYS}::int)
      where not exists (select from member where role = 'member') and not exists (select from round)
      returning first_day as "firstDay", position, false as "isFinished"`,
    )
  })
}

/** Real time, wherever the clock stands. */
export const realNow = async (db: Db): Promise<Date> =>
  (await one<{ now: Date }>(db, sql`select roz_now() - offset_ms * interval '1 millisecond' as now from clock_offset`)).now

/** Sets the clock, and keeps that the step at this moment has begun. */
export async function stepTo(db: Db, at: Date): Promise<void> {
  await inTransaction(db, async (tx) => {
    await tx.query(sql`update demo_community set position = ${at}::timestamptz`)
    await tx.query(sql`
      select set_clock_offset(offset_ms + (extract(epoch from ${at}::timestamptz - roz_now()) * 1000)::bigint) from clock_offset`)
  })
}

/** Real time again, for good. */
export async function stepToRealTime(db: Db): Promise<void> {
  await inTransaction(db, async (tx) => {
    await tx.query(sql`select set_clock_offset(0)`)
    await tx.query(sql`update demo_community set position = roz_now()`)
  })
}

export async function finish(db: Db): Promise<void> {
  await db.query(sql`update demo_community set finished_at = roz_now()`)
}
