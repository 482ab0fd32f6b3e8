/** Recomputes the values of spec/vectors. */
import { expect, test } from 'vitest'
import { beaconMessage, beaconRound, chainHashOf, isBeaconSignature } from '../src/beacon.ts'
import { ascii, compare, concat, fromHex, toHex } from '../src/bytes.ts'
import { canonicalText, type Json } from '../src/canonical.ts'
import { localRandomness, orderOf, picks, seedOf, sharesOf, type Split, type Tax, ticketOf } from '../src/draw.ts'
import { ticketTree } from '../src/list-tree.ts'
import { leafHash, rootOf } from '../src/merkle.ts'
import { sha256 } from '../src/sha256.ts'
import { vectors } from './kit.ts'

test('tickets equal the vectors', () => {
  for (const { key, day, ticket } of vectors<{ key: string; day: string; ticket: string }[]>('ticket')) {
    expect(toHex(ticketOf(fromHex(key), day))).toBe(ticket)
  }
})

test('roots equal the published roots of RFC 6962', () => {
  const { leaves, roots } = vectors<{ leaves: string[]; roots: Record<string, string> }>('rfc6962')
  for (const [count, root] of Object.entries(roots)) {
    expect(toHex(rootOf(leaves.slice(0, Number(count)).map((leaf) => leafHash(fromHex(leaf)))))).toBe(root)
  }
})

test('roots of sealed lists equal the vectors', async () => {
  const exampleTicket = (i: number, day: string): Uint8Array => ticketOf(sha256(ascii(`example key ${i}`)), day)
  for (const { sorted, root, count, day } of vectors<{ sorted?: string[]; day?: string; root: string; count: number }[]>('seal')) {
    const made = (): Uint8Array[] => Array.from({ length: count }, (_, i) => exampleTicket(i, day ?? '')).sort(compare)
    const tree = ticketTree()
    tree.add(concat(...(sorted?.map((ticket) => fromHex(ticket)) ?? made())))
    expect([toHex(tree.root().hash), tree.count()]).toEqual([root, count])
  }
})

test('randomness of both modes, and the round for a sealing time, equal the vectors', () => {
  type Local = { secret: string; day: string; count: number; root: string; commitment: string; randomness: string }
  type Beacon = { round: number; message: string; signature: string; randomness: string }
  type Round = { sealedAt: number; genesis: number; period: number; round: number }
  const { local, beacon, rounds } = vectors<{ local: Local[]; beacon: Beacon[]; rounds: Round[] }>('randomness')
  for (const { secret, commitment, randomness, ...sealed } of local) {
    expect([toHex(sha256(fromHex(secret))), localRandomness(secret, sealed)]).toEqual([commitment, randomness])
  }
  for (const { round, message, signature, randomness } of beacon) {
    expect([toHex(beaconMessage(round)), toHex(sha256(fromHex(signature)))]).toEqual([message, randomness])
  }
  for (const { sealedAt, genesis, period, round } of rounds) expect(beaconRound(sealedAt, genesis, period)).toBe(round)
})

test('orders of requests for help equal the vectors', () => {
  const cases = vectors<{ seed: string; numbers: string[]; order: string[] }[]>('order')
  expect(cases).toHaveLength(4)
  for (const { seed, numbers, order } of cases) expect(orderOf(seed, numbers)).toEqual(order)
})

test('seeds, picks and shares equal the vectors', () => {
  type Seed = { day: string; count: number; root: string; chainHash: string; round: number; randomness: string; seed: string }
  for (const { chainHash, round, randomness, seed, ...sealed } of vectors<Seed[]>('seed')) {
    expect(seedOf(sealed, chainHash, round, randomness)).toBe(seed)
  }
  for (const { seed, count, wanted, positions } of vectors<{ seed: string; count: number; wanted: number; positions: number[] }[]>(
    'picks',
  )) {
    expect(picks(seed, count, wanted)).toEqual(positions)
  }
  for (const { count, split, tax, shares } of vectors<{ count: number; split: Split; tax: Tax; shares: object }[]>('shares')) {
    expect(sharesOf(count, 100, split, tax)).toEqual(shares)
  }
})

test('records, leaves and roots of the growing log equal the vectors', () => {
  const { records, roots } = vectors<{ records: { record: Json; canonical: string; leaf: string }[]; roots: string[] }>('records')
  for (const { record, canonical, leaf } of records) {
    expect([canonicalText(record), toHex(leafHash(ascii(canonical)))]).toEqual([canonical, leaf])
  }
  const leaves = records.map(({ leaf }) => fromHex(leaf))
  expect(roots.map((_, size) => toHex(rootOf(leaves.slice(0, size))))).toEqual(roots)
})

test('recorded quicknet rounds verify, neighbouring rounds do not, and the chain hash is right', () => {
  type Chain = { public_key: string; period: number; genesis_time: number; hash: string; groupHash: string; metadata: { beaconID: string } }
  const { chain, rounds } = vectors<{ chain: Chain; rounds: { round: number; randomness: string; signature: string }[] }>('drand-quicknet')
  const { public_key: publicKey, period, genesis_time: genesis, groupHash } = chain
  expect(chainHashOf({ publicKey, period, genesis, groupHash, beaconId: chain.metadata.beaconID })).toBe(chain.hash)
  for (const { round, signature, randomness } of rounds.slice(-4)) {
    expect(isBeaconSignature(signature, round, publicKey)).toBe(true)
    expect(isBeaconSignature(signature, round + 1, publicKey)).toBe(false)
    expect(toHex(sha256(fromHex(signature)))).toBe(randomness)
  }
})
