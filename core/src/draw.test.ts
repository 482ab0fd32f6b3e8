import { createHash, createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { caseOrder } from './case-order.ts'
import { drawSeed, hex, leafHash, localRandomness, merkleRoot, pickPositions, ticketText } from './draw.ts'
import { canonicalJson, type LogRecord, recordBytes } from './draw-records.ts'
import type { IstDay } from './ist-day.ts'
import { paise } from './money.ts'
import { shares, type SplitPolicy, taxOn } from './split.ts'

const sha256 = (...parts: readonly Uint8Array[]): Uint8Array => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}
const vectors = <T>(name: string): T => JSON.parse(readFileSync(new URL(`../../spec/vectors/${name}.json`, import.meta.url), 'utf8')) as T
const bytes = (text: string): Uint8Array => Buffer.from(text, 'hex')
const exampleKey = (index: number): Uint8Array => sha256(Buffer.from(`example key ${index}`))
const ticketOf = (key: Uint8Array, day: IstDay): Buffer => createHmac('sha256', key).update(ticketText(day)).digest()

test('a ticket is the HMAC of the day under the member’s key', () => {
  for (const { key, day, ticket } of vectors<{ key: string; day: IstDay; ticket: string }[]>('ticket')) {
    expect(ticketOf(bytes(key), day).toString('hex')).toBe(ticket)
  }
})

describe('the seal', () => {
  test('is the tree of RFC 6962, with its published roots', () => {
    const { leaves, roots } = vectors<{ leaves: string[]; roots: Record<string, string> }>('rfc6962')
    for (const [size, root] of Object.entries(roots)) {
      expect(hex(merkleRoot(sha256, leaves.slice(0, Number(size)).map(bytes)))).toBe(root)
    }
  })

  test('covers the tickets in ascending order, in any order of joining', () => {
    type Case = { count: number; root: string; joined?: string[]; sorted?: string[]; day?: IstDay }
    for (const { count, root, joined, sorted, day } of vectors<Case[]>('seal')) {
      const tickets =
        joined?.map((ticket) => Buffer.from(ticket, 'hex')) ??
        Array.from({ length: count }, (_, i) => ticketOf(exampleKey(i), day as IstDay))
      tickets.sort((left, right) => left.compare(right))
      if (sorted !== undefined) expect(tickets.map((ticket) => ticket.toString('hex'))).toEqual(sorted)
      expect(hex(merkleRoot(sha256, tickets))).toBe(root)
    }
  })
})

test('local randomness binds the secret to the sealed list', () => {
  type Case = { secret: string; day: IstDay; count: number; root: string; commitment: string; randomness: string }
  for (const { secret, day, count, root, commitment, randomness } of vectors<{ local: Case[] }>('randomness').local) {
    expect(hex(sha256(bytes(secret)))).toBe(commitment)
    expect(hex(localRandomness(sha256, bytes(secret), { day, count, root: bytes(root) }))).toBe(randomness)
  }
})

test('the seed binds day, list, source and randomness', () => {
  type Case = { day: IstDay; count: number; root: string; chainHash: string; round: number; randomness: string; seed: string }
  for (const item of vectors<Case[]>('seed')) {
    const source = { chainHash: bytes(item.chainHash), round: item.round, randomness: bytes(item.randomness) }
    expect(hex(drawSeed(sha256, { day: item.day, count: item.count, root: bytes(item.root) }, source))).toBe(item.seed)
  }
})

test('picks are a shuffle without replacement, and with fewer entries than winners everyone wins', () => {
  for (const { seed, count, wanted, positions } of vectors<{ seed: string; count: number; wanted: number; positions: number[] }[]>(
    'picks',
  )) {
    expect(pickPositions(sha256, bytes(seed), count, wanted)).toEqual(positions)
    expect(new Set(positions).size).toBe(Math.min(count, wanted))
  }
})

test('requests for help have the order of the vectors, however they are given', () => {
  const cases = vectors<{ seed: string; numbers: string[]; order: string[] }[]>('order')
  expect(cases).toHaveLength(4)
  for (const { seed, numbers, order } of cases) {
    expect(caseOrder(sha256, bytes(seed), numbers)).toEqual(order)
    expect(caseOrder(sha256, bytes(seed), numbers.toReversed())).toEqual(order)
  }
})

test('each position is picked about equally often', () => {
  const counts = [0, 0, 0, 0, 0, 0, 0]
  for (let i = 0; i < 7000; i++) {
    const [position] = pickPositions(sha256, sha256(Buffer.from(`seed ${i}`)), 7, 1)
    counts[position as number] = (counts[position as number] as number) + 1
  }
  // Six degrees of freedom: chance exceeds 22.5 once in a thousand. The seeds are fixed, so the test is deterministic.
  const chiSquare = counts.reduce((sum, found) => sum + (found - 1000) ** 2 / 1000, 0)
  expect(chiSquare).toBeLessThan(22.5)
})

test('shares and tax follow the protocol', () => {
  type Cut = { need: number; platform: number; pool: number; prize: number; tax: number; winners: number }
  type Case = {
    count: number
    split: Omit<SplitPolicy, 'name'> & { policy: 'A' | 'B' }
    tax: { percent: number; above: number }
    shares: Cut
  }
  for (const { count, split, tax, shares: cut } of vectors<Case[]>('shares')) {
    const found = shares(paise(BigInt(count) * 100n), count, { ...split, name: split.policy })
    expect({ ...found, tax: taxOn(found.prize, { percent: tax.percent, above: paise(BigInt(tax.above)) }) }).toEqual({
      need: BigInt(cut.need),
      platform: BigInt(cut.platform),
      prize: BigInt(cut.prize),
      reward: BigInt(cut.prize * cut.winners),
      winners: cut.winners,
      tax: BigInt(cut.tax),
    })
  }
})

describe('log records', () => {
  type Case = { record: LogRecord; canonical: string; leaf: string }
  const { records, roots } = vectors<{ records: Case[]; roots: string[] }>('records')

  test('have one encoding and one leaf hash', () => {
    for (const { record, canonical, leaf } of records) {
      expect(canonicalJson(record)).toBe(canonical)
      expect(hex(leafHash(sha256, recordBytes(record)))).toBe(leaf)
    }
  })

  test('give the published root at each size of the log', () => {
    roots.forEach((root, size) => {
      expect(
        hex(
          merkleRoot(
            sha256,
            records.slice(0, size).map(({ record }) => recordBytes(record)),
          ),
        ),
      ).toBe(root)
    })
  })

  test('refuse values outside the protocol’s subset', () => {
    for (const value of [1.5, -1, -0, 2 ** 53, Number.NaN, 'é', 'a\nb', null, undefined, true, 1n]) {
      expect(() => canonicalJson({ value })).toThrow(RangeError)
    }
    expect(canonicalJson({ b: 'say "\\"', a: [1, 0] })).toBe('{"a":[1,0],"b":"say \\"\\\\\\""}')
  })
})
