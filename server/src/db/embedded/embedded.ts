/**
 * Makes, starts or adopts, watches and stops the local PostgreSQL under DATA_DIR.
 * - A folder has one postmaster.
 * - New data are made in a temporary folder and renamed when they are complete.
 * - Each process that uses the database has a file in `users/`. The last one to leave stops the database.
 * - A start after any crash succeeds without manual repair.
 *
 *   <dataDir>/cluster/         PostgreSQL's own files
 *   <dataDir>/passwords.json   0600
 *   <dataDir>/postgres.log
 *   <dataDir>/users/           one empty file per process that uses the database
 */
import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { binaries, type Binaries } from './binaries.ts'
import { EmbeddedPostgresError } from './error.ts'
import { giveTo, type ProcessUser, identityFor, identityOf, isRoot, refuseForeign } from './identity.ts'
import { alone } from './lock.ts'
import { endPostmaster, findOrStart, type Postmaster } from './postmaster.ts'
import { isAlive, signal, startOf } from './process.ts'
import { ensureRoles, makePasswords, type Passwords, readPasswords, urlAs } from './roles.ts'
import { PG_MAJOR } from '../supported-database.ts'

export type EmbeddedPostgres = {
  readonly superUrl: string
  readonly ownerUrl: string
  readonly appUrl: string
  readonly port: number
  /** True when a killed server had left it running. */
  readonly adopted: boolean
  readonly stop: () => Promise<void>
}
type EmbeddedOptions = {
  /** A folder for the database alone. It appears when the database in it is complete. */
  readonly dataDir: string
  readonly log: (line: string) => void
  /** Further settings, as `name=value`. */
  readonly flags?: readonly string[]
  /** False only for data that is thrown away. */
  readonly durable?: boolean
}
type Place = { readonly dataDir: string; readonly cluster: string; readonly programs: Binaries }

/** initdb's flags for the encoding and locale of new data. */
export const LOCALE = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'] as const
const START_WAIT_MS = 120_000
const STOP_WAIT_MS = 2000
const WATCH_MS = 500

export async function startPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const dataDir = await settle(options.dataDir)
  const place: Place = {
    dataDir,
    cluster: path.join(dataDir, 'cluster'),
    programs: await binaries(path.join(dataDir, '..', 'postgres-lib')),
  }
  const started = await alone(dataDir, START_WAIT_MS, () => startHere(place, options))
  if (started === undefined) throw new EmbeddedPostgresError(`Another start has been busy with the database in ${dataDir} for two minutes.`)
  return new Supervisor(place, options, started).handle()
}

