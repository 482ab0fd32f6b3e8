/**
 * `npm run move-database`: copies everything into the empty database of TO_DATABASE_URL, also of a newer PostgreSQL. `-- --to
 * FOLDER` copies into a new DATA_DIR instead.
 * - A password among the arguments is refused: every user of the machine can see a process's arguments.
 * - No server runs meanwhile: a database in use is refused.
 * - All rows are read in one snapshot and written in one transaction: the new database is complete, or empty.
 * - Before it commits, the rows of every table are counted and hashed on both sides, and every sequence and foreign key is checked.
 * - It ends with the audit of the new database. The old one is only read.
 * - Exit code: 0 if all is equal and the audit passes, 1 otherwise, 2 for wrong arguments.
 */
import { existsSync, readdirSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type pg from 'pg'
import { auditSettings, type Environment, hasPassword, moveTarget } from '../config/config.ts'
import { copyDatabase, expectEmpty } from '../db/copy-database.ts'
import { startPostgres } from '../db/embedded/embedded.ts'
import { openConnection } from '../db/hosts.ts'
import { migrate } from '../db/migrate.ts'
import { findUnjoined } from '../db/restored.ts'
import { connect } from '../db/sql.ts'
import { auditNow } from './audit.ts'
import { openOwner, type OwnersDatabase } from './command-database.ts'
import { pairsOf } from './arguments.ts'

const USAGE =
  'npm run move-database, with the address of the new database in TO_DATABASE_URL (or -- --to NEW_DATA_DIR, for a local database)'
const SEEN =
  'Every user of this machine sees the words of a command, and these have a password: put the address into TO_DATABASE_URL, leave out --to, and give the role a new password.'
type Say = (line: string) => void

export async function moveDatabaseNow(env: Environment, words: readonly string[], say: Say): Promise<0 | 1 | 2> {
  const given = pairsOf(words, ['to'], [])
  const [named, set] = [given?.to, moveTarget(env)]
  const to = named ?? set
  if (given === undefined || to === undefined || (named !== undefined && set !== undefined)) {
    say(USAGE)
    return 2
  }
  if (named !== undefined && hasPassword(named)) {
    say(SEEN)
    return 2
  }
  const opened: OwnersDatabase[] = []
  try {
    const { dataDir } = auditSettings(env)
    const own = await openOwner(env)
    opened.push(own)
    await expectJoined(own.url)
    const target = /^postgres(ql)?:\/\//.test(to) ? to : await makeLocal(to, opened)
    const from = await openConnection(own.url, 'roz-move-database')
    const into = await openConnection(target, 'roz-move-database')
    try {
      // Before anything is changed there.
      await expectEmpty(into)
      await migrate(target, { production: false })
      await expectQuiet(from)
      await copyDatabase(from, into, say)
    } finally {
      await from.end()
      await into.end()
    }
    return (await auditNow({ databaseUrl: target, dataDir, namedStatements: false, say })) === 0 ? 0 : 1
  } catch (error) {
    say(`Nothing was moved: ${error instanceof Error ? error.message : String(error)}`)
    return 1
  } finally {
    for (const one of opened) await one.close()
  }
}

async function makeLocal(dataDir: string, opened: OwnersDatabase[]): Promise<string> {
  const folder = path.join(path.resolve(dataDir), 'postgres')
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new Error(`${folder} is not empty: name a new folder`)
  await mkdir(path.dirname(folder), { recursive: true })
  const local = await startPostgres({ dataDir: folder, log: () => undefined })
  opened.push({ url: local.ownerUrl, close: local.stop })
  return local.ownerUrl
}

/** The new database would not say any more that it comes from a restore. */
async function expectJoined(url: string): Promise<void> {
  const db = connect({ url, max: 1, named: false, applicationName: 'roz-move-database' })
  try {
    if ((await findUnjoined(db)) !== undefined)
      throw new Error('the database was restored: run npm run after-restore on it first (docs/runbooks/restore.md)')
  } finally {
    await db.close()
  }
}

/** A server would go on writing into the old database. */
async function expectQuiet(from: pg.Client): Promise<void> {
  const { rows } = await from.query<{ count: number }>(
    'select count(*)::int as count from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  if ((rows[0]?.count ?? 0) > 0) throw new Error(`${rows[0]?.count} connections use the database: stop every server first`)
}
