/** Starts and stops the measured programs: the product, the empty server and the peer. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@roz/server/db/embedded/process.ts'
import { SERVER_FLAGS, SERVER_MEMORY } from '../../ops/launch/server-program.mjs'
import { cpuMsOf, type SetUp, SECRET_KEY } from './set-up.ts'

export const ROOT = path.resolve(import.meta.dirname, '../..')
const READY_MS = 60_000

export type Program = {
  readonly port: number
  readonly pid: number
  /** Peak resident memory in MB. */
  readonly peakMb: () => number
  /** CPU time so far in ms, all threads. */
  readonly cpuMs: () => number
  readonly stop: () => Promise<void>
}

/** Starts a program as `npm start` does, with a compile cache. Its output goes to a log file. */
async function startProgram(
  setUp: SetUp,
  file: string,
  readyPath: string,
  env: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
): Promise<Program> {
  const port = await freePort()
  const name = path.basename(file).replace(/\.\w+$/, '')
  const log = openSync(path.join(setUp.folder, `${name}-${port}.log`), 'a')
  const child = spawn(process.execPath, [...flags, file], {
    cwd: ROOT,
    stdio: ['ignore', log, log, 'ipc'],
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: path.join(ROOT, '.build', 'compile-cache'),
      ...SERVER_MEMORY,
      PORT: String(port),
      ...env,
    },
  })
  await untilReady(child, `http://127.0.0.1:${port}${readyPath}`)
  const pid = child.pid as number
  return {
    port,
    pid,
    cpuMs: () => cpuMsOf(pid),
    peakMb: () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024,
    stop: async () => {
      // Ctrl-C reaches the whole process group: the child may have exited already.
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
    },
  }
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  const deadline = performance.now() + READY_MS
  while (performance.now() < deadline && child.exitCode === null) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer !== undefined) return
    await sleep(50)
  }
  throw new Error(`${url} does not answer`)
}

const SERVER_ENV = { SECRET_KEY, LOG_LEVEL: 'info', DEMO: '0', ADMIN_PASSWORD: 'bench password 1' }

export async function startProduct(setUp: SetUp, more: Readonly<Record<string, string>> = {}): Promise<Program> {
  const dataDir = path.join(setUp.folder, 'data')
  mkdirSync(dataDir, { recursive: true })
  const env = {
    ...SERVER_ENV,
    DATABASE_URL: setUp.appUrl,
    MIGRATE_DATABASE_URL: setUp.ownerUrl,
    DATA_DIR: dataDir,
    SANDBOX_PORT: String(await freePort()),
    ...more,
  }
  return startProgram(setUp, 'server/src/main.ts', '/readyz', env, SERVER_FLAGS)
}

/** Starts the empty server: the product's HTTP layer, sessions and log, with the same answer to every call. */
export function startEmpty(setUp: SetUp, joined: string): Promise<Program> {
  const env = { ...SERVER_ENV, DATABASE_URL: setUp.appUrl, JOINED: joined }
  return startProgram(setUp, 'lab/bench/empty-server.ts', '/healthz', env, SERVER_FLAGS)
}

export const startPeer = (setUp: SetUp, day: string): Promise<Program> =>
  startProgram(setUp, 'lab/bench/peer/server.mjs', '/', {
    NODE_ENV: 'production',
    DATABASE_URL: setUp.urlOf('peer'),
    TICKET_SECRET: 'the secret of the peer',
    DAY: day,
  })

/** The newest warnings and errors in the programs' logs. */
export function complaints({ folder }: SetUp): string {
  const logs = readdirSync(folder).filter((name) => name.endsWith('.log'))
  const lines = logs.flatMap((name) => readFileSync(path.join(folder, name), 'utf8').split('\n'))
  return lines
    .filter((line) => line !== '' && !line.includes('"level":30'))
    .slice(-20)
    .join('\n')
}
