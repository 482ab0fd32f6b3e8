import { expect, test } from 'vitest'
import { coverBetween, middleCover, movedCover, resizedCover } from './cover.ts'

const SIZE = { width: 1000, height: 500 }

test('a drag in any direction makes the cover between its corners, inside the picture', () => {
  expect(coverBetween({ x: 300, y: 200 }, { x: 100, y: 50 }, SIZE)).toEqual({ x: 100, y: 50, width: 200, height: 150 })
  expect(coverBetween({ x: 900, y: 400 }, { x: 2000, y: -5 }, SIZE)).toEqual({ x: 900, y: 0, width: 100, height: 400 })
})

test('a press without a drag makes no cover', () => {
  expect(coverBetween({ x: 10, y: 10 }, { x: 12, y: 400 }, SIZE)).toBeUndefined()
})

test('by keyboard a cover starts in the middle, moves and grows, and never leaves the picture', () => {
  const cover = middleCover(SIZE)
  expect(movedCover(cover, -5000, 5000, SIZE)).toEqual({ ...cover, x: 0, y: 450 })
  expect(resizedCover(cover, 5000, -5000, SIZE)).toEqual({ ...cover, width: 700, height: 8 })
})
