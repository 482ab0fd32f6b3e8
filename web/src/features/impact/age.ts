/** Relative ages of the spec (section 4): days under 30, months of 30 days under a year of 365 days, then years. */
import { dayAt, daysBetween, parseDay } from '@roz/core/ist-day.ts'

export type Age = { readonly unit: 'day' | 'month' | 'year'; readonly count: number }

export function ageOf(day: string, nowMs: number): Age | undefined {
  const from = parseDay(day)
  if (from === undefined) return undefined
  const days = Math.max(0, daysBetween(from, dayAt(nowMs)))
  if (days < 30) return { unit: 'day', count: days }
  if (days < 365) return { unit: 'month', count: Math.floor(days / 30) }
  return { unit: 'year', count: Math.floor(days / 365) }
}
