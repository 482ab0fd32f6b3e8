/** The programs that are measured: the product, the same server with an empty handler, the peer. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SERVER_FLAGS, SERVER_MEMORY } from '../ops/launch/server-program.mjs'
import { cpuMsOf, type Scene, SECRET_KEY } from './scene.ts'

export const ROOT = path.resolve(import.meta.dirname, '..')
const READY_MS = 60_000

export type Program = {
  readonly port: number
  readonly pid: number
  /** The most memory it ever held, in megabytes. */
  readonly peakMb: () => number
  /** Processor time that it has taken so far, all of its threads. */
  readonly cpuMs: () => number
  readonly stop: () => Promise<void>
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** As `npm start` starts a program: compiled code kept, what it logs written to a file. */
async function startProgram(
  scene: Scene,
  file: string,
  readyPath: string,
  env: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
): Promise<Program> {
  const port = await freePort()
  const name = path.basename(file).replace(/\.\w+$/, '')
  const log = openSync(path.join(scene.folder, `${name}-${port}.log`), 'a')
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
      // Ctrl-C reaches every process of the group: it may be gone already.
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

export async function startProduct(scene: Scene): Promise<Program> {
  const dataDir = path.join(scene.folder, 'data')
  mkdirSync(dataDir, { recursive: true })
  const env = {
    ...SERVER_ENV,
    DATABASE_URL: scene.appUrl,
    MIGRATE_DATABASE_URL: scene.ownerUrl,
    DATA_DIR: dataDir,
    SANDBOX_PORT: String(await freePort()),
  }
  return startProgram(scene, 'server/src/main.ts', '/readyz', env, SERVER_FLAGS)
}

/** The product's HTTP server with its edge, its sessions and its log; whatever is asked, it gives this answer. */
export function startEmpty(scene: Scene, joined: string): Promise<Program> {
  const env = { ...SERVER_ENV, DATABASE_URL: scene.appUrl, JOINED: joined }
  return startProgram(scene, 'bench/empty-server.ts', '/healthz', env, SERVER_FLAGS)
}

export const WEBHOOK_SECRET = 'the secret of the peer'
export const startPeer = (scene: Scene, day: string): Promise<Program> =>
  startProgram(scene, 'bench/peer/server.mjs', '/', {
    NODE_ENV: 'production',
    DATABASE_URL: scene.urlOf('peer'),
    WEBHOOK_SECRET,
    DAY: day,
  })

/** What the programs logged of what went wrong, the newest lines. */
export function complaints({ folder }: Scene): string {
  const logs = readdirSync(folder).filter((name) => name.endsWith('.log'))
  const lines = logs.flatMap((name) => readFileSync(path.join(folder, name), 'utf8').split('\n'))
  return lines
    .filter((line) => line !== '' && !line.includes('"level":30'))
    .slice(-20)
    .join('\n')
}
