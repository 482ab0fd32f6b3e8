/**
 * `roz backup note NAME`: notes that a program (pgBackRest) has taken a backup of the whole database now. The server cannot see
 * it by itself, and the alert on a missing backup needs it (operation/figures.ts).
 * - Exit code: 0 if it is noted, 1 otherwise, 2 for wrong arguments.
 */
import { auditSettings, type Environment } from '../config/config.ts'
import { sql } from '../db/sql.ts'
import { onDatabase, reasonOf } from './command-database.ts'

export async function noteBackupNow(env: Environment, words: readonly string[], say: (line: string) => void): Promise<0 | 1 | 2> {
  const [by, ...rest] = words
  if (by === undefined || rest.length > 0) {
    say('roz backup note NAME, the program that took the backup')
    return 2
  }
  try {
    const noted = await onDatabase({ ...auditSettings(env), say }, { name: 'backup' }, (db) =>
      db.query(sql`
        insert into backup_note (what, cluster, at) select 'backup', system_identifier::text, roz_now() from pg_control_system()
        on conflict (what, cluster) do update set at = excluded.at`),
    )
    if (noted === undefined) return 1
    say(`Noted: ${by} took a backup now.`)
    return 0
  } catch (error) {
    say(`The backup could not be noted: ${reasonOf(error)}`)
    return 1
  }
}
