/**
 * Tests two instances on one database: they share sessions, throttles, idempotency keys, uploads in a bucket and the log key,
 * and one of them stops under load without a failed request.
 */
import { writeFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { canonicalJson } from '@roz/core/draw-records.ts'
import { addDays, dayAt, type IstDay } from '@roz/core/ist-day.ts'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rotateLogKey } from './commands/rotate-log-key.ts'
import { sql } from './db/sql.ts'
import { type Program, SECRET_KEY, signedInMember, startProgram, useDurableDatabase } from './testing/program.ts'
import { startS3Server, storageUrlOf } from './testing/s3-server.ts'
import { VERDICT, verifyDay, verifyDayByTwin } from './testing/verifier.ts'
import { perFile } from './testing/fixture.ts'

const TODAY = addDays(dayAt(Date.now()), 2)
const TOMORROW = addDays(TODAY, 1)
const DAY_AFTER = addDays(TODAY, 2)
const CLIENTS = 8
const READS = ['/api/rounds/current', '/api/wallet/transactions', '/api/rounds/stats', '/healthz']

const database = useDurableDatabase()
const s3 = perFile(startS3Server)
let [one, other]: [Program, Program] = [] as never
beforeAll(async () => {
  const env = {
    STORAGE_URL: storageUrlOf(s3.place),
    AWS_ACCESS_KEY_ID: s3.place.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3.place.secretAccessKey,
    DRAIN_SECONDS: '2',
  }
  // Both start at once, and have one administrator.
  ;[one, other] = await Promise.all([startProgram(database, env), startProgram(database, env)])
}, 240_000)
afterAll(() => Promise.all([one.stop(), other.stop()]))

async function uploadAvatar({ port }: Program, token: string): Promise<{ readonly status: number; readonly avatarUrl: string }> {
  const picture = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#1d7a4d' } })
    .png()
    .toBuffer()
  const form = new FormData()
  form.append('avatar', new Blob([new Uint8Array(picture)], { type: 'image/png' }), 'me.png')
  const headers = { authorization: `Bearer ${token}` }
  const answer = await fetch(`http://127.0.0.1:${port}/api/user/avatar`, { method: 'POST', headers, body: form })
  return { status: answer.status, ...((await answer.json()) as { avatarUrl: string }) }
}

test('a picture that one instance took is served by the other, and a closed store answers 503 without changing the account', async () => {
  const token = await signedInMember(database)
  const { status, avatarUrl } = await uploadAvatar(one, token)
  expect(status).toBe(200)
  for (const program of [one, other]) expect((await program.ask('GET', avatarUrl)).status).toBe(200)
  await s3.goAway()
  expect((await uploadAvatar(other, token)).status).toBe(503)
  expect((await other.ask('GET', avatarUrl)).status).toBe(503)
  await s3.comeBack()
  expect((await other.ask('GET', avatarUrl)).status).toBe(200)
  const second = await uploadAvatar(other, token)
  expect((await one.ask('GET', second.avatarUrl)).status).toBe(200)
  expect((await one.ask('GET', avatarUrl)).status).toBe(404)
}, 60_000)

test('wrong passwords are counted over both instances, and a sign-out at one ends the session at the other', async () => {
  const wrong = { email: 'nobody@example.org', password: 'not the password' }
  const statuses: number[] = []
  for (let turn = 0; turn < 11; turn++)
    statuses.push((await (turn % 2 === 0 ? one : other).ask('POST', '/api/auth/login', { body: wrong })).status)
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429])
  const token = await signedInMember(database)
  expect((await other.ask('GET', '/api/wallet/transactions', { token })).status).toBe(200)
  expect((await one.ask('POST', '/api/auth/logout', { token })).status).toBeLessThan(300)
  expect((await other.ask('GET', '/api/wallet/transactions', { token })).status).toBe(401)
}, 60_000)

