/**
 * The sum tree of the liabilities (spec/protocol.md, chapter 13).
 * - Its shape follows RFC 6962.
 * - Each node carries the sum of its leaves. A parent hashes each child's hash together with the child's sum.
 */
import { u64 } from '@roz/core/draw.ts'
import { sha256 } from '../tickets/sha256.ts'
import { cutOf } from './merkle-tree.ts'

export type SumNode = { readonly hash: Uint8Array; readonly sum: number }

const PART = Buffer.from('roz/v1/part\n')
const SUM = Buffer.from('roz/v1/sum\n')
export const LEAF_BYTES = 40
/** Length of an id, and of a hash. */
export const ID_BYTES = 32

export const leafNode = (leaf: Uint8Array): SumNode => ({
  hash: sha256(PART, leaf),
  sum: Number(Buffer.from(leaf.buffer, leaf.byteOffset, LEAF_BYTES).readBigUInt64BE(ID_BYTES)),
})

const join = (left: SumNode, right: SumNode): SumNode => ({
  hash: sha256(SUM, left.hash, u64(left.sum), right.hash, u64(right.sum)),
  sum: left.sum + right.sum,
})

/** The root over nodes; of no nodes it is H("roz/v1/sum\n") with the sum 0. */
export function sumRoot(nodes: readonly SumNode[]): SumNode {
  let level: readonly SumNode[] = nodes
  if (level.length === 0) return { hash: sha256(SUM), sum: 0 }
  // Pairing from the left and carrying an odd node up gives the same shape as splitting at the largest power of two.
  while (level.length > 1) level = pairUp(level)
  return level[0] as SumNode
}

function pairUp(level: readonly SumNode[]): SumNode[] {
  const above: SumNode[] = []
  for (let index = 0; index < level.length; index += 2) {
    const [left, right] = [level[index] as SumNode, level[index + 1]]
    above.push(right === undefined ? left : join(left, right))
  }
  return above
}

/** The root over leaves `from` to `to − 1`, computed or cached. */
type SumOfRange = (from: number, to: number) => SumNode

/**
 * The proof of the leaves at these positions: the nodes that cannot be computed from those leaves, left to right.
 * A range without any of the positions adds one node. A leaf at one of the positions adds none.
 */
export function sumProof(root: SumOfRange, positions: readonly number[], count: number): SumNode[] {
  const walk = (from: number, to: number): SumNode[] => {
    if (!positions.some((position) => position >= from && position < to)) return [root(from, to)]
    if (to - from === 1) return []
    const middle = from + cutOf(to - from)
    return [...walk(from, middle), ...walk(middle, to)]
  }
  return positions.length === 0 ? [] : walk(0, count)
}

/** A node as 40 bytes: its hash, then its sum. */
export const nodeBytes = ({ hash, sum }: SumNode): Buffer => Buffer.concat([hash, u64(sum)])
export const NODE_BYTES = 40
/** The node in the first 40 bytes. */
export const nodeOf = (bytes: Buffer): SumNode => ({ hash: bytes.subarray(0, ID_BYTES), sum: Number(bytes.readBigUInt64BE(ID_BYTES)) })

/** Cuts concatenated leaves apart. */
export const leavesOf = <B extends Uint8Array>(bytes: B): B[] =>
  Array.from({ length: bytes.length / LEAF_BYTES }, (_, index) => bytes.subarray(index * LEAF_BYTES, (index + 1) * LEAF_BYTES) as B)
export const idOf = (leaf: Uint8Array): Uint8Array => leaf.subarray(0, ID_BYTES)
