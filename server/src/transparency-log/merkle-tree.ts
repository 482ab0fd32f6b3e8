/**
 * Inclusion and consistency proofs of RFC 6962 over leaf hashes.
 * - The leaves must fit in memory: the log of days, a batch of joins, a page of a list.
 */
import { subtreesRoot } from '@roz/core/draw.ts'
import { HASH_BYTES, hexOf, sha256 } from '../tickets/sha256.ts'

type Hashes = readonly Uint8Array[]

export const rootOf = (leaves: Hashes): Uint8Array => subtreesRoot(sha256, leaves)

/** The largest power of two below n, for n above 1. */
export const cutOf = (n: number): number => 2 ** Math.ceil(Math.log2(n) - 1)

/** The root over leaves `from` to `to − 1`, computed or cached. */
type RootOfRange = (from: number, to: number) => Uint8Array
type Range = readonly [from: number, to: number]

/** PATH(m, D[n]) of RFC 6962, 2.1.1, from the leaf up. */
export const inclusionPath = (leaves: Hashes, index: number): Uint8Array[] => inclusionIn(rangesOf(leaves), index, [0, leaves.length])

export function inclusionIn(root: RootOfRange, index: number, [from, to]: Range): Uint8Array[] {
  if (to - from < 2) return []
  const middle = from + cutOf(to - from)
  return index < middle
    ? [...inclusionIn(root, index, [from, middle]), root(middle, to)]
    : [...inclusionIn(root, index, [middle, to]), root(from, middle)]
}

const rangesOf =
  (leaves: Hashes): RootOfRange =>
  (from, to) =>
    rootOf(leaves.slice(from, to))

const leafBytes = Buffer.alloc(1 + HASH_BYTES, 0)
const nodeBytes = Buffer.alloc(1 + 2 * HASH_BYTES, 1)
/** The leaf hash of an entry that is itself a 32-byte hash; both in hex. */
export function leafHex(entry: string): string {
  leafBytes.write(entry, 1, 'hex')
  return hexOf(leafBytes)
}
function nodeHex(left: string, right: string): string {
  nodeBytes.write(left, 1, 'hex')
  nodeBytes.write(right, 1 + HASH_BYTES, 'hex')
  return hexOf(nodeBytes)
}

/** The root over one leaf or more, and the inclusion path of each. All in hex; each node is hashed once. */
export function rootAndPaths(leaves: readonly string[]): { readonly root: string; readonly paths: readonly string[][] } {
  const paths: string[][] = leaves.map(() => [])
  const walk = (from: number, to: number): string => {
    if (to - from === 1) return leaves[from] as string
    const middle = from + cutOf(to - from)
    const [left, right] = [walk(from, middle), walk(middle, to)]
    for (let index = from; index < to; index++) paths[index]?.push(index < middle ? right : left)
    return nodeHex(left, right)
  }
  return { root: walk(0, leaves.length), paths }
}

/** PROOF(m, D[n]) of RFC 6962, 2.1.2, for 1 ≤ m ≤ n. */
export const consistencyIn = (root: RootOfRange, size: number, to: number): Uint8Array[] => subproof(root, size, [0, to], true)

function subproof(root: RootOfRange, size: number, [from, to]: Range, isWhole: boolean): Uint8Array[] {
  if (size === to) return isWhole ? [] : [root(from, to)]
  const middle = from + cutOf(to - from)
  return size <= middle
    ? [...subproof(root, size, [from, middle], isWhole), root(middle, to)]
    : [...subproof(root, size, [middle, to], false), root(from, middle)]
}
