/**
 * SHA-256 and HMAC.
 *
 * - Lists of millions are hashed by Node's own SHA-256 where the program runs in Node, else by @noble/hashes.
 */
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js'

export const sha256 = (...parts: readonly Uint8Array[]): Uint8Array => {
  const hash = nobleSha256.create()
  for (const part of parts) hash.update(part)
  return hash.digest()
}

export const hmacSha256 = (key: Uint8Array, message: Uint8Array): Uint8Array => hmac(nobleSha256, key, message)

/** Writes the digest of a message into `out`, from `at` on. */
export type HashInto = (message: Uint8Array, out: Uint8Array, at: number) => void

export const nobleInto: HashInto = (message, out, at) => out.set(nobleSha256(message), at)

type NodeHash = (algorithm: 'sha256', message: Uint8Array, encoding: 'latin1') => string
type Host = { readonly process?: { readonly getBuiltinModule?: (name: 'node:crypto') => { readonly hash?: NodeHash } } }

/** Undefined in a browser, and in Node before 20.16. */
const nodeHash = (globalThis as Host).process?.getBuiltinModule?.('node:crypto').hash

/** A latin1 text has one character per byte; Node makes it three times faster than a buffer. */
export const hashInto: HashInto =
  nodeHash === undefined
    ? nobleInto
    : (message, out, at) => {
        const digest = nodeHash('sha256', message, 'latin1')
        for (let i = 0; i < digest.length; i += 1) out[at + i] = digest.charCodeAt(i)
      }
