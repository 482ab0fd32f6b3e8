import { expect, test } from 'vitest'
import { financialYearOf, financialYears, parseFinancialYear, parseQuarter, recentQuarters } from './financial-year.ts'
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

test('a quarter begins with April, July, October or January', () => {
  const days = ['Q1', 'Q2', 'Q3', 'Q4'].map((quarter) => parseQuarter(`2027-28-${quarter}`)).map((found) => `${found?.from} ${found?.to}`)
  expect(days).toEqual(['2027-04-01 2027-06-30', '2027-07-01 2027-09-30', '2027-10-01 2027-12-31', '2028-01-01 2028-03-31'])
  for (const text of ['2026-27-Q5', '2026-27', 'Q1', '2026-28-Q1']) expect(parseQuarter(text)).toBeUndefined()
})

test('the recent quarters begin with the one of today', () => {
  const names = (today: string) => recentQuarters(day(today), 3).map(({ name }) => name)
  expect(names('2026-11-28')).toEqual(['2026-27-Q3', '2026-27-Q2', '2026-27-Q1'])
  expect(names('2026-01-01')).toEqual(['2025-26-Q4', '2025-26-Q3', '2025-26-Q2'])
  for (const today of ['2026-03-31', '2026-04-01', '2026-06-30', '2026-12-31']) {
    const [quarter] = recentQuarters(day(today), 1)
    expect([quarter?.from, quarter?.to].map((edge) => (edge ?? '') <= today)).toEqual([true, today === quarter?.to])
  }
})
