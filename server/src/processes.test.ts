/** Tests one server of four processes: a rotation of the log key takes effect in all of them at once. */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { canonicalJson } from '@roz/core/draw-records.ts'
import { addDays, dayAt, type IstDay } from '@roz/core/ist-day.ts'
import { paise } from '@roz/core/money.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inTransaction } from './db/transaction.ts'
import { openSession } from './features/identity/sessions.ts'
import { captureTopup, createTopup } from './ledger/topups.ts'
import { rotateLogKey } from './commands/rotate-log-key.ts'
import { makeMember } from './testing/calls.ts'
import { cloneTemplate, type TestDatabase } from './testing/database.ts'
import { startTestServer } from './testing/postgres.ts'
import { VERDICT, verifyDay, verifyDayByTwin } from './testing/verifier.ts'

const PROCESSES = 4
const SECRET_KEY = 'a secret of the tests that is long enough'
const TODAY = addDays(dayAt(Date.now()), 2)
const TOMORROW = addDays(TODAY, 1)
const DAY_AFTER = addDays(TODAY, 2)

// The test run's own database runs without fsync, and a start refuses such a database.
let durable: Awaited<ReturnType<typeof startTestServer>>
let database: TestDatabase
let dataDir: string
let server: ChildProcess
let port: number
/** Lines of the server's log; each says which process answered. */
const lines: string[] = []

beforeAll(async () => {
  durable = await startTestServer(['fsync=on', 'synchronous_commit=on'])
  database = await cloneTemplate(durable.urls)
  dataDir = await mkdtemp(path.join(tmpdir(), 'roz-processes-'))
  port = await freePort()
  server = spawn(process.execPath, [path.join(import.meta.dirname, 'main.ts')], {
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
      PROCESSES: String(PROCESSES),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [server.stdout, server.stderr]) stream?.on('data', (chunk) => void lines.push(...String(chunk).split('\n')))
  const isReady = (): Promise<boolean> =>
    ask('GET', '/readyz').then(
      ({ status }) => status === 200,
      () => false,
    )
  while (!(await isReady())) await sleep(200)
}, 240_000)
afterAll(async () => {
  server.kill('SIGTERM')
  if (server.exitCode === null) await new Promise((resolve) => server.once('close', resolve))
  await rm(dataDir, { recursive: true })
  await database.drop()
  await durable.stop()
}, 60_000)

async function freePort(): Promise<number> {
  const listener = createServer()
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const address = listener.address()
  await new Promise((resolve) => listener.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}

type Answer = { readonly status: number; readonly id: string; readonly body: Record<string, unknown> }

/** Opens a connection per request, so each request may reach another process. */
const ask = (method: string, address: string, asked: { readonly token?: string; readonly body?: unknown } = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const headers = {
      ...(asked.token === undefined ? {} : { authorization: `Bearer ${asked.token}` }),
      ...(asked.body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const sent = request({ host: '127.0.0.1', port, path: address, method, headers, agent: false }, (answer) => {
      let text = ''
      answer.on('data', (chunk) => (text += String(chunk)))
      answer.on('end', () => {
        const body = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {}
        resolve({ status: answer.statusCode ?? 0, id: String(answer.headers['x-request-id']), body })
      })
    })
    sent.on('error', reject)
    sent.end(asked.body === undefined ? undefined : JSON.stringify(asked.body))
  })

async function signIn(): Promise<string> {
  const memberId = await makeMember(database.db)
  const orderId = crypto.randomUUID().replaceAll('-', '')
  return inTransaction(database.db, async (tx) => {
    await createTopup(tx, { orderId, memberId, amount: paise(1000n) })
    await captureTopup(tx, { orderId, paymentId: `test-${orderId}`, orderAmount: paise(1000n) })
    return openSession(tx, memberId, 'member')
  })
}

const goTo = async (now: string): Promise<void> => {
  expect(await ask('POST', '/dev/clock', { body: { now } })).toMatchObject({ status: 200 })
}

/** The process that answered a request. */
const processOf = ({ id }: Answer): number | undefined => {
  const line = lines.find((one) => one.includes(id) && one.includes('"worker"'))
  return line === undefined ? undefined : (JSON.parse(line) as { worker: number }).worker
}

type Kept = { readonly day: IstDay; readonly ticket: string; readonly receipt: object }
type Entered = { readonly token: string; readonly kept: Kept }

/** Lets members join until each process has signed a receipt; returns one member per process. */
async function joinEverywhere(): Promise<Entered[]> {
  const byProcess = new Map<number, Entered>()
  for (let tries = 0; byProcess.size < PROCESSES && tries < 60; tries++) {
    const token = await signIn()
    const joined = await ask('POST', '/api/rounds/join', { token, body: {} })
    expect(joined.status, JSON.stringify(joined.body)).toBe(200)
    await expect.poll(() => processOf(joined), { timeout: 10_000 }).toBeDefined()
    byProcess.set(processOf(joined) as number, { token, kept: joined.body['ticket'] as Kept })
  }
  expect(byProcess.size).toBe(PROCESSES)
  return [...byProcess.values()]
}

async function expectValid({ day, ticket, receipt }: Kept): Promise<void> {
  const file = path.join(dataDir, `${crypto.randomUUID()}.json`)
  await writeFile(file, canonicalJson({ day, receipt, ticket, v: 1 }))
  const asked = { url: `http://127.0.0.1:${port}`, day }
  for (const { code, text } of await Promise.all([verifyDay(asked, '--receipt', file), verifyDayByTwin(asked, '--receipt', file)])) {
    expect(text).toMatch(/(?:✓|PASS)\s+receipt/)
    expect(code, text).toBe(VERDICT.weak)
  }
}

test('after a rotation of the log key each of four processes signs with the key of the entry’s day', async () => {
  await goTo(`${TODAY}T12:00:00+05:30`)
  const before = await joinEverywhere()
  await goTo(`${TOMORROW}T12:00:00+05:30`)
  const said: string[] = []
  const rotation = { databaseUrl: database.appUrl, dataDir, namedStatements: true, secretKey: SECRET_KEY, secretKeyOld: undefined }
  expect(await rotateLogKey({ ...rotation, say: (line) => void said.push(line) }), said.join('\n')).toBe(0)
  const sameDay = await joinEverywhere()
  await goTo(`${DAY_AFTER}T12:00:00+05:30`)
  const nextDay = await joinEverywhere()
  // A receipt requested after the rotation is signed with the key of its own day.
  const late = await Promise.all(
    before.map(async ({ token }): Promise<Kept> => {
      const { day, ticket, receipt } = (await ask('GET', `/api/user/tickets/${TODAY}`, { token })).body
      return { day: day as IstDay, ticket: String(ticket), receipt: receipt as object }
    }),
  )
  await goTo(`${addDays(DAY_AFTER, 1)}T00:10:00+05:30`)
  for (const { kept } of [...before, ...sameDay, ...nextDay]) await expectValid(kept)
  for (const kept of late) await expectValid(kept)
}, 240_000)

test('a rotation is refused in the last minute of a day', async () => {
  const said: string[] = []
  await goTo(`${addDays(DAY_AFTER, 1)}T23:59:30+05:30`)
  const rotation = { databaseUrl: database.appUrl, dataDir, namedStatements: true, secretKey: SECRET_KEY, secretKeyOld: undefined }
  expect(await rotateLogKey({ ...rotation, say: (line) => void said.push(line) })).toBe(1)
  expect(said).toEqual(['The key was not replaced: Error: it is less than a minute to midnight: try again after it'])
})
