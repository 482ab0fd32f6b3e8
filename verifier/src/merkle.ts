/**
 * The Merkle tree of RFC 6962: roots, inclusion proofs and consistency proofs.
 *
 * - A proof is accepted only with exactly the hashes it needs: none missing, none left over.
 */
import { concat, equal } from './bytes.ts'
import { sha256 } from './sha256.ts'

const LEAF = Uint8Array.of(0)
const NODE = Uint8Array.of(1)

export const leafHash = (entry: Uint8Array): Uint8Array => sha256(LEAF, entry)
export const nodeHash = (left: Uint8Array, right: Uint8Array): Uint8Array => sha256(NODE, left, right)

export function rootOf(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return sha256()
  let level = leaves
  // Pairing nodes level by level, with an odd last node moved up, gives the same tree as the recursive definition.
  while (level.length > 1) {
    const above: Uint8Array[] = []
    for (let i = 0; i < level.length; i += 2) {
      const left = level[i] as Uint8Array
      const right = level[i + 1]
      above.push(right === undefined ? left : nodeHash(left, right))
    }
    level = above
  }
  return level[0] as Uint8Array
}

/** Computes in one pass the root of each requested size. Sizes beyond the leaves are left out. */
export function rootsAt(leaves: readonly Uint8Array[], sizes: ReadonlySet<number>): ReadonlyMap<number, Uint8Array> {
  const roots = new Map<number, Uint8Array>()
  const full: Uint8Array[] = []
  for (const [index, leaf] of leaves.entries()) {
    let node = leaf
    // Merge once per trailing 1 bit of the index: each merge completes a larger full subtree.
    for (let rest = index; rest % 2 === 1; rest = (rest - 1) / 2) node = nodeHash(full.pop() as Uint8Array, node)
    full.push(node)
    const size = index + 1
    if (sizes.has(size))
      roots.set(
        size,
        full.reduceRight((right, left) => nodeHash(left, right)),
      )
  }
  return roots
}

/** RFC 9162 section 2.1.3.2. Undefined if the path has the wrong length for index and size. */
export function rootFromInclusion(
  leaf: Uint8Array,
  index: number,
  size: number,
  path: readonly Uint8Array[],
  join: (left: Uint8Array, right: Uint8Array) => Uint8Array = nodeHash,
): Uint8Array | undefined {
  if (index >= size) return undefined
  let position = index
  let last = size - 1
  let root = leaf
  for (const sibling of path) {
    if (last === 0) return undefined
    if (position % 2 === 1 || position === last) {
      root = join(sibling, root)
      while (position % 2 === 0 && position !== 0) {
        position /= 2
        last = Math.floor(last / 2)
      }
    } else root = join(root, sibling)
    position = Math.floor(position / 2)
    last = Math.floor(last / 2)
  }
  return last === 0 ? root : undefined
}

export function isIncluded(leaf: Uint8Array, index: number, size: number, path: readonly Uint8Array[], root: Uint8Array): boolean {
  const computed = rootFromInclusion(leaf, index, size, path)
  return computed !== undefined && equal(computed, root)
}

export type Tree = { readonly size: number; readonly root: Uint8Array }

/** RFC 9162 section 2.1.4.2: checks that the older tree is a prefix of the newer one. */
export function isConsistent(older: Tree, newer: Tree, proof: readonly Uint8Array[]): boolean {
  if (older.size > newer.size) return false
  if (older.size === newer.size) return proof.length === 0 && equal(older.root, newer.root)
  if (older.size === 0) return proof.length === 0 && equal(older.root, sha256())
  const isPowerOfTwo = Number.isInteger(Math.log2(older.size))
  const path = isPowerOfTwo ? [older.root, ...proof] : proof
  const first = path[0]
  if (first === undefined) return false
  let position = older.size - 1
  let last = newer.size - 1
  while (position % 2 === 1) {
    position = (position - 1) / 2
    last = Math.floor(last / 2)
  }
  let olderRoot = first
  let newerRoot = first
  for (const hash of path.slice(1)) {
    if (last === 0) return false
    if (position % 2 === 1 || position === last) {
      olderRoot = nodeHash(hash, olderRoot)
      newerRoot = nodeHash(hash, newerRoot)
      while (position % 2 === 0 && position !== 0) {
        position /= 2
        last = Math.floor(last / 2)
      }
    } else newerRoot = nodeHash(newerRoot, hash)
    position = Math.floor(position / 2)
    last = Math.floor(last / 2)
  }
  return last === 0 && equal(olderRoot, older.root) && equal(newerRoot, newer.root)
}

/** Makes the consistency proof from an older size to all known leaves (RFC 9162 section 2.1.4.1). */
export function consistencyProof(leaves: readonly Uint8Array[], olderSize: number): readonly Uint8Array[] {
  return olderSize === 0 || olderSize === leaves.length ? [] : subproof(leaves, olderSize, true)
}

function subproof(leaves: readonly Uint8Array[], size: number, whole: boolean): readonly Uint8Array[] {
  if (size === leaves.length) return whole ? [] : [rootOf(leaves)]
  const split = splitOf(leaves.length)
  return size <= split
    ? [...subproof(leaves.slice(0, split), size, whole), rootOf(leaves.slice(split))]
    : [...subproof(leaves.slice(split), size - split, false), rootOf(leaves.slice(0, split))]
}

/** Makes the inclusion path of one leaf (RFC 9162 section 2.1.3.1). */
export function inclusionPath(leaves: readonly Uint8Array[], index: number): readonly Uint8Array[] {
  if (leaves.length <= 1) return []
  const split = splitOf(leaves.length)
  return index < split
    ? [...inclusionPath(leaves.slice(0, split), index), rootOf(leaves.slice(split))]
    : [...inclusionPath(leaves.slice(split), index - split), rootOf(leaves.slice(0, split))]
}

/** The largest power of two below n. */
export function splitOf(n: number): number {
  let split = 1
  while (split * 2 < n) split *= 2
  return split
}

/** Hashes entries into leaves. */
export const leavesOf = (entries: readonly Uint8Array[]): readonly Uint8Array[] => entries.map((entry) => sha256(concat(LEAF, entry)))