test('a key that one instance answered gets the same answer from the other, and another body is refused', async () => {
  const token = await signedInMember(database)
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const add = (program: Program, amount: number) =>
    program.ask('POST', '/api/wallet/add', { token, body: { amount, phoneNumber: '9876543210' }, headers })
  const [first, second] = [await add(one, 20), await add(other, 20)]
  expect([first.status, second.status]).toEqual([200, 200])
  expect(second.body['order_id']).toBe(first.body['order_id'])
  expect((await add(other, 30)).body['code']).toBe('idempotency_mismatch')
}, 60_000)

const goTo = async (now: string): Promise<void> => {
  expect(await one.ask('POST', '/dev/clock', { body: { now } })).toMatchObject({ status: 200 })
}

type Kept = { readonly day: IstDay; readonly ticket: string; readonly receipt: object }
type Entered = { readonly token: string; readonly kept: Kept }

/** A member joins at each instance. */
async function joinAtBoth(): Promise<Entered[]> {
  const entered: Entered[] = []
  for (const program of [one, other]) {
    const token = await signedInMember(database)
    const joined = await program.ask('POST', '/api/rounds/join', { token, body: {} })
    expect(joined.status, JSON.stringify(joined.body)).toBe(200)
    entered.push({ token, kept: joined.body['ticket'] as Kept })
  }
  return entered
}

async function expectValid({ day, ticket, receipt }: Kept): Promise<void> {
  const file = path.join(one.dataDir, `${crypto.randomUUID()}.json`)
  await writeFile(file, canonicalJson({ day, receipt, ticket, v: 1 }))
  const asked = { url: `http://127.0.0.1:${one.port}`, day }
  for (const { code, text } of await Promise.all([verifyDay(asked, '--receipt', file), verifyDayByTwin(asked, '--receipt', file)])) {
    expect(text).toMatch(/(?:✓|PASS)\s+receipt/)
    expect(code, text).toBe(VERDICT.weak)
  }
}

test('after a rotation of the log key each instance signs with the key of the entry’s day', async () => {
  await goTo(`${TODAY}T12:00:00+05:30`)
  const before = await joinAtBoth()
  await goTo(`${TOMORROW}T12:00:00+05:30`)
  const said: string[] = []
  const rotation = {
    databaseUrl: database.appUrl,
    dataDir: one.dataDir,
    namedStatements: true,
    secretKey: SECRET_KEY,
    secretKeyOld: undefined,
  }
  expect(await rotateLogKey({ ...rotation, say: (line) => void said.push(line) }), said.join('\n')).toBe(0)
  const sameDay = await joinAtBoth()
  await goTo(`${DAY_AFTER}T12:00:00+05:30`)
  const nextDay = await joinAtBoth()
  // A receipt requested after the rotation is signed with the key of its own day.
  const late = await Promise.all(
    before.map(async ({ token }): Promise<Kept> => {
      const { day, ticket, receipt } = (await one.ask('GET', `/api/user/tickets/${TODAY}`, { token })).body
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
    dataDir: one.dataDir,
    namedStatements: true,
    secretKey: SECRET_KEY,
    secretKeyOld: undefined,
  }
  expect(await rotateLogKey({ ...rotation, say: (line) => void said.push(line) })).toBe(2)
  expect(said).toEqual(['The key was not replaced: it is less than a minute to midnight: try again after it'])
})

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

test('an instance stops beside another without a failed request, but for connections that its port refuses', async () => {
  const load = startLoad([one, other])
  await expect.poll(() => load.joined(), { timeout: 30_000 }).toBeGreaterThan(50)
  const code = await one.stop()
  const before = load.joined()
  await expect.poll(load.joined, { timeout: 30_000 }).toBeGreaterThan(before)
  await sleep(200)
  expect(await load.end()).toEqual([])
  expect(code).toBe(0)
  expect(await database.db.query(sql`select from member where role = 'admin'`)).toHaveLength(1)
}, 240_000)
