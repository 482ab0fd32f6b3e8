import { expect, test } from 'vitest'
import { formatCount, formatRupees } from './numbers.ts'

test('counts have Indian groups, and rupees two decimals', () => {
  expect([formatCount(1_234_567), formatCount(999)]).toEqual(['12,34,567', '999'])
  expect([formatRupees(1020), formatRupees(0.5), formatRupees(1_234_567.8)]).toEqual(['₹1,020.00', '₹0.50', '₹12,34,567.80'])
})
