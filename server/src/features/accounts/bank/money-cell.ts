/** Reads an amount of a bank statement: Indian or western commas, a sign, brackets, or Dr and Cr before or after it. */

/** `mark`: the cell itself says Dr or Cr. A blank cell has no amount. */
export type MoneyCell = { readonly paise: bigint; readonly mark: 'dr' | 'cr' | undefined } | 'blank' | undefined

const NUMBER = /^(\d+|\d{1,2}(?:,\d{2})*,\d{3}|\d{1,3}(?:,\d{3})+)(?:\.(\d{1,2})0*)?$/
const MARK = /^\(?(cr|dr)\.?\)?\s*|\s*\(?(cr|dr)\.?\)?$/i
const CURRENCY = /^(?:₹|rs\.?|inr)\s*/i
const DIGITS_MAX = 14

export function readMoneyCell(cell: string): MoneyCell {
  const text = cell.trim()
  if (/^[-–—]*$/.test(text)) return 'blank'
  const found = MARK.exec(text)
  const mark = (found?.[1] ?? found?.[2])?.toLowerCase() as 'dr' | 'cr' | undefined
  const bare = (found === null ? text : text.replace(MARK, '')).trim().replace(CURRENCY, '')
  const isNegative = /^[-–−]|^\(.*\)$|-$/.test(bare)
  const number = bare.replace(/^[-+–−(]\s*|[-)]$/g, '').replace(CURRENCY, '')
  const [, whole, cents = ''] = NUMBER.exec(number) ?? []
  if (whole === undefined || (isNegative && mark === 'cr')) return undefined
  const digits = whole.replaceAll(',', '')
  if (digits.length > DIGITS_MAX) return undefined
  const size = BigInt(`${digits}${cents.padEnd(2, '0')}`)
  return { paise: isNegative || mark === 'dr' ? -size : size, mark }
}
