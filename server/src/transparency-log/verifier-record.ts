/**
 * Publishes in the log which verifier program the server serves (spec/protocol.md, chapter 8).
 * - A record is appended when the program's hash changes, at most once a day.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { VerifierRecord } from '@roz/core/draw-records.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Db, sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { appendRecord, lockLog } from './records.ts'

/** Returns false where the log got another program today: a later day must append this one. A missing file counts as logged. */
export async function logProgram(db: Db, file: string): Promise<boolean> {
  const bytes = await readFile(file).catch(() => undefined)
  if (bytes === undefined) return true
  const program = createHash('sha256').update(bytes).digest('hex')
  return inTransaction(db, async (tx) => {
    await lockLog(tx)
    const { last, today, isToday } = await tx.one<{ last: Buffer | null; today: IstDay; isToday: boolean }>(sql`
      select (select bytes from log_entry where kind = 'verifier' order by index desc limit 1) as last, ist_day(roz_now()) as today,
                 exists (select from log_entry where kind = 'verifier' and day = ist_day(roz_now())) as "isToday"`)
    if (last !== null && (JSON.parse(last.toString()) as VerifierRecord).program === program) return true
    // Another version was logged today: this version is logged tomorrow.
    if (isToday) return false
    await appendRecord(tx, { v: 1, kind: 'verifier', day: today, program })
    return true
  })
}
