/** One span for each request, from its arrival until its answer is sent. Registered only where traces are on. */
import type { FastifyInstance } from 'fastify'
import { beginRequest, endRequest, inRequest, type Span } from '../tracing/spans.ts'
import { routeKeyOf } from '../http/route-key.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined if the request's trace is not recorded. */
    span: Span | undefined
  }
}

/** Asked every few seconds by machines; and the clock of tests, whose due work has traces of its own. */
const QUIET: readonly string[] = ['/healthz', '/readyz', '/metrics', '/dev/clock']

export function registerRequestSpans(app: FastifyInstance): void {
  app.decorateRequest('span', undefined)
  app.addHook('onRequest', (request, _reply, done) => {
    const { method, pattern = 'unknown' } = routeKeyOf(request)
    if (!QUIET.includes(pattern)) {
      const attributes = { 'http.request.method': method, 'http.route': pattern, 'roz.request_id': request.id }
      const given = request.headers.traceparent
      const from = typeof given === 'string' ? given : undefined
      request.span = beginRequest({ name: `${method} ${pattern}`, kind: 'server', attributes }, from)
    }
    inRequest(request.span, done)
  })
  // Again after the body: its last part arrives by an event of the socket, outside the span.
  app.addHook('preValidation', (request, _reply, done) => inRequest(request.span, done))
  app.addHook('onResponse', (request, reply, done) => {
    if (request.span !== undefined) endRequest(request.span, reply.statusCode, reply.refusal)
    done()
  })
}
