/**
 * Finds the postmaster of a folder or starts one. Call it under the folder's lock (lock.ts).
 * - A pid file counts only if its process works in this folder.
 * - Processes of this folder that a killed postmaster left behind are killed after 3 s.
 */
import { closeSync, fstatSync, openSync, readFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Binaries } from './binaries.ts'
import { EmbeddedPostgresError } from './error.ts'
import type { ProcessUser } from './identity.ts'
import { freePort, isAlive, processesIn, signal, waitUntil, worksIn } from './process.ts'

export type Postmaster = { readonly pid: number; readonly port: number; readonly adopted: boolean }
type Search = {
  readonly dataDir: string
  readonly cluster: string
  readonly programs: Binaries
  readonly identity: ProcessUser
  readonly log: (line: string) => void
  readonly flags: readonly string[]
  /** Set when the database is restarted under a running server: it keeps its port. */
  readonly port: number | undefined
}

const START_MS = 120_000
const ORPHAN_PATIENCE_MS = 3000
const FAST_STOP_MS = 3500
const QUICK_STOP_MS = 1500
const LOG_MAX_BYTES = 10_000_000

export async function findOrStart(search: Search): Promise<Postmaster> {
  const deadline = Date.now() + START_MS
  let orphansSince: number | undefined
  while (Date.now() < deadline) {
    const found = lookAtPidFile(search)
    if (found === 'busy') {
      await sleep(50)
      continue
    }
    if (found !== undefined) return found
    const outcome = await start(search)
    if (typeof outcome === 'object') return outcome
    if (outcome === 'orphans') {
      orphansSince ??= Date.now()
      if (Date.now() - orphansSince > ORPHAN_PATIENCE_MS) endOrphans(search)
    }
    await sleep(100)
  }
  throw new EmbeddedPostgresError(`The local database did not start within two minutes. Its log: ${logFile(search)}`)
}

/** Sends SIGINT (fast stop), then SIGQUIT (immediate), then SIGKILL, within about 5 s. The write-ahead log keeps the data safe. */
export async function endPostmaster(pid: number, cluster: string): Promise<void> {
  if (!worksIn(pid, cluster)) return
  const gone = (): boolean => !isAlive(pid)
  signal(pid, 'SIGINT')
  if (await waitUntil(gone, FAST_STOP_MS)) return
  signal(pid, 'SIGQUIT')
  if (await waitUntil(gone, QUICK_STOP_MS)) return
  signal(pid, 'SIGKILL')
  for (const left of processesIn(cluster)) signal(left, 'SIGKILL')
}

/** Adopts a running postmaster; `busy` while it is not ready; undefined when there is none. */
function lookAtPidFile({ cluster, log }: Search): Postmaster | 'busy' | undefined {
  const file = path.join(cluster, 'postmaster.pid')
  const lines = readLines(file)
  if (lines === undefined) return undefined
  const pid = Number(lines[0])
  if (worksIn(pid, cluster)) {
    if (lines[7]?.trim() !== 'ready') return 'busy'
    log('The database is still running from an earlier start: this start uses it.')
    return { pid, port: Number(lines[3]), adopted: true }
  }
  // PostgreSQL itself would trust any running process with that pid, for instance after a restart of the container.
  log('The database was not stopped last time: it recovers from its log.')
  rmSync(file, { force: true })
  return undefined
}

async function start(search: Search): Promise<Postmaster | 'again' | 'orphans'> {
  const { cluster, programs, identity, flags } = search
  const port = search.port ?? (await freePort())
  const log = openLog(search)
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'timezone=UTC', 'log_timezone=UTC']
  // Details of a refused row contain personal data: terse keeps them out of the log.
  const all = [...settings, 'log_error_verbosity=terse', ...flags].flatMap((setting) => ['-c', setting])
  // Its own process group: Ctrl-C must reach the server alone, which then stops the database in order.
  const child = identity.spawn(programs.postgres, ['-D', cluster, ...all], {
    cwd: '/',
    env: programs.env,
    detached: true,
    windowsHide: true,
    stdio: ['ignore', log.fd, log.fd],
  })
  const pid = child.pid
  let ended = pid === undefined
  child.once('exit', () => {
    ended = true
  })
  child.once('error', () => {
    ended = true
  })
  child.unref()
  closeSync(log.fd)
  // If this process exits while the database starts, the database must not stay behind unknown.
  const abandon = (): void => {
    if (pid !== undefined) signal(pid, 'SIGINT')
  }
  process.on('exit', abandon)
  try {
    const ready = (): boolean => {
      const lines = readLines(path.join(cluster, 'postmaster.pid'))
      return lines !== undefined && Number(lines[0]) === pid && lines[7]?.trim() === 'ready'
    }
    await waitUntil(() => ended || ready(), START_MS, 10)
    if (!ended && pid !== undefined) return { pid, port, adopted: false }
  } finally {
    process.off('exit', abandon)
  }
  return explain(readFileSync(logFile(search)).subarray(log.size).toString())
}

/** Classifies a failed start by its log. Throws the log's last lines where the cause is unknown. */
function explain(text: string): 'again' | 'orphans' {
  if (text.includes('pre-existing shared memory block')) return 'orphans'
  if (/could not bind|Address already in use|lock file "postmaster\.pid" already exists/i.test(text)) return 'again'
  throw new EmbeddedPostgresError(`The local database does not start: ${text.trim().split('\n').slice(-5).join('\n') || 'without a word'}`)
}

function endOrphans({ cluster, log }: Search): void {
  const orphans = processesIn(cluster)
  if (orphans.length > 0) log(`Ending ${orphans.length} process(es) that a killed database left behind.`)
  for (const pid of orphans) signal(pid, 'SIGKILL')
}

function openLog(search: Search): { readonly fd: number; readonly size: number } {
  const file = logFile(search)
  const fd = openSync(file, 'a', 0o600)
  const { size } = fstatSync(fd)
  if (size < LOG_MAX_BYTES) return { fd, size }
  closeSync(fd)
  renameSync(file, `${file}.old`)
  return { fd: openSync(file, 'a', 0o600), size: 0 }
}

const logFile = ({ dataDir }: { readonly dataDir: string }): string => path.join(dataDir, 'postgres.log')

function readLines(file: string): string[] | undefined {
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
