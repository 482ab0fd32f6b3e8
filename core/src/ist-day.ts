/**
 * Days as Asia/Kolkata dates, `YYYY-MM-DD`.
 * - India has one zone, +05:30, without daylight saving. So a day is exactly 86,400,000 ms and needs no zone database.
 */
export type IstDay = string & { readonly __unit: 'ist-day' }

const DAY_MS = 86_400_000
const OFFSET_MS = 19_800_000
const PATTERN = /^\d{4}-\d{2}-\d{2}$/

/** The day in Kolkata at an instant (ms since 1970 UTC). */
export const dayAt = (instantMs: number): IstDay => new Date(instantMs + OFFSET_MS).toISOString().slice(0, 10) as IstDay

/** The instant (ms, UTC) at which a day starts in Kolkata. */
export const startOfDayMs = (day: IstDay): number => Date.parse(`${day}T00:00:00.000Z`) - OFFSET_MS
/** The instant at which a day ends: the next midnight in Kolkata. */
export const endOfDayMs = (day: IstDay): number => startOfDayMs(day) + DAY_MS

export const addDays = (day: IstDay, count: number): IstDay => dayAt(startOfDayMs(day) + count * DAY_MS)
export const nextDay = (day: IstDay): IstDay => addDays(day, 1)
export const yearOf = (day: IstDay): number => Number(day.slice(0, 4))
/** Whole days from one day to another. */
export const daysBetween = (from: IstDay, to: IstDay): number => (startOfDayMs(to) - startOfDayMs(from)) / DAY_MS

/** Parses a real calendar date `YYYY-MM-DD`; undefined for anything else. */
export function parseDay(text: string): IstDay | undefined {
  // Year 0 does not exist, neither in the calendar nor in the database.
  if (!PATTERN.test(text) || text < '0001') return undefined
  const ms = Date.parse(`${text}T00:00:00.000Z`)
  return Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== text ? undefined : (text as IstDay)
}

/** ISO 8601 with the Indian offset: `2026-11-21T00:00:05.000+05:30`. */
export const isoIst = (instantMs: number): string => new Date(instantMs + OFFSET_MS).toISOString().replace('Z', '+05:30')
