/**
 * What this process takes on at once. Invariants: above a bound a request hears 503 with Retry-After at
 * once, before a session is looked up or a byte of its body is read; calls that move money have a
 * bound of their own, far higher, so they are refused last; the operator's endpoints never are. A
 * request counts once its body is here: whoever sends slowly holds no place.
 */
import { api, type CallName } from '@roz/contract/api.ts'
import type { EndpointSpec } from '@roz/contract/endpoint.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sendProblem } from './faults.ts'

export type LoadLimits = { readonly ordinaryMax: number; readonly moneyMax: number }
/** Of one process. A join waits in a queue of twenty thousand, everything else for one of the database's connections. */
export const LOAD_LIMITS: LoadLimits = { ordinaryMax: 500, moneyMax: 20_000 }

/** No Idempotency-Key, yet money follows from them. */
const ALSO_MONEY: ReadonlySet<CallName> = new Set(['verifyOrder', 'confirmPayment', 'triggerDraw', 'stepUp'])
const isMoneyCall = (name: CallName, { access, refusals }: EndpointSpec): boolean =>
  access === 'signed' || refusals.includes('idempotency_mismatch') || ALSO_MONEY.has(name)

/** `POST /wallet/withdraw`, below /api. */
export const MONEY_CALLS: ReadonlySet<string> = new Set(
  (Object.keys(api) as CallName[])
    .filter((name) => isMoneyCall(name, api[name]))
    .map((name) => `${api[name].method} ${api[name].path.replace(/\{(\w+)\}/g, ':$1')}`),
)

const NEVER = new Set(['/healthz', '/readyz', '/metrics'])
type Kind = 'ordinary' | 'money'

export function registerShedding(app: FastifyInstance, limits: LoadLimits = LOAD_LIMITS): void {
  const inFlight: Record<Kind, number> = { ordinary: 0, money: 0 }
  const isFull = (kind: Kind): boolean => inFlight[kind] >= (kind === 'money' ? limits.moneyMax : limits.ordinaryMax)

  app.addHook('onRequest', async (request, reply) => {
    const kind = kindOf(request)
    if (kind !== undefined && isFull(kind)) return sendProblem(request, reply, { code: 'overloaded', retryAfterSeconds: 1 })
  })
  app.addHook('preHandler', async (request, reply) => {
    const kind = kindOf(request)
    if (kind === undefined) return
    // Whoever left while the session was looked up has had the one `close` there is: a place would be kept for ever.
    if (reply.raw.destroyed) return reply.hijack()
    // Many bodies can arrive in one moment.
    if (isFull(kind)) return sendProblem(request, reply, { code: 'overloaded', retryAfterSeconds: 1 })
    inFlight[kind]++
    // Comes for every answer, also to somebody who is gone.
    reply.raw.once('close', () => inFlight[kind]--)
  })
}

function kindOf(request: FastifyRequest): Kind | undefined {
  const { url } = request.routeOptions
  if (url === undefined) return 'ordinary'
  if (NEVER.has(url)) return undefined
  return MONEY_CALLS.has(`${request.method} ${url.replace(/^\/api/, '')}`) ? 'money' : 'ordinary'
}
