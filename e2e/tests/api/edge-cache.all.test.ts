/**
 * nginx as its sample configures it keeps the public answers, as a CDN in front of Roz does.
 * - `npm run test:all` unpacks nginx. Without it these tests are skipped.
 */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { joinRound, newMember, type Person } from '../../harness/people.ts'
import { type Program, startProgram } from '../../harness/program.ts'
import { ask, NGINX, startNginx, startProxy, stopProxy } from '../../harness/proxies.ts'

/** The requests of an open screen and of the front page. */
const POLLED = ['/api/rounds/current', '/api/public/home']
const SECONDS = 6
const A_SECOND = 50

describe.runIf(NGINX !== undefined)('a cache between members and Roz', () => {
  let roz: Program
  let proxy: ChildProcess
  let port: number
  let member: Person
  beforeAll(async () => {
    roz = await startProgram({ env: { TRUST_PROXY: '1', PUBLIC_URL: 'https://roz.example' } })
    ;({ proxy, port } = await startProxy(startNginx, roz.port))
    member = await newMember(roz, { rupees: 20 })
  }, 120_000)
  afterAll(() => stopProxy(proxy))

  const entrants = async (headers: Record<string, string> = {}): Promise<number> =>
    JSON.parse((await ask(port, '/api/rounds/current', { headers })).body).totalParticipants as number

  /** How nginx answered: MISS and EXPIRED asked Roz; HIT, STALE and UPDATING did not hold anybody up. */
  async function poll(): Promise<Record<string, number>> {
    const found: Record<string, number> = {}
    for (let second = 0; second < SECONDS; second++) {
      const answers = await Promise.all(Array.from({ length: A_SECOND }, (_, n) => ask(port, POLLED[n % POLLED.length] as string)))
      for (const { status, headers } of answers) {
        expect(status).toBe(200)
        const how = String(headers['x-cache'])
        found[how] = (found[how] ?? 0) + 1
      }
      await sleep(1000)
    }
    return found
  }

  test('answers nearly all polls itself, and Roz is asked once for many', async () => {
    const { MISS = 0, EXPIRED = 0, HIT = 0, STALE = 0, UPDATING = 0 } = await poll()
    process.stdout.write(
      `of ${SECONDS * A_SECOND} polls: ${HIT} hits, ${UPDATING + STALE} while a new answer was fetched, ${MISS + EXPIRED} waited for Roz\n`,
    )
    expect(HIT + STALE + UPDATING).toBeGreaterThanOrEqual(SECONDS * A_SECOND * 0.9)
    expect(MISS).toBeLessThanOrEqual(POLLED.length)
  }, 60_000)

  test('shows a change by itself, without a purge', async () => {
    const before = await entrants()
    await joinRound(roz.url, member)
    await expect.poll(() => entrants(), { timeout: 30_000, interval: 500 }).toBe(before + 1)
  }, 60_000)

  test('never keeps an answer for a member, nor gives a member a kept one', async () => {
    const headers = { authorization: `Bearer ${member.token}` }
    for (let time = 0; time < 3; time++) {
      const own = await ask(port, '/api/rounds/current', { headers })
      expect([own.headers['x-cache'], own.headers['cache-control']]).toEqual(['BYPASS', 'private, no-store'])
      expect(JSON.parse(own.body).hasParticipated).toBe(true)
      expect(JSON.parse((await ask(port, '/api/rounds/current')).body).hasParticipated).not.toBe(true)
    }
    expect((await ask(port, '/api/user/wallet', { headers })).headers['x-cache']).toBe('BYPASS')
  })

  test('keeps a language for its readers', async () => {
    const read = async (language: string): Promise<unknown> =>
      (await ask(port, '/api/public/home', { headers: { 'accept-language': language } })).headers['x-cache']
    expect([await read('ta'), await read('ta'), await read('te'), await read('te')]).toEqual(['MISS', 'HIT', 'MISS', 'HIT'])
  })

  test('still shows the last public figures while every process is down', async () => {
    for (const address of POLLED) expect((await ask(port, address)).status).toBe(200)
    await roz.kill()
    await sleep(3000)
    for (const address of POLLED) {
      const { status, headers } = await ask(port, address)
      expect([status, headers['x-cache']]).toEqual([200, expect.stringMatching(/STALE|UPDATING|HIT/)])
    }
    expect((await ask(port, '/api/user/wallet', { headers: { authorization: `Bearer ${member.token}` } })).status).toBe(502)
  }, 60_000)
})

describe.runIf(NGINX !== undefined)('content that is taken back', () => {
  test('leaves the cache when its lifetime ends, however often it is requested, also while every process is down', async () => {
    let isThere = true
    // A bill's headers, with a second for its five minutes.
    const origin = createServer(({ url }, answer) => {
      if (url === '/healthz') return answer.end()
      if (isThere) return answer.setHeader('cache-control', 'public, max-age=1').end('a bill')
      return answer.writeHead(404, { 'cache-control': 'no-store' }).end()
    })
    origin.listen(0, '127.0.0.1')
    await once(origin, 'listening')
    const { proxy, port } = await startProxy(startNginx, (origin.address() as AddressInfo).port)
    const statusOf = async (): Promise<number> => (await ask(port, '/api/receipts/one')).status
    try {
      expect(await statusOf()).toBe(200)
      expect((await ask(port, '/api/receipts/one')).headers['x-cache']).toBe('HIT')
      isThere = false
      await sleep(2100)
      expect([await statusOf(), await statusOf(), await statusOf()]).toEqual([404, 404, 404])
      origin.close()
      origin.closeAllConnections()
      expect(await statusOf()).toBe(502)
    } finally {
      await stopProxy(proxy)
    }
  }, 60_000)
})
