/**
 * Lines of CSV (RFC 4180), for a spreadsheet.
 * - A text that a spreadsheet would run as a formula, or read as a number, gets a leading apostrophe: an account's last four digits
 *   keep their zeros, a bank reference all its digits. A number is a number.
 */
export type Cell = string | number | boolean | null | undefined

/** The first character of a file: without it Excel reads Hindi as Latin letters. */
export const BYTE_ORDER_MARK = '\ufeff'
/** Full-width signs and leading spaces too: some programs read them as the plain sign. */
const FORMULA_START = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/u
/** Also `12E5`, which is 1200000, and digits of other scripts. */
const NUMBER = /^\s*\p{Nd}[\p{Nd}\s.,]*(?:e[+-]?\p{Nd}+)?\s*$/iu

function cellOf(value: Cell): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string') return String(value)
  const text = FORMULA_START.test(value) || NUMBER.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export const csvLine = (cells: readonly Cell[]): string => `${cells.map(cellOf).join(',')}\r\n`
