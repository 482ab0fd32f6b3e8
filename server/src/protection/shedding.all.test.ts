/** Tests load shedding: which calls are refused at which bound. */
import { connect as openLine, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import { expect, test, vi } from 'vitest'
import { registerFaults } from '../http/faults.ts'
import type { MemberSession } from '../http/session.ts'
import { LOAD_LIMITS, type LoadLimits, MONEY_CALLS, registerShedding } from './shedding.ts'

const LONG = Buffer.alloc(32_000_000)
function* parts(): Generator<Buffer> {
  for (let at = 0; at < LONG.length; at += 1_000_000) yield LONG.subarray(at, at + 1_000_000)
}

/** Starts a server whose calls all wait until `letGo`. */
async function openBusy(limits: Partial<LoadLimits> = {}) {
  const app = Fastify({ trustProxy: true })
  registerFaults(app)
  let asked = 0
  let letIn: () => void = () => undefined
  const door = new Promise<void>((resolve) => (letIn = resolve))
  // Delays the request before its handler, as the lookup of a session does.
  app.addHook('onRequest', async (request) => {
    if (request.url !== '/guarded') return
    asked++
    await door
  })
  const small = {
    ordinaryMax: 2,
    moneyMax: 3,
    fileMax: 2,
    storedMax: 2,
    uploadMax: 3,
    staffUploadMax: 2,
    witnessMax: 3,
    witnessMaxEach: 2,
    shares: 1,
  }
  // The session's lookup.
  app.decorateRequest('session', undefined)
  app.addHook('preParsing', async (request) => {
    const account = request.headers['x-account']
    if (account !== undefined) request.session = { memberId: BigInt(String(account)) } as MemberSession
  })
  registerShedding(app, { limits: { ...LOAD_LIMITS, ...small, ...limits }, production: false })
  let letGo: () => void = () => undefined
  let gate = new Promise<void>((resolve) => (letGo = resolve))
  let running = 0
  const wait = async (): Promise<object> => {
    running++
    await gate
    running--
    return {}
  }
  for (const path of [
    '/api/rounds/history',
    '/somewhere',
    '/assets/:name',
    '/uploads/avatars/:name',
    '/api/receipts/:hash',
    '/api/public/files',
  ])
    app.get(path, wait)
  // Longer than the system's socket buffer, so an unread answer stays in the process.
  app.get('/long', async () => LONG)
  app.get('/assets/long', async (_request, reply) => reply.send(Readable.from(parts(), { objectMode: false })))
  app.get('/guarded', async () => ({}))
  app.get('/api/public/log/checkpoint', wait)
  for (const path of ['/api/rounds/join', '/api/wallet/withdraw', '/api/public/log/cosignatures', '/api/user/avatar', '/api/admin/uploads'])
    app.post(path, wait)
  app.post('/api/contact', async () => ({}))
  app.get('/healthz', async () => ({}))
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  return {
    url,
    ask: (method: string, path: string, signal?: AbortSignal) => fetch(url + path, { method, ...(signal === undefined ? {} : { signal }) }),
    askFrom: (ip: string, method: string, path: string, headers = {}) =>
      fetch(url + path, { method, headers: { 'x-forwarded-for': ip, ...headers } }),
    until: (count: number): Promise<void> => vi.waitFor(() => expect(running).toBe(count), { timeout: 30_000, interval: 5 }),
    untilAsked: (count: number): Promise<void> => vi.waitFor(() => expect(asked).toBe(count), { timeout: 30_000, interval: 5 }),
    letIn: (): void => letIn(),
    letGo: (): void => {
      letGo()
      gate = new Promise<void>((resolve) => (letGo = resolve))
    },
    connections: () => new Promise<number>((resolve) => app.server.getConnections((_error, count) => resolve(count))),
    close: () => app.close(),
  }
}

test('under load ordinary calls are refused first with Retry-After, money calls later, the operator’s never', async () => {
  const busy = await openBusy()
  const waiting = ['/api/rounds/history', '/somewhere'].map((path) => busy.ask('GET', path))
  await busy.until(2)
  const refused = await busy.ask('GET', '/api/rounds/history')
  expect([refused.status, refused.headers.get('retry-after'), (await refused.json()) as object]).toEqual([
    503,
    '1',
    { code: 'overloaded', message: expect.any(String) },
  ])
  waiting.push(...['/api/rounds/join', '/api/wallet/withdraw', '/api/rounds/join'].map((path) => busy.ask('POST', path)))
  await busy.until(5)
  expect((await busy.ask('POST', '/api/rounds/join')).status).toBe(503)
  expect((await busy.ask('GET', '/healthz')).status).toBe(200)
  busy.letGo()
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  const again = busy.ask('GET', '/somewhere')
  await busy.until(1)
  busy.letGo()
  expect((await again).status).toBe(200)
  await busy.close()
})

test('a flood of ordinary calls or from one address does not block witnesses from the log', async () => {
  const busy = await openBusy()
  const flood = ['/api/rounds/history', '/somewhere'].map((path) => busy.ask('GET', path))
  await busy.until(2)
  expect((await busy.ask('GET', '/somewhere')).status).toBe(503)
  // One address block gets two of the witnesses' places, whichever address of the block asks.
  const [one, other] = ['192.0.2.7', '192.0.2.200'].map((ip) => busy.askFrom(ip, 'GET', '/api/public/log/checkpoint'))
  await busy.until(4)
  for (const [ip, method, path] of [
    ['192.0.2.7', 'GET', 'checkpoint'],
    ['192.0.2.9', 'POST', 'cosignatures'],
  ] as const)
    expect((await busy.askFrom(ip, method, `/api/public/log/${path}`)).status).toBe(503)
  const cosigned = busy.askFrom('198.51.100.4', 'POST', '/api/public/log/cosignatures')
  await busy.until(5)
  expect((await busy.askFrom('203.0.113.1', 'GET', '/api/public/log/checkpoint')).status).toBe(503)
  busy.letGo()
  expect((await Promise.all([...flood, one, other, cosigned])).map((answer) => answer?.status)).toEqual([200, 200, 200, 200, 200])
  // All places are free again.
  const again = ['192.0.2.7', '192.0.2.7', '192.0.2.7', '192.0.2.7'].map((ip) => busy.askFrom(ip, 'GET', '/api/public/log/checkpoint'))
  await busy.until(4)
  busy.letGo()
  expect((await Promise.all(again)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
  await busy.close()
})

test('the place of a client that disconnects is free once its work has ended', async () => {
  const busy = await openBusy()
  const leaving = new AbortController()
  const gone = [1, 2].map(() => busy.ask('GET', '/somewhere', leaving.signal).catch(() => undefined))
  await busy.until(2)
  leaving.abort()
  await Promise.all(gone)
  busy.letGo()
  await busy.until(0)
  const next = busy.ask('GET', '/somewhere')
  await busy.until(1)
  busy.letGo()
  expect((await next).status).toBe(200)
  await busy.close()
})

test('a client that disconnects before its work starts takes no place', async () => {
  const busy = await openBusy()
  const leaving = new AbortController()
  const gone = [1, 2, 3].map(() => busy.ask('GET', '/guarded', leaving.signal).catch(() => undefined))
  await busy.untilAsked(3)
  leaving.abort()
  await Promise.all(gone)
  await expect.poll(() => busy.connections(), { timeout: 30_000 }).toBe(0)
  busy.letIn()
  const next = ['/somewhere', '/somewhere'].map((path) => busy.ask('GET', path))
  await busy.until(2)
  busy.letGo()
  expect((await Promise.all(next)).map(({ status }) => status)).toEqual([200, 200])
  await busy.close()
})

test('one address or /64 gets a share of the places, and this machine outside production gets all', async () => {
  const busy = await openBusy({ ordinaryMax: 8, shares: 4 })
  const taken = ['192.0.2.7', '192.0.2.7', '192.0.2.8', '2001:db8:1:2::1', '2001:db8:1:2::2'].map((ip) =>
    busy.askFrom(ip, 'GET', '/somewhere'),
  )
  await busy.until(5)
  for (const ip of ['192.0.2.7', '2001:db8:1:2:3::9']) expect((await busy.askFrom(ip, 'GET', '/somewhere')).status).toBe(503)
  // The address's calls that move money are counted separately.
  taken.push(busy.askFrom('192.0.2.7', 'POST', '/api/rounds/join'))
  taken.push(...[1, 2, 3].map(() => busy.ask('GET', '/somewhere')))
  await busy.until(9)
  busy.letGo()
  expect((await Promise.all(taken)).map(({ status }) => status)).toEqual(taken.map(() => 200))
  const again = busy.askFrom('192.0.2.7', 'GET', '/somewhere')
  await busy.until(1)
  busy.letGo()
  expect((await again).status).toBe(200)
  await busy.close()
})

test('files, stored pictures and calls have separate places', async () => {
  const busy = await openBusy()
  const files = ['a', 'b'].map((name) => busy.ask('GET', `/assets/${name}`))
  await busy.until(2)
  expect((await busy.ask('GET', '/assets/c')).status).toBe(503)
  const stored = ['/uploads/avatars/a', '/api/receipts/a'].map((path) => busy.ask('GET', path))
  await busy.until(4)
  expect((await busy.ask('GET', '/uploads/avatars/b')).status).toBe(503)
  const calls = ['/somewhere', '/api/rounds/history'].map((path) => busy.ask('GET', path))
  await busy.until(6)
  busy.letGo()
  expect((await Promise.all([...files, ...stored, ...calls])).map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 200))
  await busy.close()
})

test('uploads take no place of other calls; one address, and one account, gets two at once, and staff have places of their own', async () => {
  const busy = await openBusy()
  const upload = (ip: string, account: string, path = '/api/user/avatar') => busy.askFrom(ip, 'POST', path, { 'x-account': account })
  const sent = [upload('192.0.2.7', '1'), upload('192.0.2.7', '2')]
  await busy.until(2)
  expect((await upload('192.0.2.7', '3')).status).toBe(503)
  sent.push(upload('2001:db8:1:2::1', '1'))
  await busy.until(3)
  // The pool is full for every caller.
  expect((await upload('198.51.100.4', '4')).status).toBe(503)
  sent.push(
    busy.ask('GET', '/somewhere'),
    upload('198.51.100.4', '9', '/api/admin/uploads'),
    upload('203.0.113.1', '9', '/api/admin/uploads'),
  )
  await busy.until(6)
  busy.letGo()
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(sent.map(() => 200))
  const own = [upload('192.0.2.7', '1'), upload('198.51.100.4', '1')]
  await busy.until(2)
  expect((await upload('203.0.113.1', '1')).status).toBe(503)
  busy.letGo()
  expect((await Promise.all(own)).map(({ status }) => status)).toEqual([200, 200])
  await busy.close()
})

/** Opens connections that send a part of a body and no more. */
async function sendHalf(url: string, path: string, count: number, ip = '127.0.0.1'): Promise<Socket[]> {
  const { hostname: host, port } = new URL(url)
  const head = `POST ${path} HTTP/1.1\r\nhost: roz\r\nx-forwarded-for: ${ip}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{`
  return Promise.all(
    Array.from({ length: count }, async () => {
      const line = openLine({ host, port: Number(port) }).resume()
      line.on('error', () => undefined)
      await new Promise((resolve) => line.write(head, resolve))
      return line
    }),
  )
}

test('bodies that stop in the middle hold no place, and their connections end after the grace', async () => {
  const busy = await openBusy({ graceMs: 500 })
  const lines = await sendHalf(busy.url, '/api/contact', 6)
  await expect.poll(() => busy.connections()).toBe(6)
  const calls = ['/somewhere', '/somewhere'].map((path) => busy.ask('GET', path))
  await busy.until(2)
  busy.letGo()
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200])
  await allEnded(busy, 2)
  await expect.poll(() => lines.every((line) => line.destroyed), { timeout: 30_000 }).toBe(true)
  await busy.close()
})

