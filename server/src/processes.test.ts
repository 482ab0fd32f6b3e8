/** Tests one server of four processes: a rotation of the log key takes effect in all of them at once. */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { canonicalJson } from '@roz/core/draw-records.ts'
import { addDays, dayAt, type IstDay } from '@roz/core/ist-day.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rotateLogKey } from './commands/rotate-log-key.ts'
import { cloneTemplate, type TestDatabase } from './testing/database.ts'
import { startTestServer } from './testing/postgres.ts'
import { type Answer, type Program, SECRET_KEY, signedInMember, startProgram } from './testing/program.ts'
import { VERDICT, verifyDay, verifyDayByTwin } from './testing/verifier.ts'

const PROCESSES = 4
const TODAY = addDays(dayAt(Date.now()), 2)
const TOMORROW = addDays(TODAY, 1)
const DAY_AFTER = addDays(TODAY, 2)

// The test run's own database runs without fsync, and a start refuses such a database.
let durable: Awaited<ReturnType<typeof startTestServer>>
let database: TestDatabase
let program: Program

beforeAll(async () => {
  durable = await startTestServer(['fsync=on', 'synchronous_commit=on'])
  database = await cloneTemplate(durable.urls)
  program = await startProgram(database, { PROCESSES: String(PROCESSES) })
}, 240_000)
afterAll(async () => {
  await program.stop()
  await database.drop()
  await durable.stop()
}, 60_000)

const goTo = async (now: string): Promise<void> => {
  expect(await program.ask('POST', '/dev/clock', { body: { now } })).toMatchObject({ status: 200 })
}

/** The process that answered a request. */
const processOf = ({ id }: Answer): number | undefined => {
  const line = program.lines.find((one) => one.includes(id) && one.includes('"worker"'))
  return line === undefined ? undefined : (JSON.parse(line) as { worker: number }).worker
}

type Kept = { readonly day: IstDay; readonly ticket: string; readonly receipt: object }
type Entered = { readonly token: string; readonly kept: Kept }

/** Lets members join until each process has signed a receipt, however late it began to serve; returns one member per process. */
async function joinEverywhere(): Promise<Entered[]> {
  const byProcess = new Map<number, Entered>()
  const until = performance.now() + 60_000
  while (byProcess.size < PROCESSES && performance.now() < until) {
    const token = await signedInMember(database)
    const joined = await program.ask('POST', '/api/rounds/join', { token, body: {} })
    expect(joined.status, JSON.stringify(joined.body)).toBe(200)
    await expect.poll(() => processOf(joined), { timeout: 10_000 }).toBeDefined()
    byProcess.set(processOf(joined) as number, { token, kept: joined.body['ticket'] as Kept })
  }
  expect(byProcess.size).toBe(PROCESSES)
  return [...byProcess.values()]
}

async function expectValid({ day, ticket, receipt }: Kept): Promise<void> {
  const file = path.join(program.dataDir, `${crypto.randomUUID()}.json`)
  await writeFile(file, canonicalJson({ day, receipt, ticket, v: 1 }))
  const asked = { url: `http://127.0.0.1:${program.port}`, day }
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
  const rotation = {
    databaseUrl: database.appUrl,
    dataDir: program.dataDir,
    namedStatements: true,
    secretKey: SECRET_KEY,
    secretKeyOld: undefined,
  }
  expect(await rotateLogKey({ ...rotation, say: (line) => void said.push(line) }), said.join('\n')).toBe(0)
  const sameDay = await joinEverywhere()
  await goTo(`${DAY_AFTER}T12:00:00+05:30`)
  const nextDay = await joinEverywhere()
  // A receipt requested after the rotation is signed with the key of its own day.
  const late = await Promise.all(
    before.map(async ({ token }): Promise<Kept> => {
      const { day, ticket, receipt } = (await program.ask('GET', `/api/user/tickets/${TODAY}`, { token })).body
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
  const rotation = {
    databaseUrl: database.appUrl,
    dataDir: program.dataDir,
    namedStatements: true,
    secretKey: SECRET_KEY,
    secretKeyOld: undefined,
  }
  expect(await rotateLogKey({ ...rotation, say: (line) => void said.push(line) })).toBe(1)
  expect(said).toEqual(['The key was not replaced: Error: it is less than a minute to midnight: try again after it'])
})
