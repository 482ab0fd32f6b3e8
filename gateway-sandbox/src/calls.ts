/**
 * Authentication, version check, idempotency and answer of every API call.
 *
 * - API faults (`faults.api`) act here and nowhere else.
 */
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { SandboxClock } from './clock.ts'
import { bankFailure, internal, keyReused, Refusal, tooMany, wrongKeys } from './refusals.ts'
import { inCurrency } from './faults.ts'
import type { Store } from './store.ts'
import type { Webhooks } from './webhooks.ts'

export type Keys = { readonly clientId: string; readonly clientSecret: string }
/** An account with keys of its own. With `signatureKey` every call must be signed. */
export type Account = Keys & { readonly signatureKey?: string | undefined }
/** The payouts account has a webhook address too. */
export type PayoutAccount = Account & { readonly notifyUrl?: string | undefined }
/** Where the account's own webhooks go, as set in the tabs of the gateway's dashboard. A tab without an address gets none. */
export type Tabs = {
  /** Settlements. Webhooks of orders go to the order's `notify_url`. */
  payments: string | undefined
  /** Subscriptions have a tab of their own. */
  subscriptions: { readonly url: string; readonly version: ApiVersion } | undefined
}
export type Parts = {
  readonly store: Store
  readonly clock: SandboxClock
  readonly webhooks: Webhooks
  readonly keys: Keys
  readonly payouts: PayoutAccount | undefined
  readonly verification: Account | undefined
  readonly tabs: Tabs
}

/** API versions that write ids as strings: this sandbox writes no other form. */
export const API_VERSIONS = ['2023-08-01', '2025-01-01', '2026-01-01'] as const
export type ApiVersion = (typeof API_VERSIONS)[number]

const REPLAY_MS = 86_400_000

/** `keys` is undefined for the one call that a payer's device may make. */
type Door = { readonly store: Store; readonly keys: Keys | undefined; readonly versions: ReadonlySet<string> }

export function admit(request: FastifyRequest, reply: FastifyReply, { store, keys, versions }: Door): void {
  const version = header(request, 'x-api-version')
  reply.header('x-request-id', header(request, 'x-request-id')?.slice(0, 200) ?? randomUUID())
  if (version !== undefined) reply.header('x-api-version', version)
  if (
    keys !== undefined &&
    !(same(header(request, 'x-client-id'), keys.clientId) && same(header(request, 'x-client-secret'), keys.clientSecret))
  )
    throw wrongKeys()
  if (version === undefined) throw new Refusal(400, 'version is missing in the request', 'version_missing')
  if (!versions.has(version)) {
    throw new Refusal(400, `version should be one of ${[...versions].join(', ')}. Value received: ${version}`, 'version_invalid')
  }
  const fault = store.faults().api
  if (fault === 'bank_failure') throw bankFailure()
  if (fault !== 'rate_limit') return
  reply.headers({ 'x-ratelimit-limit': '30', 'x-ratelimit-remaining': '0', 'x-ratelimit-retry': '1', 'x-ratelimit-type': 'app_id' })
  throw tooMany()
}

/** The version of a call that was admitted. */
export const versionOf = (request: FastifyRequest): ApiVersion =>
  API_VERSIONS.find((one) => one === request.headers['x-api-version']) ?? '2025-01-01'

export function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Compares digests, which have one length: `timingSafeEqual` needs that, and the timing does not leak the key's length. */
function same(given: string | undefined, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return given !== undefined && timingSafeEqual(digest(given), digest(expected))
}

async function answer(parts: Parts, reply: FastifyReply, work: (nowMs: number) => unknown): Promise<FastifyReply> {
  const body = work(await parts.clock.now())
  const fault = parts.store.faults().api
  if (fault === 'error_after_commit') throw internal()
  // The socket stays open and silent until the caller gives up or the sandbox stops.
  if (fault === 'no_answer') return reply.hijack()
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return reply.type('application/json; charset=utf-8').send(inCurrency(text, parts.store.faults().currency))
}

/** Repeats the first successful answer to an idempotency key for 24 h. The same key with another request is refused. */
function once(store: Store, request: FastifyRequest, reply: FastifyReply, nowMs: number, work: () => unknown): string {
  const key = header(request, 'x-idempotency-key')
  if (key === undefined) return JSON.stringify(work())
  reply.header('x-idempotency-key', key.slice(0, 200))
  const requestDigest = createHash('sha256')
    .update(`${request.url}\n${JSON.stringify(request.body)}`)
    .digest('hex')
  const first = store.replays.get(key)
  if (first !== undefined && nowMs - first.atMs < REPLAY_MS) {
    if (first.requestDigest !== requestDigest) throw keyReused(store.faults().mismatch_400)
    reply.header('x-idempotency-replayed', 'true')
    return first.body
  }
  const body = JSON.stringify(work())
  store.put({ kind: 'replay', value: { key, requestDigest, body, atMs: nowMs } })
  return body
}

type Names<Path extends string> = Path extends `${infer Part}/${infer Rest}`
  ? Names<Part> | Names<Rest>
  : Path extends `:${infer Name}`
    ? Name
    : never
/** The parts of an address that its path names with a colon. */
export type Params<Path extends string> = Readonly<Record<Names<Path>, string>>
type Asked = { readonly request: FastifyRequest; readonly reply: FastifyReply; readonly nowMs: number }
type Call<Path extends string> = Asked & {
  readonly params: Params<Path>
  readonly query: Readonly<Record<string, string | string[] | undefined>>
  readonly body: unknown
}
type Work<Path extends string> = (call: Call<Path>) => unknown
export type Calls = ReturnType<typeof callsOf>

/**
 * Registers calls of the API, which answer with the state at the present time of the clock. `first` runs before each.
 * - `write` repeats its answer under an idempotency key.
 */
export function callsOf(app: FastifyInstance, parts: Parts, first: (asked: Asked) => void = () => undefined) {
  const method =
    (name: 'get' | 'post' | 'patch' | 'delete') =>
    <Path extends string>(path: Path, work: Work<Path>): void =>
      void app[name](path, (request, reply) =>
        answer(parts, reply, (nowMs) => {
          first({ request, reply, nowMs })
          const { body } = request
          return work({ request, reply, nowMs, body, params: request.params as Params<Path>, query: request.query as Call<Path>['query'] })
        }),
      )
  const post = method('post')
  return {
    get: method('get'),
    post,
    patch: method('patch'),
    remove: method('delete'),
    write: <Path extends string>(path: Path, work: Work<Path>): void =>
      post(path, (call) => once(parts.store, call.request, call.reply, call.nowMs, () => work(call))),
  }
}
