import { paise } from '@roz/core/money.ts'
import { expect, test } from 'vitest'
import { describe } from './descriptions.ts'

const bank = 'HDFC Bank ••9012'
test('a reward from which tax was withheld says how much', () => {
  const won = { kind: 'prize', day: '2026-03-04', bank: undefined, tax: paise(3120n) } as const
  expect(describe(won, 'en')).toBe('Reward from the round of 4 Mar 2026, after ₹31.20 tax')
  expect(describe(won, 'hi')).toBe('4 मार्च 2026 के राउंड का इनाम, ₹31.20 टैक्स काटकर')
  expect(describe({ ...won, tax: paise(0n) }, 'en')).toBe('Reward from the round of 4 Mar 2026')
})

test.each([
  ['join', 'Joined the round of 4 Mar 2026', '4 मार्च 2026 के राउंड में जुड़े'],
  ['prize', 'Reward from the round of 4 Mar 2026', '4 मार्च 2026 के राउंड का इनाम'],
  ['round_refund', 'Returned from the round of 4 Mar 2026', '4 मार्च 2026 के राउंड से लौटा'],
  ['wd_hold', `Withdrawal to ${bank}`, `${bank} में निकासी`],
  ['wd_back', `Withdrawal to ${bank} returned`, `${bank} की निकासी लौट आई`],
  ['debt_paid', 'Paid for a payment the bank took back', 'बैंक के वापस लिए पेमेंट की बाकी रकम चुकाई गई'],
  ['wd_reversed', `Withdrawal to ${bank} returned by the bank`, `${bank} की निकासी बैंक ने लौटाई`],
] as const)('a transaction of kind %s reads: %s', (kind, en, hi) => {
  const movement = { kind, day: '2026-03-04', bank }
  expect(describe(movement, 'en')).toBe(en)
  expect(describe(movement, 'hi')).toBe(hi)
})

test('a bank’s name from right to left is isolated: its digits and the words around stay in their order', () => {
  const movement = { kind: 'wd_back', day: undefined, bank: 'نیشنل بینک ••9012' } as const
  expect(describe(movement, 'en')).toBe('Withdrawal to \u2068نیشنل بینک ••9012\u2069 returned')
})
