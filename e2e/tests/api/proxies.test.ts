/**
 * The samples of ops/package run in front of the real program: nginx and Caddy, each with only addresses and certificates replaced.
 * - `npm run test:all` unpacks both. Without them these tests are skipped.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePorts, newDataDir, type Program, ROOT, startProgram } from '../../harness/program.ts'

const DEBIAN = process.env.DEBIAN_PROGRAMS ?? ''
const NGINX = ['/usr/sbin/nginx', path.join(DEBIAN, 'usr/sbin/nginx')].find((file) => existsSync(file))
const CADDY = ['/usr/bin/caddy', path.join(DEBIAN, 'usr/bin/caddy')].find((file) => existsSync(file))

type Place = { readonly folder: string; readonly port: number; readonly upstream: number; readonly closedPort: number }
const sampleWith = (name: string, changes: readonly (readonly [string | RegExp, string])[]): string => {
  let text = readFileSync(path.join(ROOT, 'ops/package', name), 'utf8')
  for (const [from, to] of changes) {
    const changed = text.replace(from, to)
    if (changed === text) throw new Error(`${name} no longer contains ${String(from)}`)
    text = changed
  }
  return text
}

function startNginx({ folder, port, upstream, closedPort }: Place): ChildProcess {
  const site = sampleWith('nginx.conf', [
    ['127.0.0.1:8080', `127.0.0.1:${upstream}`],
    // The second process is away: nobody may notice.
    ['127.0.0.1:8081', `127.0.0.1:${closedPort}`],
    ['listen 443 ssl http2', `listen 127.0.0.1:${port}`],
    ['listen 80', `listen 127.0.0.1:${port + 1}`],
    [/^ +ssl_.*\n/gm, ''],
  ])
  writeFileSync(path.join(folder, 'site.conf'), site)
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  writeFileSync(
    path.join(folder, 'nginx.conf'),
    `${user} daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events {} http { access_log off; ${places} include ${folder}/site.conf; }`,
  )
  return spawn(NGINX ?? '', ['-e', path.join(folder, 'error.log'), '-p', folder, '-c', path.join(folder, 'nginx.conf')], {
    stdio: 'ignore',
  })
}

function startCaddy({ folder, port, upstream, closedPort }: Place): ChildProcess {
  const file = path.join(folder, 'Caddyfile')
  const site = sampleWith('Caddyfile', [['{\n\tservers {', '{\n\tadmin off\n\tauto_https off\n\tservers {']])
  writeFileSync(file, site)
  return spawn(CADDY ?? '', ['run', '--adapter', 'caddyfile', '--config', file], {
    env: {
      HOME: folder,
      ROZ_DOMAIN: `http://127.0.0.1:${port}`,
      ROZ_UPSTREAMS: `127.0.0.1:${upstream} 127.0.0.1:${closedPort}`,
    },
    stdio: 'ignore',
  })
}

let roz: Program
beforeAll(async () => {
  if (NGINX ?? CADDY) roz = await startProgram({ env: { TRUST_PROXY: '1', PUBLIC_URL: 'https://roz.example' } })
})

type Answer = { readonly status: number; readonly headers: Readonly<Record<string, string | string[] | undefined>>; readonly body: string }
type Ask = { readonly method?: string; readonly from?: string; readonly headers?: Record<string, string>; readonly body?: string | Buffer }
/** An answer counts although the other side ends the connection while the body is still being sent. */
const ask = (port: number, place: string, { method = 'GET', from = '127.0.0.1', headers = {}, body }: Ask = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const sent = request({
      host: '127.0.0.1',
      port,
      path: place,
      method,
      localAddress: from,
      headers: { ...headers, ...length },
      agent: false,
    })
    let isAnswered = false
    sent.on('response', (answer) => {
      isAnswered = true
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('close', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks).toString() }))
    })
    sent.on('error', (error) => (isAnswered ? undefined : reject(error)))
    sent.end(body)
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
      port = await freePorts()
      const folder = path.join(newDataDir(), 'proxy')
      mkdirSync(folder)
      proxy = start({ folder, port, upstream: roz.port, closedPort: await freePorts() })
      const isUp = (): Promise<boolean> =>
        ask(port, '/healthz').then(
          ({ status }) => status === 200,
          () => false,
        )
      while (!(await isUp())) await sleep(100)
    }, 60_000)
    afterAll(async () => {
      proxy.kill('SIGTERM')
      if (proxy.exitCode === null) await new Promise((resolve) => proxy.once('exit', resolve))
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

    test('a process that is away is noticed by nobody, and /metrics is not public', async () => {
      for (let time = 0; time < 20; time++) expect((await ask(port, '/healthz')).status).toBe(200)
      expect((await ask(port, '/metrics')).status).toBe(404)
      expect((await ask(roz.port, '/metrics')).status).toBe(200)
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
