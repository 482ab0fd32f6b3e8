/**
 * Serves uploaded files at /uploads/….
 * - A story can be taken back: caches ask again each time (ETag) whether its picture is still there.
 * - The content type is ours and never guessed; a file opened as a page may run nothing.
 */
import type { FastifyInstance } from 'fastify'
import { etagOf, isKnown } from '../../http/etag.ts'
import { sendProblem } from '../../http/faults.ts'
import { type Storage, UPLOADS_PATH } from './port.ts'

export function registerUploads(app: FastifyInstance, storage: Storage): void {
  app.get<{ Params: { '*': string } }>(`${UPLOADS_PATH}*`, async (request, reply) => {
    const name = request.params['*']
    // A bill is public only once its entry is booked: it is served by its own call.
    const file = name.startsWith('receipts/') ? undefined : await storage.find(name)
    if (file === undefined) return sendProblem(request, reply, { code: 'not_found' })
    const etag = etagOf(file.bytes)
    reply
      // A member's face must not outlive the session on the disk of a shared phone.
      .header('cache-control', name.startsWith('avatars/') ? 'private, no-store' : 'public, no-cache')
      .header('etag', etag)
      .header('x-content-type-options', 'nosniff')
      .header('content-security-policy', "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox")
      // The name made by `put`, never the name that the file had at its uploader.
      .header('content-disposition', `inline; filename="${name.slice(name.lastIndexOf('/') + 1)}"`)
      .header('cross-origin-resource-policy', 'same-origin')
    if (isKnown(request, etag)) return reply.code(304).send()
    return reply.type(file.contentType).send(file.bytes)
  })
}
