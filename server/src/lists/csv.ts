/**
 * Sends tables as CSV (RFC 4180), read while they are sent.
 * - The first row names the columns. The file starts with a byte order mark, without which Excel reads Hindi as Latin letters.
 * - A text that a spreadsheet would run as a formula, or read as a number, gets a leading apostrophe: an account's last four digits
 *   keep their zeros, a bank reference all its digits. A number is a number.
 * - Rows are read while the client takes them: a slow client slows the reading.
 */
import { Readable } from 'node:stream'
import type { CsvTable } from '@roz/contract/endpoint.ts'
import type { FastifyReply } from 'fastify'

export type Cell = string | number | boolean | null | undefined

const BYTE_ORDER_MARK = '\ufeff'
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

const LINES_AT_ONCE = 500

async function* textOf({ columns, rows }: CsvTable): AsyncGenerator<string> {
  let text = BYTE_ORDER_MARK + csvLine(columns)
  let lines = 0
  for await (const row of rows) {
    text += csvLine(row)
    if (++lines % LINES_AT_ONCE > 0) continue
    yield text
    text = ''
  }
  yield text
}

/** Sends the table as a file named after the last word of the call's path. */
export const sendCsv = (reply: FastifyReply, path: string, table: CsvTable): FastifyReply =>
  reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${path.split('/').at(-1)}"`)
    .send(Readable.from(textOf(table), { objectMode: false }))
