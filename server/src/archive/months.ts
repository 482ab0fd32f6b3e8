/**
 * Which months are among the joins, which are in the archive, and which may go there.
 * - A month may be archived once it and the twelve after it are over, its rounds have ended, its days are sealed with their books
 *   made, and its entries match its rounds.
 */
import type pg from 'pg'
import { ArchiveError, firstDayOf, type Month } from './month-file.ts'

/**
 * Months that stay among the joins before the present one. Members may still ask, dispute a payment or look back a year; taxes need
 * the figures of the year; a wallet counts the entries of its calendar year.
 */
const MONTHS_ONLINE = 12

export const tableOf = (month: Month): string => `round_join_${month.replace('-', '_')}`

/** The present month by the clock of Roz, moved by some months. */
async function monthFromNow(owner: pg.Client, count: number): Promise<Month> {
  const { rows } = await owner.query<{ month: Month }>(
    `select to_char(month_of(ist_day(roz_now())) + $1::int * interval '1 month', 'YYYY-MM') as month`,
    [count],
  )
  return rows[0]?.month ?? (undefined as never)
}

/** Throws where a month before this one is too young. */
export async function expectOld(owner: pg.Client, before: Month): Promise<void> {
  const latest = await monthFromNow(owner, -MONTHS_ONLINE)
  if (before > latest)
    throw new ArchiveError(
      `${MONTHS_ONLINE} whole months stay in the database before the present one: --before ${latest} is the latest possible today.`,
    )
}

/** Months with a partition among the joins, the oldest first. */
export async function listMonths(owner: pg.Client, before: Month): Promise<Month[]> {
  const { rows } = await owner.query<{ month: Month }>(
    `select replace(right(c.relname, 7), '_', '-') as month from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'round_join'::regclass and c.relname ~ '^round_join_\\d{4}_\\d\\d$'
        and not exists (select from archived_month m where m.restored_at is null and m.month = to_date(right(c.relname, 7), 'YYYY_MM'))
      order by 1`,
  )
  return rows.map(({ month }) => month).filter((month) => month < before)
}

export type Archived = {
  readonly id: bigint
  readonly month: Month
  readonly entries: bigint
  readonly folder: string
  readonly sha256: string
  readonly archivedAt: Date
  readonly restoredAt: Date | null
}

/** Every month that ever was archived, the newest note of each month last. */
export async function listArchived(owner: pg.Client): Promise<Archived[]> {
  const { rows } = await owner.query<Omit<Archived, 'id' | 'entries'> & { readonly id: string; readonly entries: string }>(
    `select id, to_char(month, 'YYYY-MM') as month, entries, folder, encode(sha256, 'hex') as sha256,
            archived_at as "archivedAt", restored_at as "restoredAt" from archived_month order by month, id`,
  )
  return rows.map((row) => ({ ...row, id: BigInt(row.id), entries: BigInt(row.entries) }))
}

export async function findArchived(owner: pg.Client, month: Month): Promise<Archived | undefined> {
  return (await listArchived(owner)).find((each) => each.month === month && each.restoredAt === null)
}

/** Throws with the first reason why the month may not leave; false where it has no entries. */
export async function expectSettled(owner: pg.Client, month: Month): Promise<boolean> {
  const [first, table] = [firstDayOf(month), tableOf(month)]
  const { rows } = await owner.query<{ day: string; why: string }>(
    `with joined as (select day, count(*) as n from ${table} group by day)
     select to_char(coalesce(r.day, j.day), 'YYYY-MM-DD') as day,
            case when r.day is null then 'has entries and no round'
                 when r.status not in ('settled', 'void') then 'has a round that is ' || r.status
                 when d.sealed_at is null then 'is not sealed'
                 when b.day is null then 'has no books yet'
                 else 'has ' || coalesce(j.n, 0) || ' entries, and its round counts ' || r.entries end as why
       from (select * from round where month_of(day) = $1::date) r full join joined j on j.day = r.day
       left join ledger_day d on d.day = r.day left join books_day b on b.day = r.day
      where r.day is null or r.status not in ('settled', 'void') or d.sealed_at is null or b.day is null or r.entries <> coalesce(j.n, 0)
      order by 1 limit 1`,
    [first],
  )
  const [refused] = rows
  if (refused !== undefined) throw new ArchiveError(`${month} stays: ${refused.day} ${refused.why}.`)
  const { rows: some } = await owner.query(`select from ${table} limit 1`)
  return some.length > 0
}
