/**
 * What should stand in a log by now and does not (protocol, chapter 15). Nobody signs that a log stands
 * still or that a result is kept back: only the clock of somebody who waits for it can tell.
 */
import { DRAW_DELAY_MS } from './beacon.ts'
import { shiftDay, startOfDayMs } from './day.ts'
import { daysOf, type Entry, ofKind } from './log.ts'

export const HOUR_MS = 3_600_000

/** In words that stay the same while the same thing is late. */
export function lateRecords(entries: readonly Entry[], nowMs: number, allowedMs: number): readonly string[] {
  const [hours, inLog] = [allowedMs / HOUR_MS, daysOf(entries)]
  const late: string[] = []
  // Counted on in their order: books of a day that has not come yet put off nothing.
  let next = ofKind(entries, 'open')[0]?.record.day
  for (const { record } of ofKind(entries, 'books')) if (record.day === next) next = shiftDay(next, 1)
  if (next !== undefined && nowMs > startOfDayMs(shiftDay(next, 1)) + allowedMs)
    late.push(`the log stands still: the books of ${next} are not in it ${hours} h after the end of that day`)
  for (const { record } of ofKind(entries, 'close')) {
    const { result, void: ended } = inLog(record.day)
    if (result === undefined && ended === undefined && nowMs > record.sealedAt + DRAW_DELAY_MS + allowedMs)
      late.push(`the result of ${record.day} is not in the log ${hours} h after its draw: the beacon is away, or it is kept back`)
  }
  return late
}
