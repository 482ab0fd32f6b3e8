/** Days in Asia/Kolkata (IST, UTC+5:30): texts YYYY-MM-DD and their start instants. */
const DAY_MS = 86_400_000
const OFFSET_MS = 19_800_000

export const startOfDayMs = (day: string): number => Date.parse(`${day}T00:00:00Z`) - OFFSET_MS

/** Returns the day `days` later, or earlier if negative. */
export const shiftDay = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)

export const isWithinDay = (timeMs: number, day: string): boolean => timeMs >= startOfDayMs(day) && timeMs < startOfDayMs(day) + DAY_MS
