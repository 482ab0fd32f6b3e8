/** nginx and Caddy as the samples of ops/package configure them, and requests through them from a chosen address. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts, newDataDir, ROOT } from './program.ts'

const DEBIAN = process.env.DEBIAN_PROGRAMS ?? ''
export const NGINX = ['/usr/sbin/nginx', path.join(DEBIAN, 'usr/sbin/nginx')].find((file) => existsSync(file))
export const CADDY = ['/usr/bin/caddy', path.join(DEBIAN, 'usr/bin/caddy')].find((file) => existsSync(file))

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

export function startNginx({ folder, port, upstream, closedPort }: Place): ChildProcess {
  const site = sampleWith('nginx.conf', [
    ['127.0.0.1:8080', `127.0.0.1:${upstream}`],
    // The second process is down: nobody may notice.
    ['127.0.0.1:8081', `127.0.0.1:${closedPort}`],
    ['listen 443 ssl http2', `listen 127.0.0.1:${port}`],
    ['listen 80', `listen 127.0.0.1:${port + 1}`],
    [/^ +ssl_.*\n/gm, ''],
    ['/var/lib/nginx/roz', `${folder}/cache`],
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

export function startCaddy({ folder, port, upstream, closedPort }: Place): ChildProcess {
  const file = path.join(folder, 'Caddyfile')
  const site = sampleWith('Caddyfile', [
    ['{\n\tservers {', '{\n\tadmin off\n\tauto_https off\n\tservers {'],
    ['\nhttp://{$ROZ_DOMAIN:roz.example} {', `\nhttp://127.0.0.1:${port + 1} {`],
    ['\n{$ROZ_DOMAIN:roz.example} {', `\nhttp://127.0.0.1:${port} {`],
  ])
  writeFileSync(file, site)
  const log = openSync(path.join(folder, 'error.log'), 'a')
  return spawn(CADDY ?? '', ['run', '--adapter', 'caddyfile', '--config', file], {
    env: {
      HOME: folder,
      ROZ_DOMAIN: 'roz.example',
      ROZ_UPSTREAMS: `127.0.0.1:${upstream} 127.0.0.1:${closedPort}`,
    },
    stdio: ['ignore', log, log],
  })
}

/**
 * Starts a proxy in front of the program's port; the port after its own is that without TLS. Its second upstream is down.
 * Waits until it serves; without an upstream port the first one is down too, and it only answers. `log` is what it writes.
 */
export async function startProxy(
  start: (place: Place) => ChildProcess,
  upstream?: number,
): Promise<{ readonly proxy: ChildProcess; readonly port: number; readonly log: string }> {
  const port = await freePorts()
  const folder = path.join(newDataDir(), 'proxy')
  mkdirSync(folder)
  const proxy = start({ folder, port, upstream: upstream ?? (await freePorts()), closedPort: await freePorts() })
  const isUp = (): Promise<boolean> =>
    ask(port, '/healthz').then(
      ({ status }) => upstream === undefined || status === 200,
      () => false,
    )
  while (!(await isUp())) await sleep(100)
  return { proxy, port, log: path.join(folder, 'error.log') }
}

export async function stopProxy(proxy: ChildProcess): Promise<void> {
  proxy.kill('SIGTERM')
  if (proxy.exitCode === null) await new Promise((resolve) => proxy.once('exit', resolve))
}

export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}
type Ask = {
  readonly method?: string
  readonly from?: string
  readonly headers?: Record<string, string>
  readonly body?: string | Buffer
}
/** An answer counts although the other side ends the connection while the body is still being sent. */
export const ask = (port: number, place: string, { method = 'GET', from = '127.0.0.1', headers = {}, body }: Ask = {}): Promise<Answer> =>
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
