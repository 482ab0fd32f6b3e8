/**
 * SHA-256. Two implementations for two uses: @noble/hashes answers at once wherever a few hashes are
 * needed; the WebAssembly of hash-wasm, ready after one await, carries lists of millions.
 */
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js'
import { createSHA256 } from 'hash-wasm'

export const sha256 = (...parts: readonly Uint8Array[]): Uint8Array => {
  const hash = nobleSha256.create()
  for (const part of parts) hash.update(part)
  return hash.digest()
}

export const hmacSha256 = (key: Uint8Array, message: Uint8Array): Uint8Array => hmac(nobleSha256, key, message)

export type Sha256 = (bytes: Uint8Array) => Uint8Array

/** One-shot SHA-256 for many small inputs. */
export async function bulkSha256(): Promise<Sha256> {
  const hasher = await createSHA256()
  return (bytes) => hasher.init().update(bytes).digest('binary')
}
