/**
 * Node's SHA-256 in the form that the pure rules of the draw take.
 * - Hashes are requested as hex: a Buffer made by Node allocates off-heap memory for each hash and takes three times as long.
 */
import { hash } from 'node:crypto'

export const HASH_BYTES = 32

/** Large enough for a tree's leaves and nodes. One call without a hash object takes half the time. */
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

/** Writes the hash of `data` into an existing buffer: the only garbage per hash is one hex string. */
export const hashInto = (data: Uint8Array, into: Buffer, at: number): void => void into.write(hexOf(data), at, HASH_BYTES, 'hex')
