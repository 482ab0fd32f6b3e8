/**
 * Computes the Merkle root of a streamed list in constant memory: the sealed tickets, and the liability parts with their sums.
 *
 * - The tree is that of RFC 6962 section 2.1, however the stream is cut into pieces.
 */
import { concat, MalformedError } from './bytes.ts'
import { laneHasher, type LaneHasher } from './sha256-lanes.ts'
import { sha256 } from './sha256.ts'

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

/** Entries hashed per batch; both are powers of two. */
const [CHUNK, SMALL_CHUNK] = [4096, 64]
const HASH = 32

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
export const ticketTree = (about: number): Promise<ListTree> =>
  listTree({ leafPrefix: Uint8Array.of(0), nodePrefix: Uint8Array.of(1), entryBytes: HASH, withSums: false }, about)

/** `about` is the expected number of entries. It only selects the hashing method, never the result. */
export async function listTree({ leafPrefix, nodePrefix, entryBytes, withSums }: TreeShape, about: number): Promise<ListTree> {
  const nodeBytes = withSums ? HASH + 8 : HASH
  const isLong = about > CHUNK
  const chunk = isLong ? CHUNK : SMALL_CHUNK
  const entriesAt = 4096
  const levelsAt = [entriesAt + chunk * entryBytes, entriesAt + chunk * (entryBytes + nodeBytes) + 4 * nodeBytes] as const
  const { memory, hasher } = await laneHasher(levelsAt[1] + (chunk + 4) * nodeBytes, isLong)
  const bytes = new Uint8Array(memory.buffer)
  const view = new DataView(memory.buffer)
  const hashLeaves = await hasher({ prefix: leafPrefix, contentBytes: entryBytes, stride: entryBytes, outStride: nodeBytes, scratchAt: 0 })
  const pair = { prefix: nodePrefix, contentBytes: 2 * nodeBytes, stride: 2 * nodeBytes, outStride: nodeBytes, scratchAt: 2048 }
  const hashPairs: LaneHasher = await hasher(pair)
  const stack: Node[] = []
  let waiting = 0
  let chunks = 0

  const reduce = (entries: number): Node => {
    let [from, to]: readonly [number, number] = levelsAt
    hashLeaves(entriesAt, from, entries)
    if (withSums)
      for (let i = 0; i < entries; i += 1) putSum(view, from + i * nodeBytes + HASH, sumAt(view, entriesAt + (i + 1) * entryBytes - 8))
    for (let count = entries; count > 1; count = Math.ceil(count / 2)) {
      const pairs = Math.floor(count / 2)
      hashPairs(from, to, pairs)
      if (withSums) for (let i = 0; i < pairs; i += 1) putSum(view, to + i * nodeBytes + HASH, pairSum(from + 2 * i * nodeBytes))
      // An odd last node moves up unchanged.
      if (count % 2 === 1) bytes.copyWithin(to + pairs * nodeBytes, from + (count - 1) * nodeBytes, from + count * nodeBytes)
      ;[from, to] = [to, from]
    }
    return bytes.slice(from, from + nodeBytes)
  }
  const pairSum = (at: number): number => sumAt(view, at + HASH) + sumAt(view, at + nodeBytes + HASH)
  const close = (): void => {
    let top = reduce(chunk)
    // Merge once per trailing 1 bit of the chunk's number: each merge completes a larger full subtree.
    for (let rest = chunks; rest % 2 === 1; rest = (rest - 1) / 2) top = joinNodes(nodePrefix, stack.pop() as Node, top)
    stack.push(top)
    chunks += 1
    waiting = 0
  }
  return {
    add(entries) {
      for (let at = 0; at < entries.length; ) {
        const taken = Math.min(entries.length - at, (chunk - waiting) * entryBytes)
        bytes.set(entries.subarray(at, at + taken), entriesAt + waiting * entryBytes)
        waiting += taken / entryBytes
        at += taken
        if (waiting === chunk) close()
      }
    },
    count: () => chunks * chunk + waiting,
    root() {
      const nodes = waiting === 0 ? stack : [...stack, reduce(waiting)]
      if (nodes.length === 0) return { hash: sha256(), sum: 0 }
      const top = nodes.reduceRight((right, left) => joinNodes(nodePrefix, left, right))
      return { hash: top.slice(0, HASH), sum: withSums ? lastSum(top) : 0 }
    },
  }
}
