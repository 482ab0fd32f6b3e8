/**
 * Serves what was uploaded at /uploads/…. Invariant: a browser takes such a file for nothing but the
 * picture it is: its type is ours, never guessed, and opened as a page it has no rights at all.
 */
import type { FastifyInstance } from 'fastify'
import { sendProblem } from '../../http/faults.ts'
import { type Storage, UPLOADS_PATH } from './port.ts'

export function registerUploads(app: FastifyInstance, storage: Storage): void {
  app.get<{ Params: { '*': string } }>(`${UPLOADS_PATH}*`, async (request, reply) => {
    const name = request.params['*']
    const file = await storage.find(name)
    if (file === undefined) return sendProblem(request, reply, { code: 'not_found' })
    // A name never changes its content, so the name is the tag.
    const etag = `"${name.replace(/[^\w]/g, '')}"`
    reply
      .header('cache-control', 'public, max-age=31536000, immutable')
      .header('etag', etag)
      .header('x-content-type-options', 'nosniff')
      .header('content-security-policy', "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox")
      // Ours, of `put`: whatever the file was called where it came from.
      .header('content-disposition', `inline; filename="${name.slice(name.lastIndexOf('/') + 1)}"`)
      .header('cross-origin-resource-policy', 'same-origin')
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    return reply.type(file.contentType).send(file.bytes)
  })
}
