/**
 * `npm run lab -- cluster`: three nodes of the product on this machine, until Ctrl-C.
 * - --lease 20: seconds until a dead leader's place is free.
 * - `-- status` and `-- switch-over [node]` talk to the cluster that runs.
 * - A program that ends is started again after a second, as a service manager would.
 */
import { readdirSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { livingClusters } from './running-clusters.ts'
import { type Cluster, type ClusterOptions, membersOf, PARTS, runAll, startCluster } from './cluster.ts'
import { RootError } from '../../e2e/harness/debian-root.ts'
import { canMakeMachines, canMakeNetworks, isOver } from './machines.ts'
import { isOnPath, missingFor } from './requirements.ts'
import { LEASE, leaseOf } from './settings.ts'
import { SwitchOverError, switchOver } from './switch-over.ts'

const WATCH_MS = 1000
const SOCKET = 'control.sock'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { lease: { type: 'string', default: String(LEASE.ttl) } },
})
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const isKnown = (error: unknown): error is Error =>
  error instanceof RootError || error instanceof SwitchOverError || error instanceof RangeError

try {
  if (positionals.length > 0) process.exit(await command(positionals))
  await run()
} catch (error) {
  if (!isKnown(error)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
}

async function run(): Promise<void> {
  const lease = leaseOf(Number(values.lease))
  const missing = await missingFor({ platform: process.platform, isRoot: process.getuid?.() === 0, hasProgram: isOnPath, canMakeMachines })
  if (missing.length > 0) {
    process.stderr.write(`${missing.join('\n')}\n`)
    process.exit(1)
  }
  let stopping = false
  const ends: Parameters<typeof runAll>[0] = []
  const stop = async (): Promise<void> => {
    if (stopping) return
    stopping = true
    say('Stopping…')
    await runAll(ends)
    process.exit(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop())
  const { PORT = '8080', SANDBOX_PORT, ADMIN_EMAIL = 'admin@roz.local', ADMIN_PASSWORD, DEMO = '0' } = process.env
  const adminPassword = ADMIN_PASSWORD ?? Math.random().toString(36).slice(2, 14)
  const began = performance.now()
  const ownNetworks = await canMakeNetworks()
  const options: ClusterOptions = {
    port: Number(PORT),
    sandboxPort: Number(SANDBOX_PORT ?? Number(PORT) + 1),
    lease,
    ownNetworks,
    webDir: path.resolve(process.env.WEB_DIR ?? ''),
    env: { ADMIN_EMAIL, ADMIN_PASSWORD: adminPassword, DEMO, LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn' },
    say,
  }
  const cluster = await startCluster(options, ends).catch((error: unknown) => {
    // A stop during the start makes the start fail: ignore that failure.
    if (stopping) return new Promise<never>(() => undefined)
    throw error
  })
  if (stopping) return
  takeCommands(cluster)
  keepUp(cluster, () => stopping)
  say(`Roz is ready at ${cluster.url}, on three nodes (${Math.round((performance.now() - began) / 1000)} s)`)
  say(`Administrator  ${ADMIN_EMAIL}  ${adminPassword}`)
  say(`Payments       a sandbox at ${cluster.sandboxUrl}: no real money moves`)
  for (const node of cluster.nodes) say(`${node.name}          ${node.address}; what its programs print: ${path.dirname(node.log('etcd'))}`)
  say(
    'In another terminal: npm run lab -- cluster status, npm run lab -- cluster switch-over. Ctrl-C ends everything and deletes the data.',
  )
}

/** Starts again what has ended. */
function keepUp({ nodes, startFront }: Cluster, isStopping: () => boolean): void {
  setInterval(() => {
    if (isStopping()) return
    for (const node of nodes)
      for (const part of PARTS) {
        if (node.pidsOf(part).length > 0) continue
        say(`${node.name}: ${part} has ended; starting it again.`)
        node.startPart(part)
      }
    startFront('sandbox')
    startFront('address')
  }, WATCH_MS)
}

/** A socket in the cluster's folder, which only root can enter. */
function takeCommands(cluster: Cluster): void {
  const server = createServer((asked, answer) => {
    const [, verb, node] = (asked.url ?? '').split('/')
    const work = verb === 'switch-over' ? switched(cluster, node) : status(cluster)
    work.then(
      (text) => answer.end(`${text}\n`),
      (error: unknown) => answer.writeHead(409).end(`${error instanceof Error ? error.message : String(error)}\n`),
    )
  })
  server.listen(path.join(cluster.folder, SOCKET))
  server.unref()
}

async function switched(cluster: Cluster, wanted: string | undefined): Promise<string> {
  const { from, to, heldMs } = await switchOver(cluster, wanted === '' ? undefined : wanted)
  return `${to} is the leader now, and ${from} its standby. Statements were held back for ${(heldMs / 1000).toFixed(1)} s.`
}

async function status(cluster: Cluster): Promise<string> {
  const members = await membersOf(cluster)
  return members.map(({ name, role, state, lag }) => [name, role, state, lag === undefined ? '' : `lag ${lag}`].join('  ')).join('\n')
}

/** Asks the one cluster that runs. */
async function command([verb = '', node = '']: readonly string[]): Promise<number> {
  if (verb !== 'status' && verb !== 'switch-over')
    throw new RangeError('There are: npm run lab -- cluster, npm run lab -- cluster status, npm run lab -- cluster switch-over [node]')
  const folders = livingClusters(readdirSync(tmpdir()), isOver)
  // Never guess the cluster: a switch-over pauses the statements of its members.
  if (folders.length > 1)
    throw new RangeError(`${folders.length} clusters run here (${folders.join(', ')}): end all but one of them first.`)
  for (const folder of folders) {
    const answer = await ask(path.join(tmpdir(), folder, SOCKET), `/${verb}/${node}`)
    if (answer === undefined) continue
    process.stdout.write(answer.text)
    return answer.status === 200 ? 0 : 1
  }
  throw new RangeError('No cluster of yours runs here. npm run lab -- cluster starts one.')
}

function ask(socketPath: string, wanted: string): Promise<{ readonly status: number; readonly text: string } | undefined> {
  return new Promise((resolve) => {
    const sent = request({ socketPath, path: wanted }, (answer) => {
      let text = ''
      answer.on('data', (chunk) => (text += String(chunk)))
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
    })
    sent.on('error', () => resolve(undefined))
    sent.end()
  })
}
