/**
 * Machines on this machine: each has its own processes, files and, where the kernel can, its own network.
 * - A machine is a set of Linux namespaces around one first process. When that process dies, so does everything on the machine.
 * - The first process dies with ours, however ours ends: nothing is left behind, neither process, mount nor network.
 * - The networks meet in a bridge, in a namespace of its own. A cut sets the machine's port of the bridge down; no program gets a notice.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freeSubnets, type Route, SUBNETS } from './running-clusters.ts'
import { USER } from '../../e2e/harness/debian-root.ts'

const BUILT_WITHIN_MS = 10_000
const LOOK_MS = 20
/** Its place among the words of `statOf`. */
const BEGUN = 19

export type Machine = {
  readonly name: string
  readonly address: string
  /** Starts a program in the root folder as the cluster's user. Its output is added to log/<part>.log. */
  readonly start: (part: string, argv: readonly string[], env?: Readonly<Record<string, string>>) => ChildProcess
  /** Runs a program to its end and returns its output. Throws with it, if the program fails. */
  readonly run: (argv: readonly string[], input?: string) => Promise<string>
  /** Process ids of a program, by the beginning of its file's name; without a name all of the machine's. */
  readonly pids: (program?: string) => number[]
  /** kill -9 of every process at once, as when the power fails; the machine itself stays. */
  readonly killAll: () => Promise<void>
  readonly log: (part: string) => string
}
export type Network = {
  /** False: the machines share this machine's network, with an address each. */
  readonly canCut: boolean
  /** As in pg_hba. */
  readonly range: string
  /** The address of this machine for the others. */
  readonly host: string
  readonly addresses: readonly string[]
  /** Gives a machine its address. Its first process is known by now. */
  readonly join: (place: number, firstPid: number) => void
  readonly cut: (place: number) => void
  readonly mend: (place: number) => void
  readonly close: () => Promise<void>
}
type First = { readonly pid: number; readonly end: () => Promise<void> }

const ip = (...args: string[]): void => void execFileSync('ip', args, { stdio: ['ignore', 'pipe', 'pipe'] })
const ipAt = (pid: number, ...args: string[]): void =>
  void execFileSync('nsenter', ['-t', String(pid), '-n', 'ip', ...args], { stdio: ['ignore', 'pipe', 'pipe'] })

/** Makes namespaces around a shell script, whose first lines prepare them. */
async function openNamespaces(kinds: readonly string[], script: string): Promise<First> {
  // /proc still is this machine's: the shell reads its own number there.
  const text = `read -r pid rest < /proc/self/stat\n${script}\necho "ready $pid"\nsleep 2147483647 & wait`
  const unshare = ['unshare', ...kinds, '--pid', '--fork', '--kill-child=KILL', 'sh', '-ec', text]
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...unshare], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += String(text)))
  const closed = once(child, 'close')
  const end = async (): Promise<void> => {
    child.kill('SIGKILL')
    await closed
  }
  const until = Date.now() + BUILT_WITHIN_MS
  for (;;) {
    const pid = /^ready (\d+)$/m.exec(printed)?.[1]
    if (pid !== undefined) return { pid: Number(pid), end }
    if (child.exitCode !== null || Date.now() > until) {
      await end()
      throw new Error(`a machine could not be made: ${printed.trim()}`)
    }
    await sleep(LOOK_MS)
  }
}

/** True if this kernel and user can make bridges between networks of their own. */
export async function canMakeNetworks(): Promise<boolean> {
  try {
    const trial = await openNamespaces(['--net', '--mount'], 'ip link add br0 type bridge; ip link add one type veth peer name other')
    await trial.end()
    return true
  } catch {
    return false
  }
}

/** True if this user can make machines at all. */
export async function canMakeMachines(): Promise<boolean> {
  try {
    const trial = await openNamespaces(['--mount'], 'mount -t tmpfs tmpfs /proc')
    await trial.end()
    return true
  } catch {
    return false
  }
}

