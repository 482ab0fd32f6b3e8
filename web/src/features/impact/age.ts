/** A relative age: days below 30, then months of 30 days below 365 days, then years of 365 days. */
import { daysBetween, type IstDay, parseDay } from '@roz/core/ist-day.ts'

type AgeShown = { readonly unit: 'day' | 'month' | 'year'; readonly count: number }

export function ageOf(day: string, today: IstDay): AgeShown | undefined {
  const from = parseDay(day)
  if (from === undefined) return undefined
  const days = Math.max(0, daysBetween(from, today))
  if (days < 30) return { unit: 'day', count: days }
  if (days < 365) return { unit: 'month', count: Math.floor(days / 30) }
  return { unit: 'year', count: Math.floor(days / 365) }
}
