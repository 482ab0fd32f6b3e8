/**
 * `npm run backup -- --to FOLDER`: takes a backup of the local database and its uploads, also while the server runs.
 * - From the first backup on, every commit is in the folder within about a minute, as long as the server runs.
 * - The secret key and the settings are not in it: whoever finds the folder cannot open what is encrypted.
 * - `-- --by NAME` only notes that another program took one, for the alert on a missing backup.
 * - Exit code: 0 if the backup is complete and was read back, 1 otherwise, 2 for wrong arguments.
 */
import { existsSync, realpathSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { BackupError } from '../backup/backup-folder.ts'
import { noteBackup } from '../backup/backup-note.ts'
import type { Source } from '../backup/ship.ts'
import { takeBackup } from '../backup/take.ts'
import { auditSettings, type Environment } from '../config/config.ts'
import { Settings } from '../config/settings.ts'
import { storageSettings } from '../config/storage-settings.ts'
import { EmbeddedPostgresError } from '../db/embedded/error.ts'
import { alone } from '../db/embedded/lock.ts'
import { startPostgres } from '../db/embedded/embedded.ts'
import { onDatabase } from './command-database.ts'
import { pairsOf } from './arguments.ts'

const KEEP = 7
const USAGE = `npm run backup -- --to FOLDER [--keep ${KEEP}] (the folder is outside DATA_DIR, best on another disk), or -- --by NAME to note one that another program took`
const ELSEWHERE = 'DATABASE_URL is set: back that PostgreSQL up with pgBackRest, as docs/runbooks/backup.md says.'

export async function backupNow(env: Environment, words: readonly string[], say: (line: string) => void): Promise<0 | 1 | 2> {
  if (words[0] === '--by') return noteOther(env, words, say)
  const given = pairsOf(words, ['to', 'keep'], ['to'])
  const keep = Number(given?.keep ?? KEEP)
  if (given === undefined || !Number.isInteger(keep) || keep < 1) {
    say(USAGE)
    return 2
  }
  const { databaseUrl, dataDir } = auditSettings(env)
  const uploads = storageSettings(new Settings(env), dataDir, () => true)
  if (databaseUrl !== undefined) {
    say(ELSEWHERE)
    return 2
  }
  try {
    const source = {
      postgres: path.join(realpathSync(dataDir), 'postgres'),
      uploads: uploads.kind === 'files' ? uploads.folder : undefined,
    }
    return await run(source, { folder: await folderOf(given.to, dataDir), keep, say })
  } catch (error) {
    const isPlain = error instanceof BackupError || error instanceof EmbeddedPostgresError
    say(isPlain ? error.message : `The backup was not finished: ${String(error)}`)
    return 1
  }
}

async function noteOther(env: Environment, words: readonly string[], say: (line: string) => void): Promise<0 | 1 | 2> {
  const by = pairsOf(words, ['by'], ['by'])?.by
  if (by === undefined) {
    say(USAGE)
    return 2
  }
  try {
    const noted = await onDatabase({ ...auditSettings(env), say }, async (url) => {
      await noteBackup(url, 'backup')
      return true
    })
    if (noted === true) say(`Noted: ${by} took a backup now.`)
    return noted === true ? 0 : 1
  } catch (error) {
    say(`The backup could not be noted: ${error instanceof Error ? error.message : String(error)}`)
    return 1
  }
}

async function folderOf(to: string, dataDir: string): Promise<string> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  const [folder, data] = [realpathSync(to), realpathSync(dataDir)]
  const isWithin = (inner: string, outer: string): boolean => inner === outer || inner.startsWith(`${outer}${path.sep}`)
  if (isWithin(folder, data) || isWithin(data, folder))
    throw new BackupError(`One of ${folder} and DATA_DIR is inside the other: the backup would be lost with its data.`)
  return folder
}

type Words = { readonly folder: string; readonly keep: number; readonly say: (line: string) => void }

async function run(source: Source, { folder, keep, say }: Words): Promise<0 | 1> {
  if (!existsSync(path.join(source.postgres, 'cluster'))) throw new BackupError('There is no database: name its folder by DATA_DIR.')
  const local = await startPostgres({ dataDir: source.postgres, log: () => undefined })
  try {
    const take = () => takeBackup({ source, superUrl: local.superUrl, folder, keep, say })
    const taken = await alone(path.join(source.postgres, 'backup'), 0, take)
    if (taken === undefined) throw new BackupError('Another backup of this database is being taken.')
    const { name, manifest, removed } = taken
    const bytes = Object.values(manifest.files).reduce((sum, { size }) => sum + size, 0)
    const uploaded = source.uploads === undefined ? 'the uploads are in STORAGE_URL and not in it' : `${manifest.uploads.length} uploads`
    say(`${folder}/${name}: ${Object.keys(manifest.files).length} files, ${(bytes / 1e6).toFixed(1)} MB, ${uploaded}. All were read back.`)
    // An older release's database has no place for it. The backup is good all the same.
    await noteBackup(local.appUrl, 'backup').catch((error: Error) =>
      say(`That it was taken could not be noted, and an alert may report it as missing: ${error.message}`),
    )
    for (const old of removed) say(`Removed ${old}, older than the newest ${keep}.`)
    say(`Any second from ${manifest.endedAt} on can be restored: npm run restore -- --from ${folder} --into NEW_DATA_DIR --at …`)
    say('Not in it: the secret key (SECRET_KEY, or the file secret-key in DATA_DIR) and the settings. Keep them in another place.')
    return 0
  } finally {
    await local.stop()
  }
}
