/**
 * Serves the contract.
 * - A request is checked in one order: path 404, method 405, token 401, kind and role 403, confirmed mail and hold 403,
 *   size 413, content type 415, JSON and fields 400, then the rules of the handler.
 * - The body of an upload is read by its handler, which takes the sender's allowance first (upload.ts).
 * - Before all checks of this order have passed, nothing is written but the session's new expiry.
 * - A handler returns a value of the contract or a refusal that the contract declares; anything else does not compile.
 */
import { type Api, api, type CallName, type Input, type Output } from '@roz/contract/api.ts'
import type { Access, CsvTable, EndpointSpec, PublicFile } from '@roz/contract/endpoint.ts'
import type { FieldProblem } from '@roz/core/fields.ts'
import { type Language, languageOf } from '@roz/core/language.ts'
import type { RefusalCode } from '@roz/core/refusals.ts'
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { BODY_BYTES_MAX, readRawBodies } from './bodies.ts'
import { compressLong } from './brotli.ts'
import { sendCsv } from '../lists/csv.ts'
import { etagOf, isKnown } from './etag.ts'
import { type Problem, sendProblem, sendProblemAsText } from './faults.ts'
import { sendFile } from './files.ts'
import { parseInput } from './input.ts'
import type { AdminSession, MemberSession, Session, Sessions } from './session.ts'
import { authorize } from './session.ts'
import { isStored } from './stored-answers.ts'
import { actingFrom } from '../staff/staff-log.ts'
import { type Receive, receiverOf, tooLargeOf } from '../pictures/upload.ts'

type SessionOf<A extends Access> = {
  readonly visitor: undefined
  readonly anyone: MemberSession | undefined
  readonly member: MemberSession
  readonly holder: MemberSession
  readonly verified: MemberSession
  readonly session: Session
  readonly admin: AdminSession
  readonly signed: undefined
}[A]

type TooLargeOf<E> = E extends { upload: { tooLarge: infer Code extends RefusalCode } } ? Code : 'avatar_too_large'

/** The input and context that a handler gets. */
export type Call<E extends EndpointSpec> = Input<E> & {
  readonly session: SessionOf<E['access']>
  /** From Accept-Language; English without it. */
  readonly language: Language
  /** Scheme, host and port for links and return addresses, without a trailing slash. */
  readonly origin: string
  /** The client's address behind the proxies of TRUST_PROXY. */
  readonly ip: string
  readonly userAgent: string
  /** The Idempotency-Key header, 1–200 characters. */
  readonly idempotencyKey: string | undefined
  /** Reads the uploaded file. */
  readonly upload: E extends { upload: object } ? Receive<TooLargeOf<E>> : undefined
  /** Raw bytes and headers of a webhook or a signed note. */
  readonly raw: E extends { raw: true } ? { readonly bytes: Buffer; readonly headers: FastifyRequest['headers'] } : undefined
}

/** A refusal: its code, and for some codes the fields, the seconds to wait, or values for its text. */
export type Refusal<C extends RefusalCode> = {
  readonly ok: false
  readonly code: C
  readonly fields?: Readonly<Record<string, FieldProblem>>
  readonly retryAfterSeconds?: number
  /** Values for the `{name}` places of its text. */
  readonly values?: Readonly<Record<string, string>>
}
export type Answer<E extends EndpointSpec> =
  | { readonly ok: true; readonly value: Output<E>; readonly status?: E extends { alsoStatus: infer S } ? S : never }
  | Refusal<E['refusals'][number] | 'invalid_input'>
export type Handler<E extends EndpointSpec> = (call: Call<E>) => Promise<Answer<E>>
/** Handlers of some calls; `services.ts` joins all of them, and a missing handler does not compile. */
export type Handlers<Names extends CallName> = { readonly [N in Names]: Handler<Api[N]> }

/** Refuses an input by field: `invalid({ amount: 'topup_min:10' })`. */
export const invalid = (fields: Readonly<Record<string, FieldProblem>>): Refusal<'invalid_input'> => ({
  ok: false,
  code: 'invalid_input',
  fields,
})

type RouteDeps = {
  readonly sessions: Sessions
  /** PUBLIC_URL; if it is not set, the request's own host is used. */
  readonly publicUrl: string | undefined
}

