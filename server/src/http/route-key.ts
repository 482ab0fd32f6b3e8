/**
 * The key of a request: its method and the pattern of its route (`/api/rounds/join`), never its address.
 * - All requests to one route share one object, so shedding, metrics and log can use it as a key.
 * - The key is looked up once per request: each read of Fastify's `routeOptions` makes an object of a dozen fields.
 */
import type { FastifyRequest } from 'fastify'

export type RouteKey = {
  readonly method: string
  /** Undefined if no route matches. */
  readonly pattern: string | undefined
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Read it with `routeKeyOf` only. */
    routeKey: RouteKey | undefined
  }
}

/** By pattern and method: a few hundred entries. */
const routeKeys = new Map<string | undefined, Map<string, RouteKey>>()

export const routeKeyOf = (request: FastifyRequest): RouteKey => (request.routeKey ??= find(request.routeOptions.url, request.method))

function find(pattern: string | undefined, method: string): RouteKey {
  const byMethod = routeKeys.get(pattern) ?? new Map<string, RouteKey>()
  const routeKey = byMethod.get(method) ?? { method, pattern }
  routeKeys.set(pattern, byMethod.set(method, routeKey))
  return routeKey
}
