/**
 * A list of the portal as a table for a spreadsheet, with the list's filters; and the log entry of each reader of a list about persons.
 * - The staff log records who fetched it, and with which filters. It keeps no word of a search: the log is never erased, and the words
 *   may be a person's name, address or phone.
 */
import type { CsvTable } from '@roz/contract/endpoint.ts'
import type { Cell } from '@roz/core/csv.ts'
import type { Db } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { csvRows } from '../lists/csv-rows.ts'
import type { Cursor } from '../lists/cursor.ts'
import { logStaff } from './staff-log.ts'

type Asked = { readonly session: { readonly memberId: bigint }; readonly query: Readonly<Record<string, unknown>> | undefined }
export type Columns<Shown> = Readonly<Record<string, (shown: Shown) => Cell>>
type List<Shown> = {
  /** The list's name in the staff log, such as `withdrawals`. */
  readonly name: string
  /** The action in the staff log; `list.export`, unless the list had its own before. */
  readonly action?: string
  /** Reads a page as the list does; it may return one row more than `limit`. */
  readonly read: (page: {
    readonly after: Cursor | undefined
    readonly limit: number
  }) => Promise<readonly { readonly shown: Shown; readonly key: Cursor }[]>
  /** Each column with its value of a row; amounts in rupees, times in IST. */
  readonly columns: Columns<Shown>
}

/** Search words and places in the list may name a person. */
const filtersOf = ({ q, cursor, ...filters }: NonNullable<Asked['query']> = {}) => ({
  ...filters,
  ...(q === undefined ? {} : { q: 'given' }),
  ...(cursor === undefined ? {} : { cursor: 'given' }),
})

/** Records who read a page of a list about persons, and how many of them. */
export const noteRead = (
  db: Db,
  { session, query }: Asked,
  { name, rows }: { readonly name: string; readonly rows: number },
): Promise<void> =>
  inTransaction(db, (tx) =>
    logStaff(tx, { actorId: session.memberId, action: 'list.read', subject: name, after: { ...filtersOf(query), rows } }),
  )

export async function exportList<Shown>(
  db: Db,
  { session, query }: Asked,
  { name, action = 'list.export', read, columns }: List<Shown>,
): Promise<{ readonly ok: true; readonly value: CsvTable }> {
  await inTransaction(db, (tx) => logStaff(tx, { actorId: session.memberId, action, subject: name, after: filtersOf(query) }))
  const values = Object.values(columns)
  const rows = csvRows(
    read,
    ({ key }) => key,
    ({ shown }) => values.map((valueOf) => valueOf(shown)),
  )
  return { ok: true, value: { columns: Object.keys(columns), rows } }
}
