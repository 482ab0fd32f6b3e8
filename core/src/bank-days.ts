/**
 * Bank days in India: all but Sundays and the second and fourth Saturdays of a month (RBI notification of 28 August 2015).
 * - Holidays of single states are not known here, so a day counted as a bank day may be none.
 */
import { addDays, type IstDay } from './ist-day.ts'

export function isBankDay(day: IstDay): boolean {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay()
  const saturday = Math.ceil(Number(day.slice(8)) / 7)
  return weekday !== 0 && (weekday !== 6 || (saturday !== 2 && saturday !== 4))
}

/** The last day that lies at least `count` bank days before `day`: what happened on it or before is `count` bank days old. */
export function bankDaysBefore(day: IstDay, count: number): IstDay {
  let at = day
  for (let left = count; left > 0; at = addDays(at, -1)) if (isBankDay(at)) left--
  return at
}