/** Mounts every call below /api, and answers 405 to other methods of a known path. */
export function registerCalls(app: FastifyInstance, handlers: Handlers<CallName>, deps: RouteDeps): void {
  const methodsByPath = new Map<string, string[]>()
  for (const name of Object.keys(api) as CallName[]) {
    const spec: EndpointSpec = api[name]
    const url = fastifyPath(spec.path)
    methodsByPath.set(url, [...(methodsByPath.get(url) ?? []), spec.method])
    const handler = handlers[name] as unknown as Handler<EndpointSpec>
    if (spec.raw !== true && spec.upload === undefined) registerCall(app, spec, handler, deps)
    else
      void app.register(async (scope) => {
        if (spec.raw === true) readRawBodies(scope)
        // Only for uploads: the plugin's hooks run for every route of its scope.
        else await scope.register(multipart)
        registerCall(scope, spec, handler, deps)
      })
  }
  for (const [url, methods] of methodsByPath) {
    const others = (['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'] as const).filter((method) => !methods.includes(method))
    app.route({
      method: others,
      url,
      onRequest: async (request, reply) => {
        reply.header('allow', methods.join(', '))
        return sendProblem(request, reply, { code: 'method_not_allowed' })
      },
      handler: async () => undefined,
    })
  }
}

const fastifyPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1')

function registerCall(app: FastifyInstance, spec: EndpointSpec, handler: Handler<EndpointSpec>, deps: RouteDeps): void {
  app.route({
    method: spec.method,
    url: fastifyPath(spec.path),
    // A second limit: `bodyProblem` checks the size earlier, so that 413 comes before 415.
    bodyLimit: spec.upload === undefined ? BODY_BYTES_MAX : spec.upload.bytesMax + BODY_BYTES_MAX,
    onRequest: (request, reply) => {
      setCacheHeaders(spec, request, reply)
      return authorize(request, spec, deps.sessions).then((judged) => {
        request.session = judged.session
        if (!judged.ok) return sendProblem(request, reply, judged)
        const problem = bodyProblem(request, spec)
        if (problem !== undefined) return sendProblem(request, reply, problem)
      })
    },
    onSend: [...(isShared(spec) ? [tagForCaches] : []), ...(spec.method === 'GET' && spec.access !== 'admin' ? [compressLong] : [])],
    handler: async (request, reply) => {
      const refuse = spec.output === 'text' ? sendProblemAsText : sendProblem
      const input = parseInput(request, spec)
      if (!input.ok) return refuse(request, reply, input)
      const upload = spec.upload === undefined ? undefined : receiverOf(request, spec.upload)
      const raw = spec.raw === true ? { bytes: request.body as Buffer, headers: request.headers } : undefined
      const call = new ReceivedCall(request, { ...input, upload, raw, publicUrl: deps.publicUrl }) as unknown as Call<EndpointSpec>
      // Before the handler: a schema that does not compile must fail before anything is committed.
      const write = typeof spec.output === 'string' ? undefined : writerOf(spec, spec.output, reply)
      const answer = await (spec.access === 'admin'
        ? actingFrom({ ip: call.ip, userAgent: call.userAgent }, () => handler(call))
        : handler(call))
      if (!answer.ok) return refuse(request, reply, answer)
      reply.code(answer.status ?? spec.status ?? 200)
      if (spec.output === 'empty') return reply.send()
      if (spec.output === 'text') return reply.type('text/plain; charset=utf-8').send(answer.value)
      if (spec.output === 'csv') return sendCsv(reply, spec.path, answer.value as unknown as CsvTable)
      if (write === undefined) return sendFile(request, reply, answer.value as unknown as PublicFile)
      reply.type('application/json; charset=utf-8')
      return isStored(answer.value) ? writeStored(spec.output as z.ZodType, answer.value, { write, reply }) : write(answer.value)
    },
  })
}

type Parts = {
  readonly value: { readonly params: unknown; readonly query: unknown; readonly body: unknown }
  readonly idempotencyKey: string | undefined
  readonly upload: Receive<RefusalCode> | undefined
  readonly raw: unknown
  readonly publicUrl: string | undefined
}

/** The call that a handler gets. Values that few handlers read are computed on access. */
class ReceivedCall {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly session: Session | undefined
  readonly idempotencyKey: string | undefined
  readonly upload: Receive<RefusalCode> | undefined
  readonly raw: unknown
  readonly #request: FastifyRequest
  readonly #publicUrl: string | undefined

  constructor(request: FastifyRequest, { value, idempotencyKey, upload, raw, publicUrl }: Parts) {
    this.params = value.params
    this.query = value.query
    this.body = value.body
    this.session = request.session
    this.idempotencyKey = idempotencyKey
    this.upload = upload
    this.raw = raw
    this.#request = request
    this.#publicUrl = publicUrl
  }

