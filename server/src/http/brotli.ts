/** Brotli for readers that accept it: of bodies, and of a call's long answers. */
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

const compress = promisify(brotliCompress)

/** `quality`: 11 for bodies made once, less for bodies made each minute. */
export const brotliOf = (bytes: Buffer, quality: number): Promise<Buffer> =>
  compress(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } })

export const acceptsBrotli = (request: FastifyRequest): boolean =>
  /(^|,)\s*br\s*(;\s*q=(?!0(\.0*)?\s*(,|$))|,|$)/i.test(String(request.headers['accept-encoding'] ?? ''))

/** Fewer characters fit one packet anyway. */
const LONG = 1400
/** A page of 19 KB becomes 2 KB in less than a millisecond, beside the event loop. */
const QUALITY = 4

/**
 * The `onSend` hook of GET calls.
 * - No page of another site can make a browser ask with somebody's token (no cookies), so lengths cannot be used to guess an answer.
 */
export async function compressLong(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (typeof payload !== 'string' || payload.length < LONG) return payload
  const varies = reply.getHeader('vary')
  reply.header('vary', varies === undefined ? 'Accept-Encoding' : `${String(varies)}, Accept-Encoding`)
  if (!acceptsBrotli(request)) return payload
  const tag = reply.getHeader('etag')
  // The two encodings are different bytes under one validator, which is therefore weak.
  if (typeof tag === 'string' && !tag.startsWith('W/')) reply.header('etag', `W/${tag}`)
  reply.header('content-encoding', 'br')
  return brotliOf(Buffer.from(payload), QUALITY)
}