/** 10.77.x.0/24, the first that is free: several clusters run side by side. */
export async function openNetwork(count: number): Promise<Network> {
  const bridge = await openNamespaces(['--net', '--mount'], 'ip link add br0 type bridge; ip link set br0 up')
  try {
    const subnet = takeSubnet(bridge.pid)
    return {
      canCut: true,
      range: `10.77.${subnet}.0/24`,
      host: `10.77.${subnet}.254`,
      addresses: Array.from({ length: count }, (_, place) => `10.77.${subnet}.${place + 1}`),
      join(place, firstPid) {
        const port = `port${place + 1}`
        ipAt(bridge.pid, 'link', 'add', port, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(firstPid))
        ipAt(bridge.pid, 'link', 'set', port, 'master', 'br0', 'up')
        ipAt(firstPid, 'link', 'set', 'lo', 'up')
        ipAt(firstPid, 'addr', 'add', `10.77.${subnet}.${place + 1}/24`, 'dev', 'eth0')
        ipAt(firstPid, 'link', 'set', 'eth0', 'up')
      },
      cut: (place) => ipAt(bridge.pid, 'link', 'set', `port${place + 1}`, 'down'),
      mend: (place) => ipAt(bridge.pid, 'link', 'set', `port${place + 1}`, 'up'),
      close: bridge.end,
    }
  } catch (error) {
    await bridge.end()
    throw error
  }
}

/** Deleting the bridge also deletes the veth pair between it and this machine. */
function takeSubnet(bridgePid: number): number {
  const routes = JSON.parse(execFileSync('ip', ['-4', '-j', 'route', 'show', 'table', 'all'], { encoding: 'utf8' })) as Route[]
  for (const subnet of freeSubnets(routes)) {
    const cable = `roz${subnet}`
    try {
      ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', 'port0', 'netns', String(bridgePid))
    } catch (error) {
      if (String((error as { stderr?: unknown }).stderr).includes('File exists')) continue
      throw error
    }
    ipAt(bridgePid, 'link', 'set', 'port0', 'master', 'br0', 'up')
    ip('addr', 'add', `10.77.${subnet}.254/24`, 'dev', cable)
    ip('link', 'set', cable, 'up')
    return subnet
  }
  throw new RangeError(`Clusters have taken all networks from 10.77.0.0/24 to 10.77.${SUBNETS - 1}.0/24: end one of them.`)
}

/** Where the kernel has no bridges: an address of this machine for each. Nothing can be cut, and one cluster runs at a time. */
export function sharedNetwork(count: number): Network {
  const refuse = (): never => {
    throw new Error('this kernel has no networks that could be cut')
  }
  return {
    canCut: false,
    range: '127.0.0.0/8',
    host: '127.0.0.1',
    addresses: Array.from({ length: count }, (_, place) => `127.0.77.${place + 1}`),
    join: () => undefined,
    cut: refuse,
    mend: refuse,
    close: () => Promise.resolve(),
  }
}

type MachineOptions = {
  readonly name: string
  readonly address: string
  readonly root: string
  /** Becomes /data; it belongs to the cluster's user. */
  readonly folder: string
  /** Other folders: names in the root folder, and what they show. */
  readonly shows: Readonly<Record<string, string>>
  readonly ownNetwork: boolean
}
export type OpenMachine = Machine & { readonly firstPid: number; readonly end: () => Promise<void> }

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

