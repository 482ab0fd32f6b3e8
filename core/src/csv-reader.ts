/**
 * Reads the cells of a table of delimited text (RFC 4180).
 * - A cell begins with a quote, or has none that means anything: `12" pipe` is a text.
 * - Undefined: a quote is never closed, so rows after it would be lost.
 */
export function readCells(text: string, delimiter: string): string[][] | undefined {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let isQuoted = false
  const end = (): void => {
    row.push(cell)
    cell = ''
  }
  const plain = text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n')
  for (let at = 0; at < plain.length; at++) {
    const sign = plain[at] as string
    if (isQuoted) {
      if (sign !== '"') cell += sign
      else if (plain[at + 1] === '"') {
        cell += '"'
        at++
      } else isQuoted = false
    } else if (sign === '"' && cell.trim() === '') {
      cell = ''
      isQuoted = true
    } else if (sign === delimiter) end()
    else if (sign === '\n') {
      end()
      rows.push(row)
      row = []
    } else cell += sign
  }
  if (isQuoted) return undefined
  if (cell !== '' || row.length > 0) {
    end()
    rows.push(row)
  }
  return rows
}
