/**
 * Serves some calls of the API on a port of their own, for tests of one feature.
 * - The calls pass the same HTTP layer as in the program; a call that a test does not mount answers 404.
 * - The client's address is taken from X-Forwarded-For, so a test can come from any address.
 */
import { api, type CallName } from '@roz/contract/api.ts'
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { registerAccessLog } from '../operation/access-log.ts'
import { createSecrets } from '../secrets/secrets.ts'
import { readJsonBodies } from '../http/bodies.ts'
import { registerFaults } from '../http/faults.ts'
import { type Handlers, registerCalls } from '../http/route.ts'
import { registerSecurityHeaders } from '../http/security-headers.ts'
import { createLog } from '../operation/logger.ts'
import type { Sessions } from '../http/session.ts'

export type TestAnswer = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Parsed JSON, untyped: its shape is the subject of the test. */
  readonly body: ReturnType<typeof JSON.parse>
}
export type Ask = {
  readonly token?: string
  readonly body?: unknown
  readonly form?: FormData
  readonly language?: string
  readonly ip?: string
  readonly userAgent?: string
  readonly headers?: Readonly<Record<string, string>>
}
export type TestApp = {
  readonly url: string
  /** `ask('POST /auth/login', { body })`: the path is below /api; `root:/dev/mail` is a path from the root. */
  readonly ask: (call: string, options?: Ask) => Promise<TestAnswer>
  readonly close: () => Promise<void>
}

export async function startTestApp(options: {
  readonly handlers: Partial<Handlers<CallName>>
  readonly sessions: Sessions
  /** Mounts routes beside /api. */
  readonly mount?: (app: FastifyInstance) => void
  /** Destination of the log's lines; by default none. */
  readonly logTo?: { write: (line: string) => void }
}): Promise<TestApp> {
  const log: FastifyBaseLogger = createLog({
    level: options.logTo === undefined ? 'silent' : 'trace',
    ...(options.logTo === undefined ? {} : { to: options.logTo }),
  })
  const app: FastifyInstance = Fastify({ trustProxy: true, loggerInstance: log, forceCloseConnections: true })
  app.decorateRequest('session', undefined)
  readJsonBodies(app)
  registerSecurityHeaders(app, { publicUrl: undefined })
  registerAccessLog(app, createSecrets({ secretKey: 'a secret key for tests' }))
  registerFaults(app)
  const absent = async () => ({ ok: false, code: 'not_found' })
  const all = Object.fromEntries((Object.keys(api) as CallName[]).map((name) => [name, options.handlers[name] ?? absent]))
  await app.register(
    async (calls) => registerCalls(calls, all as unknown as Handlers<CallName>, { sessions: options.sessions, publicUrl: undefined }),
    { prefix: '/api' },
  )
  options.mount?.(app)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return { url, ask: (call, ask = {}) => send(url, call, ask), close: () => app.close() }
}

async function send(url: string, call: string, ask: Ask): Promise<TestAnswer> {
  const [method = 'GET', path = '/'] = call.split(' ')
  const target = path.startsWith('root:') ? path.slice('root:'.length) : `/api${path}`
  const body = ask.form ?? (ask.body === undefined ? undefined : typeof ask.body === 'string' ? ask.body : JSON.stringify(ask.body))
  const response = await fetch(url + target, {
    method,
    redirect: 'manual',
    headers: {
      ...(ask.token === undefined ? {} : { authorization: `Bearer ${ask.token}` }),
      ...(ask.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(ask.language === undefined ? {} : { 'accept-language': ask.language }),
      ...(ask.ip === undefined ? {} : { 'x-forwarded-for': ask.ip }),
      'user-agent': ask.userAgent ?? 'test browser',
      ...ask.headers,
    },
    ...(body === undefined ? {} : { body }),
  })
  const text = await response.text()
  const isJson = /^application\/json(;|$)/.test(response.headers.get('content-type') ?? '')
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
}
