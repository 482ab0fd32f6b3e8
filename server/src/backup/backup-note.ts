/** Notes in the database when its newest backup was taken, for the alert on a missing backup (http/figures.ts). */
import { connect, sql } from '../db/sql.ts'

/** `backup`: the whole database. `log`: its WAL up to now. */
export type Noted = 'backup' | 'log'

export async function noteBackup(url: string, what: Noted): Promise<void> {
  const db = connect({ url, max: 1, named: false, applicationName: 'roz-backup' })
  try {
    await db.query(sql`
      insert into backup_note (what, cluster, at) select ${what}::text, system_identifier::text, roz_now() from pg_control_system()
      on conflict (what, cluster) do update set at = excluded.at`)
  } finally {
    await db.close()
  }
}
