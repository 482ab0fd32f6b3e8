/**
 * Sends published files (spec/protocol.md, chapter 14).
 * - A final file may be cached by everybody for a year; a file that can still change, for seconds.
 * - A client that sends the file's ETag gets 304.
 * - A long file is streamed, never held in memory as a whole.
 */
import { Readable } from 'node:stream'
import type { PublicFile } from '@roz/contract/endpoint.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isKnown } from './etag.ts'

const FINAL = 'public, max-age=31536000, immutable'
const CHANGING = 'public, max-age=2, s-maxage=2, stale-while-revalidate=5'

export function sendFile(request: FastifyRequest, reply: FastifyReply, file: PublicFile): FastifyReply {
  const etag = `"${file.etag}"`
  reply.header('etag', etag).header('cache-control', file.cacheControl ?? (file.isFinal ? FINAL : CHANGING))
  if (isKnown(request, etag)) return reply.code(304).send()
  reply.type(file.type).header('content-length', file.bytes)
  // Without a payload the framework would answer HEAD with a length of 0.
  if (request.method === 'HEAD') return reply.send(Readable.from([]))
  return reply.send(file.body instanceof Uint8Array ? Buffer.from(file.body) : Readable.from(file.body, { objectMode: false }))
}
