/**
 * The cluster: three nodes with etcd, Patroni, PostgreSQL, HAProxy, PgBouncer and the product, and a front with the address and the
 * gateway's sandbox.
 * - Everything runs as a user other than root, in a root folder of Debian's packages.
 * - The data are new at each start, in a folder that is deleted at the end.
 */
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SERVER_FLAGS, SERVER_MEMORY } from '../../ops/launch/server-program.mjs'
import { CLUSTER, debianRoot, USER } from '../../e2e/harness/debian-root.ts'
import { FOLDER, livingClusters } from './running-clusters.ts'
import {
  isOver,
  kill,
  type Machine,
  type Network,
  type OpenMachine,
  openMachine,
  openNetwork,
  sharedNetwork,
  untilGone,
} from './machines.ts'
import {
  DATABASE,
  etcdArguments,
  frontSettings,
  leaderProxySettings,
  type Lease,
  PATRONIS_SHORTEST_TTL,
  type Passwords,
  patroniSettings,
  type Plan,
  PORT,
  poolerSettings,
  poolerUsers,
  productEnvironment,
  rolesSql,
  sandboxEnvironment,
} from './settings.ts'

const CHECKOUT = path.resolve(import.meta.dirname, '../..')
export const PSQL = '/usr/lib/postgresql/18/bin/psql'
const NODES = 3
const READY_WITHIN_MS = 120_000
const LOOK_MS = 100
const STOP_MS = 2500
/** The parts of a node, in the order of their start, with the beginning of their program's name. */
const PROGRAMS = { etcd: 'etcd', patroni: 'python3', leader: 'haproxy', pooler: 'pgbouncer', product: 'node' } as const
type Part = keyof typeof PROGRAMS
export const PARTS = Object.keys(PROGRAMS) as Part[]
const FRONT_PROGRAMS = { sandbox: 'node', address: 'haproxy' } as const
type FrontPart = keyof typeof FRONT_PROGRAMS

export type ClusterNode = Machine & {
  readonly place: number
  readonly pidsOf: (part: Part | 'postgres') => number[]
  /** Starts the part, unless it runs. */
  readonly startPart: (part: Part) => void
}
export type ClusterOptions = {
  readonly port: number
  readonly sandboxPort: number
  readonly lease: Lease
  /** Whether each machine gets a network of its own. */
  readonly ownNetworks: boolean
  /** The built pages. */
  readonly webDir: string
  /** Further settings of the product. */
  readonly env: Readonly<Record<string, string>>
  readonly say: (line: string) => void
}
export type Cluster = Awaited<ReturnType<typeof startCluster>>
type End = () => void | Promise<void>

/** `ends` undo what was started, also while a start is under way. */
export async function startCluster(options: ClusterOptions, ends: End[] = []) {
  const stop = (): Promise<void> => runAll(ends)
  try {
    return { ...(await build(options, ends)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The last one first. */
export async function runAll(ends: End[]): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end()
}

const password = (): string => randomBytes(18).toString('hex')

async function build(options: ClusterOptions, ends: End[]) {
  const { say, lease, port, sandboxPort } = options
  const root = await debianRoot(CHECKOUT, CLUSTER, say)
  removeLeftFolders()
  if (!options.ownNetworks) refuseSecond()
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), `${FOLDER}${process.pid}-`)))
  ends.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const network: Network = options.ownNetworks ? await openNetwork(NODES) : sharedNetwork(NODES)
  ends.push(() => network.close())
  const passwords: Passwords = {
    postgres: password(),
    replicator: password(),
    rewinder: password(),
    patroni: password(),
    pooler: password(),
    roz_owner: password(),
    roz_app: password(),
  }
  const nodes = network.addresses.map((address, place) => ({ name: `node${place + 1}`, address }))
  const plan: Plan = { nodes, network: network.range, passwords, lease }
  const sandboxUrl = `http://${network.host}:${sandboxPort}`
  const product = { ...SERVER_MEMORY, ...options.env }
  const secretKey = password()
  const uploads = path.join(folder, 'uploads')
  ownFolder(uploads)

  say(`Making ${NODES} nodes${network.canCut ? `, each with a network of its own (${network.range})` : ' on addresses of this machine'}…`)
  const machines: OpenMachine[] = []
  ends.push(async () => {
    for (const machine of machines) await machine.end()
  })
  const open = async (name: string, address: string, ownNetwork: boolean): Promise<OpenMachine> => {
    const place = path.join(folder, name)
    for (const below of ['', 'log', 'product', 'product/uploads']) ownFolder(path.join(place, below))
    const shows = { product: CHECKOUT, web: options.webDir, runtime: path.dirname(process.execPath), 'data/product/uploads': uploads }
    const machine = await openMachine({ name, address, root, folder: place, shows, ownNetwork })
    machines.push(machine)
    return machine
  }
  const front = await open('front', network.host, false)
  const cluster: ClusterNode[] = []
  for (const [place, node] of nodes.entries()) {
    const machine = await open(node.name, node.address, network.canCut)
    network.join(place, machine.firstPid)
    writeSettings(path.join(folder, node.name), plan, place)
    cluster.push(createNode(machine, place, plan, { ...product, ...productEnvironment(node, { passwords, sandboxUrl, secretKey }) }))
  }
  ownFile(path.join(folder, 'front', 'haproxy.cfg'), frontSettings(port, nodes))
  const frontParts = createFront(front, sandboxEnvironment({ host: network.host, port: sandboxPort, productPort: port }))
  ends.push(() => stopInstances(cluster, front))
  const made = { url: `http://localhost:${port}`, port, sandboxUrl, folder, network, nodes: cluster, front, startFront: frontParts, plan }

  say('Starting etcd and Patroni: PostgreSQL 18, and two synchronous standbys of it…')
  for (const node of cluster) node.startPart('etcd')
  for (const node of cluster) node.startPart('patroni')
  await untilTrue(made, 'a leader with two synchronous standbys', () => isWhole(made))
  await sqlAtLeader(made, rolesSql(passwords), 'postgres')
  say('Starting HAProxy, PgBouncer, the product and its address…')
  for (const node of cluster) for (const part of ['leader', 'pooler'] as const) node.startPart(part)
  frontParts('sandbox')
  // The first one migrates the database.
  const [first, ...others] = cluster
  await untilTrue(made, 'a way to the leader', () => leadsToLeader(made, first as ClusterNode))
  first?.startPart('product')
  await untilTrue(made, 'the first instance', () => answers(first as ClusterNode))
  for (const node of others) node.startPart('product')
  for (const node of others) await untilTrue(made, `the instance of ${node.name}`, () => answers(node))
  frontParts('address')
  await untilTrue(made, 'the address', () => isOk(`http://127.0.0.1:${port}/readyz`))
  return made
}