test('one arriving body above the bound ends the oldest one of the address that sends most', async () => {
  const busy = await openBusy({ graceMs: 60_000, arrivingMax: 3 })
  const [honest] = await sendHalf(busy.url, '/api/contact', 1, '203.0.113.1')
  const [upload] = await sendHalf(busy.url, '/api/user/avatar', 1, '203.0.113.1')
  const [first] = await sendHalf(busy.url, '/api/contact', 1, '203.0.113.2')
  const later = await sendHalf(busy.url, '/api/contact', 2, '203.0.113.2')
  await expect.poll(() => first?.destroyed, { timeout: 30_000 }).toBe(true)
  const kept = [honest, upload, ...later]
  expect(kept.map((line) => line?.destroyed)).toEqual([false, false, false, false])
  for (const line of kept) line?.destroy()
  await busy.close()
})

test('a body that arrives fast enough is accepted, however long it takes', async () => {
  const busy = await openBusy({ graceMs: 100, bytesPerSecondMin: 1000 })
  const piece = Buffer.alloc(20_000, ' ')
  const body = Readable.from(
    (async function* () {
      for (let sent = 0; sent < 40; sent++) {
        yield piece
        await sleep(50)
      }
      yield '{}'
    })(),
  )
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: Readable.toWeb(body) as ReadableStream<Uint8Array<ArrayBuffer>>,
    duplex: 'half',
  }
  const answer = await fetch(`${busy.url}/api/contact`, request)
  expect(answer.status).toBe(200)
  await busy.close()
})

