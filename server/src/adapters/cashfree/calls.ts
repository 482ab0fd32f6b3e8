/**
 * HTTP calls to Cashfree, for payments and payouts alike, by plain fetch.
 * - No error and no log line contains a secret.
 * - Every call ends within its timeout.
 * - A call is retried only if that has no second effect, once at most; then the caller decides by its own schedule.
 * - An answer counts only in the gateway's own form: a page of a proxy, a redirect, an old or an endless answer is none.
 * - A call keyed by our own id (a refund, a transfer) is sent once. It counts as refused only after the gateway, asked
 *   again, answered that it has none under this id: an earlier answer may have been lost.
 */
import { randomUUID } from 'node:crypto'
import type { Paise } from '@roz/core/money.ts'
import { z } from 'zod'
import { inSpan } from '../../tracing/spans.ts'
import { GatewayForeignError, GatewayMismatchError, GatewayRefusedError, GatewayUnavailableError } from '../payments/port.ts'

export type ApiConfig = {
  readonly baseUrl: string
  readonly clientId: string
  readonly clientSecret: string
  /** The former secret while it is replaced: it verifies webhooks, and signs no call. */
  readonly clientSecretOld?: string | undefined
  readonly apiVersion: string
  readonly timeoutMs?: number
}

type GatewayCall = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
  /** Our own id of the call, as 32 hex digits; sent as a UUID. */
  readonly idempotencyKey?: string
}
export type GatewayAnswer = { readonly status: number; readonly body: unknown; readonly requestId: string }

const HEX = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/
const TIMEOUT_MS = 10_000
const PAUSE_MS = 250
/** The longest answers list the attempts of one order, with less than 2 KB each. */
const ANSWER_MAX_BYTES = 1_048_576
/** A cache passes on the time of the stored answer (RFC 9111). Clocks differ by less than this. */
const ANSWER_MAX_AGE_MS = 600_000

export type GatewayApi = {
  readonly once: (request: GatewayCall) => Promise<GatewayAnswer>
  /** Retries once after a broken connection, a 5xx or a 408; never after a 429. */
  readonly twice: (request: GatewayCall) => Promise<GatewayAnswer>
}

/** `moreHeaders` is called for each request, because a signature contains the time. */
export function cashfreeApi(config: ApiConfig, moreHeaders: () => Readonly<Record<string, string>> = () => ({})): GatewayApi {
  const once = (request: GatewayCall): Promise<GatewayAnswer> =>
    inSpan({ name: `gateway ${request.method} ${templateOf(request.path)}`, kind: 'client' }, () =>
      callOnce(config, moreHeaders(), request),
    )
  async function twice(request: GatewayCall): Promise<GatewayAnswer> {
    try {
      return await once(request)
    } catch (error) {
      if (!(error instanceof GatewayUnavailableError) || error.retryAfterMs !== undefined || request.signal?.aborted === true) throw error
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
      return once(request)
    }
  }
  return { once, twice }
}

/** The path without its ids and its query: `/orders/{id}/payments`. */
const templateOf = (path: string): string =>
  (path.split('?', 1)[0] ?? '')
    .split('/')
    .map((part) => (/^[a-z_]{0,20}$/.test(part) ? part : '{id}'))
    .join('/')

