/**
 * Reads a bank statement from a CSV file by the account's mapping.
 * - Title rows above the header and the summary below the table are passed over. A row of the table that cannot be read refuses the file.
 * - The lines are put oldest first; each balance must be the one before it and the line's amount.
 * - Words of a line never reach a refusal: it names the row.
 */
import { readCells } from '@roz/core/csv-reader.ts'
import { type IstDay, parseDay } from '@roz/core/ist-day.ts'
import { formatPaise, paise } from '@roz/core/money.ts'
import type { DateFormat, StatementMapping } from '@roz/core/statement-fields.ts'
import type { Refusal } from '../../../http/route.ts'
import { type MoneyCell, readMoneyCell } from './money-cell.ts'

/** `amount`: above zero came in. `balance`: after the line. `row`: as a spreadsheet counts. */
export type StatementLine = {
  readonly row: number
  readonly day: IstDay
  readonly amount: bigint
  readonly balance: bigint
  readonly words: string
}
export type Statement = { readonly lines: readonly [StatementLine, ...StatementLine[]]; readonly opening: bigint; readonly closing: bigint }
export type FileRefusal =
  | 'statement_too_large'
  | 'statement_no_table'
  | 'statement_no_header'
  | 'statement_empty'
  | 'statement_date'
  | 'statement_amount'
  | 'statement_order'
  | 'statement_balance'
  | 'statement_after_end'
type Read<T, C extends FileRefusal = FileRefusal> = { readonly ok: true; readonly value: T } | Refusal<C>

const ROWS_MAX = 10_000
const HEADER_WITHIN = 60
const WORDS_MAX = 500
const DELIMITERS = [',', '\t', ';', '|']

const refuse = <const C extends FileRefusal>(code: C, values: Readonly<Record<string, string>> = {}): Refusal<C> => ({
  ok: false,
  code,
  values,
})
const atRow = <const C extends FileRefusal>(code: C, row: number, more: Readonly<Record<string, string>> = {}): Refusal<C> =>
  refuse(code, { row: String(row), ...more })

/** One reading; two of a file of one day whose balances add up from either end. */
type Readings = readonly [Statement, ...Statement[]]

export function readStatement(bytes: Buffer, mapping: StatementMapping): Read<Readings> {
  const text = textOf(bytes)
  if (text === undefined) return refuse('statement_no_table')
  const table = tableOf(text, mapping)
  if (!table.ok) return table
  const rows = readRows(table.value, mapping.dateFormat)
  if (!rows.ok) return rows
  return chained(rows.value)
}