/** Opens connections that ask for an answer and read nothing of it. */
async function askAndNotRead(url: string, path: string, count: number): Promise<Socket[]> {
  const { hostname: host, port } = new URL(url)
  return Promise.all(
    Array.from({ length: count }, async () => {
      const line = openLine({ host, port: Number(port) }).pause()
      line.on('error', () => undefined)
      await new Promise((resolve) => line.write(`GET ${path} HTTP/1.1\r\nhost: roz\r\n\r\n`, resolve))
      return line
    }),
  )
}
/** Waits until only `but` connections are left; by default the one on which the test itself asks. */
const allEnded = async (busy: { readonly connections: () => Promise<number> }, but = 1): Promise<void> => {
  await expect.poll(() => busy.connections(), { timeout: 30_000 }).toBeLessThanOrEqual(but)
}

test('a client that does not read its whole answer occupies no place, and its connection ends after the grace period', async () => {
  const busy = await openBusy({ graceMs: 200, bytesPerSecondMin: 64e6 })
  const lines = await askAndNotRead(busy.url, '/long', 6)
  await expect.poll(() => busy.connections()).toBe(6)
  const call = busy.ask('GET', '/somewhere')
  await busy.until(1)
  busy.letGo()
  expect((await call).status).toBe(200)
  await allEnded(busy)
  for (const line of lines) line.destroy()
  await busy.close()
})

