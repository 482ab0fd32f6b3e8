/**
 * Days, hours and windows in Indian time.
 *
 * - A charge for today is never accepted; for tomorrow before 21:00; for the second to the fourteenth day at any hour; later never.
 * - Debits are made before 10:00, from 13:00 to 17:00 and after 21:30 (NPCI, since 1 August 2025).
 */
import { absent, parseTime } from '../fields.ts'
import { invalid, missing } from '../refusals.ts'

const IST_OFFSET_MS = 19_800_000
const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

const NEXT_DAY_UNTIL_MINUTE = 21 * 60
const LAST_DAY = 14
const WINDOWS = [
  [0, 10 * 60],
  [13 * 60, 17 * 60],
  [21 * 60 + 30, 24 * 60],
] as const

/** The day in India, counted from 1970. */
export const dayOf = (instantMs: number): number => Math.floor((instantMs + IST_OFFSET_MS) / DAY_MS)
export const dayStart = (day: number): number => day * DAY_MS - IST_OFFSET_MS
const minuteOf = (instantMs: number): number => Math.floor((instantMs - dayStart(dayOf(instantMs))) / MINUTE_MS)

export const isDebitTime = (instantMs: number): boolean =>
  WINDOWS.some(([from, to]) => minuteOf(instantMs) >= from && minuteOf(instantMs) < to)

/** The instant itself if debits are made then, else the start of the next window. */
export function nextDebitTime(instantMs: number): number {
  if (isDebitTime(instantMs)) return instantMs
  const next = WINDOWS.find(([from]) => from > minuteOf(instantMs))
  return dayStart(dayOf(instantMs)) + (next?.[0] ?? 24 * 60) * MINUTE_MS
}

const DAY_ONLY = /^(\d{4}-\d{2}-\d{2})(?:[T ].*)?$/
const OFFSET = /(?:Z|[+-]\d{2}:?\d{2})$/

/** Only the date counts. An instant with an offset means its date in India. */
export function readDay(value: unknown, field: string): number {
  if (absent(value)) throw missing(field)
  const match = typeof value === 'string' ? DAY_ONLY.exec(value) : null
  const [whole, date] = match ?? []
  const atMs = whole === undefined ? Number.NaN : parseTime(OFFSET.test(whole.slice(10)) ? whole : `${date}T00:00:00+05:30`)
  if (Number.isNaN(atMs)) throw invalid(field, 'should be an ISO8601 date', value)
  return dayOf(atMs)
}

export function readDebitDay(value: unknown, field: string, nowMs: number): number {
  const day = readDay(value, field)
  const ahead = day - dayOf(nowMs)
  if (ahead < 1) throw invalid(field, 'should be after today', value)
  if (ahead === 1 && minuteOf(nowMs) >= NEXT_DAY_UNTIL_MINUTE) throw invalid(field, 'for tomorrow should be sent before 21:00 IST', value)
  if (ahead > LAST_DAY) throw invalid(field, `should be at most ${LAST_DAY} days ahead`, value)
  return day
}
