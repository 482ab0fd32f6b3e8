/** What people type into an amount field, read as exact paise (money is never a float on its way). */
import { type Paise, paiseFromRupees } from '@roz/core/money.ts'

/** The least, the most and one between of what can be added at a time, in rupees: 10, 20 and 30 with the default limits. */
export const topupPresets = (min: number, max: number): readonly number[] => {
  const between = Math.round((min + max) / 20) * 10
  return [...new Set(between > min && between < max ? [min, between, max] : [min, max])]
}

/** Keeps digits and one decimal point with at most two places, so that a field never holds half a number. */
export function amountDraft(text: string): string {
  const [whole = '', ...rest] = text.replace(/[^\d.]/g, '').split('.')
  const cut = whole.slice(0, 7)
  return rest.length === 0 ? cut : `${cut}.${rest.join('').slice(0, 2)}`
}

/** Paise of a typed amount; undefined when it is none. */
export function typedPaise(text: string): Paise | undefined {
  const trimmed = text.trim()
  if (!/^\d+(\.\d{1,2})?$|^\.\d{1,2}$/.test(trimmed)) return undefined
  const amount = paiseFromRupees(Number(trimmed))
  return amount === undefined || amount <= 0n ? undefined : amount
}

/** Digits only, at most so many: the account number of the spec (section 5). */
export const digitsOnly = (text: string, max: number): string => text.replace(/\D/g, '').slice(0, max)

/** A mobile number: digits only, ten of them. What is pasted or filled in with the country's code, or a 0, goes without it. */
export function phoneDraft(text: string): string {
  const digits = text.replace(/\D/g, '')
  return (/^(?:91|0)([6-9]\d{9})$/.exec(digits)?.[1] ?? digits).slice(0, 10)
}

/** An IFSC as it is typed: upper case, letters and digits, 11 at most. */
export const ifscDraft = (text: string): string =>
  text
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '')
    .slice(0, 11)
