/**
 * The balances of the ledger's own accounts now: the totals of the sealed days, and the transfers of the days that are not sealed.
 * - Assets are negative: GATEWAY at −100 owes us a rupee.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Queryable, sql } from '../db/sql.ts'
import { ACCOUNTS, type AccountName } from './accounts.ts'

const IDS = Object.values(ACCOUNTS)

export async function readBalances(from: Queryable): Promise<Readonly<Record<AccountName, bigint>>> {
  const open = (await from.query<{ day: IstDay }>(sql`select day from ledger_day where sealed_at is null`)).map(({ day }) => day)
  const rows = await from.query<{ account: bigint; balance: bigint }>(sql`
    with moved as materialized (
      select case when debit > 1000 then 0 else debit end as debit, case when credit > 1000 then 0 else credit end as credit, sum(amount) as amount
        from transfer where day = any(${open}::date[]) group by 1, 2)
    select account, sum(amount)::bigint as balance from (
      select account, given - taken as amount from ledger_day_total where day <> all(${open}::date[])
      union all select debit, -amount from moved
      union all select credit, amount from moved) side
     where account = any(${IDS}::bigint[]) group by account`)
  const balances = new Map(rows.map(({ account, balance }) => [account, balance]))
  const named = Object.entries(ACCOUNTS).map(([name, account]) => [name, balances.get(account) ?? 0n])
  return Object.fromEntries(named) as Record<AccountName, bigint>
}
