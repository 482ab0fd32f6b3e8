/**
 * Clients that retry a call with its key until it gets a definite answer.
 * - An answer that says nothing about the call (a broken connection, a 5xx, a 429) counts as lost, and the call is retried.
 * - A 500 is retried too, but `faults` names it: no fault around a server explains a fault in it. A lost database is a 503.
 * - The number of calls in flight that move money is known at any moment.
 */
import { setTimeout as sleep } from 'node:timers/promises'

export type Reply = {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  /** The departure of the answered try. */
  readonly sentAt: number
  /** No earlier try was lost. */
  readonly first: boolean
}
export type Request = {
  readonly method?: 'GET' | 'POST'
  readonly path: string
  readonly token?: string | undefined
  readonly key?: string | undefined
  readonly body?: unknown
  /** The call moves money: it counts as in flight. */
  readonly moves?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

const ANSWER_WITHIN_MS = 12_000
const GIVE_UP_MS = 90_000
const FAILURES_KEPT = 20
const GATEWAY_TRIES_MAX = 20
const SAYS_NOTHING = new Set([429, 500, 502, 503, 504])

export class UnansweredError extends Error {
  override readonly name = 'UnansweredError'
}

export type Calls = ReturnType<typeof createCalls>

export function createCalls(options: {
  /** The address of each try. */
  readonly origin: () => string
  /** Uses a new key for each retry: a client that loses its keys, for the control. */
  readonly forgetsKeys: boolean
  readonly giveUpMs?: number
}) {
  const { giveUpMs = GIVE_UP_MS } = options
  let inFlight = 0
  let cutOff = 0
  let failed = 0
  const failures: string[] = []
  const faults: { readonly told: string; readonly requestId: string | null }[] = []
  const statuses = new Map<number, number>()

  /** Of the newest try of each call that has no definite answer yet. */
  const newestFailure = new WeakMap<Request, string>()

  function fails(request: Request, why: string): undefined {
    failed++
    newestFailure.set(request, why)
    if (failures.length < FAILURES_KEPT) failures.push(`${request.path}: ${why}`)
  }

  /** A join happens once a day with any key: a new key doubles nothing. */
  const keyOf = (request: Request, tries: number): string =>
    options.forgetsKeys && tries > 1 && request.path !== '/api/rounds/join' ? `${request.key}.${tries}` : String(request.key)

  async function tryOnce(request: Request, tries: number): Promise<Omit<Reply, 'first'> | undefined> {
    const moves = request.moves === true
    const sentAt = performance.now()
    if (moves) inFlight++
    try {
      const response = await fetch(`${options.origin()}${request.path}`, {
        method: request.method ?? 'POST',
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
        headers: {
          ...(request.token === undefined ? {} : { authorization: `Bearer ${request.token}` }),
          ...(request.key === undefined ? {} : { 'idempotency-key': keyOf(request, tries) }),
          ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...request.headers,
        },
        body: request.body === undefined ? null : typeof request.body === 'string' ? request.body : JSON.stringify(request.body),
      })
      const text = await response.text()
      if (response.status >= 500) statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
      const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
      // An order that expired at its gateway meanwhile is not created again under its key.
      const isGone = body.code === 'gateway_unavailable' && tries > GATEWAY_TRIES_MAX
      if (response.status === 500 && faults.length < FAILURES_KEPT)
        faults.push({ told: `${request.path} answered 500 ${text.slice(0, 200)}`, requestId: response.headers.get('x-request-id') })
      if (SAYS_NOTHING.has(response.status) && !isGone) return fails(request, `${response.status} ${text.slice(0, 200)}`)
      return { status: response.status, body, sentAt }
    } catch (error) {
      const { message, cause } = error as Error
      return fails(request, cause instanceof Error ? `${message} (${cause.message})` : message)
    } finally {
      if (moves) inFlight--
    }
  }

  /** Retries until the answer is definite. */
  async function patiently(request: Request): Promise<Reply> {
    const until = performance.now() + giveUpMs
    for (let tries = 1; ; tries++) {
      const reply = await tryOnce(request, tries)
      if (reply !== undefined) return { ...reply, first: tries === 1 }
      if (tries === 1 && request.moves === true) cutOff++
      if (performance.now() > until)
        throw new UnansweredError(`${request.path} was not answered within ${giveUpMs / 1000} s, lastly: ${newestFailure.get(request)}`)
      await sleep(Math.min(250, 20 * tries))
    }
  }

  return {
    patiently,
    inFlight: (): number => inFlight,
    /** Calls that move money whose first try got no definite answer, so far. */
    cutOff: (): number => cutOff,
    /** Tries of any call without a definite answer, so far. */
    failed: (): number => failed,
    /** The first of them, in words. */
    failures: (): readonly string[] => failures,
    /** The first answers of 500, each with the lines about its request in what the servers printed. */
    faults: (printed: () => string): string[] =>
      faults.map(({ told, requestId }) => {
        const lines =
          requestId === null
            ? []
            : printed()
                .split('\n')
                .filter((line) => line.includes(requestId))
        return lines.length === 0 ? `${told}, which no server logged` : `${told}, logged as ${lines.join(' ')}`
      }),
    /** Answers of 500 and above, so far, by status. */
    statuses: (): ReadonlyMap<number, number> => statuses,
  }
}
