/**
 * Parsers of request bodies: JSON, where an empty body counts as absent, or the raw bytes of a webhook. Any other body is not read.
 * - Bytes are copied into one buffer as they arrive: a stored chunk of a single byte took 200 bytes.
 */
import { finished, type Readable } from 'node:stream'
import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify'

/** The most bytes of any body but an upload. */
export const BODY_BYTES_MAX = 64 * 1024

/**
 * Parses JSON; a body with a `__proto__` or `constructor` key is refused as malformed. Any other body counts as absent and is not read:
 * the calls refuse its type before, and an unknown address has no use for it.
 */
export function readJsonBodies(scope: FastifyInstance): void {
  const parse = scope.getDefaultJsonParser('error', 'error')
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request: FastifyRequest, _body: Readable, done): void => done(null))
  scope.addContentTypeParser('application/json', (request: FastifyRequest, body: Readable, done): void => {
    collect(body, BODY_BYTES_MAX).then((bytes) => {
      if (bytes.length === 0) done(null, undefined)
      else void parse(request, bytes.toString(), done)
    }, done)
  })
}

/** Accepts any content type as bytes: a webhook's signature covers the bytes, and parsing would lose them. */
export function readRawBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request: FastifyRequest, body: Readable) => collect(body, BODY_BYTES_MAX))
}

/** The least size of a buffer that has to grow. */
const GROWN_BYTES_MIN = 4096

/** The bytes of a stream. More than `bytesMax`, and a stream that breaks off, are the sender's fault: a 4xx. */
export function collect(from: Readable, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let kept = Buffer.alloc(0)
    let length = 0
    const take = (chunk: Buffer): void => {
      const needed = length + chunk.length
      if (needed > bytesMax) {
        // The stream lives on: its connection still carries the answer.
        from.off('data', take)
        return reject(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE())
      }
      if (needed > kept.length) {
        // Most bodies arrive in one piece and never grow.
        const larger = Buffer.allocUnsafe(length === 0 ? needed : Math.max(needed, Math.min(bytesMax, 2 * length + GROWN_BYTES_MIN)))
        kept.copy(larger, 0, 0, length)
        kept = larger
      }
      chunk.copy(kept, length)
      length = needed
    }
    from.on('data', take)
    // `finished` also knows a stream that broke off before this call: no event of it comes any more.
    finished(from, { writable: false }, (error) => {
      if (error) reject(Object.assign(error, { statusCode: 400 }))
      else resolve(kept.subarray(0, length))
    })
  })
}
