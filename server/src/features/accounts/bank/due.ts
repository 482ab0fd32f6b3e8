/** Each hour, and after midnight: matches lines with what the books have booked since, and compares bank and books again. */
import { type Db, sql } from '../../../db/sql.ts'
import { inTransaction } from '../../../db/transaction.ts'
import type { Secrets } from '../../../secrets/secrets.ts'
import { compareBank } from './compare.ts'
import { lockBank } from './lock.ts'
import { matchByReference } from './match.ts'

/** A time ahead is of a clock that was set back since. */
const IS_DUE = sql`(exists (select from statement_account where lines > 0)
  and (ran_at is null or ran_at > roz_now() or ran_at <= roz_now() - interval '1 hour' or ist_day(ran_at) < ist_day(roz_now())))`

export async function matchDue(db: Db, secrets: Secrets): Promise<boolean> {
  if ((await db.maybeOne(sql`select from bank_comparison where ${IS_DUE}`)) === undefined) return false
  return inTransaction(db, async (tx) => {
    await lockBank(tx)
    if ((await tx.maybeOne(sql`select from bank_comparison where ${IS_DUE}`)) === undefined) return false
    await matchByReference(tx, secrets)
    await compareBank(tx)
    return true
  })
}
