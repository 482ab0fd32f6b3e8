/**
 * Sends tables as CSV, read while they are sent.
 * - The first row names the columns.
 * - Rows are read while the client takes them: a slow client slows the reading.
 */
import { Readable } from 'node:stream'
import type { CsvTable } from '@roz/contract/endpoint.ts'
import { BYTE_ORDER_MARK, csvLine } from '@roz/core/csv.ts'
import type { FastifyReply } from 'fastify'

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
