/**
 * The launchers' processes.
 * - A launcher that is told to stop also ends its children: first with SIGTERM, and after a timeout with SIGKILL.
 * - A process is identified by its pid and start time, never by its name.
 */
import { spawn } from 'node:child_process'
import { accessSync, constants, existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/[/\\]$/, '')
/** The server takes at most 8 s for an orderly stop. */
const FORCE_MS = 8800
const PARENT_LOOK_MS = 200

/** A failure whose message is all that the user needs; no stack is printed. */
export class LaunchError extends Error {}

export const say = (line) => process.stdout.write(`${line}\n`)
/** What a launcher does before the program runs: standard output is the program's alone, also in `npx roz books list > file`. */
export const note = (line) => process.stderr.write(`${line}\n`)

/** Installing and building write into the checkout. A checkout that is already built can be started by any user who can read it. */
export function refuseForeign() {
  try {
    for (const folder of [ROOT, path.join(ROOT, '.build')]) if (existsSync(folder)) accessSync(folder, constants.W_OK)
  } catch {
    throw new LaunchError(
      `This user has no write permission in ${ROOT}. Start Roz once as the owner of that folder, or use a checkout of your own.`,
    )
  }
}

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set()
let stopping = false
export const isStopping = () => stopping

/** Runs a program until it ends. With `quiet`, its output is returned and not printed. `started` gets the process. */
export function run(command, args, { quiet = false, started = () => undefined, env = process.env, cwd = ROOT, ...rest } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'], ...rest })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (output += text))
    running.add(child)
    started(child)
    child.once('error', (error) => {
      running.delete(child)
      reject(error)
    })
    child.once('close', (code, signal) => {
      running.delete(child)
      resolve({ code, signal, output })
    })
  })
}

/** Stops on Ctrl-C, SIGTERM, a closed terminal, or the end of npm: it signals every child once, waits, and then kills. */
export function stopOnSignals(whenStopped) {
  const stop = (reason) => {
    if (stopping) return
    stopping = true
    for (const child of running) tell(child, 'SIGTERM')
    setTimeout(() => {
      for (const child of running) tell(child, 'SIGKILL')
    }, FORCE_MS).unref()
    void whenStopped(reason)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(signal))
  if (process.env.npm_lifecycle_event === undefined) return
  const [parent, npm] = starters()
  setInterval(() => {
    if (process.ppid !== parent || (npm !== undefined && parentOf(parent) !== npm)) stop('npm ended')
  }, PARENT_LOOK_MS).unref()
}

/** npm runs us in a shell, or the shell has replaced itself by us. A signal to npm alone ends only the shell, and we receive none. */
function starters() {
  const parent = process.ppid
  return /^(sh|dash|bash|ash)$/.test(commandOf(parent)) ? [parent, parentOf(parent)] : [parent, undefined]
}

const parentOf = (pid) => procStat(pid)?.[1]

function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
  } catch {
    return ''
  }
}

export async function allEnded() {
  while (running.size > 0) await sleep(20)
}

function tell(child, signal) {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    child.kill(signal)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

/** Distinguishes a process from a later one with the same pid. */
export function nameOf(pid) {
  return `${pid}.${startOf(pid)}`
}

/** Whether the process with that name still runs. */
export function lives(name) {
  const [pid, start] = name.split('.')
  try {
    process.kill(Number(pid), 0)
  } catch (error) {
    if (error.code !== 'EPERM') return false
  }
  return startOf(Number(pid)) === start
}

const startOf = (pid) => procStat(pid)?.[19] ?? '0'

/** The fields after the program's name, which is in brackets and may contain spaces. */
function procStat(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

/** Every process that has the mark in its environment or works below the folder, except this one. */
export function marked(mark, folder) {
  if (!existsSync('/proc/self/environ')) return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => carries(pid, mark) || worksBelow(pid, folder))
    .map(Number)
}

function carries(pid, mark) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(mark)
  } catch {
    return false
  }
}

function worksBelow(pid, folder) {
  try {
    const place = readlinkSync(`/proc/${pid}/cwd`)
    return place === folder || place.startsWith(`${folder}/`)
  } catch {
    return false
  }
}

/** The command lines of the processes that have not ended within that time. */
export async function stillThere(mark, folder, waitMs) {
  const until = Date.now() + waitMs
  while (Date.now() < until && marked(mark, folder).length > 0) await sleep(50)
  return marked(mark, folder).flatMap((pid) => {
    const words = argumentsOf(pid)
    // An empty command line: the process has just ended, or only its entry is left.
    return words === '' ? [] : [`${pid} ${words}`]
  })
}

function argumentsOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim().slice(0, 200)
  } catch {
    return ''
  }
}

/** Ends the remaining processes of a run: SIGTERM first, SIGKILL after 2 s. */
export async function sweep(mark, folder) {
  for (const [signal, waitMs] of [
    ['SIGTERM', 2000],
    ['SIGKILL', 1000],
  ]) {
    for (const pid of marked(mark, folder)) signalPid(pid, signal)
    const until = Date.now() + waitMs
    while (Date.now() < until && marked(mark, folder).length > 0) await sleep(50)
  }
}

function signalPid(pid, signal) {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (error.code !== 'ESRCH' && error.code !== 'EPERM') throw error
  }
}
