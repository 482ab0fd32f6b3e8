/**
 * How Cashfree's HTTP APIs are called, payments and payouts alike, by plain fetch.
 * Invariants: no secret is ever part of an error or a log line; every call ends within its timeout;
 * a call is repeated only where that cannot do anything twice. Nothing is retried in a loop: after the
 * second try the caller decides, by its own schedule. What our own id is the key of (a refund, a
 * transfer) is asked for once, and called refused only after the gateway was asked and has none:
 * an earlier answer may have been lost.
 */
import { randomUUID } from 'node:crypto'
import type { Paise } from '@roz/core/money.ts'
import { z } from 'zod'
import { GatewayMismatchError, GatewayRefusedError, GatewayUnavailableError } from '../payments/port.ts'

export type ApiConfig = {
  readonly baseUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly apiVersion: string
  readonly timeoutMs?: number
}

export type Call = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}
export type Answer = { readonly status: number; readonly body: unknown; readonly requestId: string }

const TIMEOUT_MS = 10_000
const PAUSE_MS = 250

export type Api = {
  readonly once: (request: Call) => Promise<Answer>
  /** One more try for a connection that broke or a gateway that stumbled; never after being told to slow down. */
  readonly twice: (request: Call) => Promise<Answer>
}

/** `moreHeaders` are made anew for each call: a signature of the moment, where one is asked for. */
export function cashfreeApi(config: ApiConfig, moreHeaders: () => Readonly<Record<string, string>> = () => ({})): Api {
  const once = (request: Call): Promise<Answer> => callOnce(config, moreHeaders(), request)
  async function twice(request: Call): Promise<Answer> {
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

async function callOnce(config: ApiConfig, moreHeaders: Readonly<Record<string, string>>, request: Call): Promise<Answer> {
  const { method, path, body, signal } = request
  const requestId = randomUUID()
  // Not the query: an account number may stand in it.
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
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    text = await response.text()
  } catch (cause) {
    throw new GatewayUnavailableError(`No answer to ${what}`, { cause })
  }
  if (response.status === 429) {
    const seconds = Number(response.headers.get('x-ratelimit-retry') ?? 1)
    throw new GatewayUnavailableError(`Told to slow down: ${what}`, { retryAfterMs: (seconds > 0 ? seconds : 1) * 1000 })
  }
  if (response.status >= 500 || response.status === 408) throw new GatewayUnavailableError(`Status ${response.status} for ${what}`)
  return { status: response.status, body: parseJson(text), requestId }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isOk = ({ status }: Answer): boolean => status >= 200 && status < 300

export function expectOk(answer: Answer): unknown {
  if (!isOk(answer)) throw refusal(answer)
  return answer.body
}

const wireError = z.object({ code: z.string(), message: z.string() })

export function refusal({ status, body, requestId }: Answer): GatewayRefusedError {
  const error = wireError.safeParse(body)
  const { code, message } = error.success ? error.data : { code: 'unknown', message: 'an answer without a code' }
  return new GatewayRefusedError(`The gateway refused request ${requestId} with ${status} ${code}: ${message}`, status, code)
}

/** A good status with a body that is not what was promised: nobody knows what it means, so ask again later. */
export function read<S extends z.ZodType>(schema: S, body: unknown, { requestId }: Answer): z.output<S> {
  const result = schema.safeParse(body)
  if (result.success) return result.data
  const fields = result.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`).join(', ')
  throw new GatewayUnavailableError(`An answer that cannot be read to request ${requestId}: ${fields}`)
}

/**
 * Whether the gateway says that it knows no such thing. Money hangs on this no: a page of a proxy, or
 * the gateway's own 404 for an address that is no call of its API (`request_failed`), does not count.
 */
export function isUnknown(answer: Answer): boolean {
  if (answer.status !== 404) return false
  const error = wireError.safeParse(answer.body)
  if (error.success && error.data.code !== 'request_failed') return true
  throw new GatewayUnavailableError(`A 404 that is not the gateway's word on request ${answer.requestId}`)
}

type Held = { readonly amount: Paise; readonly currency: string }
type Keyed<T> = {
  readonly request: Call
  readonly amount: Paise
  readonly currency: string
  readonly read: (answer: Answer) => T
  /** The gateway's word on our id; undefined when it has none. */
  readonly find: () => Promise<T | undefined>
}

/** Asks for what our own id is the key of. See the header for what a refusal means. */
export async function askOnce<T extends Held>(api: Api, keyed: Keyed<T>): Promise<T> {
  const answer = await api.once(keyed.request)
  if (isOk(answer)) return matching(keyed, keyed.read(answer))
  const no = refusal(answer)
  // Not let in: nothing was judged, and asking whether it exists would fare no better.
  if (no.httpStatus === 401 || no.httpStatus === 403) throw new GatewayUnavailableError(no.message, { cause: no })
  const known = await keyed.find().catch((cause: unknown) => {
    throw cause instanceof GatewayRefusedError ? new GatewayUnavailableError(cause.message, { cause }) : cause
  })
  if (known !== undefined) return matching(keyed, known)
  // A duplicate of something it does not know: its two words contradict each other.
  if (no.httpStatus === 409) throw new GatewayUnavailableError(no.message, { cause: no })
  throw no
}

function matching<T extends Held>({ amount, currency, request }: Keyed<T>, known: T): T {
  if (known.amount === amount && known.currency === currency) return known
  const [held, asked] = [`${known.amount} hundredths of ${known.currency}`, `${amount} of ${currency}`]
  throw new GatewayMismatchError(`${request.path}: the gateway holds ${held} under this id, not ${asked}`)
}
