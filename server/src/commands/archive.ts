/**
 * `roz archive move --before 2025-11 --to FOLDER`: moves the months of entries before 2025-11 from the database to files, also while
 * the server runs. `roz archive load 2025-03` loads a month again, and `roz archive list` names what is archived.
 * - The audit runs before the first month leaves, and after the last one: broken books are never archived.
 * - A month leaves when its file was read back and compared. Members still see everything of it
 *   (docs/decisions/0039-old-months-leave-the-database.md).
 * - After an interrupted run everything stays readable; the next run resumes. A second run at the same time is refused.
 * - Exit code: 0 if all is done and the audit passes, 1 if not, 2 for wrong arguments, or where the run could not go on.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import type pg from 'pg'
import { fileMonth, loadMonth, type Reached, removePartition } from '../archive/archive-month.ts'
import { ArchiveError, fileOf, type Month, verifyMonth } from '../archive/month-file.ts'
import { expectOld, expectSettled, findArchived, listArchived, listMonths, tableOf } from '../archive/months.ts'
import { auditSettings, type Environment } from '../config/config.ts'
import { tryLockOwner } from '../db/advisory-locks.ts'
import { openConnection } from '../db/hosts.ts'
import { auditNow } from './audit.ts'
import { openOwner, reasonOf } from './command-database.ts'
import { pairsOf } from './arguments.ts'

const USAGE = [
  'roz archive move --before 2025-11 --to FOLDER [--from FOLDER] (months before that one; the folder is outside DATA_DIR)',
  'roz archive load 2025-03 [--from FOLDER] (into the database of DATABASE_URL and MIGRATE_DATABASE_URL, or the local one)',
  'roz archive list',
]
const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/
/** Dates as the files have them. A connection whose program died ends, also while it waits. */
const SESSION = `set datestyle = 'ISO, YMD'; set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0; set client_connection_check_interval = '500ms'`

type Say = (line: string) => void
type Run = {
  readonly owner: pg.Client
  readonly url: string
  /** Where the files of months that were archived before are now, if it is not where they were written. */
  readonly from: string | undefined
  readonly say: Say
  readonly reached: Reached | undefined
}

export async function archiveNow(env: Environment, words: readonly string[], say: Say, reached?: Reached): Promise<0 | 1 | 2> {
  const given = words.join(' ') === '--list' ? {} : pairsOf(words, ['before', 'to', 'restore', 'from'], [])
  const { before, to, restore, from } = given ?? {}
  const isMonth = MONTH.test(before ?? restore ?? '')
  const archives = isMonth && before !== undefined && to !== undefined && restore === undefined
  const restores = isMonth && restore !== undefined && before === undefined && to === undefined
  if (given === undefined || (!archives && !restores && words.length !== 1)) {
    for (const line of USAGE) say(line)
    return 2
  }
  try {
    const folder = to === undefined ? undefined : outside(auditSettings(env).dataDir, to)
    const own = await openOwner(env)
    try {
      const owner = await openConnection(own.url, 'roz-archive')
      try {
        await owner.query(SESSION)
        if (words.length === 1) return await list(owner, say)
        await expectAlone(owner)
        const run = { owner, url: own.url, from: from === undefined ? undefined : path.resolve(from), say, reached }
        return folder === undefined ? await restoreMonth(run, restore as Month) : await archiveMonths(run, before as Month, folder)
      } finally {
        await owner.end()
      }
    } finally {
      await own.close()
    }
  } catch (error) {
    const isRefused = error instanceof ArchiveError
    say(isRefused ? error.message : `The run stopped: ${reasonOf(error)}`)
    return isRefused ? 1 : 2
  }
}

/** Uploads are under DATA_DIR, and it is the disk that the archive shall make room on. */
function outside(dataDir: string, to: string): string {
  const folder = path.resolve(to)
  if (!path.relative(dataDir, folder).startsWith('..'))
    throw new ArchiveError(`${folder} is inside DATA_DIR: choose a folder outside, best on another disk.`)
  return folder
}

async function expectAlone(owner: pg.Client): Promise<void> {
  if (!(await tryLockOwner(owner, 'archive')))
    throw new ArchiveError('Another run of roz archive is under way on this database: wait for its end.')
}

/** Says the audit's lines only where it is not well. */
async function expectSound({ url, say }: Run, when: string): Promise<boolean> {
  const lines: string[] = []
  const code = await auditNow({ databaseUrl: url, dataDir: '', namedStatements: false, say: (line) => void lines.push(line) })
  if (code === 0) say(`${lines.at(-1)} (${when})`)
  else for (const line of lines.filter((each) => !each.startsWith('✓'))) say(line)
  return code === 0
}

async function archiveMonths(run: Run, before: Month, folder: string): Promise<0 | 1> {
  const { owner, say, reached } = run
  await expectOld(owner, before)
  await finishEarlier(run)
  const months: Month[] = []
  for (const month of await listMonths(owner, before)) {
    if (await expectSettled(owner, month)) months.push(month)
    else say(`${month} has no entries.`)
  }
  if (months.length === 0) {
    say(`No month before ${before} is left in the database.`)
    return 0
  }
  if (!(await expectSound(run, 'before'))) {
    say('Nothing was archived: docs/runbooks/books-broken.md says what to do first.')
    return 1
  }
  for (const month of months) {
    await fileMonth(owner, month, folder, reached)
    await removePartition(owner, month, reached)
    const { entries } = (await findArchived(owner, month)) ?? { entries: 0n }
    say(`${month}: ${entries} entries are in ${fileOf(folder, month)}, and their table has left the database.`)
  }
  const isSound = await expectSound(run, 'after')
  say('Copy the folder to a second place: a month is in no later backup of the database.')
  return isSound ? 0 : 1
}

/** A run that was cut off has noted a month whose table is still there. Its file is read once more before the table leaves. */
async function finishEarlier({ owner, from, say, reached }: Run): Promise<void> {
  for (const noted of await listArchived(owner)) {
    if (noted.restoredAt !== null) continue
    const { rows } = await owner.query<{ isThere: boolean }>('select to_regclass($1) is not null as "isThere"', [tableOf(noted.month)])
    if (rows[0]?.isThere !== true) continue
    await verifyMonth(from ?? noted.folder, noted.month, noted)
    await removePartition(owner, noted.month, reached)
    say(`${noted.month}: a run before was cut off; its table has left the database now.`)
  }
}

async function restoreMonth(run: Run, month: Month): Promise<0 | 1> {
  const { owner, from, say, reached } = run
  const noted = await findArchived(owner, month)
  if (noted === undefined) throw new ArchiveError(`${month} is not in the archive of this database: roz archive list.`)
  await loadMonth(owner, noted, from ?? noted.folder, reached)
  say(`${month}: ${noted.entries} entries are in the database again, from ${fileOf(from ?? noted.folder, month)}.`)
  return (await expectSound(run, 'after')) ? 0 : 1
}

async function list(owner: pg.Client, say: Say): Promise<0> {
  const all = await listArchived(owner)
  if (all.length === 0) say('No month is archived.')
  for (const { month, entries, folder, sha256, archivedAt, restoredAt } of all) {
    const file = fileOf(folder, month)
    const state =
      restoredAt === null
        ? `archived ${archivedAt.toISOString()}, ${existsSync(file) ? 'the file is there' : 'the file is not there: --from names another place'}`
        : `restored ${restoredAt.toISOString()}`
    say(`${month}: ${entries} entries, ${file}, ${state}, SHA-256 ${sha256}`)
  }
  return 0
}
