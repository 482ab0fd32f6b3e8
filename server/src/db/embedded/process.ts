/**
 * Looks up processes and ports of this machine.
 * - A process counts as our database by its working folder, never by its name or pid alone: pids are reused and names are shared.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const HAS_PROC = existsSync('/proc/self/stat')

/** True while the process runs. A zombie counts as ended. */
export function isAlive(pid: number): boolean {
  if (HAS_PROC) {
    const stat = procStat(pid)
    return stat !== undefined && stat.state !== 'Z' && stat.state !== 'X'
  }
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The process's start time. It distinguishes a process from a later one with the same pid. */
export function startOf(pid: number): string {
  return procStat(pid)?.startTicks ?? '0'
}

/** True if the process's working folder is `folder`, which must be a real path. */
export function worksIn(pid: number, folder: string): boolean {
  if (!isAlive(pid)) return false
  if (HAS_PROC) return workingFolder(pid) === folder
  if (process.platform === 'win32') return true
  return /(^|\/)postgres/.test(askPs(pid))
}

/** Pids of the PostgreSQL processes whose working folder is `folder`. Empty without /proc, without which they look alike. */
export function processesIn(folder: string): number[] {
  if (!HAS_PROC) return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && worksIn(pid, folder) && isDatabaseProgram(pid))
}

/** Excludes other programs in the folder, such as a user's shell: they must not be killed. */
function isDatabaseProgram(pid: number): boolean {
  try {
    const program = readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, '')
    return path.basename(path.dirname(program)) === 'bin' && path.basename(program) === 'postgres'
  } catch {
    return false
  }
}

export async function waitUntil(holds: () => boolean, waitMs: number, everyMs = 20): Promise<boolean> {
  const deadline = Date.now() + waitMs
  while (!holds()) {
    if (Date.now() > deadline) return false
    await sleep(everyMs)
  }
  return true
}

/** Signals a process; does nothing if it has already ended. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('a TCP server without a port')
  return address.port
}

function procStat(pid: number): { readonly state: string; readonly startTicks: string } | undefined {
  try {
    // The second field is the program's name in brackets and may contain spaces: parse behind it.
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { state: fields[0] ?? 'X', startTicks: fields[19] ?? '0' }
  } catch {
    return undefined
  }
}

function workingFolder(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return undefined
  }
}

function askPs(pid: number): string {
  try {
    return execFileSync('ps', ['-o', 'comm=', '-p', String(pid)], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return ''
  }
}
