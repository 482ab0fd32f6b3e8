/** Times of date-time fields, which the portal shows and takes in India's time. */

const OFFSET_MS = 5.5 * 3_600_000

/** An instant as a date-time field writes it: `2026-11-21T18:00`. */
export const inIndia = (instant: string | number): string => new Date(new Date(instant).getTime() + OFFSET_MS).toISOString().slice(0, 16)

/** The instant of a date-time field. */
export const fromIndia = (written: string): string => `${written}:00+05:30`
