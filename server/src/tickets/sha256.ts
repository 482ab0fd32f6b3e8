/** SHA-256 of the platform, as the pure rules of the draw take it. */
import { hash } from 'node:crypto'
import type { Sha256 } from '@roz/core/draw.ts'

/** Leaves and nodes of a tree fit in it: one call without a hash object takes half the time. */
const short = Buffer.alloc(128)

export const sha256: Sha256 = (...parts) => {
  let length = 0
  for (const part of parts) length += part.length
  const joined = length <= short.length ? short : Buffer.alloc(length)
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return hash('sha256', joined.subarray(0, length), 'buffer')
}
