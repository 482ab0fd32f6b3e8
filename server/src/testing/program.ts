/** The whole program as a child process, for tests that need several processes or several instances on one database. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { type Agent, request } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { paise } from '@roz/core/money.ts'
import { inTransaction } from '../db/transaction.ts'
import { openSession } from '../features/identity/sessions.ts'
import { captureTopup, createTopup } from '../ledger/topups.ts'
import { makeMember } from './calls.ts'
import type { TestDatabase } from './database.ts'

export const SECRET_KEY = 'a secret of the tests that is long enough'

export type Answer = { readonly status: number; readonly id: string; readonly text: string; readonly body: Record<string, unknown> }
export type Asked = { readonly token?: string; readonly body?: unknown; readonly agent?: Agent; readonly headers?: Record<string, string> }
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

export async function freePort(): Promise<number> {
  const listener = createServer()
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const address = listener.address()
  await new Promise((resolve) => listener.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
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
  const orderId = crypto.randomUUID().replaceAll('-', '')
  return inTransaction(db, async (tx) => {
    await createTopup(tx, { orderId, memberId, amount: paise(1000n) })
    await captureTopup(tx, { orderId, paymentId: `test-${orderId}`, orderAmount: paise(1000n) })
    return openSession(tx, memberId, 'member')
  })
}

/** The value of a series in an answer of /metrics. */
export const seriesIn = (text: string, series: string): number =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.slice(series.length + 1),
  )
