import fc from 'fast-check'
import { expect, test } from 'vitest'
import { apportion, decimalText, formatPaise, paise, paiseFromRupees, rupeesFromPaise } from './money.ts'
import { policyB, POLICY_A, shares, taxOn } from './split.ts'

const anyPaise = fc.bigInt({ min: 0n, max: 10_000_000_000n }).map(paise)

test('rupees are converted to paise by their decimal text, never by multiplication', () => {
  expect(paiseFromRupees(19.99)).toBe(1999n)
  expect(paiseFromRupees(0.07)).toBe(7n)
  expect(paiseFromRupees(1.1)).toBe(110n)
  expect(paiseFromRupees(30)).toBe(3000n)
})

test('an amount that is not finite or has more than two decimals is not converted', () => {
  for (const value of [0.001, 1.005, 1e21, 1e-7, Number.NaN, Number.POSITIVE_INFINITY]) expect(paiseFromRupees(value)).toBeUndefined()
})

test('an amount converted to rupees and back is the same', () => {
  fc.assert(fc.property(anyPaise, (amount) => paiseFromRupees(rupeesFromPaise(amount)) === amount))
})

test('money is shown with the rupee sign, Indian grouping and always two decimals', () => {
  expect(formatPaise(paise(1250n))).toBe('₹12.50')
  expect(formatPaise(paise(0n))).toBe('₹0.00')
  expect(formatPaise(paise(123456789n))).toBe('₹12,34,567.89')
  expect(decimalText(paise(-5n))).toBe('-0.05')
})

test('a pot is cut without losing a paisa, and the remainder goes to the first part', () => {
  const weights = fc
    .array(fc.bigInt({ min: 0n, max: 100n }), { minLength: 1, maxLength: 5 })
    .filter((list) => list.some((weight) => weight > 0n))
  fc.assert(
    fc.property(anyPaise, weights, (pot, list) => {
      const parts = apportion(pot, list)
      expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(pot)
      for (const [index, part] of parts.entries()) if (index > 0) expect(part <= pot).toBe(true)
    }),
  )
  expect(apportion(paise(101n), [60n, 30n, 10n])).toEqual([61n, 30n, 10n])
})

test('one rupee is 60 paise of help, 30 of reward and 10 for the platform', () => {
  expect(shares(paise(100n), 1, POLICY_A)).toEqual({ need: 60n, platform: 10n, prize: 30n, reward: 30n, winners: 1 })
})

test('policy B gives 70% to help and shares 30% equally, and indivisible paise go to help', () => {
  expect(shares(paise(700n), 7, policyB(3))).toEqual({ need: 490n, platform: 0n, prize: 70n, reward: 210n, winners: 3 })
  expect(shares(paise(500n), 5, policyB(4))).toEqual({ need: 352n, platform: 0n, prize: 37n, reward: 148n, winners: 4 })
  expect(shares(paise(200n), 2, policyB(3)).winners).toBe(2)
})

test('the policies carry the names that the protocol and the screens read', () => {
  expect([POLICY_A.name, policyB(2).name]).toEqual(['A', 'B'])
})

test('a prize of exactly the limit is not taxed; one paisa more is taxed as a whole', () => {
  const tax = { percent: 30, above: paise(1_000_000n) }
  expect([999_999n, 1_000_000n, 1_000_001n].map((prize) => taxOn(paise(prize), tax))).toEqual([0n, 0n, 300_000n])
})

test('need, reward and platform add up to the pool, for any pool and policy', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_000_000 }), fc.integer({ min: 1, max: 50 }), fc.boolean(), (entries, winners, b) => {
      const pool = paise(BigInt(entries) * 100n)
      const cut = shares(pool, entries, b ? policyB(winners) : POLICY_A)
      return cut.need + cut.reward + cut.platform === pool && cut.prize * BigInt(cut.winners) === cut.reward
    }),
  )
})
