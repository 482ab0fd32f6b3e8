/**
 * The real program as a process of its own, on free ports and a data folder of its own, so that a
 * test can stop it, kill it and start it again on what it left.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'

const ROOT = path.resolve(import.meta.dirname, '..')
const READY_MS = 60_000

export type Program = {
  readonly url: string
  readonly port: number
  readonly sandboxUrl: string
  readonly dataDir: string
  readonly pid: number
  /** Everything it printed so far. */
  readonly output: () => string
  /** SIGTERM and wait; the exit code. */
  readonly stop: () => Promise<number | null>
  /** kill -9 and wait. */
  readonly kill: () => Promise<void>
  /** Resolves when the process has ended, however. */
  readonly ended: Promise<number | null>
}

export type ProgramOptions = {
  readonly dataDir?: string
  readonly port?: number
  readonly env?: Readonly<Record<string, string>>
}

/** Two neighbouring ports that nobody listens on: the product's and its sandbox's. */
export async function freePorts(): Promise<number> {
  for (;;) {
    const port = await listenOnce(0)
    if ((await listenOnce(port + 1)) !== 0) return port
  }
}

const listenOnce = (port: number): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(0))
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })

/** The built web: given by the test launcher, else the newest build. */
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

export const newDataDir = (): string => mkdtempSync(path.join(os.tmpdir(), 'roz-e2e-'))
export const removeDataDir = (dataDir: string): void => rmSync(dataDir, { recursive: true, force: true })

/** Starts server/src/main.ts and waits until it answers /readyz. */
export async function startProgram(options: ProgramOptions = {}): Promise<Program> {
  const port = options.port ?? (await freePorts())
  const dataDir = options.dataDir ?? newDataDir()
  const child = spawn(process.execPath, ['server/src/main.ts'], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: String(port),
      SANDBOX_PORT: String(port + 1),
      DATA_DIR: dataDir,
      WEB_DIR: webDir(),
      DEMO: '0',
      ADMIN_EMAIL: 'admin@roz.local',
      ADMIN_PASSWORD: 'admin-password',
      NODE_COMPILE_CACHE: path.join(ROOT, '.build', 'compile-cache'),
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += String(chunk)))
  child.stderr.on('data', (chunk) => (output += String(chunk)))
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  const url = `http://127.0.0.1:${port}`
  await waitUntilReady(child, url, () => output)
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
