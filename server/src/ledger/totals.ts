/** Counts a running round's entries and pool. Each process caches the count for one second, or until `forget`. */
import type { IstDay } from '@roz/core/ist-day.ts'
import type { Paise } from '@roz/core/money.ts'
import { type Db, sql } from '../db/sql.ts'

type RoundTotals = { readonly entries: number; readonly pool: Paise }
export type TotalsReader = {
  readonly of: (day: IstDay) => Promise<RoundTotals>
  /** Forces a new count at the next read: this process has just changed the round. */
  readonly forget: (day: IstDay) => void
}

const FRESH_MS = 1000

export function createRoundTotals(db: Db): TotalsReader {
  const kept = new Map<IstDay, { readonly at: number; readonly totals: Promise<RoundTotals> }>()
  return {
    of: (day) => {
      const known = kept.get(day)
      // Real time on purpose, not `roz_now()`: this is the age of a cache entry, not a rule of the product.
      if (known !== undefined && performance.now() - known.at < FRESH_MS) return known.totals
      const totals = readTotals(db, day)
      if (kept.size > 16) kept.clear()
      kept.set(day, { at: performance.now(), totals })
      totals.catch(() => kept.delete(day))
      return totals
    },
    forget: (day) => {
      kept.delete(day)
    },
  }
}

async function readTotals(db: Db, day: IstDay): Promise<RoundTotals> {
  const row = await db.one<{ entries: number; pool: Paise }>(
    sql`select coalesce(sum(n), 0)::float8 as entries, coalesce(sum(n), 0)::bigint * entry_fee() as pool from join_batch where day = ${day}::date`,
  )
  return { entries: row.entries, pool: row.pool }
}
