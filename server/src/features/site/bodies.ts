/** Answers ready to send: bytes, their brotli copy and an ETag; 304 when the browser has them. */
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { etagOf, isKnown } from '../../http/etag.ts'

const compress = promisify(brotliCompress)

export type Body = { readonly bytes: Buffer; readonly brotli: Buffer | undefined; readonly etag: string }

/** `quality`: 11 for bodies made once, less for bodies made each minute. */
export async function bodyOf(text: string | Buffer, quality: number): Promise<Body> {
  const bytes = Buffer.from(text)
  const brotli = await compress(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  })
  return { bytes, brotli, etag: etagOf(bytes) }
}

const acceptsBrotli = (request: FastifyRequest): boolean =>
  /(^|,)\s*br\s*(;\s*q=(?!0(\.0*)?\s*(,|$))|,|$)/i.test(String(request.headers['accept-encoding'] ?? ''))

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
