/**
 * The product's clock in Node: real time plus the offset in the database. SQL reads roz_now() itself.
 * - The clock is as fresh as its last `read`: the worker reads each second, /dev/clock at once.
 * - In production the database keeps the offset at zero.
 */
import { type Db, one, sql } from '../db/sql.ts'

export type Clock = {
  readonly now: () => Date
  /** Reads the offset again and returns the time. */
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
