/** The drand beacon: which round a sealing time demands, and whether a signature is that round's. */
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { ascii, fromHex, toHex, u64 } from './bytes.ts'
import { memory } from './memory.ts'
import { sha256 } from './sha256.ts'

/** The one scheme there is: signatures on G1, hashed to the curve as RFC 9380 says, over a round's number alone. */
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

/** False for whatever is no point, no key or another round's signature. */
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

/** drand's quicknet, the one chain that is trusted unless the reader names another. */
export const QUICKNET = '52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971'

/**
 * drand's own hash of a chain's parameters. A period beyond its four bytes has none: cut to them it
 * would pass for the true one and name a round of long ago.
 */
export function chainHashOf({ publicKey, genesis, period, groupHash, beaconId }: Chain): string | undefined {
  if (period < 1 || period >= 2 ** 32) return undefined
  const seconds = new DataView(new ArrayBuffer(4))
  seconds.setUint32(0, period)
  return toHex(sha256(new Uint8Array(seconds.buffer), u64(genesis), fromHex(publicKey), fromHex(groupHash), ascii(beaconId)))
}
