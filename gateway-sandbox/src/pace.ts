/**
 * Limits of calls a minute, of each call by itself.
 *
 * - `published`: the limit in the gateway's documents. The fault switch `rate` replaces it.
 * - The fault switch `limits` turns on the published limits that a shop's tests would run into.
 * - Minutes are of the sandbox's clock.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Parts } from './calls.ts'
import { tooMany } from './refusals.ts'

const MINUTE_MS = 60_000

/** Calls are counted by account, or by network address. The sandbox knows one of each. */
type Counted = 'app_id' | 'ip'
export type Pace = { readonly published: number | undefined; readonly by: Counted; readonly calls: Map<string, number[]> }
export const newPace = (published: number | undefined, by: Counted = 'app_id'): Pace => ({ published, by, calls: new Map() })

export function paced({ store }: Parts, { published, by, calls }: Pace, request: FastifyRequest, reply: FastifyReply, nowMs: number): void {
  const limit = store.faults().rate || published
  if (limit === undefined) return
  const name = `${request.method} ${request.routeOptions.url ?? ''}`
  // Calls at the same time may read the clock out of turn. A clock that was set back forgets what it has not reached yet.
  const recent = (calls.get(name) ?? []).filter((atMs) => Math.abs(nowMs - atMs) < MINUTE_MS)
  const isOver = recent.length >= limit
  if (!isOver) recent.push(nowMs)
  calls.set(name, recent)
  reply.headers({
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(limit - recent.length),
    'x-ratelimit-type': by,
  })
  if (!isOver) return
  reply.header('x-ratelimit-retry', String(Math.ceil((Math.min(...recent) + MINUTE_MS - nowMs) / 1000)))
  throw tooMany()
}

/** Calls a minute in the gateway's sandbox and in production. */
const PUBLISHED: Readonly<Record<string, Readonly<Record<'sandbox' | 'production', number>>>> = {
  'POST /pg/orders': { sandbox: 30, production: 200 },
  'GET /pg/orders/:orderId': { sandbox: 60, production: 400 },
  'GET /pg/orders/:orderId/payments': { sandbox: 30, production: 100 },
  'POST /pg/orders/:orderId/refunds': { sandbox: 30, production: 100 },
  'GET /pg/orders/:orderId/refunds/:refundId': { sandbox: 60, production: 30 },
  'POST /pg/subscriptions': { sandbox: 60, production: 60 },
  'GET /pg/subscriptions/:subscriptionId': { sandbox: 60, production: 60 },
  'POST /pg/subscriptions/pay': { sandbox: 60, production: 60 },
  'POST /pg/subscriptions/:subscriptionId/manage': { sandbox: 60, production: 60 },
}

export function paceAsPublished(app: FastifyInstance, parts: Parts): void {
  const pace = newPace(undefined)
  app.addHook('preHandler', async (request, reply) => {
    const { limits } = parts.store.faults()
    const both = PUBLISHED[`${request.method} ${request.routeOptions.url ?? ''}`]
    if (limits === 'none' || both === undefined) return
    paced(parts, { ...pace, published: both[limits] }, request, reply, await parts.clock.now())
  })
}
