/** Answers ready to send: bytes, their brotli copy and an ETag; 304 when the browser has them. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { acceptsBrotli, brotliOf } from '../../http/brotli.ts'
import { etagOf, isKnown } from '../../http/etag.ts'

export type Body = { readonly bytes: Buffer; readonly brotli: Buffer | undefined; readonly etag: string }

export async function bodyOf(text: string | Buffer, quality: number): Promise<Body> {
  const bytes = Buffer.from(text)
  return { bytes, brotli: await brotliOf(bytes, quality), etag: etagOf(bytes) }
}

export function sendBody(request: FastifyRequest, reply: FastifyReply, body: Body, status = 200): FastifyReply {
  reply.header('vary', 'Accept-Encoding')
  if (status === 200) {
    // The two encodings are different bytes under one validator, which is therefore weak.
    reply.header('etag', `W/${body.etag}`)
    if (isKnown(request, body.etag)) return reply.code(304).send()
  }
  reply.code(status)
  if (body.brotli !== undefined && acceptsBrotli(request)) return reply.header('content-encoding', 'br').send(body.brotli)
  return reply.send(body.bytes)
}