export type Made = Pick<Cluster, 'nodes' | 'plan' | 'network' | 'front' | 'port'>

/** Without networks of their own two clusters would have the same addresses. */
function refuseSecond(): void {
  const [other] = livingClusters(readdirSync(tmpdir()), isOver)
  if (other !== undefined)
    throw new RangeError(
      `A cluster runs here already (${path.join(tmpdir(), other)}), and this kernel has no networks for two: end it first.`,
    )
}

/** Folders of killed clusters: their programs have ended with them. */
function removeLeftFolders(): void {
  for (const name of readdirSync(tmpdir()).filter((one) => one.startsWith(FOLDER))) {
    const pid = name.slice(FOLDER.length).split('-')[0] ?? ''
    if (/^\d+$/.test(pid) && !existsSync(`/proc/${pid}`)) rmSync(path.join(tmpdir(), name), { recursive: true, force: true })
  }
}

function ownFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  chownSync(folder, USER.id, USER.id)
}

function ownFile(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600 })
  chownSync(file, USER.id, USER.id)
}

function writeSettings(folder: string, plan: Plan, place: number): void {
  const node = plan.nodes[place]
  if (node === undefined) throw new RangeError(`no node has place ${place}`)
  ownFile(path.join(folder, 'patroni.yml'), patroniSettings(node, plan))
  ownFile(path.join(folder, 'haproxy.cfg'), leaderProxySettings(node, plan.nodes))
  ownFile(path.join(folder, 'pgbouncer.ini'), poolerSettings(node))
  ownFile(path.join(folder, 'userlist.txt'), poolerUsers(plan.passwords))
}

function createNode(machine: Machine, place: number, plan: Plan, productEnv: Readonly<Record<string, string>>): ClusterNode {
  const node = plan.nodes[place] as Plan['nodes'][number]
  const patroni =
    plan.lease.ttl < PATRONIS_SHORTEST_TTL ? ['/usr/bin/python3', '/product/lab/cluster/short-lease.py'] : ['/usr/bin/patroni']
  const commands: Readonly<Record<Part, readonly string[]>> = {
    etcd: etcdArguments(node, plan.nodes),
    patroni: [...patroni, '/data/patroni.yml'],
    leader: ['/usr/sbin/haproxy', '-db', '-f', '/data/haproxy.cfg'],
    pooler: ['/usr/sbin/pgbouncer', '/data/pgbouncer.ini'],
    product: ['/runtime/node', ...SERVER_FLAGS, '/product/server/src/main.ts'],
  }
  const pidsOf = (part: Part | 'postgres'): number[] => machine.pids(part === 'postgres' ? 'postgres' : PROGRAMS[part])
  return {
    ...machine,
    place,
    pidsOf,
    startPart(part) {
      if (pidsOf(part).length === 0) machine.start(part, commands[part], part === 'product' ? productEnv : {})
    },
  }
}

function createFront(front: Machine, sandboxEnv: Readonly<Record<string, string>>): (part: FrontPart) => void {
  return (part) => {
    if (front.pids(FRONT_PROGRAMS[part]).length > 0) return
    if (part === 'sandbox') front.start(part, ['/runtime/node', '/product/gateway-sandbox/src/main.ts'], sandboxEnv)
    else front.start(part, ['/usr/sbin/haproxy', '-db', '-f', '/data/haproxy.cfg'])
  }
}

