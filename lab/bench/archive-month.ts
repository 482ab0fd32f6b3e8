/**
 * Measures a month of entries on its way to a file and back: `npm run lab -- archive`.
 *
 * - The entries are made in a throw-away database, without the triggers that guard single joins. Nothing is audited.
 * - `--members=100000`: each joins on every day of the month.
 */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { fileMonth, loadMonth, removePartition } from '@roz/server/archive/archive-month.ts'
import { fileOf, type Month } from '@roz/server/archive/month-file.ts'
import { findArchived } from '@roz/server/archive/months.ts'
import { openConnection } from '@roz/server/db/hosts.ts'
import { sql } from '@roz/server/db/sql.ts'
import { openSetUp } from './set-up.ts'

const MEMBERS = Number(process.argv.find((word) => word.startsWith('--members='))?.split('=')[1] ?? 100_000)
const MONTH = '2025-03' as Month
const FIRST = 100_001
const MB = 1_000_000

const setUp = await openSetUp()
const owner = await openConnection(setUp.ownerUrl, 'bench')
try {
  const { root, folder } = setUp
  await root.withConnection(
    async (connection) => {
      await connection.query(sql`select make_join_month('2025-03-01')`)
      await connection.query(sql`set session_replication_role = replica`)
      await connection.query(sql`set statement_timeout = 0`)
      // A batch has about 500 entries; members come in another order each day.
      await connection.query(sql`
        insert into round_join (batch_id, member_id, balance_after, wallet_seq, day, key_prefix)
        select d * 1000000 + (n / 500), ${FIRST}::bigint + (n * 7919::bigint + d * 104729) % ${MEMBERS}::bigint, 5000 - d * 100, d, date '2025-02-28' + d,
               case when n % 3 = 0 then hashint8extended(n, d) end
          from generate_series(1, 31) d, generate_series(0, ${MEMBERS}::bigint - 1) n`)
      await connection.query(sql`vacuum analyze`)
    },
    { queryTimeoutMs: 3_600_000 },
  )
  const sizeOf = async (table: string): Promise<number> =>
    (await root.one<{ bytes: number }>(sql`select pg_total_relation_size(${table}::text::regclass)::float8 as bytes`)).bytes
  const timed = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    const before = performance.now()
    await work()
    const { rss } = process.memoryUsage()
    console.log(`${what}: ${((performance.now() - before) / 1000).toFixed(1)} s; ${Math.round(rss / MB)} MB of memory`)
  }
  await owner.query(`set datestyle = 'ISO, YMD'`)
  console.log(`${MEMBERS * 31} entries: ${Math.round((await sizeOf('round_join_2025_03')) / MB)} MB of table and index`)
  await timed('file written, read back and compared, and the rows that stay', () => fileMonth(owner, MONTH, path.join(folder, 'months')))
  await timed('table detached and dropped', () => removePartition(owner, MONTH))
  await owner.query('vacuum analyze archived_entry')
  console.log(`what stays: ${Math.round((await sizeOf('archived_entry')) / MB)} MB of table and index`)
  console.log(`the file: ${Math.round((await stat(fileOf(path.join(folder, 'months'), MONTH))).size / MB)} MB`)
  const noted = await findArchived(owner, MONTH)
  if (noted === undefined) throw new Error('the month is not in the archive')
  await timed('restored', () => loadMonth(owner, noted, noted.folder))
} finally {
  await owner.end()
  await setUp.stop()
}
