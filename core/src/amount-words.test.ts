import fc from 'fast-check'
import { expect, test } from 'vitest'
import { amountInWords } from './amount-words.ts'
import { paise } from './money.ts'

test.each([
  [0n, 'Zero rupees only', 'शून्य रुपये मात्र'],
  [1n, 'One paisa only', 'एक पैसा मात्र'],
  [30n, 'Thirty paise only', 'तीस पैसे मात्र'],
  [100n, 'One rupee only', 'एक रुपया मात्र'],
  [1_300n, 'Thirteen rupees only', 'तेरह रुपये मात्र'],
  [4_250n, 'Forty-two rupees and fifty paise only', 'बयालीस रुपये पचास पैसे मात्र'],
  [36_500n, 'Three hundred sixty-five rupees only', 'तीन सौ पैंसठ रुपये मात्र'],
  [
    12_345_678n,
    'One lakh twenty-three thousand four hundred fifty-six rupees and seventy-eight paise only',
    'एक लाख तेईस हज़ार चार सौ छप्पन रुपये अठहत्तर पैसे मात्र',
  ],
  [10_000_000_000n, 'Ten crore rupees only', 'दस करोड़ रुपये मात्र'],
])('%s paise in words', (amount, en, hi) => {
  expect([amountInWords(paise(amount), 'en'), amountInWords(paise(amount), 'hi')]).toEqual([en, hi])
})

test('two different amounts never have the same words, in either language', () => {
  const amount = fc.bigInt({ min: 0n, max: 10n ** 14n })
  fc.assert(
    fc.property(amount, amount, (a, b) => {
      for (const language of ['en', 'hi'] as const)
        expect(amountInWords(paise(a), language) === amountInWords(paise(b), language)).toBe(a === b)
    }),
  )
  const small = Array.from({ length: 10_000 }, (_, index) => paise(BigInt(index)))
  for (const language of ['en', 'hi'] as const) expect(new Set(small.map((one) => amountInWords(one, language))).size).toBe(10_000)
})
