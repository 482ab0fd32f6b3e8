/**
 * Ed25519 exactly as chapter 1 of spec/protocol.md fixes it.
 * - The server accepts a key or signature only if every verifier accepts it.
 * - OpenSSL compares R byte by byte, refuses an S that is not below the group order, and uses no cofactor.
 * - OpenSSL accepts points of small order and non-canonical encodings. This file refuses both, in keys and in R.
 */
import { createPublicKey, type KeyObject, verify } from 'node:crypto'

const SPKI = Buffer.from('302a300506032b6570032100', 'hex')
const SIGNATURE_BYTES = 64

export const publicKeyObject = (publicKey: Uint8Array): KeyObject =>
  createPublicKey({ key: Buffer.concat([SPKI, publicKey]), format: 'der', type: 'spki' })

/** The y of the eight points whose order divides 8. Points with y = 1 and y = −1 exist with one sign only, so five y are enough. */
const SMALL_ORDER = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
])
const PRIME = 2n ** 255n - 19n

/** True for a canonical 32-byte encoding of a point that is not of small order. */
export function isSoundKey(point: Uint8Array): boolean {
  const y = Buffer.from(point)
  if (y.length !== 32) return false
  y.writeUInt8(y.readUInt8(31) & 0x7f, 31)
  return !SMALL_ORDER.has(y.toString('hex')) && BigInt(`0x${Buffer.from(y).reverse().toString('hex')}`) < PRIME
}

export function isStrictSignature(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_BYTES || !isSoundKey(publicKey) || !isSoundKey(signature.subarray(0, 32))) return false
  return verify(null, message, publicKeyObject(publicKey), signature)
}
