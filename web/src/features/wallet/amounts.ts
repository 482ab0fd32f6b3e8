/** The amounts of the wallet's forms, as exact paise. */
import type { Paise } from '@roz/core/money.ts'
import { readAmount } from '@roz/core/typed-money.ts'

/** The preset amounts in rupees: the least, the most and one between them. With the default limits: 10, 20 and 30. */
export const topupPresets = (min: number, max: number): readonly number[] => {
  const between = Math.round((min + max) / 20) * 10
  return [...new Set(between > min && between < max ? [min, between, max] : [min, max])]
}

/** The paise of a typed amount, or undefined if the text is no positive amount. */
export function typedPaise(text: string): Paise | undefined {
  const amount = readAmount(text)
  return amount === undefined || amount <= 0n ? undefined : amount
}
