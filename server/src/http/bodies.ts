/** How request bodies are read: JSON with an empty body as none, or a webhook's bytes as they came. */
import type { FastifyInstance } from 'fastify'

/** JSON alone; `__proto__` and `constructor` keys are refused as malformed. */
export function readJsonBodies(scope: FastifyInstance): void {
  const parse = scope.getDefaultJsonParser('error', 'error')
  scope.removeContentTypeParser('application/json')
  scope.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined)
    else void parse(request, body as string, done)
  })
}

/** Whatever the type: a signature is over bytes, and a reformatted body would not carry it. */
export function readRawBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
}
