/**
 * Lists every column that is sealed under SECRET_KEY (secrets.ts), and how its values are resealed.
 * - The list is complete: a missing column would need SECRET_KEY_OLD for ever (reseal.test.ts compares it with the schema).
 * - A row's fingerprints, by which it is looked up, change together with its sealed value.
 * - `write` needs rows that the caller has locked.
 */
import { randomBytes } from 'node:crypto'
import { type Queryable, type Sql, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { openDevice, sealDevice } from '../features/push/devices.ts'
import { type BankDetail, macsOf } from '../members/bank-accounts.ts'
import type { Secrets } from './secrets.ts'

/** A sealed value with its row's ctid (`at`) and owner. */
export type SealedRow = {
  readonly at: string
  readonly context: string
  readonly sealed: Buffer
  readonly memberId: bigint
  readonly mac: Buffer
}

export type SealedColumn = {
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
  /** Reseals locked rows under the present key. */
  readonly write: (tx: Tx, secrets: Secrets, rows: readonly SealedRow[]) => Promise<void>
}

type Plain = Pick<SealedColumn, 'name' | 'table' | 'column' | 'context'> & Partial<Pick<SealedColumn, 'isNeeded'>>

/** A column whose rows contain no fingerprint of the value. */
const plain = (given: Plain): SealedColumn => ({
  isNeeded: sql`true`,
  memberId: sql`0::bigint`,
  mac: sql`''::bytea`,
  ...given,
  write: async (tx, secrets, rows) => {
    const sealed = rows.map((row) => secrets.seal(secrets.open(row.sealed, row.context), row.context))
    await tx.query(sql`
      update ${given.table} t set ${given.column} = v.sealed
        from unnest(${rows.map(({ at }) => at)}::tid[], ${sealed}::bytea[]) as v(at, sealed) where t.ctid = v.at`)
  },
})

const bankAccounts: SealedColumn = {
  ...plain({ name: 'bank accounts', table: sql`bank_account`, column: sql`sealed`, context: sql`'bank_account:' || member_id` }),
  write: async (tx, secrets, rows) => {
    const taken = new Set<string>()
    const renewed = rows.map(({ sealed, context }) => {
      const bytes = secrets.open(sealed, context)
      const { accountMacs, detailsMacs } = macsOf(secrets, JSON.parse(bytes.toString('utf8')) as BankDetail)
      // An earlier rotation may have left the same details in two rows: the first row keeps the fingerprint and is found by it.
      const name = `${context}:${detailsMacs[0].toString('hex')}`
      const details = taken.has(name) ? randomBytes(detailsMacs[0].length) : detailsMacs[0]
      taken.add(name)
      return { sealed: secrets.seal(bytes, context), account: accountMacs[0], details }
    })
    await tx.query(sql`
      update bank_account t set sealed = v.sealed, account_mac = v.account,
             -- If the member gave the same details meanwhile to a process that has no old key, a newer row exists. Keep that row's fingerprint.
             details_mac = case when exists (select from bank_account o where o.member_id = t.member_id and o.details_mac = v.details and o.id <> t.id)
               then sha256(uuid_send(gen_random_uuid())) else v.details end
        from unnest(${rows.map(({ at }) => at)}::tid[], ${renewed.map(({ sealed }) => sealed)}::bytea[],
                    ${renewed.map(({ account }) => account)}::bytea[], ${renewed.map(({ details }) => details)}::bytea[])
             as v(at, sealed, account, details)
       where t.ctid = v.at`)
  },
}

const devices: SealedColumn = {
  ...plain({
    name: 'devices',
    table: sql`push_device`,
    column: sql`sealed`,
    context: sql`'push_device:' || member_id || ':' || encode(endpoint_mac, 'hex')`,
  }),
  memberId: sql`member_id`,
  mac: sql`endpoint_mac`,
  write: async (tx, secrets, rows) => {
    const renewed = rows.map(({ memberId, mac, sealed }) =>
      sealDevice(secrets, memberId, openDevice(secrets, { memberId, endpointMac: mac, sealed })),
    )
    const macs = renewed.map((device) => device.macs[0])
    const at = rows.map((row) => row.at)
    // A browser that has subscribed again meanwhile has a newer row, so the old one is deleted.
    await tx.query(sql`
      delete from push_device t using unnest(${at}::tid[], ${macs}::bytea[]) as v(at, mac)
       where t.ctid = v.at and exists (select from push_device o where o.endpoint_mac = v.mac and o.id <> t.id)`)
    await tx.query(sql`
      update push_device t set sealed = v.sealed, endpoint_mac = v.mac
        from unnest(${at}::tid[], ${renewed.map(({ sealed }) => sealed)}::bytea[], ${macs}::bytea[]) as v(at, sealed, mac) where t.ctid = v.at`)
  },
}

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  plain({ name: 'log keys', table: sql`log_key`, column: sql`sealed_seed`, context: sql`'log_key:' || number` }),
  plain({
    name: 'secrets of rounds',
    table: sql`round`,
    column: sql`sealed_secret`,
    context: sql`'day_secret:' || to_char(day, 'YYYY-MM-DD')`,
    // The secret of an ended round is published or will never be needed.
    isNeeded: sql`status in ('open', 'closed', 'drawn')`,
  }),
  plain({ name: 'ticket keys', table: sql`ticket_key`, column: sql`sealed_key`, context: sql`'ticket_key:' || member_id` }),
  bankAccounts,
  plain({ name: 'push keys', table: sql`push_key`, column: sql`sealed_private`, context: sql`'push_key:' || number` }),
  devices,
  plain({ name: 'authenticator apps', table: sql`staff_totp`, column: sql`sealed`, context: sql`'staff_totp:' || member_id` }),
  plain({ name: 'payment events', table: sql`gateway_event`, column: sql`sealed`, context: sql`'gateway_event:' || event_key` }),
  plain({ name: 'notes on beneficiaries', table: sql`beneficiary`, column: sql`sealed_note`, context: sql`'beneficiary:' || id` }),
  plain({ name: 'payout events', table: sql`payout_event`, column: sql`sealed`, context: sql`'payout_event:' || event_key` }),
]