export async function openMachine(options: MachineOptions): Promise<OpenMachine> {
  const { root, folder, ownNetwork } = options
  const logs = path.join(folder, 'log')
  mkdirSync(logs, { recursive: true })
  const at = (name: string): string => quoted(path.join(root, name))
  const mounts = Object.entries({ data: folder, ...options.shows }).map(([name, shown]) => `mount --bind ${quoted(shown)} ${at(name)}`)
  const script = [
    'mount --make-rprivate /',
    `mount --rbind /dev ${at('dev')}`,
    `mount -t proc proc ${at('proc')}`,
    `mount -t tmpfs -o mode=1777 tmpfs ${at('tmp')}`,
    ...mounts,
  ].join('\n')
  const first = await openNamespaces(ownNetwork ? ['--mount', '--net'] : ['--mount'], script)
  const enter = ['-t', String(first.pid), '-m', '-p', ...(ownNetwork ? ['-n'] : [])]
  const inside = ['chroot', `--userspec=${USER.id}:${USER.id}`, '--groups=', root]
  const environment = { PATH: '/usr/bin:/usr/sbin:/bin:/sbin', HOME: '/data', LANG: 'C.UTF-8' }
  const space = readlinkSync(`/proc/${first.pid}/ns/pid`)
  const begun = begunAt(first.pid)
  const pids = (program?: string): number[] =>
    processesOf(space, { pid: first.pid, begun }).filter((pid) => program === undefined || programOf(pid).startsWith(program))
  const log = (part: string): string => path.join(logs, `${part}.log`)
  return {
    name: options.name,
    address: options.address,
    firstPid: first.pid,
    pids,
    log,
    start(part, argv, env = {}) {
      const file = openSync(log(part), 'a')
      // In a session of its own: Ctrl-C reaches only our process, which then stops one after the other.
      // It stops with a program that is paused, and would outlive us.
      const child = spawn('setpriv', ['--pdeathsig', 'KILL', 'nsenter', ...enter, ...inside, ...argv], {
        detached: true,
        env: { ...environment, ...env },
        stdio: ['ignore', file, file],
      })
      closeSync(file)
      return child
    },
    async run(argv, input = '') {
      const child = spawn('nsenter', [...enter, ...inside, ...argv], { env: environment, stdio: ['pipe', 'pipe', 'pipe'] })
      let printed = ''
      let complaint = ''
      child.stdout.on('data', (text) => (printed += String(text)))
      child.stderr.on('data', (text) => (complaint += String(text)))
      child.stdin.end(input)
      const [code] = (await once(child, 'close')) as [number | null]
      if (code !== 0) throw new Error(`${argv[0]} on ${options.name} ended with ${code}: ${complaint.trim() || printed.trim()}`)
      return printed
    },
    async killAll() {
      while (pids().length > 0) {
        for (const pid of pids()) kill(pid, 'SIGKILL')
        await sleep(LOOK_MS)
      }
    },
    end: first.end,
  }
}

/**
 * All living processes of a namespace except its first one and that one's sleep.
 * The kernel gives the namespace's number to another one once the first process has ended: then there is none.
 */
export function processesOf(space: string, first: { readonly pid: number; readonly begun: string | undefined }): number[] {
  if (namespaceOf(first.pid) !== space || begunAt(first.pid) !== first.begun) return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== first.pid)
    .map(Number)
    .filter((pid) => namespaceOf(pid) === space && !isOver(pid) && programOf(pid) !== 'sleep')
}

function namespaceOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`)
  } catch {
    return undefined
  }
}

function programOf(pid: number): string {
  try {
    return path.basename(readlinkSync(`/proc/${pid}/exe`)).replace(/ \(deleted\)$/, '')
  } catch {
    return ''
  }
}

export const isOver = (pid: number): boolean => 'ZX'.includes(statOf(pid)[0] ?? 'Z')

/** When the process began, as the kernel counts: a later one with its number has another. */
export const begunAt = (pid: number): string | undefined => statOf(pid)[BEGUN]

/** The words of /proc/<pid>/stat after the program's name, the state first; none for a process that is gone. */
function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}

/** Signals a process; does nothing if it has ended. */
export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

export async function untilGone(pids: () => readonly number[], withinMs: number): Promise<boolean> {
  const until = Date.now() + withinMs
  while (pids().length > 0) {
    if (Date.now() > until) return false
    await sleep(LOOK_MS)
  }
  return true
}
