/**
 * A column of values that are encrypted under SECRET_KEY (secrets.ts), and how they are encrypted again.
 * - A row's fingerprints, by which it is looked up, change together with its value.
 * - `write` needs rows that the caller has locked.
 */
import { type Queryable, type Sql, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import type { Secrets } from './secrets.ts'

/** An encrypted value with its row's ctid (`at`) and owner. */
export type EncryptedRow = {
  readonly at: string
  readonly context: string
  readonly sealed: Buffer
  readonly memberId: bigint
  readonly mac: Buffer
}

export type EncryptedColumn = {
  /** The name for the operator. */
  readonly name: string
  readonly table: Sql
  readonly column: Sql
  /** The context that each value is bound to (`context` of Secrets). */
  readonly context: Sql
  /** The row's owner and its fingerprint, where `write` needs them. */
  readonly memberId: Sql
  readonly mac: Sql
  /** True for rows whose value is still needed. */
  readonly isNeeded: Sql
  /** Encrypts locked rows again under the present key. */
  readonly write: (tx: Tx, secrets: Secrets, rows: readonly EncryptedRow[]) => Promise<void>
}

type Plain = Pick<EncryptedColumn, 'name' | 'table' | 'column' | 'context'> & Partial<Pick<EncryptedColumn, 'isNeeded'>>

/** A column whose rows contain no fingerprint of the value. */
export const plainColumn = (given: Plain): EncryptedColumn => ({
  isNeeded: sql`true`,
  memberId: sql`0::bigint`,
  mac: sql`''::bytea`,
  ...given,
  write: async (tx, secrets, rows) => {
    const encrypted = rows.map((row) => secrets.encrypt(secrets.decrypt(row.sealed, row.context), row.context))
    await tx.query(sql`
      update ${given.table} t set ${given.column} = v.sealed
        from unnest(${rows.map(({ at }) => at)}::tid[], ${encrypted}::bytea[]) as v(at, sealed) where t.ctid = v.at`)
  },
})

const keyOf = ({ column }: EncryptedColumn): Sql => sql`sealing_key_of(${column})`

/** Locks up to `limit` values of a column that are encrypted with one key. Rows that another transaction has locked are skipped. */
export const lockEncryptedWith = (
  tx: Tx,
  from: EncryptedColumn,
  key: Buffer,
  { limit, without }: { readonly limit: number; readonly without: readonly string[] },
): Promise<EncryptedRow[]> =>
  tx.query<EncryptedRow>(sql`
    select ctid::text as at, ${from.context} as context, ${from.column} as sealed, ${from.memberId} as "memberId", ${from.mac} as mac
      from ${from.table}
     where ${keyOf(from)} = ${key}::bytea and ${from.isNeeded} and ${from.context} <> all(${without}::text[])
     limit ${limit}::int for update skip locked`)

export async function countEncryptedWith(from: Queryable, column: EncryptedColumn, key: Buffer): Promise<number> {
  const [row] = await from.query<{ count: number }>(
    sql`select count(*)::float8 as count from ${column.table} where ${keyOf(column)} = ${key}::bytea and ${column.isNeeded}`,
  )
  return row?.count ?? 0
}

/** The ids of all keys under which a column has values. Each is found by one index lookup. */
export async function listKeysOf(from: Queryable, column: EncryptedColumn): Promise<Buffer[]> {
  const smallest = (where: Sql): Sql =>
    sql`(select ${keyOf(column)} from ${column.table} where ${keyOf(column)} is not null and ${column.isNeeded} and ${where} order by ${keyOf(column)} limit 1)`
  const rows = await from.query<{ key: Buffer }>(sql`
    with recursive found (key) as (
      select ${smallest(sql`true`)} union all select ${smallest(sql`${keyOf(column)} > found.key`)} from found where found.key is not null)
    select key from found where key is not null`)
  return rows.map(({ key }) => key)
}
