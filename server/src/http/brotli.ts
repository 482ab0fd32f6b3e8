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

/** Fewer bytes fit one packet anyway. */
const LONG_BYTES = 1400
/** A page of 19 KB becomes 2 KB in less than a millisecond, beside the event loop. */
const QUALITY = 4

/**
 * The `onSend` hook of GET calls of members and visitors. An answer to staff stays as it is: it can hold a stranger's text beside other
 * people's data, and a compressed length would tell of both.
 */
export async function compressLong(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (typeof payload !== 'string' || Buffer.byteLength(payload) < LONG_BYTES) return payload
  const varies = String(reply.getHeader('vary') ?? '')
  if (!varies.includes('Accept-Encoding')) reply.header('vary', varies === '' ? 'Accept-Encoding' : `${varies}, Accept-Encoding`)
  if (!acceptsBrotli(request)) return payload
  const small = await brotliOf(Buffer.from(payload), QUALITY)
  reply.header('content-encoding', 'br')
  return small
}
