/** Parsers of request bodies: JSON, where an empty body counts as absent, or the raw bytes of a webhook. */
import type { FastifyInstance } from 'fastify'

/** Accepts JSON only; a body with a `__proto__` or `constructor` key is refused as malformed. */
export function readJsonBodies(scope: FastifyInstance): void {
  const parse = scope.getDefaultJsonParser('error', 'error')
  scope.removeContentTypeParser('application/json')
  scope.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined)
    else void parse(request, body as string, done)
  })
}

/** Accepts any content type as bytes: a webhook's signature covers the bytes, and parsing would lose them. */
export function readRawBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
}
