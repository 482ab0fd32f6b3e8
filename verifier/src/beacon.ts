/** The drand beacon: which round a sealing time demands, and whether a signature is that round's. */
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { fromHex, u64 } from './bytes.ts'
import { sha256 } from './sha256.ts'

/** The one scheme there is: signatures on G1, hashed to the curve as RFC 9380 says, over a round's number alone. */
export const SCHEME = 'bls-unchained-g1-rfc9380'
export const DRAW_DELAY_MS = 900_000
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
  try {
    return shortSignatures.verify(fromHex(signature, 48), shortSignatures.hash(beaconMessage(round), DOMAIN), fromHex(publicKey, 96))
  } catch {
    return false
  }
}

type Chain = {
  readonly publicKey: string
  readonly genesis: number
  readonly period: number
  readonly groupHash: string
  readonly beaconId: string
}

/** drand's own hash of a chain's parameters. */
export function chainHashOf({ publicKey, genesis, period, groupHash, beaconId }: Chain): Uint8Array {
  const numbers = new DataView(new ArrayBuffer(12))
  numbers.setUint32(0, period)
  numbers.setBigInt64(4, BigInt(genesis))
  const named = beaconId === 'default' ? [] : [new TextEncoder().encode(beaconId)]
  return sha256(new Uint8Array(numbers.buffer), fromHex(publicKey), fromHex(groupHash), ...named)
}
