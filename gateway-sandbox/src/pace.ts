/**
 * Limits of calls a minute, of each call by itself.
 *
 * - `published`: the limit in the gateway's documents. The fault switch `rate` replaces it.
 * - Minutes are of the sandbox's clock.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Parts } from './calls.ts'
import { tooMany } from './refusals.ts'

const MINUTE_MS = 60_000

export type Pace = { readonly published: number | undefined; readonly calls: Map<string, number[]> }
export const newPace = (published: number | undefined): Pace => ({ published, calls: new Map() })

export function paced({ store }: Parts, { published, calls }: Pace, request: FastifyRequest, reply: FastifyReply, nowMs: number): void {
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
    'x-ratelimit-type': 'app_id',
  })
  if (!isOver) return
  reply.header('x-ratelimit-retry', String(Math.ceil((Math.min(...recent) + MINUTE_MS - nowMs) / 1000)))
  throw tooMany()
}
