/**
 * Appends to the log of days (spec/protocol.md, chapter 8).
 * - Records are numbered without a gap, in the order of their commits.
 * - A record is written in the transaction of the fact that it publishes: neither exists without the other.
 * - A day has at most one record of each kind.
 */
import { leafHash } from '@roz/core/draw.ts'
import { type LogRecord, recordBytes } from '@roz/core/draw-records.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { lockInTransaction } from '../db/advisory-locks.ts'
import { type Queryable, sql } from '../db/sql.ts'
import type { Tx } from '../db/transaction.ts'
import { sha256 } from '../tickets/sha256.ts'

/**
 * Locks the log until the commit: no other transaction appends or signs meanwhile. It is the last lock that a transaction takes.
 * A lock released earlier would allow gaps, by a number that is assigned and then rolled back.
 */
export const lockLog = (tx: Tx): Promise<void> => lockInTransaction(tx, 'logOfDays')

/** Appends a record under the log's lock. */
export async function appendRecord(tx: Tx, record: LogRecord): Promise<void> {
  const bytes = recordBytes(record)
  await lockLog(tx)
  await tx.query(sql`
    insert into log_entry (index, day, kind, bytes, leaf)
    select coalesce(max(index) + 1, 0), ${record.day}::date, ${record.kind}::text, ${Buffer.from(bytes)}::bytea, ${leafHash(sha256, bytes)}::bytea
      from log_entry`)
}

/** A day's record of a kind, as published. Throws where there is none. */
export async function getRecord<K extends LogRecord['kind']>(
  from: Queryable,
  day: IstDay,
  kind: K,
): Promise<Extract<LogRecord, { kind: K }>> {
  const { bytes } = await from.one<{ bytes: Buffer }>(sql`select bytes from log_entry where day = ${day}::date and kind = ${kind}::text`)
  return JSON.parse(bytes.toString('utf8')) as Extract<LogRecord, { kind: K }>
}
