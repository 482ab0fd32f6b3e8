/** India's financial year, 1 April to 31 March in IST, written `2026-27` (Income-tax Act: the year in which income arises). */
import { addDays, type IstDay, yearOf } from './ist-day.ts'

export type FinancialYear = {
  /** `2026-27`. */
  readonly name: string
  readonly from: IstDay
  readonly to: IstDay
}

const yearFrom = (first: number): FinancialYear => ({
  name: `${first}-${String((first + 1) % 100).padStart(2, '0')}`,
  from: `${first}-04-01` as IstDay,
  to: `${first + 1}-03-31` as IstDay,
})

export const financialYearOf = (day: IstDay): FinancialYear => yearFrom(day.slice(5) < '04-01' ? yearOf(day) - 1 : yearOf(day))

/** Undefined for anything but the name of a year, such as `2026-27`. */
export function parseFinancialYear(text: string): FinancialYear | undefined {
  const year = yearFrom(Number(/^(20\d{2})-\d{2}$/.exec(text)?.[1] ?? 0))
  return year.name === text ? year : undefined
}

/** From the year of `first` to the year of `today`, newest first. */
export function financialYears(first: IstDay, today: IstDay): FinancialYear[] {
  const oldest = yearOf(financialYearOf(first).from)
  const newest = yearOf(financialYearOf(today).from)
  return Array.from({ length: Math.max(0, newest - oldest) + 1 }, (_, index) => yearFrom(newest - index))
}

/** A quarter of a financial year: `2026-27-Q3` is October to December 2026. Tax that was withheld is reported by quarter. */
export type Quarter = FinancialYear

const FIRST_MONTHS = ['04', '07', '10', '01'] as const

export function parseQuarter(text: string): Quarter | undefined {
  const [, name = '', number = ''] = /^(.+)-Q([1-4])$/.exec(text) ?? []
  const year = parseFinancialYear(name)
  const month = FIRST_MONTHS[Number(number) - 1]
  if (year === undefined || month === undefined) return undefined
  const from = `${yearOf(month === '01' ? year.to : year.from)}-${month}-01` as IstDay
  // No quarter has more than 92 days, and its successor begins on the first of a month.
  const next = addDays(from, 92).slice(0, 8)
  return { name: text, from, to: addDays(`${next}01` as IstDay, -1) }
}

/** `2026-27-Q3`, for any day of it. */
export const quarterNameOf = (day: IstDay): string => `${financialYearOf(day).name}-Q${placeOf(day) + 1}`
/** 0 for April to June. */
const placeOf = (day: IstDay): number => Math.floor(((Number(day.slice(5, 7)) + 8) % 12) / 3)

/** The quarters up to today, newest first. */
export function recentQuarters(today: IstDay, count: number): Quarter[] {
  const first = yearOf(financialYearOf(today).from) * 4 + placeOf(today)
  return Array.from({ length: count }, (_, index) => {
    const quarter = first - index
    return parseQuarter(`${yearFrom(Math.floor(quarter / 4)).name}-Q${(quarter % 4) + 1}`) as Quarter
  })
}
