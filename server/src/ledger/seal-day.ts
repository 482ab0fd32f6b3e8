/**
 * Seals a day of the ledger.
 * - Once the totals are written, no transfer is posted into that day.
 * - A posting transaction shares the day's row until its commit. Sealing locks only the row and sums in a later statement.
 * - The round fences the joins: it must be closed before.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Outcome, accepted, refused } from '@roz/core/outcome.ts'
import { sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'

/**
 * Seals a day; `sealedNow` is false if it was sealed before. Refusals:
 * - `day_not_over`: the day still runs.
 * - `round_open`: its round takes joins.
 * - `returns_open`: a void round is being given back on it.
 */
export async function sealDay(
  tx: Tx,
  day: IstDay,
): Promise<Outcome<{ readonly sealedNow: boolean }, 'day_not_over' | 'round_open' | 'returns_open'>> {
  await tx.query(sql`insert into ledger_day (day) values (${day}::date) on conflict do nothing`)
  const fence = await tx.maybeOne<{ sealed: boolean }>(
    sql`select sealed_at is not null as sealed from ledger_day where day = ${day}::date for update`,
  )
  if (fence?.sealed === true) return accepted({ sealedNow: false })
  const state = await tx.maybeOne<{ over: boolean; open: boolean; returns: boolean }>(sql`select ${day}::date < ist_day(roz_now()) as over,
               exists (select 1 from round where day = ${day}::date and status = 'open') as open,
               exists (select from round where return_day = ${day}::date and status = 'closed') as returns`)
  if (state?.over !== true) return refused('day_not_over')
  if (state.open) return refused('round_open')
  if (state.returns) return refused('returns_open')
  await tx.query(
    // Same sums as the view `leg`, which has two rows for each of a million movements. Here each transfer is read once, and the
    // joins are the entries that the close has counted and frozen.
    sql`insert into ledger_day_total (day, account, taken, given)
        with moved as (
          select case when debit > 1000 then 0 else debit end as debit, case when credit > 1000 then 0 else credit end as credit, sum(amount) as paise
            from transfer where day = ${day}::date group by 1, 2
          union all
          select 0, pool_account(day), entries * entry_fee() from round where day = ${day}::date and entries > 0)
        select ${day}::date, account, sum(taken), sum(given)
          from moved cross join lateral (values (debit, paise, 0), (credit, 0, paise)) side (account, taken, given)
         group by account`,
  )
  await tx.query(sql`update ledger_day set sealed_at = roz_now() where day = ${day}::date`)
  return accepted({ sealedNow: true })
}
