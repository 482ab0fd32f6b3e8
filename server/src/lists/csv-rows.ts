/** Reads the rows of a CSV table in keyset pages, each a statement of its own: no transaction stays open while a client reads. */
import type { Cell } from '@roz/core/csv.ts'
import type { Cursor } from './cursor.ts'

const ROWS_PER_PAGE = 1000

/** The cells of a whole list, read in keyset pages. `read` may return one row more than `limit`. */
export async function* csvRows<Row>(
  read: (page: { readonly after: Cursor | undefined; readonly limit: number }) => Promise<readonly Row[]>,
  keyOf: (row: Row) => Cursor,
  cellsOf: (row: Row) => readonly Cell[],
): AsyncGenerator<readonly Cell[]> {
  for (let after: Cursor | undefined; ; ) {
    const page = (await read({ after, limit: ROWS_PER_PAGE })).slice(0, ROWS_PER_PAGE)
    for (const row of page) yield cellsOf(row)
    const last = page.at(-1)
    if (last === undefined || page.length < ROWS_PER_PAGE) return
    after = keyOf(last)
  }
}
