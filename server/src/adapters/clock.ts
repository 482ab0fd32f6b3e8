/**
 * The product's clock in Node: real time plus the offset in the database (operations.md "There is one
 * clock"). Rules in SQL read roz_now() itself; this copy serves what Node must know without asking.
 * Invariant: it is as fresh as its last `read`, called each second by the worker and at once by
 * /dev/clock. In production the offset is held at zero by the database.
 */
import { type Db, one, sql } from '../db/sql.ts'

export type Clock = {
  readonly now: () => Date
  /** Reads the offset anew and answers the time by it. */
  readonly read: () => Promise<Date>
}

export function createClock(db: Db): Clock {
  let offsetMs = 0
  const now = (): Date => new Date(Date.now() + offsetMs)
  return {
    now,
    read: async () => {
      const row = await one<{ offset: bigint }>(db, sql`select offset_ms as offset from clock_offset`)
      offsetMs = Number(row.offset)
      return now()
    },
  }
}
