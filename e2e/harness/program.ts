/**
 * Runs the real program as a separate process with free ports and its own data folder. A test can stop, kill and restart it.
 * - Every process is recorded before it runs; `endEverything` ends each one and its database.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { dayAt } from '@roz/core/ist-day.ts'
import { processesIn, signal, waitUntil } from '@roz/server/db/embedded/process.ts'
import { copyFirstData } from './first-data.ts'

export const ROOT = path.resolve(import.meta.dirname, '../..')
const READY_MS = 120_000
/** The server's own limit for an orderly stop is 8 s. */
const STOP_MS = 20_000
const GONE_MS = 10_000
export const ADMIN = { email: 'admin@roz.local', password: 'admin-password' } as const

const children = new Set<ChildProcess>()
/** The programs that run now. */
const served = new Map<ChildProcess, { readonly url: string; readonly dataDir: string; readonly output: () => string }>()
const dataDirs = new Set<string>()
/** Data folders of servers that were killed and not restarted: their databases rightly live on. */
const orphaned = new Set<string>()

export type Program = {
  readonly url: string
  readonly port: number
  readonly sandboxUrl: string
  readonly dataDir: string
  readonly pid: number
  /** The output so far. */
  readonly output: () => string
  /** Sends SIGTERM and waits; the exit code. */
  readonly stop: () => Promise<number | null>
  /** kill -9 and wait. */
  readonly kill: () => Promise<void>
  /** Resolves when the process has ended, for any reason. */
  readonly ended: Promise<number | null>
}

type ProgramOptions = {
  readonly dataDir?: string
  readonly port?: number
  readonly env?: Readonly<Record<string, string>>
  /** The sources to run; by default this checkout's. */
  readonly sources?: string
}

/** Below the ephemeral ports of outgoing connections: our port stays free while its server is down. */
const PORTS = { first: 10_240, count: 20_000 } as const

/** Two adjacent free ports: the product's and its sandbox's. */
export async function freePorts(): Promise<number> {
  for (;;) {
    const port = PORTS.first + 2 * Math.floor((Math.random() * PORTS.count) / 2)
    if ((await isFree(port)) && (await isFree(port + 1))) return port
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })

/** The built web: the test launcher's, otherwise the newest build. */
export function webDir(): string {
  const given = process.env.WEB_DIR
  if (given !== undefined) return given
  const builds = path.join(ROOT, '.build', 'web')
  const newest = existsSync(builds)
    ? readdirSync(builds)
        .map((name) => path.join(builds, name))
        .filter((folder) => statSync(folder).isDirectory())
        .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0]
    : undefined
  if (newest === undefined) throw new Error('The web is not built: run npm test, or node web/build.ts')
  return newest
}

export function newDataDir(): string {
  const dataDir = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'roz-e2e-')))
  dataDirs.add(dataDir)
  // Under root the database runs as another user, who must be able to enter this folder.
  chmodSync(dataDir, 0o711)
  return dataDir
}

/** Starts a process of ours that is not the server. */
export function startChild(script: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      TMPDIR: os.tmpdir(),
      ...(process.env.ROZ_TEST_RUN === undefined ? {} : { ROZ_TEST_RUN: process.env.ROZ_TEST_RUN }),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.add(child)
  child.once('exit', (_code, killedBy) => {
    children.delete(child)
    served.delete(child)
    if (killedBy === 'SIGKILL' && env.DATA_DIR !== undefined) orphaned.add(env.DATA_DIR)
  })
  return child
}

/** The process ids of a local database, the postmaster first. */
export function databaseProcesses(dataDir: string): number[] {
  const cluster = path.join(dataDir, 'postgres', 'cluster')
  if (!existsSync(cluster)) return []
  const postmaster = postmasterOf(cluster)
  return processesIn(cluster).sort((a, b) => Number(b === postmaster) - Number(a === postmaster))
}

function postmasterOf(cluster: string): number | undefined {
  try {
    return Number(readFileSync(path.join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0])
  } catch {
    return undefined
  }
}

export const programsServing = () => [...served.values()]

