/** ETags of answers that browsers and caches may keep: a hash of the bytes, compared with If-None-Match. */
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'

export const etagOf = (bytes: Buffer): string => `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`

const opaque = (tag: string): string => tag.trim().replace(/^W\//, '')

/** Tells whether the client already has this version; compares weakly. */
export function isKnown(request: FastifyRequest, etag: string): boolean {
  const given = request.headers['if-none-match']
  return given !== undefined && (given.trim() === '*' || given.split(',').some((one) => opaque(one) === opaque(etag)))
}
