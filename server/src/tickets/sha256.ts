/**
 * SHA-256 of the platform, as the pure rules of the draw take it. By way of hex: bytes that the platform
 * makes itself are memory outside of the heap, for each hash anew, and take three times as long.
 */
import { hash } from 'node:crypto'

export const HASH_BYTES = 32

/** Leaves and nodes of a tree fit in it: one call without a hash object takes half the time. */
const short = Buffer.alloc(128)

export const sha256 = (...parts: readonly Uint8Array[]): Buffer => {
  let length = 0
  for (const part of parts) length += part.length
  const joined = length <= short.length ? short : Buffer.alloc(length)
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return hashOf(joined.subarray(0, length))
}

export const hexOf = (data: string | Uint8Array): string => hash('sha256', data, 'hex')
export const hashOf = (data: string | Uint8Array): Buffer => Buffer.from(hexOf(data), 'hex')

/** The hash of `data` into bytes that are there: hashing a list leaves nothing behind but a text for each. */
export const hashInto = (data: Uint8Array, into: Buffer, at: number): void => void into.write(hexOf(data), at, HASH_BYTES, 'hex')
