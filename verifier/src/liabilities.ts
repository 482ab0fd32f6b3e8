/** The Merkle sum tree over all parts of the liabilities to members (spec/protocol.md, chapter 13). */
import { ascending } from './ascending.ts'
import { ascii, concat, toHex, u64 } from './bytes.ts'
import { joinNodes, listTree, sumAt } from './list-tree.ts'
import { hmacSha256, sha256 } from './sha256.ts'
import { fail } from './steps.ts'

export const PART_BYTES = 40
export const MOST_PAISE = 5000
const LEAF = ascii('roz/v1/part\n')
const NODE = ascii('roz/v1/sum\n')

export type Liabilities = { readonly count: number; readonly root: string; readonly total: number }

export async function sumParts(
  pieces: AsyncIterable<Uint8Array>,
  about: number,
  onProgress: (parts: number) => void,
): Promise<Liabilities> {
  const tree = listTree({ leafPrefix: LEAF, nodePrefix: NODE, entryBytes: PART_BYTES, withSums: true })
  const order = ascending(PART_BYTES)
  for await (const piece of pieces) {
    if (!order.continues(piece)) fail('the parts are not in ascending order, or one is listed twice')
    const view = new DataView(piece.buffer, piece.byteOffset, piece.length)
    for (let at = 32; at < piece.length; at += PART_BYTES) {
      const amount = sumAt(view, at)
      if (amount < 1 || amount > MOST_PAISE) fail(`a part of ${amount} paise, outside 1 to ${MOST_PAISE}`)
    }
    tree.add(piece)
    onProgress(tree.count())
    // More parts than the books count is already a failure, and the stream may be endless.
    if (tree.count() > about) break
  }
  const { hash: root, sum } = tree.root()
  return tree.count() === 0 ? { count: 0, root: toHex(sha256(NODE)), total: 0 } : { count: tree.count(), root: toHex(root), total: sum }
}

export const partId = (ticketKey: Uint8Array, day: string, j: number): Uint8Array =>
  hmacSha256(ticketKey, concat(ascii(`roz/v1/id\n${day}`), u64(j)))

/** A node is its hash followed by its sum as u64. */
export const partNode = (id: Uint8Array, amount: number): Uint8Array => concat(sha256(LEAF, id, u64(amount)), u64(amount))
export const joinParts = (left: Uint8Array, right: Uint8Array): Uint8Array => joinNodes(NODE, left, right)
