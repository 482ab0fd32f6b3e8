/**
 * The pattern of the route that a request goes to (`/api/rounds/join`), never its address; undefined where
 * it goes nowhere. Looked up once for a request: the framework makes an object of a dozen fields for each
 * look, and load, metrics and log all ask.
 */
import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** Only to be read by `patternOf`: empty where there is none. */
    pattern: string | undefined
  }
}

export const patternOf = (request: FastifyRequest): string | undefined =>
  (request.pattern ??= request.routeOptions.url ?? '') === '' ? undefined : request.pattern
