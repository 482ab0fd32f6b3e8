/** Days of Asia/Kolkata as texts and as the instants between which they lie. */
const DAY_MS = 86_400_000
const OFFSET_MS = 19_800_000

export const startOfDayMs = (day: string): number => Date.parse(`${day}T00:00:00Z`) - OFFSET_MS

/** The day so many days later; earlier when negative. */
export const shiftDay = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)

export const isWithinDay = (timeMs: number, day: string): boolean => timeMs >= startOfDayMs(day) && timeMs < startOfDayMs(day) + DAY_MS
