/**
 * The product's clock in Node, and the confirmation of the database's clock (docs/decisions/0045-a-clock-that-jumps.md).
 * - The product's clock is roz_now(): the database's clock plus an offset that only /dev/clock sets. Node's own date never counts.
 * - Each `read` compares the database's clock with the last confirmed reading. The worker reads each second, a start before it serves.
 * - A reading outside of the window is confirmed only if monotonic clocks, or an outside clock, say that this time has passed.
 * - Otherwise the clock is doubted: roz_now() stands still at the last confirmed time, and an alarm says so.
 * - A doubt ends by itself when the clock is plausible again; `roz clock accept` ends it by hand.
 */
import os from 'node:os'
import { dayAt } from '@roz/core/ist-day.ts'
import { type Db, sql } from '../db/sql.ts'

export type Clock = {
  readonly now: () => Date
  /** Reads the clock, confirms or doubts it, and returns the product's time. */
  readonly read: () => Promise<Date>
}

type Log = { readonly warn: (details: object, message: string) => void; readonly error: (details: object, message: string) => void }
export type ClockOptions = {
  /** Clocks of this machine that nobody sets, in ms. Only their differences count. */
  readonly steadyMs?: () => readonly number[]
  /** This machine's own date. */
  readonly ownMs?: () => number
  /** The times that clocks outside of this machine give now; none if none answers. */
  readonly outsideMs?: () => Promise<readonly number[]>
  readonly log?: Log
}

/** Up to this difference a clock is believed: the clocks of two machines, a leap, a switch of the database's host. roz_now() repeats it. */
const TOLERANCE_MS = 300_000
const CONFIRM_EVERY_MS = 10_000
const ASK_OUTSIDE_EVERY_MS = 60_000

/** The first stops while the machine is suspended, the second counts on where the system can tell. */
const steadyClocks = (): readonly number[] => [performance.now(), os.uptime() * 1000]

type Look = { readonly at: Date; readonly now: Date; readonly trustedAt: Date | null; readonly doubtedAt: Date | null }
/** The last plausible reading of this process. */
type Reference = { readonly atMs: number; readonly steadyMs: readonly number[] }

export function createClock(db: Db, options: ClockOptions = {}): Clock {
  const { steadyMs = steadyClocks, ownMs = Date.now, outsideMs = async () => [], log } = options
  let reference: Reference | undefined
  let newest = { ms: Date.now(), readAtMs: performance.now() }
  let askedOutsideAtMs = Number.NEGATIVE_INFINITY
  let outside: boolean | undefined

  /** Whether an outside clock agrees with this reading; undefined if none answers. The last answer counts for a minute. */
  async function agreesOutside(atMs: number): Promise<boolean | undefined> {
    if (performance.now() - askedOutsideAtMs < ASK_OUTSIDE_EVERY_MS) return outside
    askedOutsideAtMs = performance.now()
    outside = undefined
    const times = await outsideMs()
    outside = times.length === 0 ? undefined : times.some((time) => isNear(time, atMs))
    return outside
  }

  /** Whether this process has lived through the time between its last plausible reading and this one. */
  const hasPassed = (atMs: number, { atMs: beforeMs, steadyMs: before }: Reference): boolean =>
    steadyMs().some((ms, clock) => isNear(atMs - beforeMs, ms - (before[clock] ?? 0)))

  /** A server that starts cannot know how much time has passed: its own date and, where there are any, outside clocks must agree. */
  async function isPlausibleAtStart(atMs: number, { doubtedAt, trustedAt }: Look): Promise<boolean> {
    const known = await agreesOutside(atMs)
    if (known !== undefined) return known
    if (!isNear(ownMs(), atMs)) return false
    // A doubt that another server left: about a clock that ran ahead it ends once that clock has come back.
    return doubtedAt === null || doubtedAt.getTime() < (trustedAt?.getTime() ?? 0) || atMs < doubtedAt.getTime() - TOLERANCE_MS
  }

  async function isPlausible(look: Look): Promise<boolean> {
    const atMs = look.at.getTime()
    const trustedMs = look.trustedAt?.getTime()
    if (trustedMs !== undefined && isNear(atMs, trustedMs)) return true
    // The product's clock never runs backwards by itself: it waits until the database's clock has caught up.
    if (trustedMs !== undefined && atMs < trustedMs) return false
    if (reference === undefined) return isPlausibleAtStart(atMs, look)
    return hasPassed(atMs, reference) || (await agreesOutside(atMs)) === true
  }

  async function read(): Promise<Date> {
    const look = await db.one<Look>(
      sql`select machine_clock() as at, roz_now() as now, trusted_at as "trustedAt", doubted_at as "doubtedAt" from clock_offset`,
    )
    const { at, now, trustedAt, doubtedAt } = look
    let productMs = now.getTime()
    const told = { database: at, confirmed: trustedAt }
    if (await isPlausible(look)) {
      reference = { atMs: at.getTime(), steadyMs: steadyMs() }
      const isDue = trustedAt === null || at.getTime() - trustedAt.getTime() >= CONFIRM_EVERY_MS || isOtherDay(at, trustedAt)
      if (isDue || doubtedAt !== null) {
        const trusted = await db.one<{ now: Date }>(sql`select trust_clock(${at}::timestamptz) as now`)
        productMs = trusted.now.getTime()
      }
      if (doubtedAt !== null) log?.warn(told, "the database's clock is plausible again: the product's clock goes on")
    } else if (doubtedAt === null) {
      await db.query(sql`select doubt_clock(${at}::timestamptz)`)
      log?.error(told, "the database's clock has jumped: the product's clock stands still (docs/runbooks/clock.md)")
    }
    newest = { ms: productMs, readAtMs: performance.now() }
    return new Date(productMs)
  }

  return { now: () => new Date(newest.ms + performance.now() - newest.readAtMs), read }
}

const isNear = (one: number, other: number): boolean => Math.abs(one - other) <= TOLERANCE_MS

/** A midnight is confirmed at once: a day that has closed stays closed if the clock jumps in the next seconds. */
const isOtherDay = (at: Date, trustedAt: Date): boolean => at > trustedAt && dayAt(at.getTime()) !== dayAt(trustedAt.getTime())
