/**
 * drand chains and their signatures.
 * - The parameters of a chain must match its hash, so a typing error in a setting is found at the start, not at the first draw.
 * - A signature is valid only for the chain's key and the number of its round.
 */
import { createHash } from 'node:crypto'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { u64 } from '@roz/core/draw.ts'
import type { BeaconChain } from './port.ts'

/** drand's name of the scheme: signatures in G1 over H(u64(round)), each independent of the previous round. */
const SCHEME = 'bls-unchained-g1-rfc9380'
const DOMAIN = 'BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_'
const SIGNATURE_BYTES = 48

/** The League of Entropy's network with one round every three seconds. */
export const QUICKNET: BeaconChain = {
  beaconId: 'quicknet',
  chainHash: '52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971',
  genesis: 1_692_803_367,
  groupHash: 'f477d5c89f21a17c863a7f937c6a6d15859414d2be09cd448d4279af331c5d3e',
  period: 3,
  publicKey:
    '83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a',
  scheme: SCHEME,
}
export const QUICKNET_RELAYS = ['https://api.drand.sh', 'https://api2.drand.sh', 'https://api3.drand.sh', 'https://drand.cloudflare.com']

const hash = (...parts: readonly (Uint8Array | string)[]): Buffer =>
  parts.reduce((digest: ReturnType<typeof createHash>, part) => digest.update(part), createHash('sha256')).digest()

/** Tells whether this is the chain's signature of this round. Takes about 20 ms. */
export function isRoundSignature(chain: BeaconChain, round: number, signature: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_BYTES) return false
  const { shortSignatures: bls } = bls12_381
  try {
    return bls.verify(signature, bls.hash(hash(u64(round)), DOMAIN), Buffer.from(chain.publicKey, 'hex'))
  } catch {
    // The bytes are not a point of the curve.
    return false
  }
}

/** drand's hash over a chain's parameters. */
export function chainHashOf(chain: Omit<BeaconChain, 'chainHash' | 'scheme'>): string {
  const period = Buffer.alloc(4)
  period.writeUInt32BE(chain.period)
  return hash(
    period,
    u64(chain.genesis),
    Buffer.from(chain.publicKey, 'hex'),
    Buffer.from(chain.groupHash, 'hex'),
    chain.beaconId,
  ).toString('hex')
}

/** Parses the JSON of drand's /info; undefined unless it is a valid chain of the scheme that draws use. */
export function parseChain(text: string): BeaconChain | undefined {
  let info: unknown
  try {
    info = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof info !== 'object' || info === null) return undefined
  const given = info as Readonly<Record<string, unknown>>
  const metadata = given['metadata'] as Readonly<Record<string, unknown>> | undefined
  const chain = {
    beaconId: metadata?.['beaconID'],
    chainHash: given['hash'],
    genesis: given['genesis_time'],
    groupHash: given['groupHash'],
    period: given['period'],
    publicKey: given['public_key'],
    scheme: given['schemeID'],
  }
  return isChain(chain) && chainHashOf(chain) === chain.chainHash ? chain : undefined
}

function isChain(chain: { readonly [K in keyof BeaconChain]: unknown }): chain is BeaconChain {
  const isHex = (value: unknown, bytes: number): boolean => typeof value === 'string' && new RegExp(`^[0-9a-f]{${bytes * 2}}$`).test(value)
  return (
    typeof chain.beaconId === 'string' &&
    /^[\x21-\x7e]{1,100}$/.test(chain.beaconId) &&
    isHex(chain.chainHash, 32) &&
    isHex(chain.groupHash, 32) &&
    isHex(chain.publicKey, 96) &&
    chain.scheme === SCHEME &&
    Number.isSafeInteger(chain.genesis) &&
    Number(chain.genesis) >= 0 &&
    Number.isSafeInteger(chain.period) &&
    Number(chain.period) >= 1 &&
    Number(chain.period) < 2 ** 32
  )
}
