/** The whole program as a child process, for tests that need several processes or several instances on one database. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { type Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { wholeRupees } from '@roz/core/money.ts'
import { freePort } from '../db/embedded/process.ts'
import { inTransaction } from '../db/transaction.ts'
import { openSession } from '../features/identity/sessions.ts'
import { makeMember } from './calls.ts'
import { cloneTemplate, type TestDatabase } from './database.ts'
import { perFile } from './fixture.ts'
import { startTestServer } from './postgres.ts'
import { addMoney } from '../ledger/testing/fixtures.ts'

export const SECRET_KEY = 'a secret of the tests that is long enough'

type Answer = { readonly status: number; readonly id: string; readonly text: string; readonly body: Record<string, unknown> }
type Asked = { readonly token?: string; readonly body?: unknown; readonly agent?: Agent; readonly headers?: Record<string, string> }
export type Program = {
  readonly port: number
  readonly dataDir: string
  readonly child: ChildProcess
  /** Lines that it printed so far. */
  readonly lines: readonly string[]
  /** Without an agent each request has a connection of its own, so it may reach another process. */
  readonly ask: (method: string, address: string, asked?: Asked) => Promise<Answer>
  /** Resolves to the exit code. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

/** A server of its own for all tests of a file: the run's own server runs without fsync, and a start refuses such a database. */
export const useDurableServer = () => perFile(() => startTestServer(['fsync=on', 'synchronous_commit=on']))

export function useDurableDatabase(): TestDatabase {
  const server = useDurableServer()
  return perFile(async () => {
    const database = await cloneTemplate(server.urls)
    return { ...database, close: database.drop }
  })
}

/** Starts the program on this database and waits until it is ready. */
export async function startProgram(
  database: Pick<TestDatabase, 'appUrl' | 'ownerUrl'>,
  env: Readonly<Record<string, string>> = {},
): Promise<Program> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'roz-program-'))
  const port = await freePort()
  const child = spawn(process.execPath, [path.join(import.meta.dirname, '../main.ts')], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      SANDBOX_PORT: String(await freePort()),
      DATA_DIR: dataDir,
      DATABASE_URL: database.appUrl,
      MIGRATE_DATABASE_URL: database.ownerUrl,
      SECRET_KEY,
      DEMO: 'off',
      LOG_LEVEL: 'info',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = new Promise<number | null>((resolve) => void child.once('close', resolve))
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => void lines.push(...String(chunk).split('\n')))
  const ask = (method: string, address: string, asked?: Asked): Promise<Answer> => send(port, method, address, asked)
  const isReady = (): Promise<boolean> =>
    ask('GET', '/readyz').then(
      ({ status }) => status === 200,
      () => false,
    )
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`the program ended: ${lines.join('\n')}`)
    await sleep(100)
  }
  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
    child.kill(signal)
    const code = await closed
    await rm(dataDir, { recursive: true, force: true })
    return code
  }
  return { port, dataDir, child, lines, ask, stop }
}

const send = (port: number, method: string, address: string, asked: Asked = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const headers = {
      ...(asked.token === undefined ? {} : { authorization: `Bearer ${asked.token}` }),
      ...(asked.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...asked.headers,
    }
    const sent = request({ host: '127.0.0.1', port, path: address, method, headers, agent: asked.agent ?? false }, (answer) => {
      let text = ''
      answer.on('data', (chunk) => (text += String(chunk)))
      answer.on('error', reject)
      answer.on('end', () => {
        const body = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {}
        resolve({ status: answer.statusCode ?? 0, id: String(answer.headers['x-request-id']), text, body })
      })
    })
    sent.on('error', reject)
    sent.end(asked.body === undefined ? undefined : JSON.stringify(asked.body))
  })

/** A member with ten rupees, signed in. */
export async function signedInMember({ db }: Pick<TestDatabase, 'db'>): Promise<string> {
  const memberId = await makeMember(db)
  await addMoney(db, memberId, wholeRupees(10))
  return inTransaction(db, (tx) => openSession(tx, memberId, 'member'))
}

/** The value of a series in an answer of /metrics. */
export const seriesIn = (text: string, series: string): number =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.slice(series.length + 1),
  )