const keyOf = ({ column }: SealedColumn): Sql => sql`sealing_key_of(${column})`

/** Locks up to `limit` values of a column that are sealed with one key. Rows that another transaction has locked are skipped. */
export const lockSealedWith = (
  tx: Tx,
  from: SealedColumn,
  key: Buffer,
  { limit, without }: { readonly limit: number; readonly without: readonly string[] },
): Promise<SealedRow[]> =>
  tx.query<SealedRow>(sql`
    select ctid::text as at, ${from.context} as context, ${from.column} as sealed, ${from.memberId} as "memberId", ${from.mac} as mac
      from ${from.table}
     where ${keyOf(from)} = ${key}::bytea and ${from.isNeeded} and ${from.context} <> all(${without}::text[])
     limit ${limit}::int for update skip locked`)

export async function countSealedWith(from: Queryable, column: SealedColumn, key: Buffer): Promise<number> {
  const [row] = await from.query<{ count: number }>(
    sql`select count(*)::float8 as count from ${column.table} where ${keyOf(column)} = ${key}::bytea and ${column.isNeeded}`,
  )
  return row?.count ?? 0
}

/** The ids of all keys that seal values of a column. Each is found by one index lookup. */
export async function listKeysOf(from: Queryable, column: SealedColumn): Promise<Buffer[]> {
  const smallest = (where: Sql): Sql =>
    sql`(select ${keyOf(column)} from ${column.table} where ${keyOf(column)} is not null and ${column.isNeeded} and ${where} order by ${keyOf(column)} limit 1)`
  const rows = await from.query<{ key: Buffer }>(sql`
    with recursive found (key) as (
      select ${smallest(sql`true`)} union all select ${smallest(sql`${keyOf(column)} > found.key`)} from found where found.key is not null)
    select key from found where key is not null`)
  return rows.map(({ key }) => key)
}
