/**
 * Money as whole paise in a branded bigint; the API uses rupees as JSON numbers.
 * - No float ever takes part in a sum.
 * - Rupees are converted to paise by their shortest decimal text, never by multiplication: 19.99 * 100 is not 1999.
 */
import { formatRupees } from './numbers.ts'

export type Paise = bigint & { readonly __unit: 'paise' }

export const paise = (amount: bigint): Paise => amount as Paise
export const wholeRupees = (amount: number): Paise => paise(BigInt(amount) * 100n)
export const ZERO = paise(0n)
/** The one currency of the books: an amount in another currency is never credited to a member. */
export const CURRENCY = 'INR'
/** The stake of one round: one rupee. */
export const ENTRY_FEE = paise(100n)

const RUPEES = /^(-?)(\d+)(?:\.(\d{1,2}))?$/

/** Exact paise of a rupee number; undefined if it has more than two decimals or is not finite. */
export function paiseFromRupees(amount: number): Paise | undefined {
  const match = RUPEES.exec(String(amount))
  if (match === null) return undefined
  const [, sign, whole, cents = ''] = match
  const total = BigInt(whole as string) * 100n + BigInt(cents.padEnd(2, '0'))
  return paise(sign === '-' ? -total : total)
}

/** `12.50`: the decimal text of an amount, always two decimals. */
export function decimalText(amount: Paise): string {
  const sign = amount < 0n ? '-' : ''
  const digits = (amount < 0n ? -amount : amount).toString().padStart(3, '0')
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** The JSON number of an amount, for display only. Exact up to 2^53 paise; never used in a sum. */
export const rupeesFromPaise = (amount: Paise): number => Number(decimalText(amount))

/** `₹1,23,456.50`: en-IN, always two decimals. */
export const formatPaise = (amount: Paise): string => formatRupees(decimalText(amount) as Intl.StringNumericLiteral)
/** A limit in a sentence: `₹10`, or `₹10.50` if there are paise. */
export const formatLimit = (amount: Paise): string => formatPaise(amount).replace(/\.00$/, '')

/**
 * Cuts a pot by weights without losing a paisa: each part is rounded down, and the remainder goes to the first part.
 * Callers put the need share first.
 */
export function apportion(pot: Paise, weights: readonly bigint[]): Paise[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0n)
  if (pot < 0n || total <= 0n || weights.some((weight) => weight < 0n)) throw new RangeError('apportion: bad pot or weights')
  const parts = weights.map((weight) => (pot * weight) / total)
  const rest = pot - parts.reduce((sum, part) => sum + part, 0n)
  return parts.map((part, index) => paise(index === 0 ? part + rest : part))
}
