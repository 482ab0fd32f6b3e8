import { expect, test } from 'vitest'
import { cut } from './cutting.ts'

test('a debt is cut into parts of 1 to 5,000 paise that add up, at least two, at random', () => {
  for (const amount of [1, 2, 3, 99, 100, 4_999, 5_000, 5_001, 9_999, 10_000, 123_457]) {
    for (let again = 0; again < 50; again++) {
      const parts = cut(amount)
      expect(parts.reduce((sum, part) => sum + part, 0)).toBe(amount)
      expect(parts.every((part) => part >= 1 && part <= 5_000)).toBe(true)
      expect(parts.length).toBeGreaterThanOrEqual(Math.min(2, amount))
    }
  }
  expect(cut(0)).toEqual([])
  expect(new Set(Array.from({ length: 50 }, () => cut(1_000).join())).size).toBeGreaterThan(20)
})
