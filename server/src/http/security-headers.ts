/**
 * Security headers of every answer, whichever handler sends it.
 * - Pages and pictures set their own Content-Security-Policy; every other answer forbids loading, scripts and frames.
 * - If PUBLIC_URL is https, HSTS keeps browsers on https for a year, for this host and all its subdomains.
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
