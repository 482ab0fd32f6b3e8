/**
 * `npm run restore -- --from FOLDER --into NEW_DATA_DIR [--at TIME] [--secret-key FILE]`: makes a new data folder from a backup.
 * - Without --at it restores all that the folder has. --at restores every commit that was acknowledged before that instant.
 * - It ends with the audit of the restored database. Nothing is served.
 * - Exit code: 0 if it is restored and the audit passes, 1 otherwise, 2 for wrong arguments.
 */
import path from 'node:path'
import { isoIst } from '@roz/core/ist-day.ts'
import { BackupError } from '../backup/backup-folder.ts'
import { restoreBackup } from '../backup/restore.ts'
import { EmbeddedPostgresError } from '../db/embedded/error.ts'
import { connect, one, sql } from '../db/sql.ts'
import { auditNow } from './audit.ts'
import { type CommandTarget, onDatabase } from './command-database.ts'
import { namedIn } from './move-files.ts'
import { pairsOf } from './arguments.ts'

const USAGE =
  'npm run restore -- --from FOLDER --into NEW_DATA_DIR [--at 2026-11-23T18:05:00+05:30] [--secret-key FILE] (without --at: all there is)'
/** With its zone: a time without one would be another instant on another machine. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/

export async function restoreNow(words: readonly string[], say: (line: string) => void): Promise<0 | 1 | 2> {
  const given = pairsOf(words, ['from', 'into', 'at', 'secret-key'], ['from', 'into'])
  const at = given?.at === undefined ? undefined : new Date(given.at)
  const isInstant = given?.at === undefined || (INSTANT.test(given.at) && !Number.isNaN(at?.getTime()))
  if (given === undefined || !isInstant) {
    say(USAGE)
    return 2
  }
  const [from, dataDir] = [path.resolve(given.from), path.resolve(given.into)]
  const on = (folder: string): CommandTarget => ({ databaseUrl: undefined, dataDir: folder, namedStatements: false, say })
  const named = async (folder: string): Promise<ReadonlySet<string>> => (await onDatabase(on(folder), namedIn)) ?? new Set()
  try {
    const restored = await restoreBackup({ from, into: dataDir, at, secretKeyFile: given['secret-key'], namedIn: named, say })
    say(
      `Restored backup ${restored.backup} into ${dataDir}. The last commit in its log is of ${restored.lastCommit ?? 'before the backup'}.`,
    )
    for (const name of restored.missing) say(`The file ${name} is not in the backup.`)
    await tellLast(on(dataDir))
    const audited = await auditNow(on(dataDir))
    say(
      'Before you start a server on it: npm run after-restore, as docs/runbooks/restore.md says. What came after that second is not in it.',
    )
    return audited === 0 && restored.missing.length === 0 ? 0 : 1
  } catch (error) {
    const isPlain = error instanceof BackupError || error instanceof EmbeddedPostgresError
    say(isPlain ? error.message : `Nothing was restored: ${String(error)}`)
    return 1
  }
}

/** Says the last movement of money and the last entry that the database has. */
async function tellLast(target: CommandTarget): Promise<void> {
  await onDatabase(target, async (url) => {
    const db = connect({ url, max: 1, named: false, applicationName: 'roz-restore' })
    try {
      const { moved, joined } = await one<{ moved: Date | null; joined: Date | null }>(
        db,
        sql`select (select created_at from transfer order by transfer_id desc limit 1) as moved,
                   (select created_at from join_batch order by batch_id desc limit 1) as joined`,
      )
      const timeOf = (at: Date | null): string => (at === null ? 'none' : isoIst(at.getTime()))
      target.say(`Its last movement of money: ${timeOf(moved)}; its last entries: ${timeOf(joined)}.`)
    } finally {
      await db.close()
    }
  })
}
