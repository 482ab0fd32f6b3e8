/**
 * Moves the product's clock through the demo's days.
 * - Each step is stored before it is taken. After a crash the clock is set to the stored step and the step is repeated.
 * - The simulation begins only on an empty database and ends at real time.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Db, sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'

export type Simulation = {
  readonly firstDay: IstDay
  /** Time of the current step. */
  readonly position: Date
  readonly isFinished: boolean
}

/** Number of days with rounds before today. */
export const DEMO_DAYS = 30

/** The unfinished or finished simulation, or a new one; undefined if the database already has a member or a round. */
export function findOrBegin(db: Db): Promise<Simulation | undefined> {
  return inTransaction(db, async (tx) => {
    const known = await tx.maybeOne<Simulation>(
      sql`select first_day as "firstDay", position, finished_at is not null as "isFinished" from demo_community for update`,
    )
    if (known !== undefined) return known
    const begun = await tx.maybeOne<Simulation>(sql`
      insert into demo_community (first_day, position)
      select ist_day(roz_now()) - ${DEMO_DAYS}::int, start_of_ist_day(ist_day(roz_now()) - ${DEMO_DAYS}::int)
      where not exists (select from member where role = 'member') and not exists (select from round)
      returning first_day as "firstDay", position, false as "isFinished"`)
    // No gateway knows the demo's payments, so no settlement is missing of them.
    if (begun !== undefined) await tx.query(sql`update gateway_reading set since = roz_now()`)
    return begun
  })
}

/** Real time, without the clock's offset. */
export const realNow = async (db: Db): Promise<Date> =>
  (await db.one<{ now: Date }>(sql`select roz_now() - offset_ms * interval '1 millisecond' as now from clock_offset`)).now

/** Sets the clock and stores the step in one transaction. */
export async function stepTo(db: Db, at: Date): Promise<void> {
  await inTransaction(db, async (tx) => {
    await tx.query(sql`update demo_community set position = ${at}::timestamptz`)
    await tx.query(sql`
      select set_clock_offset(offset_ms + (extract(epoch from ${at}::timestamptz - roz_now()) * 1000)::bigint) from clock_offset`)
  })
}

/** Sets the clock to real time. */
export async function stepToRealTime(db: Db): Promise<void> {
  await inTransaction(db, async (tx) => {
    await tx.query(sql`select set_clock_offset(0)`)
    await tx.query(sql`update demo_community set position = roz_now()`)
  })
}

export async function finish(db: Db): Promise<void> {
  await db.query(sql`update demo_community set finished_at = roz_now()`)
}
