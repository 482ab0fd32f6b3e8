/**
 * Tests restarts without an outage, under load. Processes are replaced one by one, an instance stops beside another, and
 * /metrics adds up all processes.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { sql } from '../db/sql.ts'
import { listUnreadable } from '../secrets/reseal.ts'
import { createSecrets } from '../secrets/secrets.ts'
import { cloneTemplate, type TestDatabase } from '../testing/database.ts'
import { startTestServer } from '../testing/postgres.ts'
import { type Program, seriesIn, signedInMember, startProgram } from '../testing/program.ts'

const CLIENTS = 8
const READS = ['/api/rounds/current', '/api/wallet/transactions', '/api/rounds/stats', '/healthz']

// The test run's own database runs without fsync, and a start refuses such a database.
let durable: Awaited<ReturnType<typeof startTestServer>>
let database: TestDatabase
beforeAll(async () => {
  durable = await startTestServer(['fsync=on', 'synchronous_commit=on'])
}, 240_000)
afterAll(() => durable.stop())
beforeEach(async () => {
  database = await cloneTemplate(durable.urls)
})
afterEach(() => database.drop())

type Load = { readonly joined: () => number; readonly end: () => Promise<readonly string[]> }

/** Members who join and read until `end`, which names each failure. A client whose port refuses the connection goes to the next port. */
function startLoad(programs: readonly Program[]): Load {
  const failures: string[] = []
  let [joined, isOver] = [0, false]
  async function client(number: number): Promise<void> {
    // Half of them keep their connection, as browsers and proxies do.
    const agent = number % 2 === 0 ? new Agent({ keepAlive: true, maxSockets: 1 }) : undefined
    let place = number
    const request = async (method: string, address: string, token: string): Promise<number> => {
      for (let left = programs.length; ; left--) {
        const program = programs[place % programs.length] as Program
        try {
          const answer = await program.ask(method, address, { token, ...(agent && { agent }), ...(method === 'POST' && { body: {} }) })
          if (answer.status !== 200) failures.push(`${method} ${address}: ${answer.status} ${answer.text.slice(0, 200)}`)
          return answer.status
        } catch (error) {
          const isRefused = error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED'
          if (!isRefused || left <= 1) {
            failures.push(`${method} ${address}: ${String(error)}`)
            return 0
          }
          place++
        }
      }
    }
    while (!isOver) {
      const token = await signedInMember(database)
      if ((await request('POST', '/api/rounds/join', token)) === 200) joined++
      for (const address of READS) await request('GET', address, token)
    }
    agent?.destroy()
  }
  const clients = Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)))
  return {
    joined: () => joined,
    end: async () => {
      isOver = true
      await clients
      return failures
    },
  }
}

/** The joins that /metrics counts. */
const countJoins = async (program: Program): Promise<number> =>
  seriesIn((await program.ask('GET', '/metrics')).text, 'roz_join_batch_size_sum')
const workersIn = ({ lines }: Program): ReadonlySet<number> =>
  new Set(lines.flatMap((line) => (/"worker":(\d+)/.exec(line)?.[1] ?? '').split(' ').filter(Boolean).map(Number)))

test('processes are replaced one by one under load without a failed request, and /metrics goes on counting for all of them', async () => {
  const program = await startProgram(database, { PROCESSES: '2', DRAIN_SECONDS: '2' })
  try {
    const load = startLoad([program])
    await expect.poll(load.joined, { timeout: 30_000 }).toBeGreaterThan(50)
    program.child.kill('SIGUSR2')
    await expect.poll(() => program.lines.includes('Replaced 2 processes.'), { timeout: 90_000 }).toBe(true)
    const before = load.joined()
    await expect.poll(load.joined, { timeout: 30_000 }).toBeGreaterThan(before)
    expect(await load.end()).toEqual([])
    expect([...workersIn(program)].toSorted()).toEqual([1, 2, 3, 4])
    // Whichever process answers, it counts for both, and for those that have ended.
    for (let time = 0; time < 6; time++) expect(await countJoins(program)).toBe(load.joined())
    const { text } = await program.ask('GET', '/metrics')
    expect(seriesIn(text, 'roz_work_parked')).toBe(0)
    expect(text).toMatch(/^# HELP process_resident_memory_bytes .*the sum over the processes$/m)
    expect(text).toMatch(/^# HELP nodejs_eventloop_lag_p99_seconds .*the largest of the processes$/m)
  } finally {
    expect(await program.stop()).toBe(0)
  }
}, 240_000)

test('new processes keep the settings of the start: a secret key that was changed meanwhile counts from the next start on', async () => {
  // Without the setting, a start reads the key from a file.
  const program = await startProgram(database, { PROCESSES: '2', SECRET_KEY: '' })
  try {
    const file = path.join(program.dataDir, 'secret-key')
    const ofTheStart = createSecrets({ secretKey: await readFile(file, 'utf8') })
    const [before, after] = [await signedInMember(database), await signedInMember(database)]
    const change = async (token: string, ticketKey: string): Promise<number> =>
      (await program.ask('PUT', '/api/user/ticket-key', { token, body: { ticketKey } })).status
    expect(await change(before, 'e'.repeat(64))).toBe(200)
    await writeFile(file, 'another secret key than that of the start')
    program.child.kill('SIGUSR2')
    await expect.poll(() => program.lines.includes('Replaced 2 processes.'), { timeout: 90_000 }).toBe(true)
    expect((await program.ask('GET', '/api/user/ticket-key', { token: before })).body).toMatchObject({ key: 'e'.repeat(64) })
    expect(await change(after, 'f'.repeat(64))).toBe(200)
    expect(await listUnreadable(database.db, ofTheStart)).toEqual([])
  } finally {
    expect(await program.stop()).toBe(0)
  }
}, 240_000)

test('an instance stops beside another on the same database without a failed request, but for connections that its port refuses', async () => {
  // Both start at once, and have one administrator.
  const [leaving, staying] = await Promise.all([
    startProgram(database, { DRAIN_SECONDS: '2' }),
    startProgram(database, { DRAIN_SECONDS: '2' }),
  ])
  let isStopped = false
  try {
    const load = startLoad([leaving, staying])
    await expect.poll(() => load.joined(), { timeout: 30_000 }).toBeGreaterThan(50)
    const code = await leaving.stop()
    isStopped = true
    const before = load.joined()
    await expect.poll(load.joined, { timeout: 30_000 }).toBeGreaterThan(before)
    await sleep(200)
    expect(await load.end()).toEqual([])
    expect(code).toBe(0)
    expect(await database.db.query(sql`select from member where role = 'admin'`)).toHaveLength(1)
  } finally {
    if (!isStopped) await leaving.stop()
    await staying.stop()
  }
}, 240_000)

test('with one process there is nothing to replace, and the program says so and serves on', async () => {
  const program = await startProgram(database)
  program.child.kill('SIGUSR2')
  await expect.poll(() => program.lines).toContain('PROCESSES is 1: no process can be replaced while another serves.')
  expect((await program.ask('GET', '/healthz')).status).toBe(200)
  expect(await program.stop()).toBe(0)
}, 120_000)
