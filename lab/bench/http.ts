/** Measures joins and other calls over HTTP on the product, the empty server and the peer. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Db, connect, sql } from '@roz/server/db/sql.ts'
import { IN_FLIGHT } from './engine.ts'
import { closedLoop, type Loaded, openLoop, percentile } from './load.ts'
import type { Program } from './processes.ts'
import { memberAt, type SetUp, tokenAt } from './set-up.ts'

/** The same concurrency as in the engine. */
export const CONNECTIONS = IN_FLIGHT

function requestOf(method: string, path: string, headers: Readonly<Record<string, string>>, body?: string): Buffer {
  const all = {
    host: '127.0.0.1',
    ...headers,
    ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(body.length) }),
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`)
}

/**
 * Builds one join request per member of a range, with session token and Idempotency-Key, as a client that retries sends them.
 * Each join has a new key: the key of the day before would replay that day's answer.
 */
export function joinRequests(path: string, from: number, to: number): Buffer[] {
  const requests = Array.from({ length: to - from }, (_, index) =>
    requestOf('POST', path, { authorization: `Bearer ${tokenAt(from + index)}`, 'idempotency-key': randomUUID() }, '{}'),
  )
  // Scattered: consecutive requests touch distant rows.
  return requests.map((_, index) => requests[(index * 7919) % requests.length] as Buffer)
}

export const JOIN = '/api/rounds/join'

export type Joined = Loaded & {
  /** CPU time per answer in µs: other load on the machine hardly changes this figure. */
  readonly serverUs: number
  readonly databaseUs: number
}

const REST_MS = 200
const RESTS_MAX = 25

/** Waits until programs and database are idle, so leftover work of a day's end or an earlier run is not measured. */
export async function comeToRest(setUp: SetUp, programs: readonly Program[]): Promise<void> {
  const spentMs = (): number => programs.reduce((sum, program) => sum + program.cpuMs(), setUp.databaseCpuMs())
  for (let look = 0; look < RESTS_MAX; look++) {
    const before = spentMs()
    await sleep(REST_MS)
    if (spentMs() - before < REST_MS / 10) return
  }
}

/** Sends all joins in a closed loop, as fast as the server answers. */
export async function measureJoins(setUp: SetUp, program: Program, requests: readonly Buffer[], secondsMax: number): Promise<Joined> {
  const before = { server: program.cpuMs(), database: setUp.databaseCpuMs() }
  const loaded = await closedLoop({ port: program.port, connections: CONNECTIONS, requests }, secondsMax)
  const other = Object.keys(loaded.byStatus).filter((status) => status !== '200')
  if (other.length > 0) throw new Error(`joins were answered ${JSON.stringify(loaded.byStatus)}`)
  const usFor = (sinceMs: number): number => (sinceMs * 1000) / loaded.answers
  return { ...loaded, serverUs: usFor(program.cpuMs() - before.server), databaseUs: usFor(setUp.databaseCpuMs() - before.database) }
}

/** Fetches an answer of a loaded server: members join concurrently, because a receipt's path grows with its batch. */
export async function typicalAnswer(program: Program, members: number): Promise<string> {
  const answers = await Promise.all(Array.from({ length: members }, (_, index) => joinOnce(program, index)))
  return answers.at(-1) as string
}

async function joinOnce(program: Program, index: number): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${program.port}${JOIN}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokenAt(index)}`, 'content-type': 'application/json' },
    body: '{}',
  })
  if (answer.status !== 200) throw new Error(`a join was answered ${answer.status}: ${await answer.text()}`)
  return answer.text()
}

export const joinsAtRate = (program: Program, requests: readonly Buffer[], rate: number, seconds: number): Promise<Loaded> =>
  openLoop({ port: program.port, connections: CONNECTIONS, requests }, rate, seconds)

export type Percentiles = { readonly p50: number; readonly p99: number; readonly p999: number }
export const percentilesOf = (ascending: Float64Array): Percentiles => ({
  p50: percentile(ascending, 0.5),
  p99: percentile(ascending, 0.99),
  p999: percentile(ascending, 0.999),
})

/** One reader requests the same page repeatedly; `path` names the first page or one in the middle. */
export async function measurePage(program: Program, path: string, index: number, times: number): Promise<Percentiles> {
  const requests = Array.from({ length: times }, () => requestOf('GET', path, { authorization: `Bearer ${tokenAt(index)}` }))
  const loaded = await closedLoop({ port: program.port, connections: 1, requests }, 20)
  if (Object.keys(loaded.byStatus).join() !== '200') throw new Error(`${path} was answered ${JSON.stringify(loaded.byStatus)}`)
  return percentilesOf(loaded.latencies)
}

/** Measures a read-only call by many members concurrently. */
export const measureReads = (program: Program, path: string, from: number, to: number, secondsMax: number): Promise<Loaded> =>
  closedLoop(
    {
      port: program.port,
      connections: CONNECTIONS,
      requests: Array.from({ length: to - from }, (_, index) =>
        requestOf('GET', path, { authorization: `Bearer ${tokenAt(from + index)}` }),
      ),
    },
    secondsMax,
  )

/** Creates the peer's tables with the same members and tokens. */
export async function preparePeer(setUp: SetUp, members: number): Promise<Db> {
  const root = connect({ url: setUp.urlOf('postgres'), max: 1 })
  await root.query(sql`create database peer`)
  await root.close()
  const peer = connect({ url: setUp.urlOf('peer'), max: 2, queryTimeoutMs: 120_000 })
  await peer.withConnection((connection) => connection.command(readFileSync(new URL('./peer/schema.sql', import.meta.url), 'utf8')))
  const [first, last] = [memberAt(0), memberAt(members - 1)]
  await peer.query(
    sql`insert into members select id, 'member' || id || '@bench.test', true, false from generate_series(${first}::bigint, ${last}::bigint) id`,
  )
  await peer.query(sql`insert into wallets (member_id, balance) select id, 1000000 from members`)
  const tokens = Array.from({ length: members }, (_, index) => tokenAt(index))
  await peer.query(sql`
    insert into sessions select encode(sha256(token::bytea), 'hex'), ${first}::bigint + n - 1, now() + interval '400 days'
      from unnest(${tokens}::text[]) with ordinality as u(token, n)`)
  await peer.query(sql`analyze`)
  return peer
}

/** Opens an empty round in the peer's database. */
export async function newPeerRound(peer: Db, day: string): Promise<void> {
  await peer.query(sql`insert into rounds values (${day}::date, 'open', now() + interval '10 days')`)
}
