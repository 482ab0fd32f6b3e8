/** Validators of answers that browsers and caches may keep: an ETag over the bytes, compared as If-None-Match asks for. */
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'

export const etagOf = (bytes: Buffer): string => `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`

const opaque = (tag: string): string => tag.trim().replace(/^W\//, '')

/** Whether who asks has it already; a weak comparison. */
export function isKnown(request: FastifyRequest, etag: string): boolean {
  const given = request.headers['if-none-match']
  return given !== undefined && (given.trim() === '*' || given.split(',').some((one) => opaque(one) === opaque(etag)))
}
