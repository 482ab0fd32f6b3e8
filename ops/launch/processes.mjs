/**
 * Processes of the launchers. Invariant: a launcher that was told to stop ends its children too,
 * politely first and by force after a bound, and knows a process by pid and start, never by name.
 */
import { spawn } from 'node:child_process'
import { accessSync, constants, existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/[/\\]$/, '')
/** The server has 8 s of its own for an orderly stop. */
const FORCE_MS = 8800
const PARENT_LOOK_MS = 200

/** A failure whose message is all that its reader needs. */
export class LaunchError extends Error {}

export const say = (line) => process.stdout.write(`${line}\n`)

/** Installing and building write into the checkout; a finished one can be started by anybody who may read it. */
export function refuseForeign() {
  try {
    for (const folder of [ROOT, path.join(ROOT, '.build')]) if (existsSync(folder)) accessSync(folder, constants.W_OK)
  } catch {
    throw new LaunchError(`This user may not write in ${ROOT}: start Roz once as its owner, or in a checkout of your own.`)
  }
}

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set()
let stopping = false
export const isStopping = () => stopping

/** Runs a program to its end. `quiet` keeps its output back and returns it. */
export function run(command, args, { quiet = false, env = process.env, cwd = ROOT, ...rest } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'], ...rest })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (output += text))
    running.add(child)
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

/**
 * Ctrl-C, SIGTERM, a closed terminal, or an npm that is gone: tells every child once, waits, forces.
 */
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

/** npm runs a shell that runs us, or the shell has become us: a signal to npm alone ends the shell, and we hear nothing. */
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

/** Tells a process from a later one with the same pid. */
export function nameOf(pid) {
  return `${pid}.${startOf(pid)}`
}

/** Is the process of that name still the same and alive? */
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

/** The fields behind the program's name, which stands in brackets and may hold blanks. */
function procStat(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

/** Every process that carries the mark in its environment or works below the folder; not ourselves. */
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

/** What has not ended by itself within that time, by its command line. */
export async function stillThere(mark, folder, waitMs) {
  const until = Date.now() + waitMs
  while (Date.now() < until && marked(mark, folder).length > 0) await sleep(50)
  return marked(mark, folder).flatMap((pid) => {
    const words = argumentsOf(pid)
    // Nothing to be read: it has ended just now, or only its entry is left.
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

/** Ends what is left of a run: asked first, forced after two seconds. */
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
