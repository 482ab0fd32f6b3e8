/** Tests the security headers of every answer, and the refusal of requests with an ambiguous length (request smuggling). */
import { connect } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, expect, test } from 'vitest'
import { answerUnreadable, registerSecurityHeaders } from './security-headers.ts'

let app: FastifyInstance
afterEach(() => app.close())

function start(publicUrl?: string): FastifyInstance {
  app = Fastify({ clientErrorHandler: answerUnreadable({ publicUrl }) })
  registerSecurityHeaders(app, { publicUrl })
  app.get('/json', async () => ({ name: 'x' }))
  app.get('/page', (_request, reply) => reply.header('content-security-policy', "script-src 'self'").send('x'))
  app.get('/fault', () => {
    throw new Error('no')
  })
  app.post('/json', async () => ({}))
  return app
}

test('an answer without its own policy, also a 404 and a fault, forbids loading, scripts and frames', async () => {
  const policy = "default-src 'none'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'"
  start()
  for (const address of ['/json', '/nowhere', '/fault']) {
    const { headers } = await app.inject(address)
    expect([address, headers['content-security-policy'], headers['x-content-type-options'], headers['referrer-policy']]).toEqual([
      address,
      policy,
      'nosniff',
      'no-referrer',
    ])
  }
  expect((await app.inject('/page')).headers['content-security-policy']).toBe("script-src 'self'")
})

test('every answer sets HSTS for a year with subdomains if PUBLIC_URL is https, and never otherwise', async () => {
  start('https://roz.example')
  for (const address of ['/json', '/page', '/nowhere', '/fault'])
    expect((await app.inject(address)).headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains')
  await app.close()
  start('http://localhost:8080')
  expect((await app.inject('/json')).headers['strict-transport-security']).toBeUndefined()
})

/** All answers to these bytes. */
async function answersTo(bytes: string, publicUrl?: string): Promise<string> {
  const { port } = new URL(await start(publicUrl).listen({ host: '127.0.0.1', port: 0 }))
  const socket = connect(Number(port), '127.0.0.1', () => socket.write(bytes))
  let answer = ''
  for await (const chunk of socket) answer += String(chunk)
  return answer
}
/** The status lines of all answers to these bytes. */
const statusesOf = async (bytes: string): Promise<string[]> => (await answersTo(bytes)).match(/^HTTP\/1\.1 \d+/gm) ?? []

test.each([
  ['400', 'NONSENSE\r\n\r\n'],
  ['417', 'GET /json HTTP/1.1\r\nHost: x\r\nExpect: the unexpected\r\nConnection: close\r\n\r\n'],
  ['431', `GET /json HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
])('the answer %s of the parser has the headers too', async (status, bytes) => {
  const answer = await answersTo(bytes, 'https://roz.example')
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  for (const header of [
    "content-security-policy: default-src 'none'",
    'x-content-type-options: nosniff',
    'referrer-policy: no-referrer',
    'strict-transport-security: max-age=31536000',
  ])
    expect(answer.toLowerCase()).toContain(header)
})

test('two Host headers are refused, also equal ones', async () => {
  for (const second of ['evil.example', 'x'])
    expect(await statusesOf(`GET /json HTTP/1.1\r\nHost: x\r\nhOST: ${second}\r\nConnection: close\r\n\r\n`)).toEqual(['HTTP/1.1 400'])
})

const HIDDEN = 'GET /json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'

test.each([
  ['both Content-Length and chunked coding', `Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`],
  ['two Content-Length headers', `Content-Length: 0\r\nContent-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`],
  ['chunked as not the last coding', `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${HIDDEN}`],
])('a request with %s is refused, and the bytes behind it are not read as a second request', async (_, rest) => {
  expect(await statusesOf(`POST /json HTTP/1.1\r\nHost: x\r\n${rest}`)).toEqual(['HTTP/1.1 400'])
})

test('TRACE answers 404 and echoes nothing', async () => {
  const answers = await statusesOf('TRACE /json HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer secret\r\nConnection: close\r\n\r\n')
  expect(answers).toEqual(['HTTP/1.1 404'])
})
