/**
 * The servers of the system under test: one, or several instances on one database behind one address.
 * - One server runs its own sandbox of the gateway, which dies with it. Several ask one sandbox, a process of its own.
 * - Only the clients' and the gateway's addresses differ between the two; nothing else knows how many there are.
 */
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { isAlive, signal } from '@roz/server/db/embedded/process.ts'
import { freePorts, type Program, startChild, startProgram } from '../../e2e/harness/program.ts'
import { spreadOver } from '../../e2e/harness/load-balancer.ts'
import type { Dice } from './random.ts'

/** A version of the product: its sources, and the web that was built from them. */
export type Version = { readonly name: string; readonly folder: string; readonly webDir: string }
type Place = { readonly dataDir: string; readonly port: number; version: Version | undefined; isOut: boolean }

type Options = {
  /** This checkout, if undefined. */
  readonly version?: Version | undefined
  readonly count: number
  /** The folder of the run. */
  readonly folder: string
  /** The settings that all servers share. */
  readonly env: Readonly<Record<string, string>>
  readonly ends: (() => void | Promise<void>)[]
  /** Wraps each start. */
  readonly starting?: (start: () => Promise<Program>) => Promise<Program>
}

const GATEWAY_KEYS = {
  CASHFREE_PG_CLIENT_ID: 'sandbox-client',
  CASHFREE_PG_CLIENT_SECRET: 'sandbox-secret',
  CASHFREE_PAYOUT_CLIENT_ID: 'sandbox-payout-client',
  CASHFREE_PAYOUT_CLIENT_SECRET: 'sandbox-payout-secret',
}
const READY_MS = 30_000

/** Registers a stop function for everything that it starts. */
export async function startServers({ count, folder, env, ends, version: first, starting = (start) => start() }: Options) {
  const places = await Promise.all(
    Array.from({ length: count }, async (_, index): Promise<Place> => {
      const dataDir = path.join(folder, `server-${index + 1}`)
      mkdirSync(dataDir)
      return { dataDir, port: await freePorts(), version: first, isOut: false }
    }),
  )
  const asked = (): number[] => places.flatMap(({ port, isOut }) => (isOut ? [] : [port]))
  const shared = count === 1 ? undefined : await shareGateway(folder, asked, ends)
  const start = ({ dataDir, port, version }: Place): Promise<Program> => {
    const sources = version && { sources: version.folder }
    const web = version && { WEB_DIR: version.webDir }
    return starting(() => startProgram({ dataDir, port, ...sources, env: { ...env, ...shared?.env, ...web } }))
  }
  const servers = await Promise.all(places.map(start))
  ends.push(async () => {
    for (const { pid } of servers) signal(pid, 'SIGCONT')
    await Promise.all(servers.filter(({ pid }) => isAlive(pid)).map((server) => server.stop()))
  })
  const complaints: string[] = []
  /** The output of killed servers. */
  let printed = ''

  return {
    all: (): readonly Program[] => servers,
    url: (): string => shared?.url ?? (servers[0] as Program).url,
    sandboxUrl: (): string => shared?.sandboxUrl ?? (servers[0] as Program).sandboxUrl,
    /** The servers that a fault hits: one, or now and then all. */
    victims: (dice: Dice): readonly Program[] => (servers.length === 1 || dice.chance(0.3) ? servers : [dice.pick(servers)]),
    /** Starts the servers again that are gone. */
    async revive(): Promise<void> {
      const gone = servers.flatMap((server, index) => (isAlive(server.pid) ? [] : [{ server, index }]))
      await Promise.all(
        gone.map(async ({ server, index }) => {
          const code = await server.ended
          // A killed process has no exit code.
          if (code !== null) complaints.push(`a server ended by itself with code ${code}`)
          printed += server.output()
          servers[index] = await start(places[index] as Place)
        }),
      )
    },
    /** Replaces a server as docs/runbooks/upgrade.md says: out of the balancer, orderly stop, start of the other version, back when ready. */
    async replace(index: number, version: Version): Promise<Program> {
      const [place, leaving] = [places[index] as Place, servers[index] as Program]
      place.isOut = true
      const code = await leaving.stop()
      if (code !== 0) complaints.push(`a stop of version ${place.version?.name} ended with code ${code}`)
      printed += leaving.output()
      place.version = version
      const coming = await start(place)
      servers[index] = coming
      place.isOut = false
      return coming
    },
    versions: (): readonly (Version | undefined)[] => places.map(({ version }) => version),
    complaints: (): readonly string[] => complaints,
    printed: (): string => printed + servers.map((server) => server.output()).join(''),
  }
}

/** The address of all servers, and a sandbox of the gateway that outlives each of them. */
async function shareGateway(folder: string, ports: () => readonly number[], ends: Options['ends']) {
  const spread = await spreadOver(ports)
  ends.push(() => spread.close())
  const port = await freePorts()
  const sandbox = startChild('gateway-sandbox/src/main.ts', [], {
    ...GATEWAY_KEYS,
    SANDBOX_PORT: String(port),
    DATA_DIR: folder,
    PAYOUT_NOTIFY_URL: `${spread.url}/api/webhooks/cashfree-payouts`,
    SUBSCRIPTION_NOTIFY_URL: `${spread.url}/api/webhooks/cashfree-autopay`,
    CLOCK_URL: `${spread.url}/dev/clock`,
  })
  const gone = new Promise<void>((resolve) => sandbox.once('exit', () => resolve()))
  ends.push(() => {
    sandbox.kill('SIGTERM')
    return gone
  })
  await new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('the sandbox of the gateway did not start')), READY_MS)
    sandbox.stdout?.once('data', () => {
      clearTimeout(late)
      resolve()
    })
  })
  const sandboxUrl = `http://127.0.0.1:${port}`
  const env = {
    ...GATEWAY_KEYS,
    PAYMENTS: 'cashfree',
    PUBLIC_URL: spread.url,
    SECRET_KEY: 'the secret key of several servers on one database',
    CASHFREE_PG_BASE_URL: `${sandboxUrl}/pg`,
    CASHFREE_PAYOUT_BASE_URL: `${sandboxUrl}/payout`,
    CASHFREE_JS_URL: `${sandboxUrl}/js/v3/cashfree.js`,
  }
  return { url: spread.url, sandboxUrl, env }
}
