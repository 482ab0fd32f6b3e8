/** An independent implementation of the protocol's chapter 13: computes the root from the shown parts and their proof. */
import { createHash, createHmac } from 'node:crypto'
import { u64 } from '@roz/core/draw.ts'

type ShownParts = {
  readonly count: number
  readonly nodes: string
  readonly parts: readonly { readonly amount: number; readonly position: number }[]
}
type Node = { readonly hash: Buffer; readonly sum: number }

export const hashOf = (...parts: Uint8Array[]): Buffer => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()
const cutOf = (n: number): number => 2 ** Math.ceil(Math.log2(n) - 1)

/** The root that parts and nodes lead to; throws if nodes are left over. `first` is the number of the first part. */
export function walkParts(shown: ShownParts, day: string, key: Buffer, first: number): Node {
  const bytes = Buffer.from(shown.nodes, 'base64')
  let used = 0
  const walk = (from: number, to: number): Node => {
    const at = shown.parts.findIndex(({ position }) => position >= from && position < to)
    const part = shown.parts[at]
    if (part === undefined) {
      const node = bytes.subarray(used, (used += 40))
      return { hash: node.subarray(0, 32), sum: Number(node.readBigUInt64BE(32)) }
    }
    if (to - from === 1) {
      const id = createHmac('sha256', key)
        .update(`roz/v1/id\n${day}`)
        .update(u64(first + at))
        .digest()
      return { hash: hashOf(Buffer.from('roz/v1/part\n'), id, u64(part.amount)), sum: part.amount }
    }
    const middle = from + cutOf(to - from)
    const [left, right] = [walk(from, middle), walk(middle, to)]
    return { hash: hashOf(Buffer.from('roz/v1/sum\n'), left.hash, u64(left.sum), right.hash, u64(right.sum)), sum: left.sum + right.sum }
  }
  const root = walk(0, shown.count)
  if (used !== bytes.length) throw new Error(`${bytes.length - used} bytes of the proof are left over`)
  return root
}
