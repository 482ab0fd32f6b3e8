/** Formats amounts: ₹, en-IN grouping and two decimals, in every language. */
import { formatRupees } from '@roz/core/numbers.ts'

/** `₹1,23,456.50` as plain text, for sentences and table cells. */
export const formatMoney = (rupees: number): string => formatRupees(rupees)

/** An amount in the currency that the gateway reported: `USD 10.00`. */
export const formatForeign = (amount: number, currency: string): string =>
  currency === 'INR' ? formatMoney(amount) : `${currency} ${amount.toFixed(2)}`

/** Paise of a rupee: whole, or with two decimals where a share has a fraction. */
export const paiseText = (paise: number): string => paise.toFixed(2).replace(/\.00$/, '')

/** An amount in the display typeface, with smaller paise. */
export function Money({ amount, className }: { readonly amount: number; readonly className?: string }) {
  const text = formatMoney(amount)
  return (
    <span className={className === undefined ? 'money' : `money ${className}`}>
      {text.slice(0, -3)}
      <i>{text.slice(-3)}</i>
    </span>
  )
}
