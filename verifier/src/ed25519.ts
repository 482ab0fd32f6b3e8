/**
 * Verifies Ed25519 signatures by the strict rules of chapter 1 of the protocol, where libraries differ.
 *
 * - A point or scalar has one accepted encoding.
 * - A point of small order is refused.
 * - The verification equation has no cofactor.
 */
import { ed25519 } from '@noble/curves/ed25519.js'
import { sha512 } from '@noble/hashes/sha2.js'
import { concat } from './bytes.ts'

const { BASE, Fn } = ed25519.Point
type Point = typeof BASE

/** Decodes a point; undefined if the encoding is not canonical or the point has small order (divides 8). */
function readPoint(bytes: Uint8Array): Point | undefined {
  try {
    const point = ed25519.Point.fromBytes(bytes)
    return point.isSmallOrder() ? undefined : point
  } catch {
    return undefined
  }
}

const numberOf = (bytes: Uint8Array): bigint => bytes.reduceRight((sum, byte) => 256n * sum + BigInt(byte), 0n)

export function holdsEd25519(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  if (signature.length !== 64 || publicKey.length !== 32) return false
  const [nonceBytes, scalarBytes] = [signature.subarray(0, 32), signature.subarray(32)]
  const [key, nonce, scalar] = [readPoint(publicKey), readPoint(nonceBytes), numberOf(scalarBytes)]
  if (key === undefined || nonce === undefined || scalar >= Fn.ORDER) return false
  const challenge = numberOf(sha512(concat(nonceBytes, publicKey, message))) % Fn.ORDER
  return BASE.multiplyUnsafe(scalar).equals(nonce.add(key.multiplyUnsafe(challenge)))
}
