/** Tables as CSV: quoting, formulas, and pages that are read one after the other. */
import { expect, test } from 'vitest'
import { csvLine } from '@roz/core/csv.ts'
import { csvRows } from './csv-rows.ts'

test('a cell with a comma, a quote or a line break is quoted; quotes inside are doubled', () => {
  expect(csvLine(['a,b', 'say "hi"', 'two\nlines', 'plain', 12.5, true])).toBe('"a,b","say ""hi""","two\nlines",plain,12.5,true\r\n')
})

test('a missing value is an empty cell', () => {
  expect(csvLine([null, undefined, '', 0])).toBe(',,,0\r\n')
})

test.each(['=1+1', '+91 98765', '-2', '@SUM(A1)', '\tx', '\rx', '\n=1+1', ' =1+1', '＝1+1', '＠SUM(A1)'])(
  'the text %j, which a spreadsheet would run, gets an apostrophe',
  (text) => {
    expect(csvLine([text]).replaceAll('"', '').trim()).toBe(`'${text}`.trim())
  },
)

test.each(['0008', '123456789012', '12E5', '1.5', '1,000', ' 7 ', '०००८'])(
  'the text %j, which a spreadsheet would read as a number, gets an apostrophe',
  (text) => {
    expect(csvLine([text]).replaceAll('"', '').trimEnd()).toBe(`'${text}`.trimEnd())
  },
)

test.each(['HDFC0001', '2026-11-21', '2026-11-21T10:00:00+05:30', 'E5', 'asha@x.test'])('the text %j stays as it is', (text) => {
  expect(csvLine([text])).toBe(`${text}\r\n`)
})

test('a negative number stays a number', () => {
  expect(csvLine([-2])).toBe('-2\r\n')
})

test('a list of several pages is read to its end, each row once', async () => {
  const all = Array.from({ length: 2_345 }, (_, index) => index)
  const asked: (string | undefined)[] = []
  const rows = csvRows<number>(
    async ({ after, limit }) => {
      asked.push(after?.[0])
      return all.filter((row) => after === undefined || row > Number(after[0])).slice(0, limit + 1)
    },
    (row) => [String(row)],
    (row) => [row],
  )
  const seen: unknown[] = []
  for await (const [cell] of rows) seen.push(cell)
  expect(seen).toEqual(all)
  expect(asked).toEqual([undefined, '999', '1999'])
})
