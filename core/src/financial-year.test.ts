import { expect, test } from 'vitest'
import { financialYearOf, financialYears, parseFinancialYear } from './financial-year.ts'
import type { IstDay } from './ist-day.ts'

const day = (text: string): IstDay => text as IstDay

test('a financial year begins on 1 April and ends on 31 March', () => {
  expect(financialYearOf(day('2026-03-31'))).toEqual({ name: '2025-26', from: '2025-04-01', to: '2026-03-31' })
  expect(financialYearOf(day('2026-04-01'))).toEqual({ name: '2026-27', from: '2026-04-01', to: '2027-03-31' })
  expect(financialYearOf(day('2099-12-31')).name).toBe('2099-00')
})

test('only the name of a year is read', () => {
  expect(parseFinancialYear('2026-27')?.from).toBe('2026-04-01')
  for (const text of ['2026-28', '2026', '26-27', '2026-2027', '1999-00', '', '2026-27 ', '２０２６-27'])
    expect(parseFinancialYear(text)).toBeUndefined()
})

test('the years of a member are listed from the newest to the first', () => {
  expect(financialYears(day('2024-12-01'), day('2026-11-28')).map(({ name }) => name)).toEqual(['2026-27', '2025-26', '2024-25'])
  expect(financialYears(day('2026-11-28'), day('2026-11-28')).map(({ name }) => name)).toEqual(['2026-27'])
})
