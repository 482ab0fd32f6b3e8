/** The order of published leaves. */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { LEAF_BYTES } from '../../transparency-log/sum-tree.ts'
import { sortLeaves } from './sorting.ts'

const leavesOf = (bytes: Buffer): string[] =>
  Array.from({ length: bytes.length / LEAF_BYTES }, (_, index) =>
    bytes.subarray(index * LEAF_BYTES, (index + 1) * LEAF_BYTES).toString('hex'),
  )

test('leaves ascend by id, those that share their first bytes too', () => {
  const few = [Buffer.alloc(4), Buffer.from('00000001', 'hex'), Buffer.from('ffffffff', 'hex')]
  const leaves = Array.from({ length: 500 }, (_, index) => Buffer.concat([few[index % 4] ?? randomBytes(4), randomBytes(LEAF_BYTES - 4)]))
  const sorted = leavesOf(sortLeaves(Buffer.concat(leaves)))
  expect(sorted).toEqual(leaves.map((leaf) => leaf.toString('hex')).toSorted())
})

test('an id that occurs twice is refused', () => {
  const leaf = randomBytes(LEAF_BYTES)
  const twin = Buffer.concat([leaf.subarray(0, 32), randomBytes(8)])
  expect(() => sortLeaves(Buffer.concat([leaf, randomBytes(LEAF_BYTES), twin]))).toThrow('two parts of a day have one id')
  expect(sortLeaves(Buffer.alloc(0))).toEqual(Buffer.alloc(0))
})
