/**
 * The pattern of the route that a request goes to (`/api/rounds/join`), never its address; undefined where
 * it goes nowhere. Looked up once for a request: the framework makes an object of a dozen fields for each
 * look, and load, metrics and log all ask.
 */
import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** Only to be read by `patternOf`. Empty until somebody asked, null where there is none. */
    pattern: string | null
  }
}

export function patternOf(request: FastifyRequest): string | undefined {
  // Absent, not empty, where an app of a test does without the decoration.
  if (!request.pattern && request.pattern !== null) request.pattern = request.routeOptions.url ?? null
  return request.pattern ?? undefined
}