async function callOnce(config: ApiConfig, moreHeaders: Readonly<Record<string, string>>, request: GatewayCall): Promise<GatewayAnswer> {
  const { method, path, body, signal, idempotencyKey } = request
  const requestId = randomUUID()
  // Without the query, which may contain an account number.
  const what = `${method} ${path.split('?', 1)[0]} (request ${requestId})`
  const timeout = AbortSignal.timeout(config.timeoutMs ?? TIMEOUT_MS)
  let response: Response
  let text: string
  try {
    response = await fetch(config.baseUrl + path, {
      method,
      redirect: 'error',
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      headers: {
        'x-client-id': config.clientId,
        'x-client-secret': config.clientSecret,
        'x-api-version': config.apiVersion,
        'x-request-id': requestId,
        ...moreHeaders,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'x-idempotency-key': idempotencyKey.replace(HEX, '$1-$2-$3-$4-$5') }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    text = await textOf(response)
  } catch (cause) {
    throw new GatewayUnavailableError(`No answer to ${what}`, { cause })
  }
  if (response.status === 429) {
    const seconds = Number(response.headers.get('x-ratelimit-retry') ?? 1)
    throw new GatewayUnavailableError(`Told to slow down: ${what}`, { retryAfterMs: (seconds > 0 ? seconds : 1) * 1000 })
  }
  if (response.status >= 500 || response.status === 408) throw new GatewayUnavailableError(`Status ${response.status} for ${what}`)
  const answer = { status: response.status, body: isJson(response) ? parseJson(text) : undefined, requestId }
  if (answer.body === undefined) throw new GatewayUnavailableError(`No JSON, with status ${response.status}, for ${what}`)
  if (isOld(response)) throw new GatewayForeignError(`An old answer to ${what}`)
  if (!isOk(answer) && !wireError.safeParse(answer.body).success)
    throw new GatewayUnavailableError(`Status ${response.status} without the gateway's own error for ${what}`)
  return answer
}

const isJson = ({ headers }: Response): boolean => /^application\/json\b/i.test(headers.get('content-type') ?? '')

function isOld({ headers }: Response): boolean {
  const [saidAt, age] = [Date.parse(headers.get('date') ?? ''), Number(headers.get('age') ?? 0)]
  return Date.now() - saidAt > ANSWER_MAX_AGE_MS || age * 1000 > ANSWER_MAX_AGE_MS
}

/** The text of an answer, unless it is longer than any of the gateway's. */
async function textOf(response: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of response.body ?? []) {
    length += part.byteLength
    // Leaving the loop closes the connection.
    if (length > ANSWER_MAX_BYTES) throw new Error(`An answer of more than ${ANSWER_MAX_BYTES} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isOk = ({ status }: GatewayAnswer): boolean => status >= 200 && status < 300

export function expectOk(answer: GatewayAnswer): unknown {
  if (!isOk(answer)) throw refusal(answer)
  return answer.body
}

/** Every error of the gateway has a type beside its code: `invalid_request_error`. Errors of proxies have none. */
const wireError = z.object({ type: z.string().regex(/^[a-z_]+_error$/), code: z.string(), message: z.string() })

export function refusal({ status, body, requestId }: GatewayAnswer): GatewayRefusedError {
  const { code, message } = wireError.parse(body)
  return new GatewayRefusedError(`The gateway refused request ${requestId} with ${status} ${code}: ${message}`, status, code)
}

/** Parses a success; an unexpected body leaves the outcome unknown, so the caller has to ask again later. */
export function read<S extends z.ZodType>(schema: S, body: unknown, { requestId }: GatewayAnswer): z.output<S> {
  const result = schema.safeParse(body)
  if (result.success) return result.data
  const fields = result.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`).join(', ')
  throw new GatewayUnavailableError(`Unexpected body in the answer to request ${requestId}: ${fields}`)
}

/**
 * Tells whether the gateway says that it does not know the thing. Money depends on this "no", so only an invalid request whose code ends
 * in `_not_found` or `_does_not_exist` counts: the gateway's own 404 for an address that is no call of its API has another one.
 */
export function isUnknown(answer: GatewayAnswer): boolean {
  if (answer.status !== 404) return false
  const { type, code } = wireError.parse(answer.body)
  if (type === 'invalid_request_error' && /_(?:not_found|does_not_exist)$/.test(code)) return true
  throw new GatewayUnavailableError(`A 404 without the gateway's own code for request ${answer.requestId}`)
}

/** Throws if the answer names another id than the question. */
export function expectSame(answer: GatewayAnswer, pairs: readonly (readonly [named: string, asked: string])[]): void {
  if (pairs.every(([named, asked]) => named === asked)) return
  throw new GatewayForeignError(`The answer to request ${answer.requestId} is about another id`)
}

type Held = { readonly amount: Paise; readonly currency: string | undefined }
type Keyed<T> = {
  readonly request: GatewayCall
  readonly amount: Paise
  readonly currency: string
  readonly read: (answer: GatewayAnswer) => T
  /** The gateway's record under our id; undefined if it has none. */
  readonly find: () => Promise<T | undefined>
}

/** Sends a call that is keyed by our own id. The header says when it counts as refused. */
export async function askOnce<T extends Held>(api: GatewayApi, keyed: Keyed<T>): Promise<T> {
  const answer = await api.once(keyed.request)
  if (isOk(answer)) return matching(keyed, keyed.read(answer))
  const no = refusal(answer)
  // 401 and 403: the gateway checked nothing, and a question would be refused too.
  if (no.httpStatus === 401 || no.httpStatus === 403) throw new GatewayUnavailableError(no.message, { cause: no })
  const known = await keyed.find().catch((cause: unknown) => {
    throw cause instanceof GatewayRefusedError ? new GatewayUnavailableError(cause.message, { cause }) : cause
  })
  if (known !== undefined) return matching(keyed, known)
  // A 409 for an id that the gateway does not know: the two answers contradict each other.
  if (no.httpStatus === 409) throw new GatewayUnavailableError(no.message, { cause: no })
  throw no
}

function matching<T extends Held>({ amount, currency, request }: Keyed<T>, known: T): T {
  if (known.amount === amount && (known.currency ?? currency) === currency) return known
  const [held, asked] = [`${known.amount} hundredths of ${known.currency}`, `${amount} of ${currency}`]
  throw new GatewayMismatchError(`${request.path}: the gateway has ${held} under this id, not ${asked}`)
}
