/**
 * The one format of counts and rupees, in every language: Indian groups, and rupees with ₹ and always two decimals.
 * Each format is made when it is first used: that takes 100 ms on a slow phone.
 */
type Format = (value: number | Intl.StringNumericLiteral) => string
const made = (options?: Intl.NumberFormatOptions): Format => {
  let format: Intl.NumberFormat | undefined
  return (value) => (format ??= new Intl.NumberFormat('en-IN', options)).format(value)
}
/** `1,23,456`. */
export const formatCount: Format = made()
/** `₹1,23,456.50`. */
export const formatRupees: Format = made({ style: 'currency', currency: 'INR' })