/** Excel's own files and PDF have signs that no text has. Older exports are Windows-1252. */
function textOf(bytes: Buffer): string | undefined {
  const decode = (label: string): string => new TextDecoder(label, { fatal: true }).decode(bytes)
  try {
    const text = bytes[0] === 0xff && bytes[1] === 0xfe ? decode('utf-16le') : utf8Or1252(decode)
    return text.includes('\0') || text.startsWith('PK\u0003') || text.startsWith('%PDF') ? undefined : text
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}
function utf8Or1252(decode: (label: string) => string): string {
  try {
    return decode('utf-8')
  } catch {
    return decode('windows-1252')
  }
}

type Table = {
  /** The rows below the header, with the number of the first one. */
  readonly rows: readonly (readonly string[])[]
  readonly first: number
  readonly width: number
  readonly cell: (row: readonly string[], name: keyof StatementMapping) => string
}

const plainName = (name: string): string => name.trim().replace(/\s+/g, ' ').toLowerCase()

function tableOf(
  text: string,
  mapping: StatementMapping,
): Read<Table, 'statement_no_table' | 'statement_no_header' | 'statement_too_large'> {
  const { dateFormat: _, ...columns } = mapping
  const names = Object.values(columns).filter((name) => name !== '')
  let isOpen = false
  for (const delimiter of DELIMITERS) {
    const rows = readCells(text, delimiter)
    if (rows === undefined) {
      isOpen = true
      continue
    }
    if (rows.length > ROWS_MAX) return refuse('statement_too_large')
    const at = rows.slice(0, HEADER_WITHIN).findIndex((row) => {
      const cells = row.map(plainName)
      return names.every((name) => cells.includes(plainName(name)))
    })
    const header = rows[at]?.map(plainName)
    if (header === undefined) continue
    const place = new Map(Object.entries(columns).map(([key, name]) => [key, name === '' ? -1 : header.indexOf(plainName(name))]))
    return {
      ok: true,
      value: {
        rows: rows.slice(at + 1),
        first: at + 2,
        width: header.length,
        cell: (row, name) => row[place.get(name) ?? -1]?.trim() ?? '',
      },
    }
  }
  return isOpen ? refuse('statement_no_table') : refuse('statement_no_header', { columns: names.join(', ') })
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
/** A time of day may follow. */
const PATTERNS: Readonly<Record<DateFormat, RegExp>> = {
  'dd/mm/yyyy': /^(?<d>\d{1,2})[-/. ](?<m>\d{1,2})[-/. ](?<y>\d{4}|\d{2})(?:[ T]\d{1,2}:\d{2}.*)?$/,
  'dd-MMM-yyyy': /^(?<d>\d{1,2})[-/. ]?(?<m>[A-Za-z]{3,9})[-/., ]{0,2}(?<y>\d{4}|\d{2})(?:[ T]\d{1,2}:\d{2}.*)?$/,
  'yyyy-mm-dd': /^(?<y>\d{4})[-/. ](?<m>\d{1,2})[-/. ](?<d>\d{1,2})(?:[ T]\d{1,2}:\d{2}.*)?$/,
}

export function readDay(text: string, format: DateFormat): IstDay | undefined {
  const { d = '', m = '', y = '' } = PATTERNS[format].exec(text)?.groups ?? {}
  const month = format === 'dd-MMM-yyyy' ? String(MONTHS.indexOf(m.slice(0, 3).toLowerCase()) + 1) : m
  return parseDay(`${y.length === 2 ? `20${y}` : y}-${month.padStart(2, '0')}-${d.padStart(2, '0')}`)
}

/** The table ends with the first row that has words in the column of the date but no money, such as `STATEMENT SUMMARY`. */
function readRows(
  table: Table,
  format: DateFormat,
): Read<StatementLine[], 'statement_date' | 'statement_amount' | 'statement_after_end' | 'statement_empty'> {
  const lines: StatementLine[] = []
  let hasEnded = false
  for (const [index, cells] of table.rows.entries()) {
    const row = table.first + index
    const date = table.cell(cells, 'date')
    const day = readDay(date, format)
    const money = moneyOf(table, cells)
    if (hasEnded) {
      if (day !== undefined && typeof money.balance === 'object') return atRow('statement_after_end', row)
      continue
    }
    if (day === undefined) {
      if (Object.values(money).some((one) => typeof one === 'object')) return atRow('statement_date', row, { format })
      hasEnded = lines.length > 0 && date !== ''
      continue
    }
    const line = readLine(table, cells, money)
    if (line === undefined) return atRow('statement_amount', row)
    lines.push({ row, day, ...line })
  }
  return lines.length === 0 ? refuse('statement_empty') : { ok: true, value: lines }
}

type Money = Readonly<Record<'debit' | 'credit' | 'amount' | 'balance', MoneyCell>>

function moneyOf(table: Table, cells: readonly string[]): Money {
  const read = (name: keyof Money): MoneyCell => readMoneyCell(table.cell(cells, name))
  return { debit: read('debit'), credit: read('credit'), amount: read('amount'), balance: read('balance') }
}

/** Amount zero: a row that only says the balance. */
function readLine(table: Table, cells: readonly string[], money: Money): Pick<StatementLine, 'amount' | 'balance' | 'words'> | undefined {
  const { balance } = money
  const isWide = cells.slice(table.width).some((cell) => cell.trim() !== '')
  if (typeof balance !== 'object' || isWide) return undefined
  const amount = amountOf(money, table.cell(cells, 'mark'))
  if (amount === undefined) return undefined
  const words = [table.cell(cells, 'description'), table.cell(cells, 'reference')].map((text) => text.replace(/\s+/g, ' '))
  return {
    amount,
    balance: balance.paise,
    words: words
      .filter((text) => text !== '')
      .join('\n')
      .slice(0, WORDS_MAX),
  }
}

/** `word`: what the column of Dr or Cr says. */
function amountOf({ debit, credit, amount }: Money, word: string): bigint | undefined {
  if (debit === undefined || credit === undefined || amount === undefined) return undefined
  if (typeof amount === 'object') {
    const mark = /^\W*(cr|c|credit|deposit|dr|d|debit|withdrawal)\b/i.exec(word)?.[1]?.toLowerCase()
    if (mark === undefined) return word === '' ? amount.paise : undefined
    const size = amount.paise < 0n ? -amount.paise : amount.paise
    return mark.startsWith('c') || mark === 'deposit' ? size : -size
  }
  const [out, into] = [debit, credit].map((one) => (one === 'blank' ? 0n : one.paise)) as [bigint, bigint]
  const size = out < 0n ? -out : out
  const isMarkedWrong = (debit !== 'blank' && debit.mark === 'cr') || into < 0n
  return isMarkedWrong || (size !== 0n && into !== 0n) ? undefined : into - size
}

type ChainRefusal = 'statement_order' | 'statement_balance' | 'statement_empty'

/** Puts the rows oldest first, and adds up their balances. */
function chained(rows: readonly StatementLine[]): Read<Readings, ChainRefusal> {
  const [first, last] = [rows[0], rows.at(-1)] as [StatementLine, StatementLine]
  if (first.day > last.day) return readingsOf(chain(rows.toReversed()))
  const forward = chain(rows)
  if (first.day < last.day) return readingsOf(forward)
  const backward = chain(rows.toReversed())
  return forward.ok ? readingsOf(forward, backward) : backward.ok ? readingsOf(backward) : forward
}

function readingsOf(one: Read<Statement, ChainRefusal>, other?: Read<Statement, ChainRefusal>): Read<Readings, ChainRefusal> {
  if (!one.ok) return one
  return { ok: true, value: [one.value, ...(other?.ok === true ? [other.value] : [])] }
}

/** Rows without an amount only confirm a balance. */
function chain(ordered: readonly StatementLine[]): Read<Statement, ChainRefusal> {
  const early = ordered.find((line, index) => index > 0 && line.day < (ordered[index - 1] as StatementLine).day)
  if (early !== undefined) return atRow('statement_order', early.row)
  const broken = findBreak(ordered)
  if (broken !== undefined) {
    const { line, expected } = broken
    return atRow('statement_balance', line.row, { expected: formatPaise(paise(expected)), found: formatPaise(paise(line.balance)) })
  }
  const [start, ...rest] = ordered.filter(({ amount }) => amount !== 0n)
  if (start === undefined) return refuse('statement_empty')
  return { ok: true, value: { lines: [start, ...rest], opening: start.balance - start.amount, closing: (rest.at(-1) ?? start).balance } }
}

function findBreak(rows: readonly StatementLine[]): { readonly line: StatementLine; readonly expected: bigint } | undefined {
  for (const [index, line] of rows.entries()) {
    const before = rows[index - 1]
    if (before !== undefined && before.balance + line.amount !== line.balance) return { line, expected: before.balance + line.amount }
  }
  return undefined
}
