/**
 * The payer comes back from the gateway's page: by a form, or by a link. What comes with it is not read; the page asks our server.
 */
import type { FastifyInstance } from 'fastify'

export const RETURN_PATH = '/autopay/return'
const PAGE = '/wallet?autopay=returned'

export function mountReturn(app: FastifyInstance): void {
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    // The body is dropped unread, and with it its length: the server's own limit ends a long one.
    scope.addContentTypeParser('*', (_request, payload, done) => {
      payload.resume()
      done(null)
    })
    for (const method of ['GET', 'POST'] as const)
      scope.route({
        method,
        url: RETURN_PATH,
        handler: async (_request, reply) => reply.header('cache-control', 'no-store').redirect(PAGE, 303),
      })
  })
}