test('a long file holds a file place while it is sent, and its connection ends if the client stops reading', async () => {
  const busy = await openBusy({ graceMs: 300, bytesPerSecondMin: 8e6 })
  const lines = await askAndNotRead(busy.url, '/assets/long', 2)
  await expect.poll(async () => (await busy.ask('GET', '/assets/long', AbortSignal.timeout(1000))).status).toBe(503)
  await allEnded(busy)
  for (const line of lines) line.destroy()
  const readWhole = async (): Promise<number> => (await (await busy.ask('GET', '/assets/long')).arrayBuffer()).byteLength
  await expect.poll(readWhole, { timeout: 30_000 }).toBe(LONG.length)
  await busy.close()
})

test('one unread answer above the bound ends the oldest one, and the others stay', async () => {
  const busy = await openBusy({ graceMs: 60_000, unreadMax: 2 })
  const [first] = await askAndNotRead(busy.url, '/long', 1)
  await expect.poll(() => busy.connections()).toBe(1)
  const later = await askAndNotRead(busy.url, '/long', 2)
  await allEnded(busy, 2)
  // The client gets the bytes that the system had buffered, and no more.
  let bytes = 0
  await new Promise((resolve) =>
    first
      ?.on('data', (part) => (bytes += part.length))
      .once('close', resolve)
      .resume(),
  )
  expect(bytes).toBeLessThan(LONG.length)
  for (const line of later) line.destroy()
  await busy.close()
})

test('calls with an Idempotency-Key, webhooks and calls that settle an order or a round count as money calls', () => {
  expect([...MONEY_CALLS]).toEqual(
    expect.arrayContaining([
      'POST /rounds/join',
      'POST /wallet/add',
      'POST /wallet/withdraw',
      'POST /wallet/refunds',
      'GET /wallet/verify/:orderId',
      'POST /payments/confirm',
      'POST /webhooks/cashfree',
      'POST /webhooks/cashfree-payouts',
      'POST /admin/withdrawals/:id/approve',
      'POST /admin/trigger-draw',
    ]),
  )
  for (const call of ['GET /rounds/history', 'POST /contact', 'POST /auth/login', 'GET /admin/users'])
    expect(MONEY_CALLS.has(call)).toBe(false)
})