/** The instances end their requests. Everything else ends with its machine: the data are thrown away. */
async function stopInstances(nodes: readonly ClusterNode[], front: Machine): Promise<void> {
  const pids = (): number[] => [...nodes.flatMap((node) => node.pidsOf('product')), ...front.pids(FRONT_PROGRAMS.sandbox)]
  for (const pid of pids()) kill(pid, 'SIGTERM')
  await untilGone(pids, STOP_MS)
}

export async function untilTrue(
  made: Pick<Made, 'nodes' | 'front'>,
  what: string,
  holds: () => Promise<boolean>,
  withinMs = READY_WITHIN_MS,
): Promise<void> {
  const until = Date.now() + withinMs
  while (!(await holds())) {
    if (Date.now() > until) throw new Error(`${what} did not come within ${withinMs / 1000} s.\n${lastLines(made)}`)
    await sleep(LOOK_MS)
  }
}

/** The end of each program's output. */
export function lastLines({ nodes, front }: Pick<Made, 'nodes' | 'front'>): string {
  const parts = [
    ...nodes.flatMap((node) => PARTS.map((part) => [node, part] as const)),
    [front, 'sandbox'] as const,
    [front, 'address'] as const,
  ]
  return parts
    .map(([machine, part]) => [`${machine.name} ${part}`, readLog(machine.log(part)).trim().split('\n').slice(-4)] as const)
    .filter(([, lines]) => lines.join('') !== '')
    .map(([name, lines]) => `${name}:\n  ${lines.join('\n  ')}`)
    .join('\n')
}

function readLog(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

export async function isOk(url: string, withinMs = 2000): Promise<boolean> {
  try {
    const { ok, body } = await fetch(url, { signal: AbortSignal.timeout(withinMs) })
    await body?.cancel()
    return ok
  } catch {
    return false
  }
}

export const answers = ({ address }: ClusterNode): Promise<boolean> => isOk(`http://${address}:${PORT.product}/readyz`, 8000)

type Member = { readonly name: string; readonly role: string; readonly state: string; readonly lag?: number | string }

/** As the first node that answers sees it. */
export async function membersOf({ nodes }: Pick<Made, 'nodes'>): Promise<readonly Member[]> {
  const asked = nodes.map(async ({ address }) => {
    const answer = await fetch(`http://${address}:${PORT.patroni}/cluster`, { signal: AbortSignal.timeout(1500) })
    return ((await answer.json()) as { readonly members: readonly Member[] }).members
  })
  return Promise.any(asked).catch(() => [])
}

const isStreaming = ({ role, state }: Member): boolean => role === 'sync_standby' && state === 'streaming'
const areAllThere = (members: readonly Member[]): boolean =>
  members.some(({ role, state }) => role === 'leader' && state === 'running') && members.filter(isStreaming).length === NODES - 1

/** One running leader, and two synchronous standbys that stream. Under load they are some bytes behind. */
export const hasBothStandbys = async (made: Pick<Made, 'nodes'>): Promise<boolean> => areAllThere(await membersOf(made))

/** The same, without lag. */
export async function isWhole(made: Pick<Made, 'nodes'>): Promise<boolean> {
  const members = await membersOf(made)
  return areAllThere(members) && members.filter(isStreaming).every(({ lag }) => (lag ?? 0) === 0)
}

/** The node that reports itself as the leader. */
export async function leaderOf({ nodes }: Pick<Made, 'nodes'>): Promise<ClusterNode | undefined> {
  const found = await Promise.all(
    nodes.map(async (node) => ((await isOk(`http://${node.address}:${PORT.patroni}/primary`, 1000)) ? node : undefined)),
  )
  return found.find((node) => node !== undefined)
}

export const addressAs = (role: 'postgres' | 'roz_app', { passwords }: Plan, host: string, port: number, database: string): string =>
  `postgres://${role}:${passwords[role]}@${host}:${port}/${database}?connect_timeout=3`

/** All three hosts: whichever is the primary is found. */
export const directUrl = (role: 'postgres' | 'roz_app', { plan }: Pick<Made, 'plan'>): string =>
  `postgres://${role}:${plan.passwords[role]}@${plan.nodes.map(({ address }) => `${address}:${PORT.postgres}`).join(',')}/${DATABASE}`

async function sqlAtLeader(made: Made, text: string, database: string): Promise<string> {
  const leader = await leaderOf(made)
  if (leader === undefined) throw new Error('no node is the leader')
  return leader.run(
    [PSQL, '-v', 'ON_ERROR_STOP=1', '-qAt', addressAs('postgres', made.plan, leader.address, PORT.postgres, database)],
    text,
  )
}

/** Whether the node's HAProxy leads to a primary. */
export async function leadsToLeader({ plan }: Pick<Made, 'plan'>, node: ClusterNode): Promise<boolean> {
  try {
    const address = addressAs('postgres', plan, node.address, PORT.leader, 'postgres')
    return (await node.run([PSQL, '-qAt', address], 'select pg_is_in_recovery()')).trim() === 'f'
  } catch {
    return false
  }
}
