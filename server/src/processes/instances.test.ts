/** Tests what two instances on one database share: sessions, throttles, idempotency keys, uploads in a bucket. */
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cloneTemplate, type TestDatabase } from '../testing/database.ts'
import { startTestServer } from '../testing/postgres.ts'
import { type Program, signedInMember, startProgram } from '../testing/program.ts'
import { type S3Server, startS3Server, storageUrlOf } from '../testing/s3-server.ts'

// The test run's own database runs without fsync, and a start refuses such a database.
let durable: Awaited<ReturnType<typeof startTestServer>>
let database: TestDatabase
let s3: S3Server
let [one, other]: [Program, Program] = [] as never
beforeAll(async () => {
  durable = await startTestServer(['fsync=on', 'synchronous_commit=on'])
  database = await cloneTemplate(durable.urls)
  s3 = await startS3Server()
  const env = {
    STORAGE_URL: storageUrlOf(s3.place),
    AWS_ACCESS_KEY_ID: s3.place.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3.place.secretAccessKey,
  }
  ;[one, other] = await Promise.all([startProgram(database, env), startProgram(database, env)])
}, 240_000)
afterAll(async () => {
  await Promise.all([one.stop(), other.stop()])
  await s3.stop()
  await database.drop()
  await durable.stop()
}, 60_000)

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
