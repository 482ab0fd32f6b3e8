/** Compares streamed trees with their plain definitions, and checks the proofs of the trees. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { concat, toHex, u64 } from '../src/bytes.ts'
import { joinNodes, listTree, ticketTree } from '../src/list-tree.ts'
import { consistencyProof, inclusionPath, isConsistent, isIncluded, leafHash, rootOf } from '../src/merkle.ts'
import { hashInto, nobleInto, sha256 } from '../src/sha256.ts'

/** Pseudo-random bytes, the same in each run. */
function noise(length: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(length)
  for (let at = 0, block = 0; at < length; at += 32, block += 1) {
    bytes.set(sha256(u64(seed), u64(block)).subarray(0, Math.min(32, length - at)), at)
  }
  return bytes
}
const entriesOf = (bytes: Uint8Array, size: number): Uint8Array[] =>
  Array.from({ length: bytes.length / size }, (_, i) => bytes.subarray(i * size, (i + 1) * size))

test('the digests of the platform equal those of the library for any length', () => {
  for (const length of [0, 1, 33, 52, 55, 56, 64, 65, 91, 200]) {
    const message = noise(length, length)
    const [own, library] = [new Uint8Array(40), new Uint8Array(40)]
    hashInto(message, own, 5)
    nobleInto(message, library, 5)
    expect(toHex(own)).toBe(toHex(library))
    expect(toHex(own)).toBe(`${'00'.repeat(5)}${toHex(sha256(message))}000000`)
  }
  // In Node the two differ in code, or the test above compares nothing.
  expect(hashInto).not.toBe(nobleInto)
})

test('a list streamed in any pieces has the root of RFC 6962', () => {
  for (const count of [0, 1, 2, 3, 7, 8, 4095, 4096, 4097, 8192, 12_289]) {
    const list = noise(32 * count, count)
    const expected = toHex(rootOf(entriesOf(list, 32).map(leafHash)))
    for (const piece of [1, 1000, 5000]) {
      const tree = ticketTree()
      for (let at = 0; at < list.length; at += 32 * piece) tree.add(list.subarray(at, at + 32 * piece))
      expect([toHex(tree.root().hash), tree.count()]).toEqual([expected, count])
    }
  }
})

test('each node carries the sum of its entries', () => {
  const [leafPrefix, nodePrefix] = [noise(12, 1), noise(11, 2)]
  const plain = (parts: readonly Uint8Array[]): Uint8Array => {
    const [only] = parts
    if (only !== undefined && parts.length === 1) return concat(sha256(leafPrefix, only), only.subarray(32))
    let split = 1
    while (split * 2 < parts.length) split *= 2
    return joinNodes(nodePrefix, plain(parts.slice(0, split)), plain(parts.slice(split)))
  }
  for (const count of [1, 2, 5, 4096, 4099, 9000]) {
    const parts = Array.from({ length: count }, (_, i) => concat(noise(32, i), u64(i % 7 === 0 ? 2 ** 33 + i : i)))
    const expected = toHex(plain(parts))
    for (const by of [hashInto, nobleInto]) {
      const tree = listTree({ leafPrefix, nodePrefix, entryBytes: 40, withSums: true }, by)
      tree.add(concat(...parts))
      const { hash, sum } = tree.root()
      expect(toHex(concat(hash, u64(sum)))).toBe(expected)
      expect(sum).toBe(Array.from({ length: count }, (_, i) => (i % 7 === 0 ? 2 ** 33 + i : i)).reduce((a, b) => a + b, 0))
    }
  }
})

test('proofs of inclusion and consistency verify, and fail with another hash, index or size', () => {
  const leaves = Array.from({ length: 40 }, (_, i) => leafHash(noise(20, i)))
  const flipped = (hash: Uint8Array): Uint8Array => Uint8Array.from(hash, (value, i) => (i === 5 ? value ^ 1 : value))
  const size = fc.integer({ min: 1, max: leaves.length })
  fc.assert(
    fc.property(size, size, fc.nat(), (a, b, any) => {
      const [olderSize, newerSize] = [Math.min(a, b), Math.max(a, b)]
      const all = leaves.slice(0, newerSize)
      const newer = { size: newerSize, root: rootOf(all) }
      const older = { size: olderSize, root: rootOf(leaves.slice(0, olderSize)) }
      const proof = consistencyProof(all, olderSize)
      expect(isConsistent(older, newer, proof)).toBe(true)
      expect(isConsistent({ ...older, root: flipped(older.root) }, newer, proof)).toBe(false)
      expect(isConsistent(older, { ...newer, root: flipped(newer.root) }, proof)).toBe(false)
      expect(isConsistent(older, newer, [...proof, leaves[0] as Uint8Array])).toBe(false)
      for (let i = 0; i < proof.length; i += 1) {
        expect(
          isConsistent(
            older,
            newer,
            proof.map((hash, at) => (at === i ? flipped(hash) : hash)),
          ),
        ).toBe(false)
        expect(
          isConsistent(
            older,
            newer,
            proof.filter((_, at) => at !== i),
          ),
        ).toBe(false)
      }
      const index = any % newerSize
      const leaf = leaves[index] as Uint8Array
      const path = inclusionPath(all, index)
      expect(isIncluded(leaf, index, newerSize, path, newer.root)).toBe(true)
      expect(isIncluded(flipped(leaf), index, newerSize, path, newer.root)).toBe(false)
      if (newerSize > 1) expect(isIncluded(leaf, (index + 1) % newerSize, newerSize, path, newer.root)).toBe(false)
      expect(isIncluded(leaf, index, newerSize, [...path, leaf], newer.root)).toBe(false)
      if (path.length > 0) expect(isIncluded(leaf, index, newerSize, path.slice(1), newer.root)).toBe(false)
    }),
    { numRuns: 300 },
  )
})
