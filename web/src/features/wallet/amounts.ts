/** Reads typed amounts as exact paise. Money is never a floating-point sum on its way. */
import { type Paise, paiseFromRupees } from '@roz/core/money.ts'

/** The preset amounts in rupees: the least, the most and one between them. With the default limits: 10, 20 and 30. */
export const topupPresets = (min: number, max: number): readonly number[] => {
  const between = Math.round((min + max) / 20) * 10
  return [...new Set(between > min && between < max ? [min, between, max] : [min, max])]
}

/** Keeps digits, one decimal point and at most two decimals, so that a field never contains an invalid number. */
export function amountDraft(text: string): string {
  const [whole = '', ...rest] = text.replace(/[^\d.]/g, '').split('.')
  const cut = whole.slice(0, 7)
  return rest.length === 0 ? cut : `${cut}.${rest.join('').slice(0, 2)}`
}

/** The paise of a typed amount, or undefined if the text is no positive amount. */
export function typedPaise(text: string): Paise | undefined {
  const trimmed = text.trim()
  if (!/^\d+(\.\d{1,2})?$|^\.\d{1,2}$/.test(trimmed)) return undefined
  const amount = paiseFromRupees(Number(trimmed))
  return amount === undefined || amount <= 0n ? undefined : amount
}

/** Keeps only digits, at most `max` of them. */
export const digitsOnly = (text: string, max: number): string => text.replace(/\D/g, '').slice(0, max)

/** Keeps the ten digits of a mobile number. A pasted or autofilled country code or leading 0 is removed. */
export function phoneDraft(text: string): string {
  const digits = text.replace(/\D/g, '')
  return (/^(?:91|0)([6-9]\d{9})$/.exec(digits)?.[1] ?? digits).slice(0, 10)
}

/** Keeps at most 11 letters and digits, in upper case. */
export const ifscDraft = (text: string): string =>
  text
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '')
    .slice(0, 11)
