/**
 * Computes the Merkle root of a streamed list in constant memory: the sealed tickets, and the liability parts with their sums.
 *
 * - The tree follows RFC 6962 section 2.1, however the stream is cut into pieces.
 */
import { concat, MalformedError } from './bytes.ts'
import { type HashInto, hashInto, sha256 } from './sha256.ts'

export type TreeShape = {
  readonly leafPrefix: Uint8Array
  readonly nodePrefix: Uint8Array
  readonly entryBytes: number
  /** Each entry ends in a u64. Each node carries, and hashes, the sum of the entries below it. */
  readonly withSums: boolean
}

export type ListTree = {
  /** Takes whole entries, concatenated. */
  readonly add: (entries: Uint8Array) => void
  readonly count: () => number
  /** The root and, with sums, the total. */
  readonly root: () => { readonly hash: Uint8Array; readonly sum: number }
}

const HASH = 32
/** More than the levels of any tree: a list has fewer than 2^53 entries. */
const MOST_LEVELS = 64

/** A hash; with sums it is followed by the sum as u64. */
type Node = Uint8Array

export function sumAt(view: DataView, at: number): number {
  const sum = view.getUint32(at) * 2 ** 32 + view.getUint32(at + 4)
  if (!Number.isSafeInteger(sum)) throw new MalformedError('an amount beyond 2^53')
  return sum
}

function putSum(view: DataView, at: number, sum: number): void {
  if (!Number.isSafeInteger(sum)) throw new MalformedError('a sum beyond 2^53')
  view.setUint32(at, Math.floor(sum / 2 ** 32))
  view.setUint32(at + 4, sum % 2 ** 32)
}

/** Computes the parent of two nodes, which carry sums or not. */
export function joinNodes(nodePrefix: Uint8Array, left: Node, right: Node): Node {
  const hash = sha256(nodePrefix, left, right)
  if (left.length === HASH) return hash
  const sum = new Uint8Array(8)
  putSum(new DataView(sum.buffer), 0, lastSum(left) + lastSum(right))
  return concat(hash, sum)
}
const lastSum = (node: Node): number => sumAt(new DataView(node.buffer, node.byteOffset + HASH, 8), 0)

/** The tree over the sealed tickets of a day. */
export const ticketTree = (): ListTree =>
  listTree({ leafPrefix: Uint8Array.of(0), nodePrefix: Uint8Array.of(1), entryBytes: HASH, withSums: false })

/** `hash` is the platform's by default. */
export function listTree({ leafPrefix, nodePrefix, entryBytes, withSums }: TreeShape, hash: HashInto = hashInto): ListTree {
  const nodeBytes = withSums ? HASH + 8 : HASH
  const leaf = concat(leafPrefix, new Uint8Array(entryBytes))
  const pair = concat(nodePrefix, new Uint8Array(2 * nodeBytes))
  /** The full subtrees so far, the largest first, one node each. */
  const nodes = new Uint8Array(MOST_LEVELS * nodeBytes)
  const view = new DataView(nodes.buffer)
  let height = 0
  let count = 0

  const addEntry = (entries: Uint8Array, from: number): void => {
    for (let i = 0; i < entryBytes; i += 1) leaf[leafPrefix.length + i] = entries[from + i] as number
    const at = height * nodeBytes
    hash(leaf, nodes, at)
    for (let i = HASH; i < nodeBytes; i += 1) nodes[at + i] = entries[from + entryBytes - nodeBytes + i] as number
    if (withSums) sumAt(view, at + HASH)
    height += 1
    count += 1
    // Each trailing zero bit of the count completes a larger subtree.
    for (let rest = count; rest % 2 === 0; rest /= 2) joinLastTwo()
  }
  const joinLastTwo = (): void => {
    height -= 1
    const at = (height - 1) * nodeBytes
    for (let i = 0; i < 2 * nodeBytes; i += 1) pair[nodePrefix.length + i] = nodes[at + i] as number
    if (withSums) putSum(view, at + HASH, sumAt(view, at + HASH) + sumAt(view, at + nodeBytes + HASH))
    hash(pair, nodes, at)
  }
  return {
    add(entries) {
      for (let from = 0; from < entries.length; from += entryBytes) addEntry(entries, from)
    },
    count: () => count,
    root() {
      if (count === 0) return { hash: sha256(), sum: 0 }
      const parts: Node[] = Array.from({ length: height }, (_, level) => nodes.slice(level * nodeBytes, (level + 1) * nodeBytes))
      const top = parts.reduceRight((right, left) => joinNodes(nodePrefix, left, right))
      return { hash: top.slice(0, HASH), sum: withSums ? lastSum(top) : 0 }
    },
  }
}