/** A database without fsync in the system's temporary folder. `stop` deletes it. */
export async function temporaryPostgres(
  options: { readonly flags?: readonly string[]; readonly log?: (line: string) => void } = {},
): Promise<EmbeddedPostgres> {
  const folder = await mkdtemp(path.join(tmpdir(), 'roz-postgres-'))
  // PostgreSQL's user must be able to pass through this folder. The passwords and data in it are closed to others by their own modes.
  await chmod(folder, 0o711)
  const flags = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', ...(options.flags ?? [])]
  const log = options.log ?? (() => undefined)
  try {
    const running = await startPostgres({ dataDir: path.join(folder, 'postgres'), log, flags, durable: false })
    const stop = async (): Promise<void> => {
      await running.stop()
      await rm(folder, { recursive: true, force: true })
    }
    return { ...running, stop }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

type Started = { readonly postmaster: Postmaster; readonly identity: ProcessUser; readonly passwords: Passwords; readonly use: string }

async function startHere(place: Place, options: EmbeddedOptions): Promise<Started> {
  refuseForeign(place.dataDir)
  if (!existsSync(place.cluster)) await make(place, options)
  const identity = await identityOf(place.cluster, place.programs)
  await judgeVersion(place)
  const passwords = await readPasswords(path.join(place.dataDir, 'passwords.json'))
  const owner = await stat(place.dataDir)
  const use = writeDown(place.dataDir)
  await giveTo(owner, path.dirname(use))
  await giveTo(owner, use)
  const postmaster = await ready({ place, options, identity, passwords })
  await giveTo(owner, path.join(place.dataDir, 'postgres.log'))
  return { postmaster, identity, passwords, use }
}

type Wanted = {
  readonly place: Place
  readonly options: EmbeddedOptions
  readonly identity: ProcessUser
  readonly passwords: Passwords
  readonly port?: number | undefined
}

/** A postmaster that answers and has our roles. If it dies before it answers, it is started again, up to five times. */
async function ready(wanted: Wanted): Promise<Postmaster> {
  const { place, options, identity, passwords, port } = wanted
  for (let attempt = 0; attempt < 5; attempt++) {
    const postmaster = await findOrStart({ ...place, identity, log: options.log, flags: options.flags ?? [], port })
    const outcome = await ensureRoles(passwords, postmaster.port, () => !isAlive(postmaster.pid))
    if (outcome === 'ready') return postmaster
  }
  throw new EmbeddedPostgresError(
    `The local database ended right after each of five starts. Its log: ${path.join(place.dataDir, 'postgres.log')}`,
  )
}

/** The folder's real path, so that all processes compute the same lock and compare the same working folder. */
async function settle(wanted: string): Promise<string> {
  const parent = path.dirname(path.resolve(wanted))
  try {
    await mkdir(parent, { recursive: true })
    return path.join(realpathSync(parent), path.basename(wanted))
  } catch (error) {
    throw new EmbeddedPostgresError(`The folder ${parent} cannot be made: choose one of yours with DATA_DIR. (${String(error)})`, {
      cause: error,
    })
  }
}

/** Makes the data in a temporary folder and renames it: a start that is killed leaves no partial database. */
async function make({ dataDir, programs }: Place, { log, durable = true }: EmbeddedOptions): Promise<void> {
  log('Making the database…')
  const parent = path.dirname(dataDir)
  const prefix = `${path.basename(dataDir)}.making-`
  const folder = path.join(parent, `${prefix}${randomBytes(4).toString('hex')}`)
  try {
    for (const name of await readdir(parent)) {
      if (name.startsWith(prefix)) await rm(path.join(parent, name), { recursive: true, force: true })
    }
    await mkdir(folder, { mode: 0o711 })
  } catch (error) {
    throw new EmbeddedPostgresError(`This user may not write in ${parent}: choose a folder of yours with DATA_DIR. (${String(error)})`, {
      cause: error,
    })
  }
  try {
    await chmod(folder, isRoot() ? 0o711 : 0o700)
    await initialise(folder, programs, durable)
    await rename(folder, dataDir)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error
    throw new EmbeddedPostgresError(`${dataDir} is not empty and contains no database of Roz: choose another folder with DATA_DIR.`, {
      cause: error,
    })
  }
}

async function initialise(folder: string, programs: Binaries, durable: boolean): Promise<void> {
  const parent = await stat(path.dirname(folder))
  const cluster = path.join(folder, 'cluster')
  const passwordFile = path.join(folder, 'superuser-password')
  const passwords = await makePasswords(path.join(folder, 'passwords.json'))
  await giveTo(parent, folder)
  await giveTo(parent, path.join(folder, 'passwords.json'))
  await mkdir(cluster, { mode: 0o700 })
  const identity = await identityFor(cluster, programs)
  // initdb reads the file as the user that it runs as.
  await writeFile(passwordFile, passwords.postgres, { mode: 0o600 })
  if (identity.owner !== undefined) await giveTo(identity.owner, passwordFile)
  const access = ['--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256']
  const child = identity.spawn(programs.initdb, ['-D', cluster, ...access, ...LOCALE, ...(durable ? [] : ['--no-sync'])], {
    cwd: '/',
    env: programs.env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let complaint = ''
  child.stderr?.on('data', (text: Buffer) => {
    complaint += text.toString()
  })
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  if (code !== 0) throw new EmbeddedPostgresError(`The database could not be made: ${complaint.trim()}`)
  await rm(passwordFile)
}

async function judgeVersion({ cluster }: Place): Promise<void> {
  const version = (await readFile(path.join(cluster, 'PG_VERSION'), 'utf8')).trim()
  if (version === PG_MAJOR) return
  throw new EmbeddedPostgresError(
    `The database in ${cluster} was made by PostgreSQL ${version} and this version brings ${PG_MAJOR}: start the older Roz and back it up, or choose another DATA_DIR.`,
  )
}

/** Writes this process's file in `users/`. The name has its start time, so that a later process with its pid does not count as it. */
function writeDown(dataDir: string): string {
  const folder = path.join(dataDir, 'users')
  mkdirSync(folder, { recursive: true })
  const file = path.join(folder, `${process.pid}.${startOf(process.pid)}.${randomBytes(4).toString('hex')}`)
  writeFileSync(file, '')
  return file
}

/** Removes the files of ended processes. True: a running process still uses the database. */
function othersUse(dataDir: string): boolean {
  const folder = path.join(dataDir, 'users')
  const living = readdirSync(folder).filter((name) => {
    const [pid, ticks] = name.split('.')
    const lives = isAlive(Number(pid)) && startOf(Number(pid)) === ticks
    if (!lives) rmSync(path.join(folder, name), { force: true })
    return lives
  })
  return living.length > 0
}

/** Restarts the database whenever it ends, on one port, until this process stops it. */
class Supervisor {
  readonly #place: Place
  readonly #options: EmbeddedOptions
  readonly #started: Started
  readonly #watch: NodeJS.Timeout
  #postmaster: Postmaster
  #mending: Promise<void> | undefined
  #stopped: Promise<void> | undefined
  #missed = 0

  constructor(place: Place, options: EmbeddedOptions, started: Started) {
    this.#place = place
    this.#options = options
    this.#started = started
    this.#postmaster = started.postmaster
    this.#watch = setInterval(() => this.#look(), WATCH_MS).unref()
    process.on('exit', this.#leave)
  }

  handle(): EmbeddedPostgres {
    const { port, adopted } = this.#postmaster
    const url = (role: keyof Passwords): string => urlAs(role, this.#started.passwords, port)
    return {
      superUrl: url('postgres'),
      ownerUrl: url('roz_owner'),
      appUrl: url('roz_app'),
      port,
      adopted,
      stop: () => (this.#stopped ??= this.#stop()),
    }
  }

  /** Restarts after two misses, so that a signal to the whole process group, which stops the server too, causes no restart. */
  #look(): void {
    if (this.#mending !== undefined || this.#stopped !== undefined) return
    this.#missed = isAlive(this.#postmaster.pid) ? 0 : this.#missed + 1
    if (this.#missed < 2) return
    this.#options.log('The database ended by itself; starting it again.')
    this.#mending = this.#mend().finally(() => {
      this.#mending = undefined
      this.#missed = 0
    })
  }

  async #mend(): Promise<void> {
    const { identity, passwords } = this.#started
    const wanted = { place: this.#place, options: this.#options, identity, passwords, port: this.#postmaster.port }
    try {
      const found = await alone(this.#place.dataDir, START_WAIT_MS, () => ready(wanted))
      if (found !== undefined) this.#postmaster = found
    } catch (error) {
      this.#options.log(`The database could not be started again: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  async #stop(): Promise<void> {
    clearInterval(this.#watch)
    await this.#mending
    // If the lock stays taken, another process is starting on this folder and needs the database: it keeps running.
    await alone(this.#place.dataDir, STOP_WAIT_MS, async () => {
      rmSync(this.#started.use, { force: true })
      if (!othersUse(this.#place.dataDir)) await endPostmaster(this.#postmaster.pid, this.#place.cluster)
    })
    rmSync(this.#started.use, { force: true })
    process.off('exit', this.#leave)
  }

  /** Stops the database of a process that exits without `stop`: a synchronous signal is all that an exit handler can do. */
  readonly #leave = (): void => {
    rmSync(this.#started.use, { force: true })
    if (!othersUse(this.#place.dataDir)) signal(this.#postmaster.pid, 'SIGINT')
  }
}
