/**
 * What the machine says about processes and ports. Invariant: a process counts as our database only
 * by the folder it works in, never by its name or its pid alone: pids are used again, names shared.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const HAS_PROC = existsSync('/proc/self/stat')

/** True while the process runs; a zombie that nobody reaped has ended. */
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

/** Tells a process from a later one with the same pid. */
export function startOf(pid: number): string {
  return procStat(pid)?.startTicks ?? '0'
}

/** `folder` must be its own real path. */
export function worksIn(pid: number, folder: string): boolean {
  if (!isAlive(pid)) return false
  if (HAS_PROC) return workingFolder(pid) === folder
  if (process.platform === 'win32') return true
  return /(^|\/)postgres/.test(askPs(pid))
}

/** Database processes of that folder whose postmaster is gone. Elsewhere than Linux nothing tells them apart: none. */
export function processesIn(folder: string): number[] {
  if (!HAS_PROC) return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && worksIn(pid, folder) && isDatabaseProgram(pid))
}

/** Somebody's shell may stand in the folder too: it stays alive. */
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

/** Signals a process that may be gone already. */
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
    // The second field is the program's name in brackets and may hold blanks: read on behind it.
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
