/**
 * The goal of a request: its method and the pattern of its route (`/api/rounds/join`), never its address.
 * - All requests to one route share one object, so shedding, metrics and log can use it as a key.
 * - The goal is looked up once per request: each read of Fastify's `routeOptions` makes an object of a dozen fields.
 */
import type { FastifyRequest } from 'fastify'

export type Goal = {
  readonly method: string
  /** Undefined if no route matches. */
  readonly pattern: string | undefined
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Read it with `goalOf` only. */
    goal: Goal | undefined
  }
}

/** By pattern and method: a few hundred entries. */
const goals = new Map<string | undefined, Map<string, Goal>>()

export const goalOf = (request: FastifyRequest): Goal => (request.goal ??= find(request.routeOptions.url, request.method))

function find(pattern: string | undefined, method: string): Goal {
  const byMethod = goals.get(pattern) ?? new Map<string, Goal>()
  const goal = byMethod.get(method) ?? { method, pattern }
  goals.set(pattern, byMethod.set(method, goal))
  return goal
}
