/** The drand beacon: computes the round that a sealing time requires, and verifies the signature of a round. */
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { ascii, fromHex, toHex, u64 } from './bytes.ts'
import { memory } from './memory.ts'
import { sha256 } from './sha256.ts'

/** The only supported scheme: unchained BLS signatures on G1 over the round number, hashed to the curve by RFC 9380. */
export const SCHEME = 'bls-unchained-g1-rfc9380'
export const DRAW_DELAY_MS = 900_000
const seen = memory()
const DOMAIN = 'BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_'

export function beaconRound(sealedAtMs: number, genesis: number, period: number): number {
  const drawAt = BigInt(sealedAtMs) + BigInt(DRAW_DELAY_MS)
  const step = 1000n * BigInt(period)
  return Number((drawAt - 1000n * BigInt(genesis) + step - 1n) / step + 1n)
}

export const beaconMessage = (round: number): Uint8Array => sha256(u64(round))

/** Returns false for an invalid point, an invalid key or the signature of another round. */
export function isBeaconSignature(signature: string, round: number, publicKey: string): boolean {
  const { shortSignatures } = bls12_381
  return seen.once([signature, publicKey, String(round)].join(), () => {
    try {
      return shortSignatures.verify(fromHex(signature, 48), shortSignatures.hash(beaconMessage(round), DOMAIN), fromHex(publicKey, 96))
    } catch {
      return false
    }
  })
}

export type Chain = {
  readonly publicKey: string
  readonly genesis: number
  readonly period: number
  readonly groupHash: string
  readonly beaconId: string
}

/** Chain hash of drand's quicknet. It is trusted unless the caller names another chain. */
export const QUICKNET = '52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971'

/**
 * drand's hash of a chain's parameters; undefined if the period does not fit into four bytes.
 * A truncated period would give the true chain's hash but select a round of long ago.
 */
export function chainHashOf({ publicKey, genesis, period, groupHash, beaconId }: Chain): string | undefined {
  if (period < 1 || period >= 2 ** 32) return undefined
  const seconds = new DataView(new ArrayBuffer(4))
  seconds.setUint32(0, period)
  return toHex(sha256(new Uint8Array(seconds.buffer), u64(genesis), fromHex(publicKey), fromHex(groupHash), ascii(beaconId)))
}
