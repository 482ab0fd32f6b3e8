/** India's financial year, 1 April to 31 March in IST, written `2026-27` (Income-tax Act: the year in which income arises). */
import { type IstDay, yearOf } from './ist-day.ts'

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
