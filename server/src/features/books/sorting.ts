/** Sorts leaves of 40 bytes by their id. */
import { ID_BYTES, LEAF_BYTES } from '../../transparency-log/sum-tree.ts'

const PREFIX_BITS = 32n

/**
 * Concatenated leaves in ascending order of their ids. Throws if an id occurs twice.
 * Ids are random, so their first four bytes decide nearly always; a typed array sorts those many times faster than a comparison of buffers.
 */
export function sortLeaves(leaves: Buffer): Buffer {
  const count = leaves.length / LEAF_BYTES
  const order = new BigUint64Array(count)
  for (let index = 0; index < count; index++) {
    order[index] = (BigInt(leaves.readUInt32BE(index * LEAF_BYTES)) << PREFIX_BITS) | BigInt(index)
  }
  order.sort()
  const placeOf = (position: number): number => Number((order[position] as bigint) & 0xffff_ffffn) * LEAF_BYTES
  const compare = (left: number, right: number): number =>
    leaves.compare(leaves, placeOf(right), placeOf(right) + ID_BYTES, placeOf(left), placeOf(left) + ID_BYTES)
  for (let position = 1; position < count; position++) {
    for (let at = position; at > 0; at--) {
      const [lower, upper] = [order[at - 1] as bigint, order[at] as bigint]
      if (lower >> PREFIX_BITS !== upper >> PREFIX_BITS) break
      const ascending = compare(at - 1, at)
      if (ascending === 0) throw new Error('two parts of a day have one id')
      if (ascending < 0) break
      order[at - 1] = upper
      order[at] = lower
    }
  }
  const sorted = Buffer.allocUnsafe(leaves.length)
  for (let position = 0; position < count; position++) {
    leaves.copy(sorted, position * LEAF_BYTES, placeOf(position), placeOf(position) + LEAF_BYTES)
  }
  return sorted
}
