/** How the hosted pages answer: their headers, and pages in place of errors. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import { isFields } from './fields.ts'
import { brokenPage, lostPage, pagePolicy } from './page.ts'
import { Refusal } from './refusals.ts'

export function failAsPages(app: FastifyInstance): void {
  app.setErrorHandler((error, _request, reply) => {
    const status = statusOf(error)
    if (status >= 500) console.error(error)
    return show(reply, status, status >= 500 ? brokenPage() : lostPage(), null)
  })
  app.setNotFoundHandler((_request, reply) => show(reply, 404, lostPage(), null))
}

function statusOf(error: unknown): number {
  if (error instanceof Refusal) return error.status
  const status = isFields(error) ? error.statusCode : undefined
  return typeof status === 'number' && status >= 400 && status < 500 ? status : 500
}

/** `scriptHash`: the only script that the page runs. */
export function show(reply: FastifyReply, status: number, html: string, returnUrl: string | null, scriptHash?: string): FastifyReply {
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .headers({
      'content-security-policy': `${pagePolicy(returnUrl)}${scriptHash === undefined ? '' : `; script-src ${scriptHash}`}`,
      'cache-control': 'no-store',
      // The shop sees from which origin the payer comes back.
      'referrer-policy': scriptHash === undefined ? 'no-referrer' : 'origin',
      'x-content-type-options': 'nosniff',
    })
    .send(html)
}
