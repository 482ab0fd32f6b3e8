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

/** The request of an open screen, in both languages. */
const POLLED = ['en', 'hi'].map((language) => ({ 'accept-language': language }))
/** Answers that may name a helped person, who can take the consent back. */
const NAMED = ['/api/public/home', '/api/impact/stories', '/api/public/days']
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
      const answers = await Promise.all(
        Array.from({ length: A_SECOND }, (_, n) => ask(port, '/api/rounds/current', { headers: POLLED[n % POLLED.length] ?? {} })),
      )
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
    expect((await ask(port, '/api/user/wallet', { headers })).headers['x-cache']).toBeUndefined()
  })

  test('keeps a language for its readers', async () => {
    const read = async (language: string): Promise<unknown> =>
      (await ask(port, '/api/rounds/current', { headers: { 'accept-language': language } })).headers['x-cache']
    expect([await read('ta'), await read('ta'), await read('te'), await read('te')]).toEqual(['MISS', 'HIT', 'MISS', 'HIT'])
  })

  test('asks Roz each time for what may name a helped person, and passes on that nothing changed', async () => {
    for (const address of [...NAMED, '/', '/impact-stories']) {
      const answers = await Promise.all(Array.from({ length: A_SECOND }, () => ask(port, address)))
      const seen = new Set(answers.map(({ status, headers }) => `${status} ${String(headers['x-cache'])}`))
      expect([address, [...seen]]).toEqual([address, ['200 undefined']])
      const etag = String(answers[0]?.headers['etag'])
      expect([address, (await ask(port, address, { headers: { 'if-none-match': etag } })).status]).toEqual([address, 304])
    }
  }, 60_000)

  test('still shows the last public figures while every process is down', async () => {
    for (const headers of POLLED) expect((await ask(port, '/api/rounds/current', { headers })).status).toBe(200)
    await roz.kill()
    await sleep(3000)
    for (const asked of POLLED) {
      const { status, headers } = await ask(port, '/api/rounds/current', { headers: asked })
      expect([status, headers['x-cache']]).toEqual([200, expect.stringMatching(/STALE|UPDATING|HIT/)])
    }
    expect((await ask(port, '/api/user/wallet', { headers: { authorization: `Bearer ${member.token}` } })).status).toBe(502)
  }, 60_000)
})

describe.runIf(NGINX !== undefined)('content that is taken back', () => {
  test('is gone at once, however often it was requested', async () => {
    let isThere = true
    const origin = createServer(({ url }, answer) => {
      if (url === '/healthz') return answer.end()
      if (isThere) return answer.setHeader('cache-control', 'public, no-cache').end('hers')
      return answer.writeHead(404, { 'cache-control': 'no-store' }).end()
    })
    origin.listen(0, '127.0.0.1')
    await once(origin, 'listening')
    const { proxy, port } = await startProxy(startNginx, (origin.address() as AddressInfo).port)
    const hers = ['/api/receipts/one', '/api/follow-ups/one/pictures/two', '/uploads/posters/one.webp', ...NAMED, '/impact-stories/one']
    const statuses = (): Promise<number[]> => Promise.all(hers.map(async (address) => (await ask(port, address)).status))
    try {
      expect([await statuses(), await statuses()]).toEqual([hers.map(() => 200), hers.map(() => 200)])
      isThere = false
      expect(await statuses()).toEqual(hers.map(() => 404))
    } finally {
      origin.close()
      origin.closeAllConnections()
      await stopProxy(proxy)
    }
  }, 60_000)
})
