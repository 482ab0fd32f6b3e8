/**
 * `roz clock show`: says whether the database's clock is doubted; `roz clock accept` confirms it as it is now.
 * - Exit code: 0 if the clock is not doubted or was accepted, 1 if it is doubted or cannot be accepted, 2 if the database could not be read.
 */
import { isoIst } from '@roz/core/ist-day.ts'
import { type Db, sql } from '../db/sql.ts'
import { type CommandTarget, exitCodeOnDatabase } from './command-database.ts'

const USAGE = 'Usage: roz clock show, or roz clock accept'
const STEP_BACK =
  'Not accepted: a round was opened after the time that the clock shows now, and its day would begin again. Set the clock of the database right, or wait until it has caught up (docs/runbooks/clock.md).'

export async function clockNow(target: CommandTarget, words: readonly string[]): Promise<0 | 1 | 2> {
  const { say } = target
  const isAccept = words[0] === 'accept'
  if (words.length > 1 || (words.length === 1 && !isAccept)) {
    say(USAGE)
    return 2
  }
  return exitCodeOnDatabase(
    target,
    { name: 'clock' },
    (db) => (isAccept ? accept(db, say) : tell(db, say)),
    (why) => `The clock could not be read: ${why}`,
  )
}

type Row = { readonly at: Date; readonly now: Date; readonly trustedAt: Date | null; readonly doubtedAt: Date | null }

async function tell(db: Db, say: CommandTarget['say']): Promise<0 | 1> {
  const row = await db.one<Row>(
    sql`select machine_clock() as at, roz_now() as now, trusted_at as "trustedAt", doubted_at as "doubtedAt" from clock_offset`,
  )
  say(`  the database's clock    ${isoIst(row.at.getTime())}`)
  say(`  this machine's clock    ${isoIst(Date.now())}`)
  say(`  the product's clock     ${isoIst(row.now.getTime())}`)
  say(`  last confirmed reading  ${row.trustedAt === null ? 'none' : isoIst(row.trustedAt.getTime())}`)
  if (row.doubtedAt === null) {
    say("The database's clock is not doubted.")
    return 0
  }
  say(`✗ The database's clock is doubted since it showed ${isoIst(row.doubtedAt.getTime())} (docs/runbooks/clock.md)`)
  return 1
}

async function accept(db: Db, say: CommandTarget['say']): Promise<0 | 1> {
  const { isAccepted } = await db.one<{ isAccepted: boolean }>(sql`select accept_clock() as "isAccepted"`)
  if (!isAccepted) {
    say(STEP_BACK)
    return 1
  }
  say("The database's clock is accepted as it is now.")
  return tell(db, say)
}
