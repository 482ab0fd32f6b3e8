import { expect, test } from 'vitest'
import { topupPresets, typedPaise } from './amounts.ts'

test('a typed amount is exact paise or undefined, and never zero', () => {
  expect(typedPaise('19.99')).toBe(1999n)
  expect(typedPaise('Rs. 20')).toBe(2000n)
  for (const none of ['', '0', '0.00', '.', '20,50', '1.234', 'ten']) expect(typedPaise(none)).toBeUndefined()
})

test('the preset amounts follow the limits of one top-up', () => {
  expect(topupPresets(10, 30)).toEqual([10, 20, 30])
  expect(topupPresets(10, 500)).toEqual([10, 260, 500])
  expect(topupPresets(1, 5)).toEqual([1, 5])
  expect(topupPresets(20, 20)).toEqual([20])
})
