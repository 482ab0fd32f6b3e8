/** Statements of four Indian banks are read by a mapping, and a file that cannot be read whole is refused by its row. */
import { describe, expect, test } from 'vitest'
import { readMoneyCell } from './money-cell.ts'
import { readDay, readStatement } from './statement-file.ts'
import { AXIS, AXIS_FILE, HDFC, HDFC_FILE, ICICI, ICICI_FILE, SBI, SBI_FILE } from './testing/samples.ts'

const read = (text: string, mapping = HDFC) => readStatement(Buffer.from(text), mapping)

test.each([
  ['SBI', SBI_FILE, SBI],
  ['HDFC', HDFC_FILE, HDFC],
  ['ICICI', ICICI_FILE, ICICI],
  ['Axis', AXIS_FILE, AXIS],
])('a statement of %s is two lines, oldest first', (_, file, mapping) => {
  const found = read(file, mapping)
  if (!found.ok) throw new Error(`${found.code} ${JSON.stringify(found.values)}`)
  const [{ lines, opening, closing }] = found.value
  expect([opening, closing]).toEqual([100_000n, 12_395_678n])
  expect(lines.map(({ day, amount, balance }) => [day, amount, balance])).toEqual([
    ['2026-11-01', 12_345_678n, 12_445_678n],
    ['2026-11-02', -50_000n, 12_395_678n],
  ])
  expect(lines[0].words).toContain('YESBN12026110112345')
  expect(lines[1]?.words).toContain('630512345678')
})

test('amounts are read with Indian or western commas, signs, brackets, Dr and Cr; another comma is refused', () => {
  const paise = (cell: string) => {
    const found = readMoneyCell(cell)
    return typeof found === 'object' ? found.paise : found
  }
  expect(['1,23,456.78', '123456.78', '123,456.78', '₹ 1,23,456.78', 'Rs. 1,23,456.78 Cr', 'INR 1,23,456.7800'].map(paise)).toEqual(
    Array.from({ length: 6 }, () => 12_345_678n),
  )
  expect(['-500', '500.00 Dr', '(500.00)', '500-', '500.0 DR.', 'Dr 500', '500.00(Dr)'].map(paise)).toEqual(
    Array.from({ length: 7 }, () => -50_000n),
  )
  expect(['', ' ', '-', '—'].map(paise)).toEqual(Array.from({ length: 4 }, () => 'blank'))
  for (const wrong of ['1,23', '1.234,56', '12,34', '500.001', 'x', '1e5', '-5 Cr', '1,2345', '999999999999999'])
    expect(paise(wrong), wrong).toBeUndefined()
})

test('days are read as the mapping says, and a day that is none is refused', () => {
  expect(['3/11/2026', '03-11-26', '03.11.2026 10:00'].map((day) => readDay(day, 'dd/mm/yyyy'))).toEqual(
    Array.from({ length: 3 }, () => '2026-11-03'),
  )
  expect(['3 Nov 2026', '03-NOV-26', '3-November-2026', '03Nov2026'].map((day) => readDay(day, 'dd-MMM-yyyy'))).toEqual(
    Array.from({ length: 4 }, () => '2026-11-03'),
  )
  expect(readDay('2026-11-03', 'yyyy-mm-dd')).toBe('2026-11-03')
  for (const wrong of ['31/02/2026', '11/13/2026', '2026-11-03', '']) expect(readDay(wrong, 'dd/mm/yyyy'), wrong).toBeUndefined()
})

describe('a file is refused', () => {
  const HEAD = 'Date,Narration,Chq./Ref.No.,Withdrawal Amt.,Deposit Amt.,Closing Balance'
  const file = (...rows: string[]) => read([HEAD, ...rows].join('\n'))
  const A = '01/11/26,Rent,1,,100.00,100.00'
  const B = '02/11/26,Rent,2,40.00,,60.00'
  const refused = (found: ReturnType<typeof read>) => (found.ok ? 'read' : [found.code, found.values?.['row']])

  test('whose balances do not add up, naming the row and both balances', () => {
    const found = file(A, '02/11/26,Rent,2,40.00,,61.00', '03/11/26,Rent,3,1.00,,60.00')
    expect(found).toMatchObject({ code: 'statement_balance', values: { row: '3', expected: '₹60.00', found: '₹61.00' } })
    // A line that is missing in the middle, in a file that is newest first.
    expect(refused(file('03/11/26,Rent,3,10.00,,50.00', A))).toEqual(['statement_balance', '2'])
  })

  test('whose row cannot be read', () => {
    expect(refused(file(A, '02/13/26,Rent,2,40.00,,60.00'))).toEqual(['statement_date', '3'])
    expect(refused(file(A, '02/11/26,Rent,2,40.00,5.00,65.00'))).toEqual(['statement_amount', '3'])
    expect(refused(file(A, '02/11/26,Rent,2,4x.00,,60.00'))).toEqual(['statement_amount', '3'])
    expect(refused(file(A, '02/11/26,Rent,2,40.00,,'))).toEqual(['statement_amount', '3'])
    // A comma without quotes moves the cells.
    expect(refused(file(A, '02/11/26,Rent, of May,2,40.00,,60.00'))).toEqual(['statement_amount', '3'])
    expect(refused(file(A, '03/11/26,Rent,2,40.00,,60.00', '02/11/26,Rent,3,10.00,,50.00', '04/11/26,Rent,4,10.00,,40.00'))).toEqual([
      'statement_order',
      '4',
    ])
    expect(refused(file(A, 'Page 1,,,,,', B))).toEqual(['statement_after_end', '4'])
  })

  test('that is no table, has other columns, no line, or too many rows', () => {
    expect(refused(read('PK\u0003\u0004 sheet'))).toEqual(['statement_no_table', undefined])
    expect(refused(read(`${HEAD}\n01/11/26,"Rent,1,,100.00,100.00`))).toEqual(['statement_no_table', undefined])
    expect(read('Datum,Betrag\n1,2')).toMatchObject({
      code: 'statement_no_header',
      values: { columns: expect.stringContaining('Narration') },
    })
    expect(refused(file())).toEqual(['statement_empty', undefined])
    expect(refused(file(...Array.from({ length: 10_001 }, () => A)))).toEqual(['statement_too_large', undefined])
  })

  test('and no refusal has the words of a line', () => {
    const found = file(A, '02/11/26,ASHA VERMA 12345678901,2,4x.00,,60.00')
    expect(JSON.stringify(found)).not.toMatch(/ASHA|12345678901/)
  })
})

test('older exports in Windows-1252, and files of Excel in UTF-16, are read', () => {
  const text = 'Date,Narration,Chq./Ref.No.,Withdrawal Amt.,Deposit Amt.,Closing Balance\n01/11/26,Caf\u00e9,1,,100.00,100.00'
  for (const bytes of [Buffer.from(text, 'latin1'), Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')])]) {
    const found = readStatement(bytes, HDFC)
    expect(found.ok && found.value[0].lines[0].words).toBe('Café\n1')
  }
})
