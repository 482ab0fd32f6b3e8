/**
 * `roz backup note NAME`: notes that a program (pgBackRest) has taken a backup of the whole database now. The server cannot see
 * it by itself, and the alert on a missing backup needs it (operation/figures.ts).
 * - Exit code: 0 if it is noted, 2 otherwise.
 */
import { auditSettings, type Environment } from '../config/config.ts'
import { type Db, sql } from '../db/sql.ts'
import { exitCodeOnDatabase } from './command-database.ts'

export async function noteBackupNow(env: Environment, words: readonly string[], say: (line: string) => void): Promise<0 | 1 | 2> {
  const [by, ...rest] = words
  if (by === undefined || rest.length > 0) {
    say('roz backup note NAME, the program that took the backup')
    return 2
  }
  const note = async (db: Db): Promise<0> => {
    await db.query(sql`
        insert into backup_note (what, cluster, at) select 'backup', system_identifier::text, roz_now() from pg_control_system()
        on conflict (what, cluster) do update set at = excluded.at`)
    say(`Noted: ${by} took a backup now.`)
    return 0
  }
  return exitCodeOnDatabase({ ...auditSettings(env), say }, { name: 'backup' }, note, (why) => `The backup could not be noted: ${why}`)
}
