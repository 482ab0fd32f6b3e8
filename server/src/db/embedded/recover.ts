/**
 * Recovers a database from a backup's files and its WAL, up to a chosen instant.
 * - The database has every commit that was acknowledged before the instant: PostgreSQL stamps a commit before it acknowledges it, and
 *   the replay stops at the first commit with a later stamp.
 * - If the WAL ends before the instant, the recovery fails and names the last commit.
 * - The roles get new passwords, because a backup has none.
 * - The recovered database is marked as restored (db/restored.ts).
 *
 *   <postgres>/cluster/          the copied files, and all folders, also empty ones
 *   <postgres>/cluster/wal-in/   WAL segments from the backup's first one on; only PostgreSQL's own user can read them
 */
import { closeSync, openSync, readFileSync } from 'node:fs'
import { chmod, mkdir, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { binaries, type Binaries } from './binaries.ts'
import { EmbeddedPostgresError } from './error.ts'
import { giveTo, type Identity, identityFor, isRoot } from './identity.ts'
import { endPostmaster } from './postmaster.ts'
import { freePort, isAlive } from './process.ts'
import { targetSetting } from '../restored.ts'
import { makePasswords, type Passwords } from './roles.ts'

export type Recovery = {
  readonly postgres: string
  /** Undefined: to the end of the WAL. */
  readonly at: Date | undefined
  readonly say: (line: string) => void
}
type Place = { readonly postgres: string; readonly cluster: string; readonly programs: Binaries; readonly identity: Identity }

const TELL_MS = 10_000
const COMMON = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'timezone=UTC', 'log_timezone=UTC', 'log_error_verbosity=terse']
/** The replay serves no connection, so it needs none of the first server's settings. */
const RECOVERING = ['hot_standby=off', 'archive_mode=off', 'restore_command=cp "wal-in/%f" "%p"', 'recovery_target_action=promote']

/** Returns the time of the database's last commit; undefined if the WAL has no commit. */
export async function recover({ postgres, at, say }: Recovery): Promise<string | undefined> {
  const cluster = path.join(postgres, 'cluster')
  const programs = await binaries(path.join(postgres, '..', 'postgres-lib'))
  await chmod(postgres, isRoot() ? 0o711 : 0o700)
  await writeFile(path.join(cluster, 'recovery.signal'), '', { mode: 0o600 })
  // Removes the first server's settings, such as its archive_timeout: they do not apply here.
  await writeFile(path.join(cluster, 'postgresql.auto.conf'), '', { mode: 0o600 })
  await chmod(cluster, 0o700)
  const identity = await identityFor(cluster, programs)
  const place = { postgres, cluster, programs, identity }
  const last = await replay(place, at, say)
  await rm(path.join(cluster, 'wal-in'), { recursive: true })
  // Written only after the replay: PostgreSQL would take it as a second recovery target.
  await writeFile(path.join(cluster, 'postgresql.auto.conf'), targetSetting(new Date()))
  const passwords = await makePasswords(path.join(postgres, 'passwords.json'))
  await setPasswords(place, passwords)
  const owner = await stat(postgres)
  for (const name of ['passwords.json', 'postgres.log']) await giveTo(owner, path.join(postgres, name))
  await mkdir(path.join(postgres, 'users'), { recursive: true })
  await giveTo(owner, path.join(postgres, 'users'))
  return last
}

async function replay({ postgres, cluster, programs, identity }: Place, at: Date | undefined, say: (line: string) => void) {
  const file = path.join(postgres, 'postgres.log')
  const log = openSync(file, 'a', 0o600)
  // PostgreSQL does not read a “Z” here.
  const target = at === undefined ? [] : [`recovery_target_time=${at.toISOString().replace('Z', '+00')}`]
  const settings = [`port=${await freePort()}`, ...COMMON, ...RECOVERING, ...target].flatMap((setting) => ['-c', setting])
  const child = identity.spawn(programs.postgres, ['-D', cluster, ...settings], {
    cwd: '/',
    env: programs.env,
    detached: true,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  const { pid } = child
  let ended = pid === undefined
  child.once('exit', () => {
    ended = true
  })
  child.once('error', () => {
    ended = true
  })
  const stop = (): void => void (pid !== undefined && isAlive(pid) && process.kill(pid, 'SIGINT'))
  process.on('exit', stop)
  try {
    for (let waited = 0; !ended && !isReady(cluster, pid); waited += 50) {
      if (waited > 0 && waited % TELL_MS === 0) say(`Replaying the log… ${reachedIn(file) ?? ''}`)
      await sleep(50)
    }
    const told = readFileSync(file, 'utf8')
    if (ended || pid === undefined) throw new EmbeddedPostgresError(explain(told, at))
    await endPostmaster(pid, cluster)
    return lastCommit(told)
  } finally {
    process.off('exit', stop)
    stop()
  }
}

function isReady(cluster: string, pid: number | undefined): boolean {
  try {
    const lines = readFileSync(path.join(cluster, 'postmaster.pid'), 'utf8').split('\n')
    return Number(lines[0]) === pid && lines[7]?.trim() === 'ready'
  } catch {
    return false
  }
}

const reachedIn = (file: string): string | undefined =>
  readFileSync(file, 'utf8')
    .match(/redo in progress.*$/gm)
    ?.at(-1)
const lastCommit = (told: string): string | undefined => told.match(/last completed transaction was at log time (.+)$/m)?.[1]

function explain(told: string, at: Date | undefined): string {
  if (told.includes('recovery ended before configured recovery target was reached')) {
    const last = lastCommit(told)
    return (
      `The backup's log ends before ${at?.toISOString() ?? ''}: ${last === undefined ? 'it has no commit' : `its last commit is of ${last}`}. ` +
      'Restore an earlier second, or leave out --at to restore all there is.'
    )
  }
  return `The database could not be recovered: ${told.trim().split('\n').slice(-5).join('\n')}`
}

/** Sets the passwords in single-user mode: no client can connect before the roles have them. */
async function setPasswords({ cluster, programs, identity }: Place, passwords: Passwords): Promise<void> {
  const child = identity.spawn(programs.postgres, ['--single', '-D', cluster, 'postgres'], {
    cwd: '/',
    env: programs.env,
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  let complaint = ''
  child.stderr?.on('data', (text: Buffer) => {
    complaint += text.toString()
  })
  const statements = Object.entries(passwords).map(([role, password]) => `alter role ${role} password ${pg.escapeLiteral(password)}\n`)
  child.stdin?.end(statements.join(''))
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  if (code !== 0 || /\b(ERROR|FATAL)\b/.test(complaint)) throw new EmbeddedPostgresError(`The roles got no passwords: ${complaint.trim()}`)
}
