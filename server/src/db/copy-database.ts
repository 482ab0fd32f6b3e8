/**
 * Copies all rows of one database into another that has the same migrations and no members yet.
 * - It reads one snapshot and writes one transaction: a failure leaves the new database unchanged.
 * - Triggers are off, because they check each change against the state at that moment. The audit checks the result.
 * - Foreign keys are dropped and made again at the end, which checks every row.
 */
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'

type Table = {
  readonly name: string
  readonly columns: readonly string[]
  /** The name and bound of a partition's table. */
  readonly parent: string | null
  readonly bound: string | null
  /** False for a partitioned table: its partitions have the rows. */
  readonly holdsRows: boolean
}
type Rows<T> = readonly T[]
const id = pg.escapeIdentifier

const TABLES = `
  select c.relname as name, c.relkind = 'r' as "holdsRows", p.relname as parent, pg_get_expr(c.relpartbound, c.oid) as bound,
         (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
           where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
    from pg_class c left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by c.relname collate "C"`
/** Foreign keys of partitions are left out: they follow their parent's. */
const FOREIGN_KEYS = `
  select c.relname as "table", k.conname as name, pg_get_constraintdef(k.oid) as definition
    from pg_constraint k join pg_class c on c.oid = k.conrelid
   where k.contype = 'f' and k.conparentid = 0 and c.relnamespace = 'public'::regnamespace`
const SEQUENCES = `
  select c.relname as name from pg_class c where c.relkind = 'S' and c.relnamespace = 'public'::regnamespace order by c.relname collate "C"`
/** Rows are copied and hashed as text. With these settings both sides write the same text. */
const SAME_WORDS = `set timezone = 'UTC'; set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres'; set extra_float_digits = 1; set bytea_output = 'hex'; set statement_timeout = 0; set lock_timeout = '20s'`

const all = async <T extends object>(client: pg.Client, text: string): Promise<Rows<T>> => (await client.query<T>(text)).rows

export async function copyDatabase(from: pg.Client, to: pg.Client, say: (line: string) => void): Promise<void> {
  for (const client of [from, to]) await client.query(SAME_WORDS)
  await expectAlike(from, to)
  const tables = await all<Table>(from, TABLES)
  const left = tables.find(({ name, parent }) => parent === null && name.startsWith('round_join_'))
  if (left !== undefined) throw new Error(`${left.name} was left behind by an interrupted npm run archive: run it again first`)
  await from.query('begin isolation level repeatable read read only')
  await to.query('begin')
  try {
    // The lock precedes the snapshot, so a server that starts meanwhile cannot write rows that the copy misses.
    await from.query(`lock table ${tables.map(({ name }) => id(name)).join(', ')} in share mode`)
    await makePartitions(to, tables)
    const keys = await all<{ table: string; name: string; definition: string }>(to, FOREIGN_KEYS)
    for (const key of keys) await to.query(`alter table ${id(key.table)} drop constraint ${id(key.name)}`)
    const there = await all<Table>(to, TABLES)
    for (const { name } of there) await to.query(`alter table ${id(name)} disable trigger user`)
    await to.query(`truncate ${there.map(({ name }) => id(name)).join(', ')}`)
    let rows = 0
    for (const table of tables.filter(({ holdsRows }) => holdsRows)) rows += await copyTable(from, to, table)
    for (const { name } of there) await to.query(`alter table ${id(name)} enable trigger user`)
    for (const key of keys) await to.query(`alter table ${id(key.table)} add constraint ${id(key.name)} ${key.definition}`)
    const sequences = await copySequences(from, to)
    await to.query('commit')
    await to.query('analyze')
    say(`${rows} rows of ${tables.length} tables and ${sequences} sequences copied; counts and hashes are equal on both sides.`)
  } catch (error) {
    await to.query('rollback').catch(() => undefined)
    throw error
  } finally {
    await from.query('rollback').catch(() => undefined)
  }
}

async function expectAlike(from: pg.Client, to: pg.Client): Promise<void> {
  const state = `select pg_encoding_to_char(encoding) as encoding, (select json_agg(m order by name) from (select name, hash from schema_migration) m) as migrations
                   from pg_database where datname = current_database()`
  const [one, other] = [(await all<object>(from, state))[0], (await all<object>(to, state))[0]]
  if (JSON.stringify(one) !== JSON.stringify(other))
    throw new Error(
      'the databases differ in their migrations or encoding: start this release once on the old one, and make the new one with UTF8',
    )
  await expectEmpty(to)
}

/** Refuses a database on which a server has run: its log has entries. */
export async function expectEmpty(to: pg.Client): Promise<void> {
  const { rows: tables } = await to.query<{ isMade: boolean }>(`select to_regclass('public.log_entry') is not null as "isMade"`)
  if (tables[0]?.isMade !== true) return
  const { rows } = await to.query<{ isUsed: boolean }>(
    'select exists (select from member) or exists (select from transfer) or exists (select from log_entry) as "isUsed"',
  )
  if (rows[0]?.isUsed === true) throw new Error('the new database is not empty')
}

/** Makes the partitions that the old database has and the new one lacks, such as those of past months. */
async function makePartitions(to: pg.Client, tables: readonly Table[]): Promise<void> {
  const there = new Set((await all<Table>(to, TABLES)).map(({ name }) => name))
  for (const { name, parent, bound } of tables)
    if (parent !== null && !there.has(name)) await to.query(`create table ${id(name)} partition of ${id(parent)} ${bound}`)
}

/** Copies a table and returns its number of rows. Throws if the two sides differ. */
async function copyTable(from: pg.Client, to: pg.Client, { name, columns }: Table): Promise<number> {
  const list = columns.map(id).join(', ')
  await pipeline(
    from.query(copyTo(`copy (select ${list} from ${id(name)}) to stdout`)),
    to.query(copyFrom(`copy ${id(name)} (${list}) from stdin`)),
  )
  // The sum does not depend on the order of the rows, and md5 is the same in every version.
  const measure = `
    select count(*)::int as count, coalesce(sum(('x' || left(h, 16))::bit(64)::bigint::numeric), 0)::text as one,
           coalesce(sum(('x' || right(h, 16))::bit(64)::bigint::numeric), 0)::text as other
      from (select md5(row(${list})::text) as h from ${id(name)}) rows`
  const [here, there] = [(await all<{ count: number }>(from, measure))[0], (await all<{ count: number }>(to, measure))[0]]
  if (JSON.stringify(here) !== JSON.stringify(there)) throw new Error(`the rows of ${name} differ after the copy`)
  return here?.count ?? 0
}

async function copySequences(from: pg.Client, to: pg.Client): Promise<number> {
  const names = (await all<{ name: string }>(from, SEQUENCES)).map(({ name }) => name)
  for (const name of names) {
    const [state] = await all<{ value: string; called: boolean }>(
      from,
      `select last_value::text as value, is_called as called from ${id(name)}`,
    )
    await to.query('select setval($1::regclass, $2::bigint, $3)', [id(name), state?.value, state?.called])
  }
  return names.length
}
