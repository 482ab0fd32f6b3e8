/**
 * Security headers of every answer, whichever handler sends it.
 * - Pages and pictures set their own Content-Security-Policy; every other answer forbids loading, scripts and frames.
 * - If PUBLIC_URL is https, HSTS keeps browsers on https for a year, for this host and all its subdomains.
 * - The answers that Node's parser gives before any handler have the same headers: 400, 408, 417 and 431.
 * - A request with two Host headers is refused (RFC 9112, section 3.2): a proxy may have judged by the other one.
 */
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { sendProblem } from './faults.ts'

type Site = { readonly publicUrl: string | undefined }

const NOTHING = "default-src 'none'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'"
const HSTS = 'max-age=31536000; includeSubDomains'
const isHttps = ({ publicUrl }: Site): boolean => publicUrl?.startsWith('https://') === true

export function registerSecurityHeaders(app: FastifyInstance, site: Site): void {
  const https = isHttps(site)
  app.addHook('onRequest', (request, reply, done) => {
    const { rawHeaders } = request.raw
    let hosts = 0
    for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === 'host') hosts++
    if (hosts > 1) return void sendProblem(request, reply, { code: 'invalid_input' })
    done()
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    reply.header('x-content-type-options', 'nosniff')
    if (https) reply.header('strict-transport-security', HSTS)
    if (!reply.hasHeader('content-security-policy')) reply.header('content-security-policy', NOTHING)
    if (!reply.hasHeader('referrer-policy')) reply.header('referrer-policy', 'no-referrer')
    done()
  })
  const headers = ownHeaders(site)
  app.server.on('checkExpectation', (_request, response: ServerResponse) => {
    response.writeHead(417, { ...headers, connection: 'close' }).end()
  })
}

const ownHeaders = (site: Site): Readonly<Record<string, string>> => ({
  'cache-control': 'no-store',
  'content-security-policy': NOTHING,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  ...(isHttps(site) ? { 'strict-transport-security': HSTS } : {}),
})

const STATUS_OF: Readonly<Record<string, number>> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 }

/** Answers what the parser refused; the option `clientErrorHandler` of Fastify. */
export function answerUnreadable(site: Site): (error: NodeJS.ErrnoException, socket: Duplex) => void {
  const lines = Object.entries(ownHeaders(site)).map(([name, value]) => `${name}: ${value}\r\n`)
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    const status = STATUS_OF[error.code ?? ''] ?? 400
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}content-length: 0\r\nconnection: close\r\n\r\n`
    if (socket.writable) socket.write(head)
    socket.destroy(error)
  }
}
