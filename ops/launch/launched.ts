/** Starts `npm start` in a process group of its own, for tests that stop it in every way. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { marked } from './processes.mjs'

export const ROOT = path.resolve(import.meta.dirname, '../..')
const READY_MS = 300_000

export type Launched = {
  readonly url: string
  readonly pid: number
  readonly output: () => string
  /** Resolves to the time that the start took. Throws with the output if the program ends before. */
  readonly ready: () => Promise<number>
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
  readonly tellGroup: (signal: NodeJS.Signals) => void
  /** All processes of this start, even detached ones. */
  readonly processes: () => number[]
}
type LaunchOptions = {
  readonly port: number
  readonly dataDir: string
  /** The folder of the checkout. */
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly command?: readonly string[]
}

const all: Launched[] = []

/** The PATH of a newcomer: npm test puts our Node 26 first, and the system's npm run by that Node would miss its own settings. */
const newcomersPath = (): string =>
  (process.env.PATH ?? '')
    .split(path.delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .join(path.delimiter)

export function launch({ port, dataDir, cwd = ROOT, env = {}, command = ['npm', 'start'] }: LaunchOptions): Launched {
  const mark = `ROZ_LAUNCHED=${port}`
  const began = performance.now()
  const [program = 'npm', ...args] = command
  const child = spawn(program, args, {
    cwd,
    detached: true,
    env: {
      PATH: newcomersPath(),
      HOME: process.env.HOME,
      TMPDIR: tmpdir(),
      ...webDir(),
      PORT: String(port),
      DATA_DIR: dataDir,
      DEMO: '0',
      ROZ_LAUNCHED: String(port),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
  const pid = child.pid ?? 0
  const url = `http://127.0.0.1:${port}`
  const launched: Launched = {
    url,
    pid,
    output: () => output,
    ended,
    ready: async () => {
      await untilReady(child, url, () => output)
      return performance.now() - began
    },
    tellGroup: (signal) => process.kill(-pid, signal),
    processes: () => marked(mark, dataDir),
  }
  all.push(launched)
  return launched
}

/** The pages that the test run has built. A bare copy builds its own. */
function webDir(): Record<string, string> {
  return process.env.WEB_DIR === undefined ? {} : { WEB_DIR: process.env.WEB_DIR }
}

async function untilReady(child: ChildProcess, url: string, output: () => string): Promise<void> {
  const until = Date.now() + READY_MS
  while (Date.now() < until) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the program ended before it was ready:\n${output()}`)
    const answer = await fetch(`${url}/readyz`).catch(() => undefined)
    if (answer?.ok === true) return
    await sleep(25)
  }
  throw new Error(`the program was not ready in time:\n${output()}`)
}

/** Call it after each test: it kills every remaining process. */
export async function endAll(): Promise<void> {
  for (const one of all.splice(0)) {
    for (const pid of one.processes()) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // The process ended between our look and our signal.
      }
    }
    await one.ended
  }
}

export async function nothingLeft(one: Launched, waitMs: number): Promise<number[]> {
  const until = Date.now() + waitMs
  while (one.processes().length > 0 && Date.now() < until) await sleep(50)
  return one.processes()
}

export const newFolder = (name: string): string => realpathSync(mkdtempSync(path.join(tmpdir(), name)))

const IGNORED = new Set(['node_modules', '.git', '.data', '.build', '.cache', 'dist', 'test-results', 'screenshots'])

/** Undefined if the sources have no git history. */
function listedByGit(): string[] | undefined {
  if (!existsSync(path.join(ROOT, '.git'))) return undefined
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
  return listed.split('\0').filter((name) => name !== '')
}

/** The files of the repository in their current state. */
export function copySources(to: string): void {
  const listed = listedByGit()
  if (listed === undefined) return cpSync(ROOT, to, { recursive: true, filter: (file) => !IGNORED.has(path.basename(file)) })
  for (const name of listed) if (existsSync(path.join(ROOT, name))) cpSync(path.join(ROOT, name), path.join(to, name))
}