  get language(): Language {
    return languageOf(this.#request.headers['accept-language'])
  }
  get origin(): string {
    return this.#publicUrl ?? `${this.#request.protocol}://${this.#request.host}`
  }
  get ip(): string {
    return this.#request.ip
  }
  get userAgent(): string {
    return this.#request.headers['user-agent'] ?? ''
  }
}

type Writer = (value: unknown) => string
const writers = new WeakMap<EndpointSpec, Writer>()

/** Compiles the response schema, so an undeclared field cannot leave. Compiled on the first call: all schemas take 20 % of a start. */
export function writerOf(spec: EndpointSpec, output: z.ZodType, reply: FastifyReply): Writer {
  const known = writers.get(spec)
  if (known !== undefined) return known
  const writer = reply.compileSerializationSchema(jsonSchemaOf(output)) as Writer
  writers.set(spec, writer)
  return writer
}

function jsonSchemaOf(output: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(output, { io: 'output', target: 'draft-7', unrepresentable: 'any' })
  return schema
}

/** An answer of an earlier release may lack a field that is required now: then the same fields are declared, and none is required. */
function writeStored(
  output: z.ZodType,
  value: unknown,
  { write, reply }: { readonly write: Writer; readonly reply: FastifyReply },
): string {
  try {
    return write(value)
  } catch {
    const lenient = JSON.stringify(jsonSchemaOf(output), (key, part: unknown) =>
      key === 'required' && Array.isArray(part) ? undefined : part,
    )
    return (reply.compileSerializationSchema(JSON.parse(lenient) as Record<string, unknown>) as Writer)(value)
  }
}

/** A visitor's answer may be kept by caches. */
const isShared = ({ cache }: EndpointSpec): boolean => cache === 'public' || cache === 'named'
const FOR_SECONDS = 'public, max-age=0, s-maxage=2, stale-while-revalidate=30, stale-if-error=86400'

/** Cache headers by the call's `cache`: answers for CDNs, files, and `no-store` for everything else. */
function setCacheHeaders(spec: EndpointSpec, request: FastifyRequest, reply: FastifyReply): void {
  // Files are the same for everybody, so any origin may read them, a 404 too. `sendFile` sets the lifetime later.
  if (spec.cache === 'file') return void reply.header('access-control-allow-origin', '*').header('cache-control', 'no-store')
  const isPublic = isShared(spec)
  const isOpen = isPublic && spec.path.startsWith('/public/') && request.headers.authorization === undefined
  if (isOpen) reply.header('access-control-allow-origin', '*')
  // Public answers name winners, and "A member" depends on the reader's language.
  if (isPublic) reply.header('vary', 'Authorization, Accept-Language, Accept-Encoding')
  else if (spec.access !== 'visitor' && spec.access !== 'signed') reply.header('vary', 'Authorization')
  if (!isPublic) reply.header('cache-control', 'no-store')
  else if (request.headers.authorization !== undefined) reply.header('cache-control', 'private, no-store')
  else reply.header('cache-control', spec.cache === 'named' ? 'public, no-cache' : FOR_SECONDS)
}

const SERVER_TIME = /"serverTime":"([^"]+)"/

/** Adds an ETag to a cacheable answer, and answers 304 to a client that has it already. */
async function tagForCaches(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  const isKept = String(reply.getHeader('cache-control')).startsWith('public')
  if (reply.statusCode !== 200 || !isKept || typeof payload !== 'string') return payload
  // The tag ignores `serverTime` and the encoding, so it is weak; a header carries the time, which a 304 renews.
  const [field = '', serverTime] = SERVER_TIME.exec(payload) ?? []
  const tag = `W/${etagOf(Buffer.from(payload.replace(field, '')))}`
  reply.header('etag', tag)
  if (serverTime !== undefined) reply.header('x-server-time', serverTime)
  if (!isKnown(request, tag)) return payload
  reply.code(304).removeHeader('content-type').removeHeader('content-length')
  return ''
}

const JSON_TYPE = /^application\/json\s*(;|$)/i

/** Checks the size before the content type, and both before the body is parsed. */
function bodyProblem(request: FastifyRequest, spec: EndpointSpec): Problem | undefined {
  const length = Number(request.headers['content-length'] ?? 0)
  const max = spec.upload === undefined ? BODY_BYTES_MAX : spec.upload.bytesMax + BODY_BYTES_MAX
  if (length > max) return { code: spec.upload === undefined ? 'body_too_large' : tooLargeOf(spec.upload) }
  const type = request.headers['content-type'] ?? ''
  const hasBody = length > 0 || request.headers['transfer-encoding'] !== undefined
  if (spec.upload !== undefined) return /^multipart\/form-data\s*;/i.test(type) ? undefined : { code: 'unsupported_media_type' }
  if (hasBody && spec.raw !== true && spec.method !== 'GET' && !JSON_TYPE.test(type)) return { code: 'unsupported_media_type' }
  return undefined
}
