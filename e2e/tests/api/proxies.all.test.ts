/**
 * The samples of ops/package run in front of the real program: nginx and Caddy, each with only addresses and certificates replaced.
 * - `npm run test:all` unpacks both. Without them these tests are skipped.
 */
import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Program, startProgram } from '../../harness/program.ts'
import { type Answer, ask, CADDY, NGINX, startCaddy, startNginx, startProxy, stopProxy } from '../../harness/proxies.ts'

let roz: Program
beforeAll(async () => {
  if (NGINX ?? CADDY) roz = await startProgram({ env: { TRUST_PROXY: '1', PUBLIC_URL: 'https://roz.example' } })
})

const KINDS = [
  ['nginx', NGINX, startNginx],
  ['Caddy', CADDY, startCaddy],
] as const
const MEGABYTE = 2 ** 20

for (const [name, program, start] of KINDS) {
  describe.runIf(program !== undefined)(`behind ${name}`, () => {
    let proxy: ChildProcess
    let port: number
    beforeAll(async () => {
      ;({ proxy, port } = await startProxy(start, roz.port))
    }, 60_000)
    afterAll(async () => {
      await stopProxy(proxy)
    })

    test('a client cannot choose its address: forged headers do not lift the limit of its own', async () => {
      const body = JSON.stringify({ email: `nobody@${name.toLowerCase()}.example`, password: 'a wrong password' })
      const attempt = async (from: string, forged: string): Promise<number> =>
        (
          await ask(port, '/api/auth/login', {
            method: 'POST',
            from,
            body,
            headers: { 'content-type': 'application/json', 'x-forwarded-for': forged },
          })
        ).status
      const statuses: number[] = []
      for (let time = 0; time < 11; time++) statuses.push(await attempt('127.0.0.2', `203.0.${time}.7`))
      expect(statuses).toEqual([...Array<number>(10).fill(401), 429])
      expect(await attempt('127.9.9.9', '203.0.113.7')).toBe(401)
    })

    test('while Roz is down its log has neither the token of a mailed link nor the address that sent it', async () => {
      const down = await startProxy(start)
      try {
        const { status } = await ask(down.port, '/reset-password?token=the-token-of-a-mail', { from: '127.0.0.9' })
        expect([502, 503, 504]).toContain(status)
      } finally {
        await stopProxy(down.proxy)
      }
      expect(readFileSync(down.log, 'utf8')).not.toMatch(/the-token-of-a-mail|127\.0\.0\.9/)
    })

    test('without TLS a call is refused, and only a page redirects', async () => {
      for (const method of ['GET', 'POST'])
        expect((await ask(port + 1, '/api/public/home', { method, headers: { authorization: 'Bearer x' } })).status).toBe(403)
      const { status, headers } = await ask(port + 1, '/verify?day=2026-11-21')
      expect([status, headers['location']]).toEqual([301, 'https://roz.example/verify?day=2026-11-21'])
    })

    test('an upload reaches Roz, and a body above every limit is refused', async () => {
      const upload = (bytes: number): Promise<Answer> =>
        ask(port, '/api/user/avatar', {
          method: 'POST',
          body: Buffer.alloc(bytes),
          headers: { 'content-type': 'multipart/form-data; boundary=x' },
        })
      expect((await upload(1000)).status).toBe(401)
      expect((await upload(5 * MEGABYTE)).status).toBe(401)
      const body = Buffer.alloc(12 * MEGABYTE, ' ')
      const over = await ask(port, '/api/auth/login', { method: 'POST', body, headers: { 'content-type': 'application/json' } })
      expect(over.status).toBe(413)
    })

    test('answers keep their caching headers, and an unchanged page answers 304', async () => {
      const kept = ['cache-control', 'etag', 'vary', 'content-encoding', 'strict-transport-security', 'content-security-policy']
      const asset = /\/assets\/[\w.-]+/.exec((await ask(roz.port, '/')).body)?.[0] ?? ''
      expect(asset).not.toBe('')
      for (const place of ['/', asset, '/api/public/home', '/api/auth/me', '/nowhere']) {
        const headers = { 'accept-encoding': 'br, gzip' }
        const [own, through] = [await ask(roz.port, place, { headers }), await ask(port, place, { headers })]
        expect([place, through.status, ...kept.map((header) => through.headers[header])]).toEqual([
          place,
          own.status,
          ...kept.map((header) => own.headers[header]),
        ])
      }
      const { headers } = await ask(port, '/api/public/home')
      expect((await ask(port, '/api/public/home', { headers: { 'if-none-match': String(headers['etag']) } })).status).toBe(304)
      expect((await ask(port, asset)).headers['cache-control']).toContain('immutable')
    })

    test('nobody notices a process that is down, and what operators read is not public', async () => {
      for (let time = 0; time < 20; time++) expect((await ask(port, '/healthz')).status).toBe(200)
      for (const place of ['/metrics', '/readyz'])
        expect([(await ask(port, place)).status, (await ask(roz.port, place)).status]).toEqual([404, 200])
    })

    test('clients that never finish the head of a request are ended, and others are served meanwhile', async () => {
      const slow = Array.from({ length: 200 }, () => {
        const socket = connect(port, '127.0.0.1')
        socket.on('error', () => undefined)
        socket.write('GET / HTTP/1.1\r\nHost: roz\r\nX-Slow: ')
        // A socket whose answer nobody reads never ends.
        socket.resume()
        return new Promise<void>((resolve) => socket.once('close', () => resolve()))
      })
      for (let time = 0; time < 20; time++) expect((await ask(port, '/api/public/home')).status).toBe(200)
      await Promise.all(slow)
    }, 60_000)
  })
}
