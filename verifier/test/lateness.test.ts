/** Overdue logs and results: nothing in them is false, so only the monitor's own clock reveals them. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DRAW_DELAY_MS } from '../src/beacon.ts'
import { shiftDay, startOfDayMs } from '../src/day.ts'
import { verifierKeyOf } from '../src/note.ts'
import { urlSource } from '../src/sources.ts'
import { type Alarm, createWatch, type Follower, type WatchSettings } from '../src/watch.ts'
import { makeBooks } from './books-maker.ts'
import { LiveSite } from './live-site.ts'
import { BEACON, closeRecord, DAY, LOG, MEMBERS, openRecord, resultRecord, ticketsOf } from './site-maker.ts'

const HOUR_MS = 3_600_000
const plan = { day: DAY, tickets: ticketsOf(7, DAY) }
const open = openRecord(plan)
const close = closeRecord(plan, open)
const books = makeBooks({ day: DAY, entries: 7, members: MEMBERS, before: undefined, settled: undefined })
const endMs = startOfDayMs(shiftDay(DAY, 1))

let site: LiveSite
let base: string
beforeEach(async () => {
  site = new LiveSite()
  base = await site.listen()
})
afterEach(() => site.close())

type Monitor = Follower & { nowMs: number; isCutOff: boolean; readonly alarms: Alarm[] }
function monitor(settings: Partial<WatchSettings> = {}): Monitor {
  const own = { nowMs: endMs, isCutOff: false, alarms: [] as Alarm[] }
  const ports = {
    source: urlSource(base),
    post: async () => 204,
    nowMs: () => own.nowMs,
    save: async () => undefined,
    say: () => undefined,
    alarm: async (alarm: Alarm) => {
      if (own.isCutOff) throw new Error('nobody takes it')
      own.alarms.push(alarm)
    },
    settle: async () => undefined,
  }
  const set = { logKey: verifierKeyOf(LOG), witness: undefined, chainHash: BEACON.draw.chainHash, ...settings }
  return Object.assign(own, createWatch(ports, set, undefined))
}
async function alarmsAt(watched: Monitor, nowMs: number): Promise<readonly string[]> {
  watched.alarms.length = 0
  watched.nowMs = nowMs
  await watched.look()
  return watched.alarms.map(({ kind, words }) => `${kind}: ${words}`)
}

test('missing books of a day raise one alarm 12 h after its end, and one more for each later day', async () => {
  const watched = monitor()
  site.append(open)
  expect(await alarmsAt(watched, endMs + 12 * HOUR_MS)).toEqual([])
  const late = [`late: the log has stopped: the books of ${DAY} are not in it 12 h after the end of that day`]
  expect(await alarmsAt(watched, endMs + 12 * HOUR_MS + 1)).toEqual(late)
  expect(await alarmsAt(watched, endMs + 60 * HOUR_MS)).toEqual([])
  site.append(close, resultRecord(plan, open, close))
  site.publishDraw(DAY, 'weak', plan.tickets)
  site.publishBooks(books, MEMBERS)
  const day = shiftDay(DAY, 1)
  expect(await alarmsAt(watched, endMs + 24 * HOUR_MS)).toEqual([])
  expect(await alarmsAt(watched, endMs + 37 * HOUR_MS)).toEqual([expect.stringContaining(`the books of ${day} are not in it`)])
  // A new monitor raises the alarm at once: it needs no stored state.
  expect(await alarmsAt(monitor(), endMs + 37 * HOUR_MS)).toHaveLength(1)
})

test('books of a future day do not postpone the alarm', async () => {
  site.append(open, { v: 1, kind: 'books', day: '2099-01-01', books: '00'.repeat(32) })
  expect(await alarmsAt(monitor(), endMs + 13 * HOUR_MS)).toContainEqual(expect.stringContaining(`the books of ${DAY} are not in it`))
})

test('an alarm that could not be sent is sent again at the next look, until it succeeds once', async () => {
  const watched = monitor()
  site.append(open)
  watched.isCutOff = true
  expect(await alarmsAt(watched, endMs + 13 * HOUR_MS)).toEqual([])
  watched.isCutOff = false
  const late = [expect.stringContaining('the log has stopped')]
  expect(await alarmsAt(watched, endMs + 13 * HOUR_MS)).toEqual(late)
  expect(await alarmsAt(watched, endMs + 13 * HOUR_MS)).toEqual([])
})

test('a withheld result raises an alarm, though the log continues with its books', async () => {
  const watched = monitor()
  site.append(open, close)
  site.publishBooks(books, MEMBERS)
  const drawMs = close.sealedAt + DRAW_DELAY_MS
  expect(await alarmsAt(watched, drawMs + 12 * HOUR_MS)).toEqual([])
  const alarms = await alarmsAt(watched, drawMs + 12 * HOUR_MS + 1)
  expect(alarms).toEqual([expect.stringContaining(`late: the result of ${DAY} is not in the log 12 h after its draw`)])
  site.append(resultRecord(plan, open, close))
  expect(await alarmsAt(monitor(), drawMs + 13 * HOUR_MS)).toEqual([])
})

test('an unreadable log raises a late alarm, after the tolerance that the caller sets, or never', async () => {
  site.append(open)
  const [watched, eager, patient] = [monitor(), monitor({ allowedMs: HOUR_MS }), monitor({ allowedMs: 0 })]
  for (const one of [watched, eager, patient]) expect(await alarmsAt(one, endMs)).toEqual([])
  site.files.delete('log/checkpoint')
  const stranger = monitor()
  for (const one of [watched, eager, patient, stranger]) expect(await alarmsAt(one, endMs + HOUR_MS)).toEqual([])
  expect(await alarmsAt(eager, endMs + HOUR_MS + 1)).toEqual([expect.stringContaining('1 h after the end')])
  expect(await alarmsAt(eager, endMs + 3 * HOUR_MS)).toEqual(['late: the log could not be read for 1 h'])
  expect((await alarmsAt(watched, endMs + 14 * HOUR_MS)).join()).toContain('the log has stopped')
  // The same for a monitor that has never read the log.
  expect(await alarmsAt(stranger, endMs + 14 * HOUR_MS)).toEqual(['late: the log could not be read for 12 h'])
  expect(await alarmsAt(stranger, endMs + 15 * HOUR_MS)).toEqual([])
  expect(await alarmsAt(patient, endMs + 900 * HOUR_MS)).toEqual([])
  // The alarm repeats if the log was readable in between.
  site.publish()
  expect((await alarmsAt(stranger, endMs + 16 * HOUR_MS)).join()).toContain('the log has stopped')
  site.files.delete('log/checkpoint')
  expect(await alarmsAt(stranger, endMs + 17 * HOUR_MS)).toEqual([])
  expect(await alarmsAt(stranger, endMs + 30 * HOUR_MS)).toEqual(['late: the log could not be read for 12 h'])
})
