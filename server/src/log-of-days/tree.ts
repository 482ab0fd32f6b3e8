/**
 * Proofs of RFC 6962 over leaf hashes: that an entry is in a tree, that a tree begins with another. For
 * trees whose leaves fit in memory: the log of days, a batch of joins, a page of a list.
 */
import { subtreesRoot } from '@roz/core/draw.ts'
import { sha256 } from '../tickets/sha256.ts'

const NODE = Uint8Array.of(1)
type Hashes = readonly Uint8Array[]

export const rootOf = (leaves: Hashes): Uint8Array => subtreesRoot(sha256, leaves)

/** The largest power of two below n, for n above 1. */
const cutOf = (n: number): number => 2 ** Math.ceil(Math.log2(n) - 1)

/** PATH(m, D[n]) of chapter 2.1.1, from the leaf up. */
export function inclusionPath(leaves: Hashes, index: number): Uint8Array[] {
  if (leaves.length < 2) return []
  const cut = cutOf(leaves.length)
  const [left, right] = [leaves.slice(0, cut), leaves.slice(cut)]
  return index < cut ? [...inclusionPath(left, index), rootOf(right)] : [...inclusionPath(right, index - cut), rootOf(left)]
}

/** The root, and the path of every leaf: each node is hashed once. */
export function rootAndPaths(leaves: Hashes): { readonly root: Uint8Array; readonly paths: readonly Uint8Array[][] } {
  const paths: Uint8Array[][] = leaves.map(() => [])
  const walk = (from: number, to: number): Uint8Array => {
    if (to - from === 1) return leaves[from] as Uint8Array
    const middle = from + cutOf(to - from)
    const [left, right] = [walk(from, middle), walk(middle, to)]
    for (let index = from; index < to; index++) paths[index]?.push(index < middle ? right : left)
    return sha256(NODE, left, right)
  }
  return { root: leaves.length === 0 ? rootOf(leaves) : walk(0, leaves.length), paths }
}

/** PROOF(m, D[n]) of chapter 2.1.2, for 1 ≤ m ≤ n. */
export const consistencyPath = (leaves: Hashes, from: number): Uint8Array[] => subproof(leaves, from, true)

function subproof(leaves: Hashes, from: number, isWhole: boolean): Uint8Array[] {
  if (from === leaves.length) return isWhole ? [] : [rootOf(leaves)]
  const cut = cutOf(leaves.length)
  const [left, right] = [leaves.slice(0, cut), leaves.slice(cut)]
  return from <= cut ? [...subproof(left, from, isWhole), rootOf(right)] : [...subproof(right, from - cut, false), rootOf(left)]
}

/** The root that a path leads to from a leaf. */
export function rootByPath(leaf: Uint8Array, at: { readonly index: number; readonly size: number }, path: Hashes): Uint8Array | undefined {
  let [index, last, hash] = [at.index, at.size - 1, leaf]
  for (const other of path) {
    if (last === 0) return undefined
    if (index % 2 === 1 || index === last) {
      hash = sha256(NODE, other, hash)
      while (index % 2 === 0 && index !== 0) [index, last] = [Math.floor(index / 2), Math.floor(last / 2)]
    } else hash = sha256(NODE, hash, other)
    ;[index, last] = [Math.floor(index / 2), Math.floor(last / 2)]
  }
  return last === 0 ? hash : undefined
}
