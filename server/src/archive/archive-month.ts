/**
 * Moves a month of entries from the database to a file, and back.
 * - Until the file was read back and compared, nothing changes in the database.
 * - One commit notes the month and writes what stays of it: every reader sees the month before or after, never both or neither.
 * - Then the partition leaves. Joins do not wait: the partition is detached concurrently, after all readers of entries have ended.
 * - After an interruption at any point, the next run resumes there or restarts the month.
 */
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import {
  COLUMNS,
  ArchiveError,
  firstDayOf,
  isEqual,
  type Measure,
  measuring,
  type Month,
  rowsOf,
  verifyMonth,
  writeMonth,
} from './month-file.ts'
import { type Archived, tableOf } from './months.ts'

export type Step = 'writing' | 'written' | 'named' | 'filed' | 'kept' | 'noted' | 'detached' | 'dropped' | 'loaded'
/** Tests stop a run at a step. */
export type Reached = (step: Step) => void

const COLUMN_LIST = COLUMNS.join(', ')

async function measureTable(owner: pg.Client, table: string): Promise<Measure> {
  const { rows } = await owner.query<Measure>(
    `select coalesce(sum(n), 0)::text as entries, coalesce(json_object_agg(day, n), '{}') as days, json_build_object(
              'member_id', coalesce(sum(member_id), 0)::text, 'batch_id', coalesce(sum(batch_id), 0)::text,
              'wallet_seq', coalesce(sum(wallet_seq), 0)::text, 'balance_after', coalesce(sum(balance_after), 0)::text) as sums
       from (select day, count(*) as n, sum(member_id) as member_id, sum(batch_id) as batch_id, sum(wallet_seq) as wallet_seq,
                    sum(balance_after) as balance_after from ${table} group by day) days`,
  )
  return rows[0] ?? (undefined as never)
}

/** Writes the month's file, and notes it in the database. */
export async function fileMonth(owner: pg.Client, month: Month, folder: string, reached: Reached = () => undefined): Promise<void> {
  const table = tableOf(month)
  const { rows } = await owner.query<{ schema: string }>('select max(name) as schema from schema_migration')
  const entries = owner.query(
    copyTo(`copy (select ${COLUMN_LIST} from ${table} order by day, member_id) to stdout (format csv, header, encoding 'UTF8')`),
  )
  const sha256 = await writeMonth({
    folder,
    month,
    rows: entries,
    expected: () => measureTable(owner, table),
    schema: rows[0]?.schema ?? '',
    reached,
  })
  reached('filed')
  await owner.query('begin')
  try {
    await keepEntries(owner, month)
    reached('kept')
    await owner.query(`insert into archived_month (month, entries, folder, sha256) select $1, count(*), $2, $3 from ${table}`, [
      firstDayOf(month),
      folder,
      Buffer.from(sha256, 'hex'),
    ])
    await owner.query('commit')
  } catch (error) {
    await owner.query('rollback').catch(() => undefined)
    throw error
  }
  reached('noted')
}

/** Writes the row of each member, and compares all of them with the entries. Rows of an earlier archive of the month are there already. */
async function keepEntries(owner: pg.Client, month: Month): Promise<void> {
  const [table, first] = [tableOf(month), firstDayOf(month)]
  await owner.query(
    `insert into archived_entry (month, member_id, days, wallet_seqs, batch_ids)
     select $1::date, member_id, array_agg(extract(day from day)::smallint order by day), array_agg(wallet_seq order by day), array_agg(batch_id order by day)
       from ${table} group by member_id on conflict do nothing`,
    [first],
  )
  const measure = (from: string): string =>
    `(select count(*) || ' ' || coalesce(sum(hashtextextended(concat_ws(' ', member_id, day, wallet_seq, batch_id), 0)::numeric), 0) from ${from} e)`
  const { rows } = await owner.query<{ isSame: boolean }>(
    `select ${measure(table)} = ${measure(`(
       select a.member_id, a.month + u.day::int - 1 as day, u.wallet_seq, u.batch_id
         from archived_entry a cross join lateral unnest(a.days, a.wallet_seqs, a.batch_ids) as u (day, wallet_seq, batch_id)
        where a.month = $1::date)`)} as "isSame"`,
    [first],
  )
  if (rows[0]?.isSame !== true) throw new ArchiveError(`The rows to keep of ${month} differ from its entries. Nothing was changed.`)
}

/** Removes the partition of an archived month, whatever an earlier run has done. Its file was verified. */
export async function removePartition(owner: pg.Client, month: Month, reached: Reached = () => undefined): Promise<void> {
  const table = tableOf(month)
  const { rows } = await owner.query<{ isPending: boolean }>(
    `select inhdetachpending as "isPending" from pg_inherits where inhrelid = to_regclass($1) and inhparent = 'round_join'::regclass`,
    [table],
  )
  const [attached] = rows
  if (attached !== undefined)
    await owner.query(`alter table round_join detach partition ${table} ${attached.isPending ? 'finalize' : 'concurrently'}`)
  reached('detached')
  await owner.query(`drop table if exists ${table}`)
  reached('dropped')
}

/** Loads a month from its file, which is verified first, and attaches it again. */
export async function loadMonth(owner: pg.Client, noted: Archived, folder: string, reached: Reached = () => undefined): Promise<void> {
  const { month, sha256 } = noted
  await verifyMonth(folder, month, noted)
  // The leftovers of an interrupted run.
  await removePartition(owner, month)
  const [table, first] = [tableOf(month), firstDayOf(month)]
  await owner.query('begin')
  try {
    await owner.query(`create table ${table} (like round_join including defaults including constraints)`)
    const { pass, measure } = measuring()
    const { file, gunzip } = rowsOf(folder, month)
    await pipeline(file, gunzip, pass, owner.query(copyFrom(`copy ${table} (${COLUMN_LIST}) from stdin (format csv, header match)`)))
    const loaded = measure()
    if (loaded.sha256 !== sha256 || !isEqual(loaded, await measureTable(owner, table)))
      throw new ArchiveError(`The file of ${month} changed while it was read. Nothing was changed.`)
    await owner.query(`alter table ${table} add primary key (day, member_id)`)
    await owner.query(`create trigger table_stays before truncate on ${table} for each statement execute function refuse_change()`)
    reached('loaded')
    await owner.query(
      `alter table round_join attach partition ${table} for values from ('${first}') to ((date '${first}' + interval '1 month')::date)`,
    )
    await owner.query('update archived_month set restored_at = roz_now() where id = $1', [noted.id])
    await owner.query('commit')
  } catch (error) {
    await owner.query('rollback').catch(() => undefined)
    throw error
  }
  await owner.query(`analyze ${table}`)
}
