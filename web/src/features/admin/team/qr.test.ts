/** The QR codes: drawings that an independent decoder has read back. */
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { qrOf, qrPath } from './qr.ts'

const textOf = (length: number): string => 'otpauth://'.padEnd(length, 'aB3%xyz?=&').slice(0, length)
const digestOf = (rows: readonly (readonly boolean[])[]): string =>
  createHash('sha256')
    .update(rows.map((row) => row.map(Number).join('')).join('\n'))
    .digest('hex')
    .slice(0, 16)

// Lengths at the edges of versions 1, 2, 6, 7, 9, 10 and 20.
test.each([
  [14, 21, '5710a29d517ddb90'],
  [26, 25, 'edcd9c7719c31db7'],
  [106, 41, '9429c083025585a7'],
  [122, 45, '75681cad36c2a45f'],
  [180, 53, '5251b5c533d2261d'],
  [181, 57, '846c12f0bea2c027'],
  [666, 97, 'b92743d3ab060b67'],
])('%d bytes are drawn on %d modules, as they were read back', (length, size, digest) => {
  const rows = qrOf(textOf(length))
  expect([rows.length, rows.every((row) => row.length === size)]).toEqual([size, true])
  expect(digestOf(rows)).toBe(digest)
})

test('a text that is too long is refused', () => {
  expect(() => qrOf(textOf(2332))).toThrow('too long')
})

test('the path has one square for each dark module', () => {
  const rows = qrOf('Roz')
  expect(qrPath(rows).split('z').length - 1).toBe(rows.flat().filter(Boolean).length)
})
