import { expect, test } from 'vitest'
import { cut, type DrawNumber } from './cutting.ts'

test('the parts of a debt are 1 to 5,000 paise, add up to it, are at least two, and are cut at random', () => {
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

/** Pseudo-random: the same numbers in every run. */
function fixedDraw(seed: number): DrawNumber {
  let state = seed
  return (low, high) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return low + Math.floor((state / 2 ** 32) * (high - low))
  }
}

test.each([1, 2, 3])(
  'a wallet of ₹3,000 among wallets of ₹20 shows neither by many parts near the limit nor by round or equal parts (%i)',
  (seed) => {
    const draw = fixedDraw(seed)
    const winner = cut(300_000, draw)
    const others = Array.from({ length: 300 }, () => cut(2_000, draw)).flat()
    expect(winner.length).toBeGreaterThan(300_000 / 650)
    expect(winner.length).toBeLessThan(300_000 / 400)
    expect(Math.max(...winner)).toBeLessThanOrEqual(1_000)
    // The sizes are spread evenly: each tenth of the range has about a tenth of the parts.
    for (let from = 0; from < 1_000; from += 100) {
      const share = winner.filter((part) => part > from && part <= from + 100).length / winner.length
      expect(share, `${from}`).toBeGreaterThan(0.05)
      expect(share, `${from}`).toBeLessThan(0.16)
    }
    for (const parts of [winner, others]) expect(parts.filter((part) => part % 100 === 0).length / parts.length).toBeLessThan(0.04)
  },
)

test('the parts of every larger debt have one average size', () => {
  const draw = fixedDraw(7)
  for (const debt of [20_000, 100_000, 1_000_000]) {
    const parts = Array.from({ length: 20_000_000 / debt }, () => cut(debt, draw)).flat()
    const mean = 20_000_000 / parts.length
    expect(mean, `${debt}`).toBeGreaterThan(450)
    expect(mean, `${debt}`).toBeLessThan(520)
  }
})