/** Ends every process that this test file started and removes their files; returns those that did not end by themselves. */
export async function endEverything(): Promise<string[]> {
  const complaints: string[] = []
  for (const child of children) child.kill('SIGTERM')
  const isQuiet = (): boolean => children.size === 0
  if (!(await waitUntil(isQuiet, STOP_MS))) {
    for (const child of children) {
      complaints.push(`${child.spawnargs.join(' ')} did not end on SIGTERM within ${STOP_MS / 1000} s`)
      child.kill('SIGKILL')
    }
    await waitUntil(isQuiet, GONE_MS)
  }
  for (const dataDir of dataDirs) {
    if (!orphaned.has(dataDir)) await waitUntil(() => databaseProcesses(dataDir).length === 0, GONE_MS)
    const left = databaseProcesses(dataDir)
    for (const pid of left) signal(pid, 'SIGKILL')
    if (left.length > 0 && !orphaned.has(dataDir)) complaints.push(`the database in ${dataDir} was left running (${left.length} processes)`)
    await waitUntil(() => databaseProcesses(dataDir).length === 0, GONE_MS)
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
    dataDirs.delete(dataDir)
  }
  return complaints
}

/** Starts server/src/main.ts and waits until /readyz is ok; sets the clock of new data to noon. */
export async function startProgram(options: ProgramOptions = {}): Promise<Program> {
  const dataDir = options.dataDir ?? newDataDir()
  // An external database keeps its own clock.
  const isFirst = options.env?.DATABASE_URL === undefined && !existsSync(path.join(dataDir, 'postgres'))
  if (isFirst) copyFirstData(dataDir, options.env)
  const program = await startUntouched({ ...options, dataDir })
  if (isFirst) await setToNoon(program.url)
  return program
}

/** Starts the program on existing data, without setting the clock. */
export async function startUntouched(options: ProgramOptions & { readonly dataDir: string }): Promise<Program> {
  const { dataDir } = options
  const port = options.port ?? (await freePorts())
  orphaned.delete(dataDir)
  const child = startChild(path.join(options.sources ?? ROOT, 'server/src/main.ts'), [], {
    PORT: String(port),
    SANDBOX_PORT: String(port + 1),
    DATA_DIR: dataDir,
    WEB_DIR: webDir(),
    DEMO: '0',
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
    NODE_COMPILE_CACHE: path.join(ROOT, '.build', 'compile-cache'),
    ...options.env,
  })
  let output = ''
  child.stdout?.on('data', (chunk) => (output += String(chunk)))
  child.stderr?.on('data', (chunk) => (output += String(chunk)))
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  const url = `http://127.0.0.1:${port}`
  await waitUntilReady(child, url, () => output)
  served.set(child, { url, dataDir, output: () => output })
  return {
    url,
    port,
    dataDir,
    sandboxUrl: `http://127.0.0.1:${port + 1}`,
    pid: child.pid as number,
    output: () => output,
    ended,
    stop: async () => {
      child.kill('SIGTERM')
      return ended
    },
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** To the program's developer pages and to the gateway sandbox. */
export const postJson = (url: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) })

/** Sets the program's clock to noon, so that no test runs into midnight, whatever the real time is. */
export async function setToNoon(url: string): Promise<void> {
  for (;;) {
    const { now } = (await (await fetch(`${url}/dev/clock`)).json()) as { now: string }
    const response = await postJson(`${url}/dev/clock`, { now: `${dayAt(Date.parse(now))}T12:00:00+05:30` })
    if (response.ok) return
    // 409: a round opened at midnight meanwhile, so the date is now the next one.
    if (response.status !== 409) throw new Error(`/dev/clock answered ${response.status} ${await response.text()}`)
  }
}

async function waitUntilReady(child: ChildProcess, url: string, output: () => string): Promise<void> {
  const until = Date.now() + READY_MS
  while (Date.now() < until) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`The program ended before it was ready:\n${output()}`)
    const ready = await fetch(`${url}/readyz`).then(
      (response) => response.ok,
      () => false,
    )
    if (ready) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  child.kill('SIGKILL')
  throw new Error(`The program was not ready within ${READY_MS / 1000} s:\n${output()}`)
}
