/**
 * Where a request goes: its method and the pattern of its route (`/api/rounds/join`), never its address.
 * One object for all that go there, found once for a request: the framework makes an object of a dozen
 * fields for each look, and load, metrics and log all ask and keep something by it.
 */
import type { FastifyRequest } from 'fastify'

export type Goal = {
  readonly method: string
  /** Undefined where it leads nowhere. */
  readonly pattern: string | undefined
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Only to be read by `goalOf`. */
    goal: Goal | undefined
  }
}

/** By pattern and method, of which there are a few hundred. */
const goals = new Map<string | undefined, Map<string, Goal>>()

export const goalOf = (request: FastifyRequest): Goal => (request.goal ??= find(request.routeOptions.url, request.method))

function find(pattern: string | undefined, method: string): Goal {
  const byMethod = goals.get(pattern) ?? new Map<string, Goal>()
  const goal = byMethod.get(method) ?? { method, pattern }
  goals.set(pattern, byMethod.set(method, goal))
  return goal
}
