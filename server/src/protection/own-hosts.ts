/**
 * Outside production the server answers only under its own names, at any port.
 * - A web page that lets its own name lead to 127.0.0.1 would otherwise read the mails and set the clock from the browser of somebody
 *   who develops (DNS rebinding), and links in mails would carry the name that a stranger asked with.
 * - A GET without any name is served: load balancers check with HTTP/1.0, and every browser sends a name.
 * - Own names: localhost, 127.0.0.1, [::1], HOST and the host of PUBLIC_URL. With a HOST for all addresses of the machine, any name.
 */
import type { FastifyInstance } from 'fastify'
import { sendProblem } from '../http/faults.ts'

const LOCAL = ['localhost', '127.0.0.1', '[::1]']
export const ALL_ADDRESSES = ['0.0.0.0', '::']

type OwnHostsOptions = { readonly host: string; readonly publicUrl: string | undefined }

export function registerOwnHosts(app: FastifyInstance, { host, publicUrl }: OwnHostsOptions): void {
  if (ALL_ADDRESSES.includes(host)) return
  const own = new Set([...LOCAL, inUrl(host), ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname])])
  const isOwn = (given: string | undefined): boolean => given !== undefined && own.has(nameOf(given))
  app.addHook('onRequest', (request, reply, done) => {
    // `request.host` is X-Forwarded-Host behind a trusted proxy: links are made of it.
    const isNameless = request.headers.host === undefined && (request.method === 'GET' || request.method === 'HEAD')
    if (isNameless || (isOwn(request.headers.host) && isOwn(request.host))) done()
    else void sendProblem(request, reply, { code: 'wrong_host' })
  })
}

const inUrl = (host: string): string => (host.includes(':') && !host.startsWith('[') ? `[${host}]` : host).toLowerCase()

/** The name without its port, as URLs write it; empty if it is none. */
const nameOf = (given: string): string => (URL.canParse(`http://${given}`) ? new URL(`http://${given}`).hostname : '')
