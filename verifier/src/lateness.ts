/**
 * Finds overdue records of a log by the monitor's own clock (spec/protocol.md, chapter 15).
 *
 * - No signature proves that a log stopped or that a result is withheld: only a waiting observer's clock does.
 */
import { DRAW_DELAY_MS } from './beacon.ts'
import { shiftDay, startOfDayMs } from './day.ts'
import { daysOf, type Entry, ofKind } from './log.ts'

export const HOUR_MS = 3_600_000

/** Returns one text per overdue record. The text does not change while the record is overdue. */
export function lateRecords(entries: readonly Entry[], nowMs: number, allowedMs: number): readonly string[] {
  const [hours, inLog] = [allowedMs / HOUR_MS, daysOf(entries)]
  const late: string[] = []
  // Only books in day order count: books of a future day do not postpone the alarm.
  let next = ofKind(entries, 'open')[0]?.record.day
  for (const { record } of ofKind(entries, 'books')) if (record.day === next) next = shiftDay(next, 1)
  if (next !== undefined && nowMs > startOfDayMs(shiftDay(next, 1)) + allowedMs)
    late.push(`the log has stopped: the books of ${next} are not in it ${hours} h after the end of that day`)
  for (const { record } of ofKind(entries, 'close')) {
    const { result, void: ended } = inLog(record.day)
    if (result === undefined && ended === undefined && nowMs > record.sealedAt + DRAW_DELAY_MS + allowedMs)
      late.push(`the result of ${record.day} is not in the log ${hours} h after its draw: the beacon is down, or the result is withheld`)
  }
  return late
}
