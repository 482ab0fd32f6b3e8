/** SHA-256 and HMAC for single messages. sha256-lanes.ts hashes lists of millions. */
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js'

export const sha256 = (...parts: readonly Uint8Array[]): Uint8Array => {
  const hash = nobleSha256.create()
  for (const part of parts) hash.update(part)
  return hash.digest()
}

export const hmacSha256 = (key: Uint8Array, message: Uint8Array): Uint8Array => hmac(nobleSha256, key, message)
