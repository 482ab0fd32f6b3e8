/**
 * Headers of every answer, whatever sends it. Invariants:
 * - A page or picture brings a policy of its own; every other answer may load nothing, run nothing and stand in no frame.
 * - With an https PUBLIC_URL browsers reach us and every host below us by https alone, for a year.
 */
import type { FastifyInstance } from 'fastify'

const NOTHING = "default-src 'none'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'"

export function registerSecurityHeaders(app: FastifyInstance, { publicUrl }: { readonly publicUrl: string | undefined }): void {
  const isHttps = publicUrl?.startsWith('https://') === true
  app.addHook('onSend', (_request, reply, _payload, done) => {
    reply.header('x-content-type-options', 'nosniff')
    if (isHttps) reply.header('strict-transport-security', 'max-age=31536000; includeSubDomains')
    if (!reply.hasHeader('content-security-policy')) reply.header('content-security-policy', NOTHING)
    if (!reply.hasHeader('referrer-policy')) reply.header('referrer-policy', 'no-referrer')
    done()
  })
}
